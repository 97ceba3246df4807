#pragma once
// B fragments of both passes: samples from global memory, intermediate samples from shared memory.

#include "kernels/cuda/load.cuh"
#include "kernels/cuda/tensor_shared/products.cuh"

namespace vfilter::cuda::tensor_shared {

/// The samples that stand at four neighbouring places of a row, which is null where it is black.
template <class T>
__device__ __forceinline__ void load_sources(std::uint32_t (&words)[sizeof(T)], const unsigned char* line,
                                             const int4& sources, const PlaneParams& plane) {
    constexpr int bytes = sizeof(T);
    const T* const samples = reinterpret_cast<const T*>(line);
    const std::uint32_t black = static_cast<std::uint32_t>(plane.black) << plane.lsb;
    if (line == nullptr) {
#pragma unroll
        for (std::uint32_t& word : words) {
            word = black_word<T>(plane);
        }
    } else if (sources.x >= 0 && sources.x % 4 == 0 && sources.w == sources.x + 3) {
        load_words<0, 4 * bytes>(words, line + sources.x * bytes);
    } else {
        const auto at = [&](int source) { return source < 0 ? black : static_cast<std::uint32_t>(samples[source]); };
        const std::uint32_t four[4] = {at(sources.x), at(sources.y), at(sources.z), at(sources.w)};
        if constexpr (bytes == 1) {
            words[0] =
                __byte_perm(__byte_perm(four[0], four[1], 0x0040), __byte_perm(four[2], four[3], 0x0040), 0x5410);
        } else {
            words[0] = __byte_perm(four[0], four[1], 0x5410);
            words[1] = __byte_perm(four[2], four[3], 0x5410);
        }
    }
}

/// B of the row pass: 16 rows of samples. `inner`: all that is asked for is in the picture, or in a row that is.
template <class T, bool inner>
class SampleWords {
public:
    static constexpr int bytes = sizeof(T);
    /// Steps that samples are asked for before they are multiplied: those of 16 bits have twice the products. Inner
    /// ones are asked for that many more than there are.
    static constexpr int ahead = bytes == 1 ? 2 : 1;

    /// From sample x, row y on. `sources`: what stands at these places and those after them, four by four.
    __device__ __forceinline__ SampleWords(const PlaneParams& plane, const Picture& picture, int lane, int x, int y,
                                           int steps, const int4* sources)
        : plane_(plane),
          picture_(picture),
          lsb_(plane.lsb),
          last_step_(steps),
          rows_{row_at(plane, picture, y + lane / 4), row_at(plane, picture, y + 8 + lane / 4)},
          sources_(sources + lane % 4) {
        if constexpr (inner) {
            rows_[0] += (x + 4 * (lane % 4)) * bytes;
            rows_[1] += (x + 4 * (lane % 4)) * bytes;
        }
#pragma unroll
        for (int i = 0; i < ahead; ++i) {
            coming_[i] = load();  // there are two steps at least
        }
    }

    /// Those of one step after the other.
    __device__ __forceinline__ StepWords<bytes> next(int step) {
        const Raw raw = coming_[0];
#pragma unroll
        for (int i = 0; i + 1 < ahead; ++i) {
            coming_[i] = coming_[i + 1];
        }
        if (inner || step + ahead <= last_step_) {
            coming_[ahead - 1] = load();
        }
        StepWords<bytes> made;
#pragma unroll
        for (int row = 0; row < 2; ++row) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                if constexpr (bytes == 1) {
                    made.words[0][row][half] = raw.words[row][half][0];
                } else {
                    const std::uint32_t mask = picture_.max_value * 0x00010001U;
                    const std::uint32_t first = (raw.words[row][half][0] >> lsb_) & mask;
                    const std::uint32_t second = (raw.words[row][half][1] >> lsb_) & mask;
                    made.words[0][row][half] = __byte_perm(first, second, 0x6420);
                    made.words[1][row][half] = __byte_perm(first, second, 0x7531);
                }
            }
        }
        return made;
    }

private:
    /// Rows g and g + 8, two sixteens of places; four samples.
    struct Raw {
        std::uint32_t words[2][2][bytes];
    };

    __device__ __forceinline__ Raw load() {
        Raw raw = {};
        if constexpr (inner) {
#pragma unroll
            for (int row = 0; row < 2; ++row) {
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    load_words<0, 4 * bytes>(raw.words[row][half], rows_[row] + 16 * bytes * half);
                }
                rows_[row] += 32 * bytes;
            }
        } else {
            // One piece of code for all words, which move up for the next ones to come in.
#pragma unroll 1
            for (int i = 0; i < 4; ++i) {
                std::uint32_t words[bytes];
                load_sources<T>(words, i < 2 ? rows_[0] : rows_[1], sources_[4 * (i % 2)], plane_);
#pragma unroll
                for (int word = 0; word < bytes; ++word) {
                    raw.words[0][0][word] = raw.words[0][1][word];
                    raw.words[0][1][word] = raw.words[1][0][word];
                    raw.words[1][0][word] = raw.words[1][1][word];
                    raw.words[1][1][word] = words[word];
                }
            }
            sources_ += 8;
        }
        return raw;
    }

    const PlaneParams& plane_;
    const Picture& picture_;
    int lsb_;
    int last_step_;
    const unsigned char* rows_[2];  ///< if `inner`, what is loaded next
    const int4* sources_;
    Raw coming_[ahead];
};

/// B of the column pass: 16 columns of intermediate samples. Shared memory has for every two blocks of 16 rows and 16
/// columns of theirs, bytes, low first, halves of the columns, lanes, and both blocks.
class MiddleWords {
public:
    static constexpr int of_columns = 4 * 32;    ///< words, of 8 bytes, of 16 columns
    static constexpr int pair = 4 * of_columns;  ///< and of all

    /// `first`: this lane's word of those columns in the first two blocks.
    __device__ __forceinline__ explicit MiddleWords(const uint2* first) : first_(first) {}

    __device__ __forceinline__ StepWords<2> next(int step) const {
        StepWords<2> made;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const uint2 two = first_[pair * step + 32 * i];
            made.words[i / 2][i % 2][0] = two.x;
            made.words[i / 2][i % 2][1] = two.y;
        }
        return made;
    }

private:
    const uint2* first_;
};

}  // namespace vfilter::cuda::tensor_shared
