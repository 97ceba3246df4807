#pragma once
// Non-local means on tensor cores, which add up a patch's differences: two products with bands of ones, one for its
// rows and one for its columns. What one product makes is, packed to bytes, a fragment of the next without an exchange
// between lanes; docs/kernels.md has the drawing. Sums of products and of weights stay in registers over all offsets.
//
// A block is 2 x 2 warps, each of which makes 32 x 24 results: four tiles of 8 columns of the guide's differences, of
// which two neighbours make one tile of distances.

#include <cstdint>

#include "kernels/cuda/load.cuh"
#include "kernels/cuda/nl_means/kernel.cuh"
#include "kernels/cuda/nl_means/parameters.h"
#include "kernels/cuda/ptx.cuh"

namespace vfilter::cuda::nl_means {

#ifdef VFILTER_TENSOR_CORES

/// What a lane holds over all offsets.
struct Lane {
    std::uint32_t own[4][3];      ///< the guide's words of four rows, from rows 0, 16 and 32 on, of each tile
    std::uint32_t upper[4];       ///< A of the rows' product: ones
    std::uint32_t lower[4];       ///< the same with the halves of k swapped: the middle word then stays where it is
    std::uint32_t columns;        ///< B of the columns' product: powers of two, which double distances as well
    std::uint32_t sums[3][8];     ///< of products, for each tile of results
    std::uint32_t weights[3][8];  ///< of weights
};

/// Ones where a patch from `row` on has `k` to k + 3.
__device__ __forceinline__ std::uint32_t band(int row, int k, int patch, std::uint32_t one) {
    std::uint32_t word = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        word |= k + i >= row && k + i < row + patch ? one << 8 * i : 0;
    }
    return word;
}

/// Differences of one tile, added up over a patch's rows: bytes of two columns, below those of the next tile.
__device__ __forceinline__ void sum_rows(const Lane& lane, const std::uint32_t (&own)[3], const std::uint32_t* other,
                                         int pitch, std::uint32_t (&slid)[4]) {
    std::uint32_t first = __vabsdiffu4(own[0], other[0]);
    const std::uint32_t middle = __vabsdiffu4(own[1], other[16 * pitch]);
    std::int32_t above[4] = {};
    mma_m16n8k32<Sign::u8, Sign::u8>(above, lane.upper, first, middle);
    first = __vabsdiffu4(own[2], other[32 * pitch]);
    std::int32_t below[4] = {};
    mma_m16n8k32<Sign::u8, Sign::u8>(below, lane.lower, first, middle);
    slid[0] = pack_two(above[0], above[1], slid[0]);
    slid[1] = pack_two(above[2], above[3], slid[1]);
    slid[2] = pack_two(below[0], below[1], slid[2]);
    slid[3] = pack_two(below[2], below[3], slid[3]);
}

/// Distances of 2 x 2 results, those of the lower 16 rows behind the others.
__device__ __forceinline__ void sum_columns(const Lane& lane, const std::uint32_t (&slid)[4],
                                            std::int32_t (&distances)[8]) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        std::int32_t made[4] = {};
        const std::uint32_t rows[2] = {slid[2 * i], slid[2 * i + 1]};
        mma_m16n8k16<Sign::u8, Sign::u8>(made, rows, lane.columns);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            distances[4 * i + k] = made[k];
        }
    }
}

