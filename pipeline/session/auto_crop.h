#pragma once
// --crop auto: black bars are detected before anything is filtered, and cut off by a libavfilter graph at the front.

#include <functional>

#include "config/options.h"
#include "pipeline/report/outcome.h"
#include "pipeline/session/run_parts.h"

namespace vfilter {

/// Puts a placeholder step at the front of the chain, to be replaced once bars have been found. Throws Error(usage) if
/// the input cannot be examined before the run: if it is live, can be read only once, or consists of several files.
void begin_auto_crop(Options& options);

/// Examines pictures from the whole requested part with its own reader, and replaces the placeholder with what a user
/// would have typed, or removes it; after that nothing in `options` requests it. Reports and returns what was found.
/// The input must be open, with its first pictures decoded. Throws Error.
FoundCrop find_auto_crop(Options& options, const RunParts& parts, const std::function<bool()>& interrupted);

}  // namespace vfilter
