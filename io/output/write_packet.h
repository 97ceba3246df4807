#pragma once
// Passes a packet to a muxer.

#include "io/handles.h"

namespace vfilter {

/// av_interleaved_write_frame(), whose result it returns; null writes what is waiting. Pictures of y4m with an odd
/// width, more than 8 bits and horizontally subsampled chroma are written here: FFmpeg's muxer rounds the width of
/// their chroma down in bytes, one sample below what its demuxer and others read.
int write_packet(AVFormatContext& output, AVPacket* packet);

/// Whether an error of that, or of the header, is the packet's own (or the streams'), and neither of the file, nor of
/// memory, nor of a connection. `sent`: the output goes to an address.
bool is_packets_fault(int error, const AVFormatContext& output, bool sent);

}  // namespace vfilter