/// Up to four offsets side by side. `other` and `samples` are the lane's words for the first of them.
template <class T, int count>
__device__ __forceinline__ void add_offsets(Lane& lane, const std::uint32_t* other, int pitch,
                                            const std::uint32_t* samples) {
    std::uint32_t slid[count][4] = {};
#pragma unroll
    for (int i = 0; i < count; ++i) {
        sum_rows(lane, lane.own[3], other + 24 + i, pitch, slid[i]);
    }
#pragma unroll
    for (int tile = 2; tile >= 0; --tile) {
        std::uint32_t bytes[8] = {};
        // The last two first: they are what the others are packed below.
#pragma unroll
        for (int pair = (count - 1) / 2; pair >= 0; --pair) {
            std::int32_t even[8];
            std::int32_t odd[8] = {};
            sum_rows(lane, lane.own[tile], other + 8 * tile + 2 * pair, pitch, slid[2 * pair]);
            sum_columns(lane, slid[2 * pair], even);
            if constexpr (count > 1) {
                if (2 * pair + 1 < count) {
                    constexpr int last = count - 1;
                    const int next = min(2 * pair + 1, last);
                    sum_rows(lane, lane.own[tile], other + 8 * tile + next, pitch, slid[next]);
                    sum_columns(lane, slid[next], odd);
                }
            }
#pragma unroll
            for (int k = 0; k < 8; ++k) {
                bytes[k] = pack_two(even[k], odd[k], bytes[k]);
            }
        }
        constexpr std::uint32_t used = static_cast<std::uint32_t>((std::uint64_t{1} << 8 * count) - 1);
        constexpr std::uint32_t ones = 0x01010101 & used;
#pragma unroll
        for (int row = 0; row < 4; ++row) {
            const std::uint32_t* const from = samples + row * 8 * sample_pitch + 8 * tile;
            const uint2 both = *reinterpret_cast<const uint2*>(from);
            const std::uint32_t left = ~bytes[2 * row] & used;
            const std::uint32_t right = ~bytes[2 * row + 1] & used;
            std::uint32_t* const sums = lane.sums[tile] + 2 * row;
            std::uint32_t* const weights = lane.weights[tile] + 2 * row;
            if constexpr (sizeof(T) == 1) {
                sums[0] = __dp4a(both.x, left, sums[0]);
                sums[1] = __dp4a(both.y, right, sums[1]);
            } else {
                sums[0] = __dp2a_lo(both.x, left, sums[0]);
                sums[1] = __dp2a_lo(both.y, right, sums[1]);
                if constexpr (count > 2) {
                    const uint2 next = *reinterpret_cast<const uint2*>(from + 2);
                    sums[0] = __dp2a_hi(next.x, left, sums[0]);
                    sums[1] = __dp2a_hi(next.y, right, sums[1]);
                }
            }
            weights[0] = __dp4a(ones, left, weights[0]);
            weights[1] = __dp4a(ones, right, weights[1]);
        }
    }
}

