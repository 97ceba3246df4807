#pragma once
// What the SIMD code of every instruction set shares: a piece of work, and the memory it is done in. Not for others.

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "kernels/cpu/simd.h"

namespace vfilter::simd {

template <class T>
struct Band {
    const SimdConvolution* convolution;
    PlaneView<const T> src;
    PlaneView<T> dst;
    Border border;
    int black;
    int first;
    int last;
};

/// Scratch memory of one thread, grown once to what the largest picture needs.
struct Scratch {
    hwy::AlignedFreeUniquePtr<std::uint8_t[]> lines;  ///< two source rows with the border on either side
    hwy::AlignedFreeUniquePtr<std::int32_t[]> ring;   ///< intermediate rows, two to a slot
    std::vector<const std::int32_t*> slots;
    std::vector<int> edges;  ///< where the samples beside a strip come from
    std::size_t line_capacity = 0;
    std::size_t ring_capacity = 0;

    void reserve(std::size_t line_bytes, std::size_t ring_words) {
        if (line_bytes > line_capacity) {
            lines = hwy::AllocateAligned<std::uint8_t>(line_bytes);
            line_capacity = lines ? line_bytes : 0;
        }
        if (ring_words > ring_capacity) {
            ring = hwy::AllocateAligned<std::int32_t>(ring_words);
            ring_capacity = ring ? ring_words : 0;
        }
        if (!lines || !ring) {
            throw std::bad_alloc();
        }
    }
};

inline Scratch& thread_scratch() {
    thread_local Scratch scratch;
    return scratch;
}

}  // namespace vfilter::simd
