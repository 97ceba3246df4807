#pragma once
// Filters that want to know the noise (sigma=auto): it is measured in the first pictures, before anything is filtered.

#include <cstddef>
#include <string>
#include <vector>

#include "config/options.h"
#include "pipeline/engine/filter_engine.h"
#include "pipeline/report/outcome.h"

namespace vfilter {

/// Pictures in which it is measured.
inline constexpr std::size_t noise_pictures = 8;

/// Whether a filter of the chain asks for it. Throws Error(usage) where that one stands after a graph of libavfilter's,
/// whose pictures are not there before it runs.
bool want_noise(const Options& options);

/// By numbers, all filters of a chain that want to know the noise; others as they are. Each is told of the noise that
/// the filters before it leave in these pictures, the first ones of a video as they are decoded, of which `format` is
/// the native one; `threads` work on them, 0 is one per core. The same on every machine. What was found is told, and
/// added to `measured`. Throws Error(input) if there are no pictures.
std::vector<FilterSpec> with_measured_noise(std::vector<FilterSpec> filters, const std::vector<FramePtr>& decoded,
                                            const PictureFormat& format, int threads,
                                            std::vector<MeasuredNoise>& measured);

/// Of pictures of one format.
NoiseLevels noise_of(const std::vector<FramePtr>& pictures, const PictureFormat& format);

}  // namespace vfilter
