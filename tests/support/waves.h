#pragma once
// What tests hear of decoded sound. Compiled with optimisation, unlike tests.

#include <cstddef>
#include <span>

namespace vfilter::test {

/// By how many samples b is later than a, 3000 at most, as the place of the highest correlation says. Throws
/// std::out_of_range where a has fewer than 6000, or b fewer than 9000.
int offset_of(std::span<const double> a, std::span<const double> b);

/// How loud a tone is in every `stride`th of the samples: its amplitude. `turns` is its part of a turn in a sample.
/// Throws std::out_of_range where there is none.
double loudness_of(std::span<const float> samples, std::size_t stride, double turns);

}  // namespace vfilter::test
