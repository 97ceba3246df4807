#pragma once
// Interpolation: u and out of kernels/arithmetic/decimated_filter.h.
//
// A thread owns four neighbouring samples of every row and walks down. A row of results comes from four decimated rows,
// and D rows, a group, from the same four: they are in registers, interpolated along x, and with each group one of them
// is new.

#include "kernels/cuda/decimated/parameters.h"
#include "kernels/cuda/decimated/spline.cuh"
#include "kernels/cuda/load.cuh"

namespace vfilter::cuda::decimated {

/// Four samples of a decimated row, at the columns that a thread owns.
template <int bits, int step>
class DecimatedRows {
public:
    struct Raw {
        unsigned values[4 * step];  ///< of four pixels
    };

    __device__ DecimatedRows(const Launch& launch, const PlaneParams& plane, const DecimatedPlane& decimated, int x)
        : from_(plane.src), pitch_(plane.src_pitch), first_row_(decimated.first_row), last_row_(decimated.rows - 1) {
        const int pixel = x / step;
        from_ += ((pixel >> bits) - 1 - decimated.first_column) * step * static_cast<int>(sizeof(std::uint16_t));
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

    __device__ __forceinline__ void interpolate(const Raw& raw, unsigned (&samples)[4]) const {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            unsigned sum = half<unsigned>(3 * bits);
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

/// Four columns of the four decimated rows around a group, in pairs of neighbours; and what the sums of its results
/// begin with. Of the two taps that a pair is multiplied with, bytes hold the outer one, and the inner one less 256:
/// where it is that large, 256 times its sample is there from the beginning.
template <class T, int bits>
class Group {
public:
    /// Bits to the right of a result in its sum. For bytes a multiple of 8, if the taps leave room for that.
    static constexpr int up = sizeof(T) == 1 && bits == 2 ? 2 : 0;

    __device__ Group(const unsigned (&u)[4][4], unsigned rounding) : rounding_(rounding) {
#pragma unroll
        for (int c = 0; c < 4; ++c) {
            above_[c] = u[0][c] | u[1][c] << 16;
            below_[c] = u[2][c] | u[3][c] << 16;
            start_above_[c] = rounding + (u[1][c] << 8);
            start_below_[c] = rounding + (u[2][c] << 8);
        }
    }

    /// The sum for row r of the group.
    template <int r>
    __device__ __forceinline__ unsigned sum(int c) const {
        constexpr int factor = 1 << bits;
        constexpr unsigned taps[] = {spline_at<bits>(r + factor) << up, spline_at<bits>(r) << up,
                                     spline_at<bits>(r - factor) << up, spline_at<bits>(r - 2 * factor) << up};
        static_assert(taps[0] < 256 && taps[3] < 256 && (taps[1] < 256 || taps[2] < 256) && taps[1] < 512 &&
                      taps[2] < 512);
        constexpr unsigned above = taps[0] | (taps[1] & 255) << 8;
        constexpr unsigned below = (taps[2] & 255) | taps[3] << 8;
        const unsigned start = taps[1] > 255 ? start_above_[c] : taps[2] > 255 ? start_below_[c] : rounding_;
        return __dp2a_lo(below_[c], below, __dp2a_lo(above_[c], above, start));
    }

private:
    unsigned above_[4];
    unsigned below_[4];
    unsigned start_above_[4];
    unsigned start_below_[4];
    unsigned rounding_;
};

/// Four sums as neighbouring samples.
template <class T, int bits>
__device__ __forceinline__ void store_results(const unsigned (&sums)[4], int shift, int lsb, unsigned char* to) {
    if constexpr (sizeof(T) == 1 && bits == 2) {  // results are the third bytes
        const unsigned low = __byte_perm(sums[0], sums[1], 0x0062);
        const unsigned high = __byte_perm(sums[2], sums[3], 0x0062);
        *reinterpret_cast<unsigned*>(to) = __byte_perm(low, high, 0x5410);
    } else if constexpr (sizeof(T) == 1) {  // from bit 17 on
        const unsigned low = __byte_perm(sums[0], sums[1], 0x7632) >> 1;
        const unsigned high = __byte_perm(sums[2], sums[3], 0x7632) >> 1;
        *reinterpret_cast<unsigned*>(to) = __byte_perm(low, high, 0x6420);
    } else {
        const auto sample = [&](int c) { return sums[c] >> shift << lsb; };
        *reinterpret_cast<uint2*>(to) = make_uint2(sample(0) | sample(1) << 16, sample(2) | sample(3) << 16);
    }
}

template <class T, int bits, int step>
__device__ __forceinline__ void interpolate_tile(const Launch& launch, const PlaneParams& plane) {
    constexpr int factor = 1 << bits;
    const int tile = static_cast<int>(blockIdx.x) - plane.first_block;
    const int x = tile % plane.tiles_x * tile_samples + 4 * static_cast<int>(threadIdx.x);
    const int top = tile / plane.tiles_x * launch.picture.tile_rows;
    if (x >= plane.samples) {
        return;
    }
    const int end = min(top + launch.picture.tile_rows, plane.height);
    const DecimatedPlane& decimated = launch.decimated[&plane - launch.picture.planes];
    const DecimatedRows<bits, step> rows(launch, plane, decimated, x);
    const int shift = launch.interpolate_rows_shift;
    const unsigned rounding = half<unsigned>(shift + Group<T, bits>::up);
    unsigned u[4][4];
    int g = top >> bits;
    rows.interpolate(rows.load(g - 1), u[0]);
    rows.interpolate(rows.load(g), u[1]);
    rows.interpolate(rows.load(g + 1), u[2]);
    auto next = rows.load(g + 2);
    unsigned char* to = plane.dst + plane.dst_pitch * top + x * static_cast<int>(sizeof(T));
    for (; g * factor < end; ++g) {
        rows.interpolate(next, u[3]);
        next = rows.load(g + 3);
        const Group<T, bits> group(u, rounding);
        unrolled<factor>([&](auto r) {
            if (g * factor + r >= end) {
                return;
            }
            unsigned sums[4];
#pragma unroll
            for (int c = 0; c < 4; ++c) {
                sums[c] = group.template sum<r>(c);
            }
            store_results<T, bits>(sums, shift, plane.lsb, to);
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
__global__ void __launch_bounds__(threads) interpolate_planes(const __grid_constant__ Launch launch) {
    const PlaneParams& plane = own_plane(launch.picture);
    if (plane.step == 1) {
        interpolate_tile<T, bits, 1>(launch, plane);
    } else {
        interpolate_tile<T, bits, 2>(launch, plane);
    }
}

}  // namespace vfilter::cuda::decimated
