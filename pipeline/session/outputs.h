#pragma once
// What a session writes to, and with what.

#include <set>

#include "config/options.h"
#include "io/output/output_peer.h"
#include "pipeline/session/run_parts.h"

namespace vfilter {

/// Opens the address, the file or the files of pictures that the output is, none in the first of two passes. `waiting`
/// is for an address. Throws Error(output).
void open_output(const Options& options, const AVOutputFormat& container, OutputPeer::Waiting waiting, RunParts& parts);

/// Makes the muxer for what open_output() has opened, or a virtual camera. Throws Error.
void make_muxer(const Options& options, const AVOutputFormat& container, RunParts& parts);

/// The streams of the input for which the output has no place; once the muxer has begun.
std::set<int> unused_streams(const RunParts& parts);

}  // namespace vfilter