/// The block's tile of a picture, whose rows those are, into shared memory: the guide as words of four bytes below each
/// other, samples as words of those side by side, four bytes or two of 16 bits. What lies beyond the tile stays as it
/// was: it meets zeros in the bands, or weights of 0.
template <class T>
__device__ void copy_tile(const Rows& rows, const Picture& picture, const PlaneParams& plane, const NlMeans& filter,
                          const TensorTile& tile, int left, int top, int component, std::uint32_t* guide,
                          std::uint32_t* words) {
    const int reach = filter.reach();
    const auto thread = static_cast<int>(threadIdx.x);
    const int warp = thread / 32;
    const int lane = thread % 32;
    // Samples lie where the guide's words will, as those are written last.
    T* const samples = reinterpret_cast<T*>(guide);
    std::uint32_t* const byte_words = words + tile.sample_rows * sample_pitch;
    std::uint8_t* const bytes = reinterpret_cast<std::uint8_t*>(byte_words);
    // Where the samples of each column come from, or -1 where they are black.
    int* const sources = reinterpret_cast<int*>(bytes + tile.byte_rows() * tile.byte_pitch());
    for (int column = thread; column < tile.columns; column += tensor_threads) {
        const int x = left + column - reach;
        const bool inside = static_cast<unsigned>(x) < static_cast<unsigned>(plane.width);
        const int from = inside ? x : fold(x, plane.width, plane.fold_x);
        sources[column] = inside || picture.border != Border::constant ? from * plane.step + component : -1;
    }
    __syncthreads();

    constexpr int at_once = 4;  // rows of a warp, whose samples are all asked for first
    for (int first = warp * at_once; first < tile.rows; first += tensor_threads / 32 * at_once) {
        const T* lines[at_once];
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
            lines[i] =
                reinterpret_cast<const T*>(row_at(rows, plane, picture, top + min(first + i, tile.rows - 1) - reach));
        }
        for (int column = lane; column < tile.columns; column += 32) {
            const int source = sources[column];
            unsigned stored[at_once];
#pragma unroll
            for (int i = 0; i < at_once; ++i) {
                stored[i] = lines[i] != nullptr && source >= 0 ? static_cast<unsigned>(lines[i][source])
                                                               : static_cast<unsigned>(plane.black) << plane.lsb;
            }
            const int sample_column = column - tile.patch_radius;
            const bool is_sample = static_cast<unsigned>(sample_column) < static_cast<unsigned>(tile.sample_columns);
#pragma unroll
            for (int i = 0; i < at_once; ++i) {
                const int row = first + i;
                const unsigned sample = (stored[i] >> plane.lsb) & picture.max_value;
                if (row < tile.rows) {
                    bytes[row * tile.byte_pitch() + column] =
                        static_cast<std::uint8_t>(filter.guide(static_cast<int>(sample)));
                }
                const int sample_row = row - tile.patch_radius;
                if (is_sample && static_cast<unsigned>(sample_row) < static_cast<unsigned>(tile.sample_rows)) {
                    samples[sample_row * raw_pitch + sample_column] = static_cast<T>(sample);
                }
            }
        }
    }
    __syncthreads();

    constexpr int quads = sample_pitch / 4;
    for (int task = thread; task < tile.sample_rows * quads; task += tensor_threads) {
        const int row = task / quads;
        const int quad = task - row * quads;
        constexpr int raw_words = static_cast<int>(sizeof(T));  // that hold four samples
        const std::uint32_t* const raw = guide + row * (raw_pitch / 4 * raw_words) + quad * raw_words;
        uint4 four;
        if constexpr (sizeof(T) == 1) {
            four = {raw[0], __funnelshift_r(raw[0], raw[1], 8), __funnelshift_r(raw[0], raw[1], 16),
                    __funnelshift_r(raw[0], raw[1], 24)};
        } else {
            four = {raw[0], __funnelshift_r(raw[0], raw[1], 16), raw[1], __funnelshift_r(raw[1], raw[2], 16)};
        }
        *reinterpret_cast<uint4*>(words + row * sample_pitch + 4 * quad) = four;
    }
    __syncthreads();

    // Down four columns at a time, each of them in pieces.
    const int columns = ceil_div(tile.guide_pitch, 4);
    const int pieces = tensor_threads / columns;
    const int piece = thread / columns;
    const int column = thread - piece * columns;
    if (piece < pieces) {
        const int height = ceil_div(tile.guide_rows, pieces);
        const int first = piece * height;
        const int last = min(first + height, tile.guide_rows);
        const std::uint32_t* from = byte_words + first * (tile.byte_pitch() / 4) + column;
        uint4 below = {};
        const auto add = [&] {
            const std::uint32_t row = *from;
            from += tile.byte_pitch() / 4;
            below = {__byte_perm(below.x, row, 0x4321), __byte_perm(below.y, row, 0x5321),
                     __byte_perm(below.z, row, 0x6321), __byte_perm(below.w, row, 0x7321)};
        };
        add();
        add();
        add();
        const bool whole = 4 * column + 2 < tile.guide_pitch;
#pragma unroll 4
        for (int row = first; row < last; ++row) {
            add();
            uint2* const to = reinterpret_cast<uint2*>(guide + row * tile.guide_pitch + 4 * column);
            to[0] = {below.x, below.y};
            if (whole) {
                to[1] = {below.z, below.w};
            }
        }
    }
    __syncthreads();
}

