#pragma once
// What the kernels get as parameters.

#include <cstdint>

#include "kernels/cuda/samples/samples.h"

namespace vfilter::cuda::samples {

inline constexpr int threads = 256;
inline constexpr int unit_bytes = 8;  ///< that a thread has of every channel
template <class T>
inline constexpr int unit_pixels = unit_bytes / static_cast<int>(sizeof(T));

/// How a thread finds its pixels.
enum class Access {
    planes,  ///< eight bytes of every channel, at a multiple of eight
    pixels,  ///< as many words of eight bytes as there are channels, which are interleaved
    single   ///< each sample by itself
};

/// Blocks of one picture follow each other.
struct Units {
    unsigned blocks;  ///< of a picture
    unsigned of_row;  ///< of a thread each
    unsigned all;     ///< of a picture
    int width;
    int channels;
};

struct Copy {
    Units units;
    DeviceSamples from;
    DeviceSamples to;
    Access from_access;
    Access to_access;
};

/// Of pixels as long as a divisor of a thread's bytes.
struct CopyChannel {
    Units units;
    DeviceSamples from;
    DeviceSamples to;
    std::uint64_t mask;  ///< of a thread's bytes those of the channel
    int row_bytes;
};

struct Blend {
    Units units;  ///< pixels
    DeviceSamples weights;
    DeviceSamples from;
    DeviceSamples made;
    int lsb;
};

}  // namespace vfilter::cuda::samples
