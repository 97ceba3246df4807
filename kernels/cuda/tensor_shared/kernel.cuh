#pragma once
// Filters of large size, and of any number of terms, on tensor cores: the intermediate goes through shared memory.
//
// A block makes 64 columns of samples by a multiple of 64 rows of results. Both passes are products of a band
// (Toeplitz) matrix of taps (A) and of samples (B), as in tensor_registers. A warp makes four tiles of 16 results that
// lie next to (row pass) or below each other (column pass) at once. What A has for a tile and 16 places of B depends on
// their distance alone, so that a band is kept as one matrix of 16 x 16 for every distance, `halves` of the 16 x 32
// that are multiplied: tile i and places c of 16 want half c - i. From step to step, of 32 places, they move on through
// registers, and two new ones are read from shared memory.
//
// What the row pass leaves in a lane is, rounded and cut into bytes, a word of B of the column pass: shared memory has
// words in the order of lanes.

#include <type_traits>

#include "kernels/cuda/tensor_shared/results.cuh"
#include "kernels/cuda/tensor_shared/words.cuh"

namespace vfilter::cuda::tensor_shared {

/// Shared memory: bands, what stands at the places of the row pass, where there are several terms the sums of those
/// before, intermediate samples.
template <class T, bool split>
__global__ void __launch_bounds__(32 * tile_warps, 1) filter_tiles(const __grid_constant__ Launch launch) {
#ifdef VFILTER_TENSOR_CORES
    extern __shared__ uint4 shared[];
    constexpr int bytes = sizeof(T);
    const Picture& picture = launch.picture;
    const PlaneParams& plane = own_plane(picture);
    const FilterParams& filter = launch.filters[plane.filter];
    const int number = static_cast<int>(blockIdx.x) - plane.first_block;
    const int left = number % plane.tiles_x * tile_columns;
    const int top = number / plane.tiles_x * picture.tile_rows;
    const int rows = min(picture.tile_rows, plane.height - top);
    const int lane = static_cast<int>(threadIdx.x) % 32;
    // So the compiler knows that it is the same for all lanes.
    const int warp = __shfl_sync(0xffffffff, static_cast<int>(threadIdx.x) / 32, 0);
    const int warps = static_cast<int>(blockDim.x) / 32;
    int4* const sources = reinterpret_cast<int4*>(shared + launch.band_words);
    uint4* const partial = shared + launch.partial + lane;
    uint2* const middle = reinterpret_cast<uint2*>(shared + launch.middle) + lane;
    const int parts = (rows + tile_group - 1) / tile_group * (tile_columns / 16);
    const int blocks = (rows + 15) / 16;

#pragma unroll 1
    for (int t = 0; t < filter.term_count; ++t) {
        const TermParams& term = filter.terms[plane.step - 1][t];
        const PassParams of_rows = term.rows;
        const PassParams of_columns = term.columns;
        __syncthreads();  // the last term's bands and intermediate samples have been read
        const int band_words = (of_rows.steps + of_columns.steps) * 2 * tile_half * (split ? 2 : 1);
        for (int i = static_cast<int>(threadIdx.x); i < band_words; i += static_cast<int>(blockDim.x)) {
            shared[i] = term.bands[i];
        }
        const int first_x = left + of_rows.first;
        const int places = 32 * (of_rows.steps + 1);
        const bool inner = first_x >= 0 && first_x + places + 32 * SampleWords<T, true>::ahead <= plane.samples;
        if (!inner || picture.border == Border::constant) {
            for (int i = static_cast<int>(threadIdx.x); i < places; i += static_cast<int>(blockDim.x)) {
                reinterpret_cast<int*>(sources)[i] = source_of(first_x + i, plane, picture.border == Border::constant);
            }
        }
        __syncthreads();

        const uint4* row_band = shared + lane;
        const uint4* column_band = row_band + of_rows.steps * 2 * tile_half * (split ? 2 : 1);
#pragma unroll 1
        for (int block = warp; block < blocks + term.blocks_more; block += warps) {
            Sums<bytes + 1> row_sums;
            clear<bytes + 1>(row_sums);
            const int first_y = top + of_columns.first + 16 * block;
            const auto make = [&]<bool all_inner>(std::bool_constant<all_inner>) {
                const auto add = [&](const uint4* band) {
                    SampleWords<T, all_inner> samples(plane, picture, lane, first_x, first_y, of_rows.steps, sources);
                    sweep<Sign::u8, bytes>(row_sums, band, of_rows.steps, samples);
                };
                if constexpr (split) {
                    add(row_band);
                    carry<bytes + 1>(row_sums, of_rows.low_bits);
                    add(row_band + of_rows.steps * 2 * tile_half);
                } else {
                    add(row_band);
                }
            };
            if (inner && (picture.border != Border::constant || (first_y >= 0 && first_y + 16 <= plane.height))) {
                make(std::true_type());
            } else {
                make(std::false_type());
            }
            store_middle<bytes + 1>(
                reinterpret_cast<std::uint32_t*>(middle + block / 2 * MiddleWords::pair) + block % 2, row_sums,
                term.numbers, term.row_down);
        }
        __syncthreads();

#pragma unroll 1
        for (int part = warp; part < parts; part += warps) {
            Sums<3> sums;
            clear<3>(sums);
            MiddleWords words(middle + part / 4 * (tile_group / 32) * MiddleWords::pair +
                              part % 4 * MiddleWords::of_columns);
            if constexpr (split) {
                sweep<Sign::s8, 2>(sums, column_band, of_columns.steps, words);
                carry<3>(sums, of_columns.low_bits);
                sweep<Sign::s8, 2>(sums, column_band + of_columns.steps * 2 * tile_half, of_columns.steps, words);
            } else {
                sweep<Sign::s8, 2>(sums, column_band, of_columns.steps, words);
            }
            store_results<T>(sums, term.numbers.start, partial + part * 8 * tile_half, t == 0,
                             t + 1 == filter.term_count, split && of_columns.low_bits > 0, filter.finish, plane,
                             picture.max_value, lane, {left + part % 4 * 16, top + part / 4 * tile_group, top + rows});
        }
    }
#else
    __trap();
#endif
}

}  // namespace vfilter::cuda::tensor_shared
