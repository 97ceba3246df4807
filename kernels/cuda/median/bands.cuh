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

/// Fills bands, one below the other. A thread copies the same 16 bytes of some rows of each; what lies beside the
/// picture is dealt out sample by sample, as one thread for all of a row would keep its warp waiting.
template <class T, int radius_x, int radius_y, int components = 1>
class Filler {
public:
    using Rows = Band<T, radius_y, components>;

    /// For columns from `left` on, the first band's rows from `top` on.
    __device__ Filler(const Picture& picture, const PlaneParams& plane, int left, int top)
        : picture_(picture), plane_(plane), left_(left), top_(top) {
        const int thread = static_cast<int>(threadIdx.x);
        const int row = thread / chunks;
        const int chunk = thread - row * chunks;
        x_ = left * components + (chunk - 1) * per_chunk;
        y_ = row < at_once && x_ >= 0 && x_ < plane.samples ? top + row : none;
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
        const int reach = radius_x * step();
        if (left_ == 0) {
            make_beside(band, -reach, 0);
        }
        const int end = (left_ + network_columns) * components + reach;
        if (end > plane_.samples) {
            make_beside(band, plane_.samples, end);
        }
        from_ += plane_.src_pitch * network_rows;
        y_ += y_ != none ? network_rows : 0;
        top_ += network_rows;
    }

private:
    static constexpr int none = -0x40000000;
    static constexpr int chunks = Rows::pitch / 16;  ///< of a row, of 16 bytes
    static constexpr int per_chunk = 16 / static_cast<int>(sizeof(T));
    static constexpr int at_once = network_threads / chunks;  ///< rows
    static constexpr int max_reach = radius_x * (components == 1 ? 2 : components);

    [[nodiscard]] __device__ __forceinline__ int step() const { return components == 1 ? plane_.step : components; }

    __device__ static __forceinline__ void copy(unsigned char* to, const unsigned char* from) {
#ifdef VFILTER_TENSOR_CORES
        cp_async_16(to, from, 16);
#else
        *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(from);
#endif
    }
    [[nodiscard]] __device__ __forceinline__ T black() const { return static_cast<T>(plane_.black << plane_.lsb); }

    /// From the row that stands for row y, what the picture has of it.
    __device__ __forceinline__ void make(unsigned char* to_bytes, int y) const {
        const T* const row = reinterpret_cast<const T*>(row_at(plane_, picture_, y));
        if (inside_ && row != nullptr) {
            copy(to_bytes, reinterpret_cast<const unsigned char*>(row + x_));
            return;
        }
        T* const to = reinterpret_cast<T*>(to_bytes);
        const int count = min(per_chunk, plane_.samples - x_);
#pragma unroll 1
        for (int j = 0; j < count; ++j) {
            to[j] = row == nullptr ? black() : row[x_ + j];
        }
    }
    /// Samples [begin, end) of all rows, on one side of the picture, max_reach of them at most that are needed.
    __device__ __forceinline__ void make_beside(unsigned char* band, int begin, int end) const {
#pragma unroll 1
        for (int i = static_cast<int>(threadIdx.x); i < Rows::rows * max_reach; i += network_threads) {
            const int j = i / max_reach;
            const int x = begin + i - j * max_reach;
            if (x < min(end, begin + radius_x * step())) {
                const T* const row = reinterpret_cast<const T*>(row_at(plane_, picture_, top_ + j));
                // From the left end on, where this is a step before or after the row's end: no division of negatives.
                const int beside = x - begin;
                const int pixel = components == 1 ? beside >> (plane_.step - 1) : beside / components;
                const int at = (begin < 0 ? -radius_x : plane_.width) + pixel;
                const int place = fold(at, plane_.width, plane_.fold_x) * step() + beside - pixel * step();
                T* const to = reinterpret_cast<T*>(band + j * Rows::pitch + Rows::lead) + (x - left_ * components);
                *to = row == nullptr || picture_.border == Border::constant ? black() : row[place];
            }
        }
    }

    const Picture& picture_;
    const PlaneParams& plane_;
    int left_;  ///< column
    int top_;
    int x_;
    int y_;
    int to_;
    bool inside_;
    const unsigned char* from_;
};

}  // namespace vfilter::cuda::median
