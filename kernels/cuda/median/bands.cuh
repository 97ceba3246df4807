#pragma once
// The rows that a block of networks works on, in shared memory: copied while the block works on those before. What lies
// outside of the picture is made on the way.

#include <cstdint>

#include "kernels/cuda/load.cuh"
#include "kernels/cuda/median/parameters.h"
#include "kernels/cuda/ptx.cuh"

namespace vfilter::cuda::median {

/// Waits for what this thread has copied to shared memory.
__device__ __forceinline__ void wait_for_copies() {
#ifdef VFILTER_TENSOR_CORES
    cp_async_wait_all();
#endif
}

/// Fills bands, one below the other. A thread copies the same 16 bytes of some rows of each.
template <class T, int radius_y>
class Filler {
public:
    using Rows = Band<T, radius_y>;

    /// For samples from `left` on, the first band's rows from `top` on.
    __device__ Filler(const Picture& picture, const PlaneParams& plane, int left, int top, int reach)
        : picture_(picture), plane_(plane), reach_(reach) {
        const int thread = static_cast<int>(threadIdx.x);
        const int row = thread / chunks;
        const int chunk = thread - row * chunks;
        x_ = left + (chunk - 1) * per_chunk;
        y_ = row < at_once && x_ < plane.samples + reach ? top + row : none;
        to_ = row * Rows::pitch + chunk * 16;
        inside_ = x_ >= 0 && x_ + per_chunk <= plane.samples;
        from_ = plane.src + plane.src_pitch * (top + row) + std::int64_t{x_} * static_cast<int>(sizeof(T));
    }

    /// The band whose turn it is. What lies outside of the picture is made here.
    __device__ __forceinline__ void fill(unsigned char* band) {
        const unsigned char* from = from_;
#pragma unroll
        for (int round = 0; round * at_once < Rows::rows; ++round) {
            const int y = y_ + round * at_once;
            unsigned char* const to = band + to_ + round * at_once * Rows::pitch;
            if ((round + 1) * at_once <= Rows::rows || to < band + Rows::bytes) {
                if (inside_ && static_cast<unsigned>(y) < static_cast<unsigned>(plane_.height)) {
                    copy(to, from);
                } else if (y_ != none) {
                    make(to, y);
                }
            }
            from += plane_.src_pitch * at_once;
        }
        from_ += plane_.src_pitch * network_rows;
        y_ += y_ != none ? network_rows : 0;
    }

private:
    static constexpr int none = -0x40000000;
    static constexpr int chunks = Rows::pitch / 16;  ///< of a row, of 16 bytes
    static constexpr int per_chunk = 16 / static_cast<int>(sizeof(T));
    static constexpr int at_once = network_threads / chunks;  ///< rows

    __device__ static __forceinline__ void copy(unsigned char* to, const unsigned char* from) {
#ifdef VFILTER_TENSOR_CORES
        cp_async_16(to, from, 16);
#else
        *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(from);
#endif
    }
    /// From the row that stands for row y; sample by sample, and only what is read of them, at the ends of rows.
    __device__ __forceinline__ void make(unsigned char* to_bytes, int y) const {
        const T* const row = reinterpret_cast<const T*>(row_at(plane_, picture_, y));
        if (inside_ && row != nullptr) {
            copy(to_bytes, reinterpret_cast<const unsigned char*>(row + x_));
            return;
        }
        T* const to = reinterpret_cast<T*>(to_bytes);
        const T black = static_cast<T>(plane_.black << plane_.lsb);
        const int end = min(per_chunk, plane_.samples + reach_ - x_);
#pragma unroll 1
        for (int j = max(0, -reach_ - x_); j < end; ++j) {
            const int place = row == nullptr ? -1 : source_of(x_ + j, plane_, picture_.border == Border::constant);
            to[j] = place < 0 ? black : row[place];
        }
    }

    const Picture& picture_;
    const PlaneParams& plane_;
    int reach_;
    int x_;
    int y_;
    int to_;
    bool inside_;
    const unsigned char* from_;
};

}  // namespace vfilter::cuda::median
