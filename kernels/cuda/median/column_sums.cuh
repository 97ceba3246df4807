#pragma once
// What a thread sums up of the histograms of columns (columns.cuh), and the bin of a rank in what it has summed up.

#include <cstdint>
#include <type_traits>

#include "kernels/cuda/load.cuh"

namespace vfilter::cuda::median {

/// How counts are summed up, by the window's width and height: those of a whole window in bytes, those of eight
/// columns, or each column's in 16 bits.
enum class Sums { of_window, of_eight, of_one };

constexpr int most_of_window = 15;  ///< samples on either side: 225 of them fit a byte
constexpr int most_of_eight = 31;   ///< down a window

/// Counts in the bytes of a word, as sums in 16 bits. What words add up to, carries and all, is what their even bytes
/// do and 256 times what their odd ones do.
struct WideSum {
    std::uint32_t all = 0;
    std::uint32_t odd = 0;  ///< of bytes 1 and 3

    __device__ __forceinline__ void add(std::uint32_t word) {
        all += word;
        odd += __byte_perm(word, 0, 0x4341);
    }
    /// Of bytes 0 and 2.
    [[nodiscard]] __device__ __forceinline__ std::uint32_t even() const { return all - (odd << 8); }
};

/// Of four bins, how many samples are in those up to each; all samples that are looked at are in one of the four.
struct FourBins {
    int up_to[3];

    __device__ static __forceinline__ FourBins of(const WideSum& sum) {
        const std::uint32_t even = sum.even();
        const auto first = static_cast<int>(even & 0xffff);
        const int second = first + static_cast<int>(sum.odd & 0xffff);
        return {first, second, second + static_cast<int>(even >> 16)};
    }
    __device__ __forceinline__ void add_bytes(std::uint32_t bytes) {
        up_to[0] += static_cast<int>(bytes & 0xff);
        up_to[1] = static_cast<int>(__dp4a(bytes, 0x00000101U, static_cast<unsigned>(up_to[1])));
        up_to[2] = static_cast<int>(__dp4a(bytes, 0x00010101U, static_cast<unsigned>(up_to[2])));
    }
    /// The bin of the sample of that rank, which becomes its rank in the bin. Without a branch: what is below 0 is a
    /// large number without its sign.
    __device__ __forceinline__ int find(int& rank) const {
        auto least = static_cast<unsigned>(rank);
        int bin = 3;
#pragma unroll
        for (const int before : up_to) {
            const int beyond = rank - before;
            least = min(least, static_cast<unsigned>(beyond));
            bin += beyond >> 31;
        }
        rank = static_cast<int>(least);
        return bin;
    }
};

/// Calls add(word) for that many words, `step` apart, and goes on behind them.
template <int count, int step>
__device__ __forceinline__ void for_words(const std::uint32_t*& next, const auto& add) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
        add(next[i * step]);
    }
    next += count * step;
}
/// The same for less than eight.
template <int step>
__device__ __forceinline__ void for_last_words(const std::uint32_t*& next, int count, const auto& add) {
    if ((count & 4) != 0) {
        for_words<4, step>(next, add);
    }
    if ((count & 2) != 0) {
        for_words<2, step>(next, add);
    }
    if ((count & 1) != 0) {
        for_words<1, step>(next, add);
    }
}

/// Sums of the counts of `width` columns.
template <Sums sums, int step>
__device__ __forceinline__ FourBins sum_columns(const std::uint32_t* next, int width) {
    if constexpr (sums == Sums::of_one) {
        WideSum sum;
        const auto add = [&](std::uint32_t word) { sum.add(word); };
#pragma unroll 1
        for (; width >= 8; width -= 8) {
            for_words<8, step>(next, add);
        }
        for_last_words<step>(next, width, add);
        return FourBins::of(sum);
    } else {
        FourBins bins{};
        std::uint32_t bytes = 0;
        const auto add = [&](std::uint32_t word) { bytes += word; };
        if constexpr (sums == Sums::of_window) {
            if ((width & 8) != 0) {
                for_words<8, step>(next, add);
            }
        } else {
            for (; width >= 8; width -= 8) {
                for_words<8, step>(next, add);
                bins.add_bytes(bytes);
                bytes = 0;
            }
        }
        for_last_words<step>(next, width & 7, add);
        bins.add_bytes(bytes);
        return bins;
    }
}

