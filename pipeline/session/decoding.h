#pragma once
// What decodes a video of a run.

#include "config/options.h"
#include "pipeline/session/run_parts.h"

namespace vfilter {

/// Makes `video.source`, whose engines are there, and `parts.decoding` where hardware decodes. `kind` is what its first
/// picture is as it is decoded; `encodes`: the CPU has an encoder to run; `stand_in` is SessionHooks'. Tells where and
/// why, in parts.decode_choice. Throws Error: Error(device) if --decode gpu finds no GPU.
void make_source(const Options& options, bool encodes, int stand_in, const PictureKind& kind, RunParts& parts,
                 VideoRun& video);

}  // namespace vfilter
