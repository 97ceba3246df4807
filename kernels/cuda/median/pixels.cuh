#pragma once
// Medians of three and four interleaved components as they lie. A block takes the rows of a step apart, into a band for
// each component, of which networks.cuh makes results one after the other, and puts those together again.

#include "kernels/cuda/median/networks.cuh"

namespace vfilter::cuda::median {

/// How pixels of bytes, or of words of 16 bits, become a word of each component, and results become pixels.
template <class T, int components>
struct Pixels;

template <int components>
struct Pixels<std::uint8_t, components> {
    /// Eight results, as a tile's row has them: of the first four a word's lower half has two, of the others another's.
    using Results = uint2;

    __device__ static __forceinline__ void take_apart(std::uint32_t (&apart)[components], const unsigned char* pixels) {
        if constexpr (components == 3) {
            const auto* const words = reinterpret_cast<const std::uint32_t*>(pixels);
            const std::uint32_t a = words[0];
            const std::uint32_t b = words[1];
            const std::uint32_t c = words[2];
            apart[0] = __byte_perm(__byte_perm(a, b, 0x0630), c, 0x5210);
            apart[1] = __byte_perm(__byte_perm(a, b, 0x0741), c, 0x6210);
            apart[2] = __byte_perm(__byte_perm(a, b, 0x0052), c, 0x7410);
        } else {
            const uint4 words = *reinterpret_cast<const uint4*>(pixels);
            const std::uint32_t a = __byte_perm(words.x, words.y, 0x5140);
            const std::uint32_t b = __byte_perm(words.z, words.w, 0x5140);
            const std::uint32_t c = __byte_perm(words.x, words.y, 0x7362);
            const std::uint32_t d = __byte_perm(words.z, words.w, 0x7362);
            apart[0] = __byte_perm(a, b, 0x5410);
            apart[1] = __byte_perm(a, b, 0x7632);
            apart[2] = __byte_perm(c, d, 0x5410);
            apart[3] = __byte_perm(c, d, 0x7632);
        }
    }

    __device__ static __forceinline__ Results take_results(const std::uint32_t (&pairs)[tile_columns]) {
        constexpr unsigned upper_bytes = 0x7351;
        return make_uint2(__byte_perm(pairs[0], pairs[1], upper_bytes), __byte_perm(pairs[2], pairs[3], upper_bytes));
    }

    /// The words of four pixels, the first ones or the others.
    template <bool upper>
    __device__ static __forceinline__ void put_together(std::uint32_t* words, const Results (&apart)[components]) {
        std::uint32_t pixels[4];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const auto word = [&](int component) { return i == 0 ? apart[component].x : apart[component].y; };
            const std::uint32_t first = __byte_perm(word(0), word(1), upper ? 0x7362 : 0x5140);
            if constexpr (components == 3) {
                pixels[2 * i] = __byte_perm(first, word(2), upper ? 0x6610 : 0x4410);
                pixels[2 * i + 1] = __byte_perm(first, word(2), upper ? 0x7732 : 0x5532);
            } else {
                const std::uint32_t second = __byte_perm(word(2), word(3), upper ? 0x7362 : 0x5140);
                pixels[2 * i] = __byte_perm(first, second, 0x5410);
                pixels[2 * i + 1] = __byte_perm(first, second, 0x7632);
            }
        }
        if constexpr (components == 3) {
            words[0] = __byte_perm(pixels[0], pixels[1], 0x4210);
            words[1] = __byte_perm(pixels[1], pixels[2], 0x5421);
            words[2] = __byte_perm(pixels[2], pixels[3], 0x6542);
        } else {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                words[i] = pixels[i];
            }
        }
    }
};

template <int components>
struct Pixels<std::uint16_t, components> {
    /// Pairs, as the network leaves them: the first four in the lower halves, the others in the upper ones.
    using Results = uint4;

    __device__ static __forceinline__ void take_apart(std::uint32_t (&apart)[components], const unsigned char* pixels) {
        if constexpr (components == 3) {
            const auto* const words = reinterpret_cast<const std::uint32_t*>(pixels);
            apart[0] = __byte_perm(words[0], words[1], 0x7610);
            apart[1] = __byte_perm(words[0], words[2], 0x5432);
            apart[2] = __byte_perm(words[1], words[2], 0x7610);
        } else {
            const uint4 words = *reinterpret_cast<const uint4*>(pixels);
            apart[0] = __byte_perm(words.x, words.z, 0x5410);
            apart[1] = __byte_perm(words.x, words.z, 0x7632);
            apart[2] = __byte_perm(words.y, words.w, 0x5410);
            apart[3] = __byte_perm(words.y, words.w, 0x7632);
        }
    }

    __device__ static __forceinline__ Results take_results(const std::uint32_t (&pairs)[tile_columns]) {
        return make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
    }

    template <bool upper>
    __device__ static __forceinline__ void put_together(std::uint32_t* words, const Results (&apart)[components]) {
        const auto pair = [&](int sample) {
            const Results& own = apart[sample % components];
            const int pixel = sample / components;
            return pixel == 0 ? own.x : pixel == 1 ? own.y : pixel == 2 ? own.z : own.w;
        };
#pragma unroll
        for (int i = 0; i < 2 * components; ++i) {
            words[i] = __byte_perm(pair(2 * i), pair(2 * i + 1), upper ? 0x7632 : 0x5410);
        }
    }
};