/// Adds up what four lanes next to each other have.
__device__ __forceinline__ void share(std::uint32_t& sum) {
    sum += __shfl_xor_sync(0xffffffff, sum, 1);
    sum += __shfl_xor_sync(0xffffffff, sum, 2);
}

/// The group of the sample of that rank, which becomes its rank in the group, in the window that begins at `first`. The
/// windows of four lanes next to each other begin `step` columns apart. All but three columns of each are common to
/// all: a lane adds up every fourth of those, and its own three.
template <Sums sums, int step>
__device__ __forceinline__ int find_group(const uint4* first, int radius, int& rank) {
    const int lane = static_cast<int>(threadIdx.x) % 4;
    const int common = 2 * radius - 2;
    const uint4* next = first + 3 * step;
    const auto alone = [&](int i) { return first[(lane + i < 3 ? i : i + common) * step]; };
    const bool one_more = lane < common % 4;
    std::uint32_t bytes[4] = {};
    WideSum wide[4];
    const auto widen = [&] {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            wide[i].add(bytes[i]);
            bytes[i] = 0;
        }
    };
    const auto add = [&](const uint4& words) {
        bytes[0] += words.x;
        bytes[1] += words.y;
        bytes[2] += words.z;
        bytes[3] += words.w;
        if constexpr (sums == Sums::of_one) {
            widen();
        }
    };
    const auto add_next = [&](auto count) {
#pragma unroll
        for (int i = 0; i < decltype(count)::value; ++i) {
            add(next[4 * i * step]);
        }
        next += 4 * decltype(count)::value * step;
    };
    int all = common / 4;
    if constexpr (sums != Sums::of_window) {
#pragma unroll 1
        for (; all >= 8; all -= 8) {
            add_next(std::integral_constant<int, 8>());
            if constexpr (sums == Sums::of_eight) {
                widen();
            }
        }
        if ((all & 4) != 0) {
            add_next(std::integral_constant<int, 4>());
        }
    }
    if ((all & 2) != 0) {
        add_next(std::integral_constant<int, 2>());
    }
    if ((all & 1) != 0) {
        add_next(std::integral_constant<int, 1>());
    }
    if (one_more) {
        add(*next);
    }
    if constexpr (sums == Sums::of_window) {
#pragma unroll
        for (std::uint32_t& word : bytes) {
            share(word);
        }
    } else {
        widen();
#pragma unroll
        for (WideSum& word : wide) {
            share(word.all);
            share(word.odd);
        }
    }
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        add(alone(i));
    }
    // Of each word and those before, the samples that it counts.
    int up_to[3];
    if constexpr (sums == Sums::of_window) {
        unsigned sum = 0;
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            sum = __dp4a(bytes[i], 0x01010101U, sum);
            up_to[i] = static_cast<int>(sum);
        }
    } else {
        widen();
        std::uint32_t pairs = 0;
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            pairs += wide[i].even() + wide[i].odd;
            up_to[i] = static_cast<int>(pairs * 0x00010001U >> 16);
        }
    }
    const int word = FourBins{{up_to[0], up_to[1], up_to[2]}}.find(rank);
    FourBins bins{};
    if constexpr (sums == Sums::of_window) {
        bins.add_bytes(word < 2 ? (word == 0 ? bytes[0] : bytes[1]) : (word == 2 ? bytes[2] : bytes[3]));
    } else {
        WideSum own = wide[0];
#pragma unroll
        for (int i = 1; i < 4; ++i) {
            own.all = word >= i ? wide[i].all : own.all;
            own.odd = word >= i ? wide[i].odd : own.odd;
        }
        bins = FourBins::of(own);
    }
    return 4 * word + bins.find(rank);
}

}  // namespace vfilter::cuda::median
