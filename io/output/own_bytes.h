#pragma once
// Lets muxers that put an index at the front read back what they have written.

extern "C" {
#include <libavformat/avformat.h>
}

namespace vfilter {

class OutputFile;

/// Some muxers move what they have written, at the end, to put an index before it: FILM, Matroska with `cues_to_front`,
/// mp4 with `global_sidx`. They open their file a second time for that, and get it for reading; anything else that a
/// muxer opens is refused, as it would name files by itself. `file` may be null, must outlive `format`, and is that of
/// its context.
void give_own_bytes(AVFormatContext& format, const OutputFile* file);

}  // namespace vfilter
