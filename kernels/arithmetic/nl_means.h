#pragma once
// The arithmetic contract of non-local means: each sample becomes a mean of the samples around it, those counting most
// whose neighbourhoods look like its own. The plane goes on outside of the picture as its border says, everywhere
// below.
//
// What is compared is a picture of bytes, the guide, made of each sample s by
//
//     g = ((s >> (depth - 8)) * mul) >> 8                                mul is 1 to 256
//
// For a sample at p and each offset o of a square of `search` x `search` samples around 0, with q over the square of
// `patch` x `patch` samples around 0, the distance, the weight and the result are
//
//     d(o) = sum over q of |g(p + q) - g(p + o + q)|
//     w(o) = 255 - min(255, d(o) << doublings)
//     out  = (sum over o of w(o) * s(p + o) + W / 2) / W,  W = sum of w(o)  both divisions rounded down
//
// so that out is the mean, rounded half up. w(0) is 255: W is never 0. For each picture sums of weights fit 16 bits,
// those of products 32, both unsigned.
//
// With time, the offsets are also those into the pictures of the window (temporal.h): o is then a place and a picture,
// g(p + o + q) and s(p + o) are that picture's, its border the same, and the sums go over all of them. 0 is the offset
// to the sample itself.
//
// mul and doublings stand for the strength. With noise of the standard deviation sigma, in steps of an 8-bit picture, a
// weight reaches 0 where two patches differ by so many sigma for each sample (docs/lab-notes/nl-means.md has how that
// was found):
//
//     reach(sigma) = 1.7 / (min(max(sigma, 5), 15) / 10)^(1/4)            which goes from 2.0 to 1.5
//     d(o) << doublings  =  255 / reach * (mean of the differences) / sigma, but for what the guide rounds off
//
// Both planes of interleaved ones are filtered for themselves.

#include <algorithm>
#include <cstdint>

#include "kernels/arithmetic/arithmetic.h"
#include "kernels/arithmetic/temporal.h"

namespace vfilter {

/// Samples along a side, odd. A larger patch would leave too few steps in the guide, a larger search outgrow 32 bits.
inline constexpr int min_nl_means_size = 3;
inline constexpr int max_patch_size = 9;
inline constexpr int max_search_size = 15;

/// Immutable once made; may be shared by any number of threads.
struct NlMeans {
    int depth = 8;      ///< 8 to 16
    int patch = 7;      ///< 3 to max_patch_size, odd
    int search = 11;    ///< 3 to max_search_size, odd
    int mul = 256;      ///< 1 to 256
    int doublings = 0;  ///< 0 to 8
    TimeReach time{};   ///< at most max_neighbours

    [[nodiscard]] constexpr int max_value() const { return (1 << depth) - 1; }
    [[nodiscard]] constexpr int patch_radius() const { return patch / 2; }
    [[nodiscard]] constexpr int search_radius() const { return search / 2; }
    /// What of a line decides a result: so many samples on either side.
    [[nodiscard]] constexpr int reach() const { return patch_radius() + search_radius(); }

    /// Of a sample, at bit 0.
    [[nodiscard]] constexpr int guide(int sample) const { return ((sample >> (depth - 8)) * mul) >> 8; }
    /// Of a distance, which is a sum of at most 81 bytes.
    [[nodiscard]] constexpr int weight(int distance) const { return 255 - std::min(255, distance << doublings); }
    [[nodiscard]] static constexpr std::uint32_t mean(std::uint64_t sum, std::uint32_t weights) {
        return static_cast<std::uint32_t>((sum + weights / 2) / weights);
    }
};

/// `sigma` is above 0, in steps of an 8-bit picture, whatever the depth.
NlMeans make_nl_means(int depth, double sigma, int patch, int search, TimeReach time = {});

}  // namespace vfilter