/// The rows of a step, from a band of pixels to bands of each component.
template <class T, int components, int radius>
__device__ __forceinline__ void take_rows_apart(unsigned char* bands, const unsigned char* pixels) {
    using From = Band<T, radius, components>;
    using To = Band<T, radius>;
    constexpr int size = static_cast<int>(sizeof(T));
    constexpr int per_word = 4 / size;
    constexpr int words = (network_columns + 2 * pixel_halo) / per_word;
    for (int i = static_cast<int>(threadIdx.x); i < From::rows * words; i += network_threads) {
        const int row = i / words;
        const int word = i - row * words;
        std::uint32_t apart[components];
        Pixels<T, components>::take_apart(
            apart, pixels + row * From::pitch + From::lead - pixel_halo * components * size + word * 4 * components);
#pragma unroll
        for (int c = 0; c < components; ++c) {
            *reinterpret_cast<std::uint32_t*>(bands + c * To::bytes + row * To::pitch + To::lead - pixel_halo * size +
                                              word * 4) = apart[c];
        }
    }
}

/// Eight pixels; of groups of eight bytes only those that begin in the row.
template <class T, int components>
__device__ __forceinline__ void store_pixels(const typename Pixels<T, components>::Results (&apart)[components],
                                             const Launch& launch, const Tile& tile, int x, int y) {
    constexpr int size = static_cast<int>(sizeof(T));
    constexpr int words_of_four = components * size;
    std::uint32_t words[2 * words_of_four];
    Pixels<T, components>::template put_together<false>(words, apart);
    Pixels<T, components>::template put_together<true>(words + words_of_four, apart);
    unsigned char* const to = result_at(launch, tile, y) + std::int64_t{x} * (components * size);
    if constexpr (size == 2) {
        if ((x + thread_samples) * components <= tile.plane.samples) {
#pragma unroll
            for (int i = 0; i < words_of_four; i += 2) {
                const std::uint32_t* const four = words + 2 * i;
                *reinterpret_cast<uint4*>(to + 8 * i) = make_uint4(four[0], four[1], four[2], four[3]);
            }
            return;
        }
    }
#pragma unroll
    for (int i = 0; i < words_of_four; ++i) {
        if (x * components + 8 / size * i < tile.plane.samples) {
            *reinterpret_cast<uint2*>(to + 8 * i) = make_uint2(words[2 * i], words[2 * i + 1]);
        }
    }
}

/// For the rows of a step, and those of each component.
template <class T, int components, int radius>
inline constexpr int pixel_bytes = Band<T, radius, components>::bytes + components* Band<T, radius>::bytes;

/// A step's results are kept until those of all components are there. More registers than for the blocks that fit the
/// shared memory of one multiprocessor (227 KB, of which each takes one more) would be idle.
template <class T, int components, int radius>
constexpr int min_pixel_blocks() {
    constexpr int fitting = 227 * 1024 / (pixel_bytes<T, components, radius> + 1024);
    return std::min(radius == 1 ? 8 : radius == 2 ? 5 : 3, fitting);
}

template <class T, int components, int radius>
__global__ void __launch_bounds__(network_threads, min_pixel_blocks<T, components, radius>())
    select_pixels(const __grid_constant__ Launch launch) {
    using Rows = Band<T, radius>;
    using Own = Pixels<T, components>;
    extern __shared__ uint4 shared[];
    auto* const pixels = reinterpret_cast<unsigned char*>(shared);
    unsigned char* const bands = pixels + Band<T, radius, components>::bytes;
    const Tile tile = own_tile(launch);
    const PlaneParams& plane = tile.plane;
    const int own_column = static_cast<int>(threadIdx.x) % 32 * thread_samples;
    const int own_row = static_cast<int>(threadIdx.x) / 32 * tile_rows;
    Filler<T, radius, radius, components> filler(launch, tile);
    filler.fill(pixels);
#pragma unroll 1
    for (int first = tile.top; first < tile.bottom; first += network_rows) {
        wait_for_copies();
        // All have done with the bands of the step before, too.
        __syncthreads();
        take_rows_apart<T, components, radius>(bands, pixels);
        __syncthreads();
        if (first + network_rows < tile.bottom) {
            filler.fill(pixels);
        }
        const int x = tile.left + own_column;
        const int y = first + own_row;
        if (x < plane.width && y < plane.height) {
            typename Own::Results apart[tile_rows][components] = {};
            const unsigned char* own =
                bands + own_row * Rows::pitch + Rows::lead + own_column * static_cast<int>(sizeof(T));
            // One network in the code, not one for each component.
#pragma unroll 1
            for (int c = 0; c < components; ++c) {
                std::uint32_t values[tile_network<radius, radius>.network.places];
                load_tile<T, radius, radius, 1>(values, launch.picture, plane, own);
                std::uint32_t results[tile_rows][tile_columns];
                select_tile<radius, radius>(values, results, launch.ones);
                // A register is no array: the last results come in where the first ones were.
#pragma unroll
                for (int j = 0; j < tile_rows; ++j) {
#pragma unroll
                    for (int i = 1; i < components; ++i) {
                        apart[j][i - 1] = apart[j][i];
                    }
                    apart[j][components - 1] = Own::take_results(results[j]);
                }
                own += Rows::bytes;
            }
#pragma unroll
            for (int j = 0; j < tile_rows; ++j) {
                if (y + j < plane.height) {
                    store_pixels<T, components>(apart[j], launch, tile, x, y + j);
                }
            }
        }
    }
}

template <class T, int components, int radius>
inline constexpr NetworkInstance pixel_network{radius, radius, components, pixel_bytes<T, components, radius>,
                                               select_pixels<T, components, radius>};
template <class T>
inline constexpr NetworkInstance pixel_instances[] = {
    pixel_network<T, 3, 1>, pixel_network<T, 3, 2>, pixel_network<T, 3, 3>,
    pixel_network<T, 4, 1>, pixel_network<T, 4, 2>, pixel_network<T, 4, 3>,
};

}  // namespace vfilter::cuda::median
