#pragma once
// A thread has eight bytes of a row of every channel: they are loaded as they lie, put in order in registers, and
// stored.

#include <cstdint>

#include "kernels/blend.h"
#include "kernels/cuda/samples/parameters.h"

namespace vfilter::cuda::samples {

struct Unit {
    unsigned picture;
    int x;  ///< unit of the row
    int y;
    bool there;
};

__device__ __forceinline__ Unit own_unit(const Units& units) {
    const unsigned picture = blockIdx.x / units.blocks;
    const unsigned number = (blockIdx.x - picture * units.blocks) * threads + threadIdx.x;
    const unsigned row = number / units.of_row;
    return {picture, static_cast<int>(number - row * units.of_row), static_cast<int>(row), number < units.all};
}

__device__ __forceinline__ unsigned char* row_of(const DeviceSamples& samples, unsigned picture, int y) {
    return static_cast<unsigned char*>(samples.data) + static_cast<std::int64_t>(samples.picture_pitch) * picture +
           static_cast<std::int64_t>(samples.row_pitch) * y;
}

/// Sample `index` of consecutive ones in words.
template <class T, int words>
__device__ __forceinline__ std::uint32_t sample_of(const std::uint32_t (&from)[words], int index) {
    constexpr int per_word = 4 / static_cast<int>(sizeof(T));
    constexpr int bits = 8 * static_cast<int>(sizeof(T));
    return from[index / per_word] >> index % per_word * bits & ((1U << bits) - 1);
}

template <class T, int words>
__device__ __forceinline__ void put(std::uint32_t (&to)[words], int index, std::uint32_t sample) {
    constexpr int per_word = 4 / static_cast<int>(sizeof(T));
    constexpr int bits = 8 * static_cast<int>(sizeof(T));
    to[index / per_word] |= sample << index % per_word * bits;
}

template <class T, int channels>
__global__ void __launch_bounds__(threads) copy_units(const __grid_constant__ Copy copy) {
    constexpr int pixels = unit_pixels<T>;
    constexpr int words = 2 * channels;
    const Unit unit = own_unit(copy.units);
    if (!unit.there) {
        return;
    }
    const int x = unit.x * pixels;
    const int count = copy.units.width - x;  // pixels
    const unsigned char* const from = row_of(copy.from, unit.picture, unit.y);
    unsigned char* const to = row_of(copy.to, unit.picture, unit.y);

    std::uint32_t loaded[words] = {};
    if (count >= pixels && copy.from_access != Access::single) {
        const bool planes = copy.from_access == Access::planes;
#pragma unroll
        for (int i = 0; i < channels; ++i) {
            const unsigned char* const place = planes ? from + copy.from.channel_pitch * i + unit.x * unit_bytes
                                                      : from + (unit.x * channels + i) * unit_bytes;
            const uint2 two = *reinterpret_cast<const uint2*>(place);
            loaded[2 * i] = two.x;
            loaded[2 * i + 1] = two.y;
        }
    } else {
#pragma unroll
        for (int channel = 0; channel < channels; ++channel) {
#pragma unroll
            for (int i = 0; i < pixels; ++i) {
                if (i < count) {
                    const T sample = *reinterpret_cast<const T*>(from + copy.from.channel_pitch * channel +
                                                                 copy.from.pixel_pitch * (x + i));
                    put<T>(loaded, channel * pixels + i, sample);
                }
            }
        }
    }

    std::uint32_t stored[words] = {};
    const bool pixels_in = count >= pixels && copy.from_access == Access::pixels;
    const bool pixels_out = count >= pixels && copy.to_access == Access::pixels;
    if (pixels_in == pixels_out) {
#pragma unroll
        for (int i = 0; i < words; ++i) {
            stored[i] = loaded[i];
        }
    } else {
#pragma unroll
        for (int channel = 0; channel < channels; ++channel) {
#pragma unroll
            for (int i = 0; i < pixels; ++i) {
                const int of_planes = channel * pixels + i;
                const int of_pixels = i * channels + channel;
                if (pixels_in) {
                    put<T>(stored, of_planes, sample_of<T>(loaded, of_pixels));
                } else {
                    put<T>(stored, of_pixels, sample_of<T>(loaded, of_planes));
                }
            }
        }
    }

    if (count >= pixels && copy.to_access != Access::single) {
        const bool planes = copy.to_access == Access::planes;
#pragma unroll
        for (int i = 0; i < channels; ++i) {
            unsigned char* const place = planes ? to + copy.to.channel_pitch * i + unit.x * unit_bytes
                                                : to + (unit.x * channels + i) * unit_bytes;
            *reinterpret_cast<uint2*>(place) = make_uint2(stored[2 * i], stored[2 * i + 1]);
        }
        return;
    }
#pragma unroll
    for (int channel = 0; channel < channels; ++channel) {
#pragma unroll
        for (int i = 0; i < pixels; ++i) {
            if (i < count) {
                *reinterpret_cast<T*>(to + copy.to.channel_pitch * channel + copy.to.pixel_pitch * (x + i)) =
                    static_cast<T>(sample_of<T>(stored, channel * pixels + i));
            }
        }
    }
}

inline __global__ void __launch_bounds__(threads) copy_masked(const __grid_constant__ CopyChannel copy) {
    const Unit unit = own_unit(copy.units);
    const int x = unit.x * unit_bytes;
    if (!unit.there) {
        return;
    }
    const unsigned char* const from = row_of(copy.from, unit.picture, unit.y) + x;
    unsigned char* const to = row_of(copy.to, unit.picture, unit.y) + x;
    if (x + unit_bytes <= copy.row_bytes) {
        const std::uint64_t mask = copy.mask;
        auto* const place = reinterpret_cast<std::uint64_t*>(to);
        *place = (*place & ~mask) | (*reinterpret_cast<const std::uint64_t*>(from) & mask);
        return;
    }
    for (int i = 0; i < copy.row_bytes - x; ++i) {
        if ((copy.mask >> 8 * i & 1) != 0) {
            to[i] = from[i];
        }
    }
}

template <class T>
__global__ void __launch_bounds__(threads) blend_pixels(const __grid_constant__ Blend launch) {
    const Unit unit = own_unit(launch.units);
    if (!unit.there) {
        return;
    }
    const int weight = row_of(launch.weights, unit.picture, unit.y)[launch.weights.pixel_pitch * unit.x];
    if (weight == 255) {
        return;
    }
    const unsigned char* from = row_of(launch.from, unit.picture, unit.y) + launch.from.pixel_pitch * unit.x;
    unsigned char* made = row_of(launch.made, unit.picture, unit.y) + launch.made.pixel_pitch * unit.x;
    for (int channel = 0; channel < launch.units.channels; ++channel) {
        const T given = *reinterpret_cast<const T*>(from);
        T& result = *reinterpret_cast<T*>(made);
        result = weight == 0
                     ? given
                     : static_cast<T>(vfilter::blend(given >> launch.lsb, result >> launch.lsb, weight) << launch.lsb);
        from += launch.from.channel_pitch;
        made += launch.made.channel_pitch;
    }
}

}  // namespace vfilter::cuda::samples
