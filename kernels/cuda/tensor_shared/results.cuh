#pragma once
// What the sums of either pass become: intermediate samples in shared memory, and results.

#include "kernels/cuda/tensor/finish.cuh"
#include "kernels/cuda/tensor_shared/words.cuh"

namespace vfilter::cuda::tensor_shared {

/// Rounds what the row pass has summed up and puts it where MiddleWords finds it. `to`: this lane's word of that block
/// in the first 16 columns.
template <int weights>
__device__ __forceinline__ void store_middle(std::uint32_t* to, const Sums<weights>& sums, const TermNumbers& numbers,
                                             int down) {
#pragma unroll
    for (int tile = 0; tile < 4; ++tile) {
        std::uint32_t mid[2][4];
#pragma unroll
        for (int n = 0; n < 2; ++n) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                mid[n][i] = numbers.row_start;
#pragma unroll
                for (int weight = 0; weight < weights; ++weight) {
                    mid[n][i] += static_cast<std::uint32_t>(sums[weight][tile][n][i]) * numbers.row_scale[weight];
                }
                mid[n][i] = static_cast<std::uint32_t>(static_cast<std::int32_t>(mid[n][i]) >> down);
            }
        }
        std::uint32_t words[2][2];
#pragma unroll
        for (int group = 0; group < 2; ++group) {
            const std::uint32_t first = __byte_perm(mid[0][2 * group], mid[0][2 * group + 1], 0x7362);
            const std::uint32_t second = __byte_perm(mid[1][2 * group], mid[1][2 * group + 1], 0x7362);
            words[0][group] = __byte_perm(first, second, 0x5410);
            words[1][group] = __byte_perm(first, second, 0x7632);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            to[2 * (MiddleWords::of_columns * tile + 32 * i)] = words[i / 2][i % 2];
        }
    }
}

/// Which part of a tile: 16 columns from x on and 64 rows from y on, of which those before `end` are stored.
struct TilePart {
    int x;
    int y;
    int end;
};

/// Adds a term to the sums of those before it, which are in `partial`, this lane's first word of the part, or makes
/// samples of them. `unsigned_sums`: those of a smoothing that may need 32 bits without a sign.
template <class T>
__device__ __forceinline__ void store_results(const Sums<3>& sums, std::uint32_t start, uint4* partial, bool first_term,
                                              bool last_term, bool unsigned_sums, const FinishNumbers& end,
                                              const PlaneParams& plane, unsigned max_value, int lane,
                                              const TilePart& part) {
    const int x = part.x + 4 * (lane % 4);
    // Of eight rows, by fours.
    std::uint32_t all[8][4];
#pragma unroll
    for (int tile = 0; tile < 4; ++tile) {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            const auto sum = [&](int weight) {
                return static_cast<std::uint32_t>(sums[weight][tile][i % 4 / 2][i / 4 * 2 + i % 2]);
            };
            all[2 * tile + i / 4][i % 4] = (sum(2) * 256 + sum(1)) * 256 + sum(0) + start;
        }
    }
    const int samples = plane.samples;
    const int lsb = plane.lsb;
    int rows_left = part.end - part.y - lane / 4;
    unsigned char* to = plane.dst + plane.dst_pitch * (part.y + lane / 4) + static_cast<std::int64_t>(sizeof(T)) * x;
    const std::int64_t eight_rows = 8 * plane.dst_pitch;
    const auto store = [&](const std::int32_t(&results)[4]) {
        if constexpr (sizeof(T) == 1) {
            *reinterpret_cast<std::uint32_t*>(to) = tensor::pack_four(results);
        } else {
            *reinterpret_cast<uint2*>(to) = tensor::pack_four(results, lsb, max_value);
        }
    };
    // What is the same for all threads is asked once: this is what most filters are.
    if (first_term && last_term && end.ending == Ending::sum && end.gain == 0) {
        const std::int32_t shift = end.shift;
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            std::int32_t results[4];
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                results[k] = unsigned_sums ? static_cast<std::int32_t>(all[i][k] >> shift)
                                           : static_cast<std::int32_t>(all[i][k]) >> shift;
            }
            if (8 * i < rows_left && x < samples) {
                store(results);
            }
            to += eight_rows;
        }
        return;
    }
    const FinishNumbers numbers = end;
    // One piece of code for all of them, which move up.
#pragma unroll 1
    for (int i = 0; i < 8; ++i) {
        // All terms before this one, and this one.
        std::int32_t own[2][4] = {};
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            own[1][k] = static_cast<std::int32_t>(all[0][k]);
#pragma unroll
            for (int next = 1; next < 8; ++next) {
                all[next - 1][k] = all[next][k];
            }
        }
        uint4* const kept = partial + i * tile_half;
        if (!first_term) {
            const uint4 before = *kept;
            own[0][0] = static_cast<std::int32_t>(before.x);
            own[0][1] = static_cast<std::int32_t>(before.y);
            own[0][2] = static_cast<std::int32_t>(before.z);
            own[0][3] = static_cast<std::int32_t>(before.w);
        }
        if (!last_term) {
            const auto both = [&](int k) {
                return static_cast<std::uint32_t>(own[0][k]) + static_cast<std::uint32_t>(own[1][k]);
            };
            *kept = make_uint4(both(0), both(1), both(2), both(3));
            continue;
        }
        if (8 * i < rows_left && x < samples) {
            std::int32_t results[4];
            tensor::finish<T, FinishKind::magnitude>(results, own, numbers, [&](std::uint32_t(&given)[4]) {
                tensor::load_four<T>(given, plane.src + plane.src_pitch * (part.y + lane / 4 + 8 * i), x, plane,
                                     max_value);
            });
            store(results);
        }
        to += eight_rows;
    }
}

}  // namespace vfilter::cuda::tensor_shared
