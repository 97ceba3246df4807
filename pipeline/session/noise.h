#pragma once
// Filters that need to know the noise (sigma=auto): it is measured in the first pictures, before anything is filtered.

#include <cstddef>
#include <string>
#include <vector>

#include "config/options.h"
#include "pipeline/engine/filter_engine.h"
#include "pipeline/report/outcome.h"

namespace vfilter {

/// Number of pictures in which it is measured.
inline constexpr std::size_t noise_pictures = 8;

/// Whether a filter of the chain requests it. Throws Error(usage) if that filter comes after a libavfilter graph, whose
/// pictures do not exist before it runs.
bool want_noise(const Options& options);

/// All filters of a chain, with numbers in place of requests for the noise; other filters unchanged. Each gets the
/// noise that the filters before it leave in these pictures, which are the first ones of a video as decoded, with
/// `format` as their native format. `threads` process them, 0 is one per core. The result is the same on every machine;
/// it is reported and added to `measured`. Throws Error(input) if there are no pictures.
std::vector<FilterSpec> with_measured_noise(std::vector<FilterSpec> filters, const std::vector<FramePtr>& decoded,
                                            const PictureFormat& format, int threads,
                                            std::vector<MeasuredNoise>& measured);

/// For pictures of one format.
NoiseLevels noise_of(const std::vector<FramePtr>& pictures, const PictureFormat& format);

}  // namespace vfilter
