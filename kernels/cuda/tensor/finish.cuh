#pragma once
// From the sums of the tensor-core kernels to samples.

#include "kernels/cuda/load.cuh"
#include "kernels/cuda/magnitude.cuh"
#include "kernels/cuda/tensor/filter.h"

namespace vfilter::cuda::tensor {

/// Results, not yet clamped, from their sums v_t over all terms; `load(samples)` fetches the samples that were there.
/// Everything but the sums is the same for all threads.
template <class T, FinishKind kind, int terms>
__device__ __forceinline__ void finish(std::int32_t (&results)[4], const std::int32_t (&sums)[terms][4],
                                       const FinishNumbers& end, const auto& load) {
    const std::int32_t shift = end.shift;
    if constexpr (kind == FinishKind::plain) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            results[i] = sums[0][i] >> shift;
        }
    } else if (kind == FinishKind::magnitude && end.ending == Ending::magnitude) {
        const std::int32_t bias = end.bias;
        const std::int32_t limit = end.limit;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const std::int32_t a = min(max(sums[0][i] >> shift, -limit), limit);
            const std::int32_t b = min(max(sums[terms - 1][i] >> shift, -limit), limit);
            results[i] =
                sizeof(T) == 1 ? magnitude_of_bytes(a, b, static_cast<float>(bias)) : magnitude_of_words(a, b, bias);
        }
    } else {
        std::uint32_t v[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            v[i] = static_cast<std::uint32_t>(sums[0][i]);
#pragma unroll
            for (int t = 1; t < terms; ++t) {
                v[i] += static_cast<std::uint32_t>(sums[t][i]);
            }
        }
        std::uint32_t samples[4] = {};
        const bool threshold = end.ending == Ending::threshold;
        const std::uint32_t gain = end.gain;
        if (gain != 0 || threshold) {
            load(samples);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            v[i] += gain * samples[i];
        }
        if (end.ending == Ending::absolute) {
#pragma unroll
            for (std::uint32_t& sum : v) {
                sum = static_cast<std::uint32_t>(abs(static_cast<std::int32_t>(sum)) + end.bias);
            }
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            results[i] = static_cast<std::int32_t>(v[i]) >> shift;
        }
        if (threshold) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const std::uint32_t change = v[i] - static_cast<std::uint32_t>(end.bias) - (samples[i] << shift);
                results[i] = abs(static_cast<std::int32_t>(change)) < end.threshold
                                 ? static_cast<std::int32_t>(samples[i])
                                 : results[i];
            }
        }
    }
}

/// Four neighbouring samples of a row from x on, a multiple of 4; those outside of the picture are anything.
template <class T>
__device__ __forceinline__ void load_four(std::uint32_t (&four)[4], const unsigned char* row, int x,
                                          const PlaneParams& plane, unsigned max_value) {
    const T* const from = reinterpret_cast<const T*>(row) + x;
    if (x + 4 <= plane.samples) [[likely]] {
        std::uint32_t words[sizeof(T)];
        load_words<0, 4 * sizeof(T)>(words, reinterpret_cast<const unsigned char*>(from));
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const std::uint32_t word = words[i * static_cast<int>(sizeof(T)) / 4];
            const int bit = i * static_cast<int>(8 * sizeof(T)) % 32;
            four[i] = (word >> bit >> plane.lsb) & max_value;
        }
        return;
    }
    for (int i = 0; i < 4; ++i) {
        four[i] = 0;
    }
#pragma unroll 1
    for (int i = 0; i < plane.samples - x; ++i) {
        const std::uint32_t sample = (static_cast<std::uint32_t>(from[i]) >> plane.lsb) & max_value;
        four[0] = i == 0 ? sample : four[0];
        four[1] = i == 1 ? sample : four[1];
        four[2] = i == 2 ? sample : four[2];
    }
}

/// Clamps four neighbouring results to samples.
__device__ __forceinline__ std::uint32_t pack_four(const std::int32_t (&results)[4]) {
    return pack_bytes(results[0], results[1], results[2], results[3]);
}
__device__ __forceinline__ uint2 pack_four(const std::int32_t (&results)[4], int lsb, unsigned max_value) {
    std::uint32_t samples[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        samples[i] = static_cast<std::uint32_t>(min(max(results[i], 0), static_cast<std::int32_t>(max_value))) << lsb;
    }
    return make_uint2(__byte_perm(samples[0], samples[1], 0x5410), __byte_perm(samples[2], samples[3], 0x5410));
}

}  // namespace vfilter::cuda::tensor
