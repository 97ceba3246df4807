#pragma once
// Tags of files, streams, chapters and programs, and what --strip removes from them.

#include <string>
#include <utility>
#include <vector>

#include "config/io_options.h"
#include "io/handles.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// Whether a tag says how a stream was encoded, or describes the result: its encoder, statistics.
bool tells_encoding(const std::string& key);
/// What the copied tags belong to.
enum class Coded { as_before, anew };
/// Copies tags, without those about the old encoding if the stream is re-encoded, and without what is to be stripped.
void copy_tags(AVDictionary*& to, const AVDictionary* from, Coded coded, Strip strip = Strip::nothing);
/// Removes statistics about the packets, bytes and duration of whole streams.
void drop_statistics(AVFormatContext& of_part);
/// Sets tags that the user wants; an empty value removes one, ignoring case.
void set_tags(AVDictionary*& to, const std::vector<std::pair<std::string, std::string>>& tags);
/// Gives the output streams at those places the tags and purposes that the user wants for the input streams.
void label_streams(const Demuxer& input, const std::vector<int>& places, const OutputOptions& options,
                   AVFormatContext& to);
/// Whether a tag says where somebody was: by its name, or because its value is a place on Earth in the form of ISO
/// 6709.
bool tells_place(const std::string& key, const std::string& value);
/// Whether the name of a QuickTime track handler is one that any track could have: its type, or the program that wrote
/// it.
bool is_usual_handler(const std::string& name);
/// Makes a handler's name that says more the title of a stream that has none.
void title_by_handlers(AVFormatContext& output);
/// Whether the whole stream is stripped.
bool is_stripped(const AVStream& stream, Strip strip);
/// A neutral name for an attachment, as the container requires one, that does not reveal what the real one says.
void set_neutral_name(AVStream& attachment, const AVStream& from);

}  // namespace vfilter
