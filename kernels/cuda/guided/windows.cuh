#pragma once
// The first kernel: S and a of the windows around all places that results need.

#include <cstdint>
#include <type_traits>

#include "kernels/cuda/guided/sums.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/ptx.cuh"

namespace vfilter::cuda::guided {

/// A thread's four samples of any row, as they are stored.
template <class T, int step>
class Samples {
public:
    struct Four {
        unsigned words[sizeof(T)];
    };

    __device__ __forceinline__ Samples(const Picture& picture, const PlaneParams& plane, int x)
        : picture_(picture), plane_(plane), x_(x), inside_(x >= 0 && x + 4 <= plane.samples) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            from_[i] = inside_ ? 0 : source_of(x + i, plane, picture.border == Border::constant);
        }
    }

    [[nodiscard]] __device__ __forceinline__ Four load(int y) const {
        const unsigned char* const row = row_at(plane_, picture_, y);
        Four four;
        if (row != nullptr && inside_) {
            if constexpr (sizeof(T) == 1) {
                four.words[0] = *reinterpret_cast<const unsigned*>(row + x_);
            } else {
                const uint2 two = *reinterpret_cast<const uint2*>(row + 2 * x_);
                four.words[0] = two.x;
                four.words[1] = two.y;
            }
            return four;
        }
        constexpr int in_word = 4 / sizeof(T);
        const unsigned black = black_word<T>(plane_);
#pragma unroll
        for (int word = 0; word < static_cast<int>(sizeof(T)); ++word) {
            four.words[word] = black;
#pragma unroll
            for (int i = 0; row != nullptr && i < in_word; ++i) {
                const int from = from_[word * in_word + i];
                constexpr int bits = 8 * static_cast<int>(sizeof(T));
                constexpr unsigned mask = (1U << bits) - 1;
                if (from >= 0) {
                    const unsigned sample = reinterpret_cast<const T*>(row)[from];
                    four.words[word] = (four.words[word] & ~(mask << bits * i)) | sample << bits * i;
                }
            }
        }
        return four;
    }

    [[nodiscard]] __device__ __forceinline__ unsigned sample(const Four& four, int i) const {
        constexpr int in_word = 4 / sizeof(T);
        const unsigned stored = four.words[i / in_word] >> i % in_word * 8 * static_cast<int>(sizeof(T));
        return sizeof(T) == 1 ? stored & 0xff : stored >> plane_.lsb & picture_.max_value;
    }

private:
    const Picture& picture_;
    const PlaneParams& plane_;
    int x_;
    bool inside_;
    int from_[4];  ///< where the samples are if not all are inside; -1: black
};

/// Bytes' squares over the largest window fit 32 bits.
template <class T>
using Squares = std::conditional_t<sizeof(T) == 1, std::uint32_t, std::uint64_t>;

/// a.
__device__ __forceinline__ unsigned slope_of(const Guided& filter, std::int64_t sum, std::int64_t squares) {
    const std::int64_t v = (filter.samples() * squares - sum * sum) >> filter.coarse;
    const std::int64_t divisor = v + filter.epsilon;
    const std::int64_t dividend = (v << guided_slope_bits) + (divisor >> 1);
    const float estimate = static_cast<float>(dividend) * reciprocal(static_cast<float>(divisor));
    return static_cast<unsigned>(quotient(dividend, divisor, estimate));
}

template <class T, int step>
__device__ __forceinline__ void find_windows(const Launch& launch, const WarpTile& tile,
                                             const StripSums<std::uint32_t>& sums,
                                             const StripSums<Squares<T>>& squares) {
    const Picture& picture = launch.picture;
    const PlaneParams& plane = picture.planes[tile.plane];
    const Guided& filter = launch.filters[plane.filter];
    const Windows& windows = launch.windows[tile.plane];
    const int radius = filter.radius_y;
    const int halo = halo_of(filter, step);
    const int made = made_columns(filter, step);
    const int left = tile.column * made + first_column(filter, step);
    const Samples<T, step> samples(picture, plane, left + 4 * tile.lane);
    std::uint32_t own_sums[4] = {};
    Squares<T> own_squares[4] = {};
    const auto add = [&](const typename Samples<T, step>::Four& four) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const unsigned sample = samples.sample(four, i);
            own_sums[i] += sample;
            own_squares[i] += sample * sample;
        }
    };
    // Rows of windows: that of number 0 is `radius` above the plane.
    const int top = tile.row * picture.tile_rows;
    const int bottom = min(top + picture.tile_rows, windows.rows);
    if (top >= bottom) {
        return;
    }
    for (int y = top - 2 * radius; y < top; ++y) {
        add(samples.load(y));
    }
    auto gained = samples.load(top);
    for (int y = top; y < bottom; ++y) {
        add(gained);
        // Once this row's sums are made, these are there.
        gained = samples.load(min(y + 1, bottom - 1));
        const auto lost = samples.load(y - 2 * radius);
        sums.template put<step>(own_sums, tile.lane);
        squares.template put<step>(own_squares, tile.lane);
        __syncwarp();
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int column = tile.lane + 32 * i;  // of what the strip makes
            const int place = left + 2 * halo + column;
            if (column < made && place >= 0 && place < windows.pitch) {
                const std::uint32_t sum = sums.template of<step>(column, column + 2 * halo);
                const Squares<T> of_squares = squares.template of<step>(column, column + 2 * halo);
                const std::int64_t at = std::int64_t{y} * windows.pitch + place;
                windows.sums[at] = sum;
                windows.slopes[at] =
                    static_cast<std::uint16_t>(slope_of(filter, sum, static_cast<std::int64_t>(of_squares)));
            }
        }
        __syncwarp();
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const unsigned sample = samples.sample(lost, i);
            own_sums[i] -= sample;
            own_squares[i] -= sample * sample;
        }
    }
}

template <class T>
__global__ void __launch_bounds__(threads) window_planes(const __grid_constant__ Launch launch) {
    __shared__ __align__(16) std::uint32_t shared_sums[warps][columns_with_those];
    __shared__ __align__(16) Squares<T> shared_squares[warps][columns_with_those];
    const WarpTile tile(launch.picture, own_plane_number(launch.picture));
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const StripSums sums(shared_sums[warp], tile.lane);
    const StripSums squares(shared_squares[warp], tile.lane);
    if (launch.picture.planes[tile.plane].step == 1) {
        find_windows<T, 1>(launch, tile, sums, squares);
    } else {
        find_windows<T, 2>(launch, tile, sums, squares);
    }
}

}  // namespace vfilter::cuda::guided
