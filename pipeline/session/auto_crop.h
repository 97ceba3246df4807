#pragma once
// --crop auto: black bars are found before anything is filtered, and cut away by a graph of libavfilter's in front.

#include <functional>

#include "config/options.h"
#include "pipeline/report/outcome.h"
#include "pipeline/session/run_parts.h"

namespace vfilter {

/// Puts a step in front of the chain, in whose place another one comes as soon as bars are found. Throws Error(usage)
/// where the input cannot be looked at before the run: what is live, or comes once, or is several files.
void begin_auto_crop(Options& options);

/// Looks at pictures all over the wanted part, through a reader of its own, and makes of that step what a user would
/// have typed, or takes it away; nothing in `options` asks for it any more. Tells what was found, and returns it. The
/// input is open, and the first pictures are there. Throws Error.
FoundCrop find_auto_crop(Options& options, const RunParts& parts, const std::function<bool()>& interrupted);

}  // namespace vfilter
