#pragma once
// Tags of files, streams, chapters and programs, and what --strip leaves out of them.

#include <string>
#include <utility>
#include <vector>

#include "config/io_options.h"
#include "io/handles.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// Whether a tag tells how a stream was encoded, or what came of it: its encoder, statistics.
bool tells_encoding(const std::string& key);
/// What the tags that are copied are of.
enum class Coded { as_before, anew };
/// Copies tags, without those that tell of the old encoding if the stream is coded anew, and without what is to be
/// stripped.
void copy_tags(AVDictionary*& to, const AVDictionary* from, Coded coded, Strip strip = Strip::nothing);
/// Removes what counts the packets and bytes of whole streams, and how long they are.
void drop_statistics(AVFormatContext& of_part);
/// Sets tags that the user wants; an empty value removes one, in whatever letters.
void set_tags(AVDictionary*& to, const std::vector<std::pair<std::string, std::string>>& tags);
/// Gives the output's streams, which have those places, the tags and purposes that the user wants for the input's.
void label_streams(const Demuxer& input, const std::vector<int>& places, const OutputOptions& options,
                   AVFormatContext& to);
/// Whether a tag says where somebody was: by its name, or as its value is a place on Earth as ISO 6709 writes it.
bool tells_place(const std::string& key, const std::string& value);
/// Whether a name of QuickTime's handler of a track says what any track's says: its type, or which program wrote it.
bool is_usual_handler(const std::string& name);
/// Makes a handler's name that says more the title of a stream that has none.
void title_by_handlers(AVFormatContext& output);
/// Whether all of a stream goes with what is stripped.
bool is_stripped(const AVStream& stream, Strip strip);
/// An attachment's name, which a container has to be told, without what the real one says.
void set_neutral_name(AVStream& attachment, const AVStream& from);

}  // namespace vfilter