/// What a lane holds from the beginning. `first` is its first word of the guide, at the first offset.
__device__ __forceinline__ void begin(Lane& lane, const NlMeans& filter, const std::uint32_t* first, int pitch) {
    const auto thread = static_cast<int>(threadIdx.x);
    const int g = thread % 32 / 4;
    const int q = thread % 4;
    const int search = filter.search_radius();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            lane.own[i][k] = first[(search + 16 * k) * pitch + search + 8 * i];
        }
        lane.upper[i] = band(g + i % 2 * 8, 4 * q + i / 2 * 16, filter.patch, 1);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        // The assembler is not to know that these are the same words: it would move them about for every product.
        lane.lower[i] = __shfl_sync(0xffffffff, lane.upper[i ^ 2], thread % 32);
    }
    // Bytes 0 and 1 of a lane are columns of one tile, 2 and 3 of the next.
    const std::uint32_t one = 1U << filter.doublings;
    lane.columns = (band(g, 2 * q, filter.patch, one) & 0xffff) | band(g, 8 + 2 * q, filter.patch, one) << 16;
}

template <class T, class Parameters>
__global__ void __launch_bounds__(tensor_threads, 3) average_tensor(const __grid_constant__ Parameters launch) {
    extern __shared__ uint4 shared[];
    const int number = own_plane_number(launch.picture);
    const PlaneParams& plane = launch.picture.planes[number];
    const NlMeans filter = launch.filters[plane.filter];
    const TensorTile tile(filter.patch, filter.search);
    std::uint32_t* const guide = &shared[0].x;
    std::uint32_t* const samples = guide + tile.guide_words();
    const int index = static_cast<int>(blockIdx.x) - plane.first_block;
    const int tile_row = index / plane.tiles_x;
    const int place = index - tile_row * plane.tiles_x;
    const int component = place % plane.step;
    const int left = place / plane.step * tensor_columns;
    const int top = tile_row * tensor_rows;

    const auto thread = static_cast<int>(threadIdx.x);
    const int warp = thread / 32;
    const int g = thread % 32 / 4;
    const int q = thread % 4;
    const int warp_row = warp / 2 * 32;
    const int warp_column = warp % 2 * 24;
    const int pitch = tile.guide_pitch;
    const std::uint32_t* const first = guide + (warp_row + 4 * q) * pitch + warp_column + g;
    const std::uint32_t* const around = samples + (warp_row + g) * sample_pitch + warp_column + 2 * q;

    Lane lane{};
#pragma unroll 1
    for (int i = 0; i < pictures_of(launch, number); ++i) {
        if (i > 0) {
            __syncthreads();
#pragma unroll
            for (int n = 0; n < 24; ++n) {
                make_room(lane.sums[n / 8][n % 8], lane.weights[n / 8][n % 8]);
            }
        }
        copy_tile<T>(rows_of(launch, number, i), launch.picture, plane, filter, tile, left, top, component, guide,
                     samples);
        if (i == 0) {
            begin(lane, filter, first, pitch);
        }
        for (int dy = 0; dy < filter.search; ++dy) {
            const std::uint32_t* const other = first + dy * pitch;
            const std::uint32_t* const words = around + dy * sample_pitch;
            int dx = 0;
            for (; dx + 4 <= filter.search; dx += 4) {
                add_offsets<T, 4>(lane, other + dx, pitch, words + dx);
            }
            if (filter.search - dx == 3) {
                add_offsets<T, 3>(lane, other + dx, pitch, words + dx);
            } else {
                add_offsets<T, 1>(lane, other + dx, pitch, words + dx);
            }
        }
    }
#pragma unroll
    for (int row = 0; row < 4; ++row) {
        const int y = top + warp_row + 8 * row + g;
        if (y >= plane.height) {
            continue;
        }
        T* const line = reinterpret_cast<T*>(plane.dst + plane.dst_pitch * y);
#pragma unroll
        for (int i = 0; i < 6; ++i) {
            const int x = left + warp_column + i / 2 * 8 + 2 * q + i % 2;
            const std::uint32_t sum = lane.sums[i / 2][2 * row + i % 2];
            const std::uint32_t weights = lane.weights[i / 2][2 * row + i % 2];
            if (x < plane.width) {
                line[x * plane.step + component] = static_cast<T>(mean_of<Parameters>(sum, weights) << plane.lsb);
            }
        }
    }
}

#else

template <class T, class Parameters>
__global__ void average_tensor(const __grid_constant__ Parameters) {
    __trap();
}

#endif

}  // namespace vfilter::cuda::nl_means
