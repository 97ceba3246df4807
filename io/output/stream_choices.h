#pragma once
// Input streams that options name by their number or their language.

#include <string>
#include <string_view>
#include <vector>

#include "config/io_options.h"
#include "io/handles.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// Whether the stream, which is one of these, is meant: by its index among those of its kind, or by its language, for
/// which regions are ignored ("en-US" is English) and either code of ISO 639-2 is accepted.
bool is_chosen(const Demuxer& input, const AVStream& stream, const StreamChoice& choice);
/// Whether the stream is of a kind of which none are chosen, or is one of those chosen.
bool is_kept(const Demuxer& input, const AVStream& stream, const std::vector<StreamChoice>& choices);
/// "subtitles:1, subtitles:2": how options name those of a kind that have a place in the output; "" if none has.
std::string names_of_kept(const Demuxer& input, const std::vector<int>& places, unsigned kind);
/// Throws Error(usage), naming the option, if an option names streams that do not exist although it must match some.
void check_choices(const Demuxer& input, const OutputOptions& options);

}  // namespace vfilter
