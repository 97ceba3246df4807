#pragma once
// Lets muxers that put an index in front read back what they have written.

extern "C" {
#include <libavformat/avformat.h>
}

namespace vfilter {

class OutputFile;

/// Some muxers move what they have written, at the end, to put an index in front of it: FILM, Matroska with
/// `cues_to_front`, mp4 with `global_sidx`. They open their file once more for that, and get it to read; whatever else
/// a muxer opens is refused, as it would name files by itself. `file` may be null, outlives `format`, and is that of
/// its context.
void give_own_bytes(AVFormatContext& format, const OutputFile* file);

}  // namespace vfilter
