#pragma once
// The column pass of the stencil: what a thread keeps of the rows before, and what a row completes.

#include "kernels/cuda/stencil/rows.cuh"

namespace vfilter::cuda::stencil {

/// What a thread keeps of the rows before: see Shape.
template <class S, int columns>
using Kept = std::uint32_t[S::sums][2 * S::R][columns];

/// The gradients that a row completes, of it and the rows before, which it joins.
template <class S, int columns>
__device__ __forceinline__ void complete_gradients(Kept<S, columns>& rows, std::uint32_t (&complete)[S::terms][columns],
                                                   const std::int32_t (&mid)[S::terms][columns],
                                                   const typename S::Taps& taps) {
    constexpr int last = 2 * S::R;
    if (S::R == 1 && taps.units) {
#pragma unroll
        for (int c = 0; c < columns; ++c) {
            const std::uint32_t outer = rows[0][0][c] + static_cast<std::uint32_t>(mid[0][c]) + taps.start;
            complete[0][c] = outer + taps.columns[0][1] * rows[0][1][c];
            complete[1][c] = static_cast<std::uint32_t>(mid[1][c]) - rows[1][0][c] + taps.start;
        }
    } else {
#pragma unroll
        for (int t = 0; t < S::terms; ++t) {
#pragma unroll
            for (int c = 0; c < columns; ++c) {
                std::uint32_t sum = taps.start + taps.columns[t][last] * static_cast<std::uint32_t>(mid[t][c]);
#pragma unroll
                for (int k = 0; k < last; ++k) {
                    sum += taps.columns[t][k] * rows[t][k][c];
                }
                complete[t][c] = sum;
            }
        }
    }
#pragma unroll
    for (int t = 0; t < S::terms; ++t) {
#pragma unroll
        for (int c = 0; c < columns; ++c) {
#pragma unroll
            for (int k = 0; k < last; ++k) {
                rows[t][k][c] = k + 1 < last ? rows[t][k + 1][c] : static_cast<std::uint32_t>(mid[t][c]);
            }
        }
    }
}

/// Adds a row to all sums it is part of, and moves them on by one: those of the result that it completes are
/// `complete`. `sample(c)` is the row's own sample at column c.
template <class S, int columns>
__device__ __forceinline__ void complete_sums(Kept<S, columns>& sums, std::uint32_t (&complete)[1][columns],
                                              const std::int32_t (&mid)[S::terms][columns],
                                              const typename S::Taps& taps, const auto& sample) {
    constexpr int last = 2 * S::R;
#pragma unroll
    for (int c = 0; c < columns; ++c) {
        const auto add = [&](std::uint32_t sum, int tap) {
#pragma unroll
            for (int t = 0; t < S::terms; ++t) {
                sum += taps.columns[t][tap] * static_cast<std::uint32_t>(mid[t][c]);
            }
            return sum;
        };
        complete[0][c] = add(sums[0][0][c], last);
#pragma unroll
        for (int k = 0; k < last; ++k) {
            sums[0][k][c] = add(k + 1 < last ? sums[0][k + 1][c] : taps.start, last - 1 - k);
        }
    }
    if (taps.gain != 0) {
#pragma unroll
        for (int c = 0; c < columns; ++c) {
            sums[0][S::R - 1][c] += taps.gain * sample(c);
        }
    }
}

template <class S, int columns>
__device__ __forceinline__ void add_row(Kept<S, columns>& kept, std::uint32_t (&complete)[S::sums][columns],
                                        const std::int32_t (&mid)[S::terms][columns], const typename S::Taps& taps,
                                        const auto& sample) {
    if constexpr (S::magnitude) {
        complete_gradients<S>(kept, complete, mid, taps);
    } else {
        complete_sums<S>(kept, complete, mid, taps, sample);
    }
}

}  // namespace vfilter::cuda::stencil
