#pragma once
// The last end of a convolution on a coarse grid: see kernels/coarse.h, whose u and out `widen_planes` makes.
//
// A thread owns four neighbouring samples of every row and walks down. A row of results comes from four coarse rows,
// and D rows, a group, from the same four: they are in registers, widened, and with each group one of them is new.

#include "kernels/cuda/coarse_params.h"
#include "kernels/cuda/coarse_spline.cuh"
#include "kernels/cuda/load.cuh"

namespace vfilter::cuda {

/// Four samples of a coarse row, at the columns that a thread owns.
template <int bits, int step>
class CoarseRows {
public:
    struct Raw {
        unsigned values[4 * step];  ///< of four pixels
    };

    __device__ CoarseRows(const CoarseLaunch& launch, const PlaneParams& plane, const CoarsePlane& coarse, int x)
        : from_(plane.src), pitch_(plane.src_pitch), first_row_(coarse.first_row), last_row_(coarse.rows - 1) {
        const int pixel = x / step;
        from_ += ((pixel >> bits) - 1 - coarse.first_column) * step * static_cast<int>(sizeof(std::uint16_t));
        const int phase = pixel & ((1 << bits) - 1);
#pragma unroll
        for (int i = 0; i < 4 / step; ++i) {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                taps_[i][j] = launch.taps[j * (1 << bits) + phase + i];
            }
        }
    }

    /// Behind the last row, that one.
    __device__ __forceinline__ Raw load(int k) const {
        const auto* const row = from_ + pitch_ * min(k - first_row_, last_row_);
        Raw raw;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            if constexpr (step == 1) {
                raw.values[j] = __ldg(reinterpret_cast<const std::uint16_t*>(row) + j);
            } else {
                const unsigned both = __ldg(reinterpret_cast<const unsigned*>(row) + j);
                raw.values[2 * j] = both & 0xffff;
                raw.values[2 * j + 1] = both >> 16;
            }
        }
        return raw;
    }

    __device__ __forceinline__ void widen(const Raw& raw, unsigned (&samples)[4]) const {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            unsigned sum = rounding_of(3 * bits);
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                sum += taps_[i / step][j] * raw.values[j * step + i % step];
            }
            samples[i] = sum >> (3 * bits);
        }
    }

private:
    const unsigned char* from_;
    std::int64_t pitch_;
    int first_row_;
    int last_row_;
    unsigned taps_[4 / step][4];  ///< by pixel
};

template <class T, int bits, int step>
__device__ __forceinline__ void widen_tile(const CoarseLaunch& launch, const PlaneParams& plane) {
    constexpr int grid = 1 << bits;
    const int tile = static_cast<int>(blockIdx.x) - plane.first_block;
    const int x = tile % plane.tiles_x * coarse_tile_samples + 4 * static_cast<int>(threadIdx.x);
    const int top = tile / plane.tiles_x * launch.picture.tile_rows;
    if (x >= plane.samples) {
        return;
    }
    const int end = min(top + launch.picture.tile_rows, plane.height);
    const CoarsePlane& coarse = launch.coarse[&plane - launch.picture.planes];
    const CoarseRows<bits, step> rows(launch, plane, coarse, x);
    // Of bytes the result is the upper one of a word.
    constexpr int up = sizeof(T) == 1 ? 16 - 3 * bits : 0;
    const int shift = launch.result_shift;
    const unsigned rounding = rounding_of(shift + up);
    unsigned u[4][4];
    int g = top >> bits;
    rows.widen(rows.load(g - 1), u[0]);
    rows.widen(rows.load(g), u[1]);
    rows.widen(rows.load(g + 1), u[2]);
    auto next = rows.load(g + 2);
    unsigned char* to = plane.dst + plane.dst_pitch * top + x * static_cast<int>(sizeof(T));
    for (; g * grid < end; ++g) {
        rows.widen(next, u[3]);
        next = rows.load(g + 3);
        unrolled<grid>([&](auto r) {
            unsigned out[4];
#pragma unroll
            for (int c = 0; c < 4; ++c) {
                out[c] = rounding;
                unrolled<4>([&](auto j) {
                    constexpr unsigned tap = spline_at<bits>(r + grid - j * grid) << up;
                    out[c] += tap * u[j][c];
                });
            }
            if (g * grid + r >= end) {
                return;
            }
            if constexpr (sizeof(T) == 1) {
                const unsigned low = __byte_perm(out[0], out[1], 0x0073);
                const unsigned high = __byte_perm(out[2], out[3], 0x0073);
                *reinterpret_cast<unsigned*>(to) = __byte_perm(low, high, 0x5410);
            } else {
#pragma unroll
                for (unsigned& sample : out) {
                    sample = sample >> shift << plane.lsb;
                }
                *reinterpret_cast<uint2*>(to) = make_uint2(out[0] | out[1] << 16, out[2] | out[3] << 16);
            }
            to += plane.dst_pitch;
        });
#pragma unroll
        for (int c = 0; c < 4; ++c) {
            u[0][c] = u[1][c];
            u[1][c] = u[2][c];
            u[2][c] = u[3][c];
        }
    }
}

template <class T, int bits>
__global__ void __launch_bounds__(coarse_threads) widen_planes(const __grid_constant__ CoarseLaunch launch) {
    const PlaneParams& plane = own_plane(launch.picture);
    if (plane.step == 1) {
        widen_tile<T, bits, 1>(launch, plane);
    } else {
        widen_tile<T, bits, 2>(launch, plane);
    }
}

}  // namespace vfilter::cuda
