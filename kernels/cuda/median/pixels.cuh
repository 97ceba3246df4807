#pragma once
// Medians of three and four interleaved bytes as they lie. A block takes the rows of a step apart, into a band for each
// component, of which networks.cuh makes results one after the other, and puts those together again.

#include "kernels/cuda/median/networks.cuh"

namespace vfilter::cuda::median {

template <int components>
struct Pixels {
    /// A word of each component, from the words of four pixels.
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

    /// The words of four pixels from samples of each component, two of them in the first of its words, two in the
    /// second: in their lower halves, or in their upper ones.
    template <bool upper>
    __device__ static __forceinline__ void put_together(std::uint32_t* words, const uint2 (&apart)[components]) {
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

/// The rows of a step, from a band of pixels to bands of each component.
template <int components, int radius>
__device__ __forceinline__ void take_rows_apart(unsigned char* bands, const unsigned char* pixels) {
    using From = Band<std::uint8_t, radius, components>;
    using To = Band<std::uint8_t, radius>;
    constexpr int halo = 4;  // pixels, as many as a tile's rows are loaded with
    constexpr int words = (network_columns + 2 * halo) / 4;
    static_assert(halo * components <= From::lead);
    for (int i = static_cast<int>(threadIdx.x); i < From::rows * words; i += network_threads) {
        const int row = i / words;
        const int at = (i - row * words) * 4;
        std::uint32_t apart[components];
        Pixels<components>::take_apart(apart, pixels + row * From::pitch + From::lead + (at - halo) * components);
#pragma unroll
        for (int c = 0; c < components; ++c) {
            *reinterpret_cast<std::uint32_t*>(bands + c * To::bytes + row * To::pitch + To::lead + at - halo) =
                apart[c];
        }
    }
}

/// Eight pixels, of each component those of a tile's row as take_bytes() leaves them; of groups of eight bytes only
/// those that begin in the row.
template <int components>
__device__ __forceinline__ void store_pixels(const uint2 (&apart)[components], const Launch& launch, const Tile& tile,
                                             int x, int y) {
    std::uint32_t words[2 * components];
    Pixels<components>::template put_together<false>(words, apart);
    Pixels<components>::template put_together<true>(words + components, apart);
    unsigned char* const to = result_at(launch, tile, y) + std::int64_t{x} * components;
#pragma unroll
    for (int i = 0; i < components; ++i) {
        if (x * components + 8 * i < tile.plane.samples) {
            *reinterpret_cast<uint2*>(to + 8 * i) = make_uint2(words[2 * i], words[2 * i + 1]);
        }
    }
}

/// The bytes of four pairs: of the first two pairs, then of the others.
__device__ __forceinline__ uint2 take_bytes(const std::uint32_t (&pairs)[tile_columns]) {
    constexpr unsigned upper_bytes = 0x7351;
    return make_uint2(__byte_perm(pairs[0], pairs[1], upper_bytes), __byte_perm(pairs[2], pairs[3], upper_bytes));
}

/// A step's results are kept until those of all components are there.
constexpr int min_pixel_blocks(int radius) {
    return radius == 1 ? 8 : radius == 2 ? 5 : 3;
}

template <int components, int radius>
__global__ void __launch_bounds__(network_threads, min_pixel_blocks(radius))
    select_pixels(const __grid_constant__ Launch launch) {
    using Rows = Band<std::uint8_t, radius>;
    extern __shared__ uint4 shared[];
    auto* const pixels = reinterpret_cast<unsigned char*>(shared);
    unsigned char* const bands = pixels + Band<std::uint8_t, radius, components>::bytes;
    const Tile tile = own_tile(launch);
    const PlaneParams& plane = tile.plane;
    const int own_column = static_cast<int>(threadIdx.x) % 32 * thread_samples;
    const int own_row = static_cast<int>(threadIdx.x) / 32 * tile_rows;
    Filler<std::uint8_t, radius, radius, components> filler(launch, tile);
    filler.fill(pixels);
#pragma unroll 1
    for (int first = tile.top; first < tile.bottom; first += network_rows) {
        wait_for_copies();
        // All have done with the bands of the step before, too.
        __syncthreads();
        take_rows_apart<components, radius>(bands, pixels);
        __syncthreads();
        if (first + network_rows < tile.bottom) {
            filler.fill(pixels);
        }
        const int x = tile.left + own_column;
        const int y = first + own_row;
        if (x < plane.width && y < plane.height) {
            uint2 apart[tile_rows][components] = {};
            const unsigned char* own = bands + own_row * Rows::pitch + Rows::lead + own_column;
            // One network in the code, not one for each component.
#pragma unroll 1
            for (int c = 0; c < components; ++c) {
                std::uint32_t values[tile_network<radius, radius>.network.places];
                load_tile<std::uint8_t, radius, radius, 1>(values, launch.picture, plane, own);
                std::uint32_t results[tile_rows][tile_columns];
                select_tile<radius, radius>(values, results, launch.ones);
                // A register is no array: the last results come in where the first ones were.
#pragma unroll
                for (int j = 0; j < tile_rows; ++j) {
#pragma unroll
                    for (int i = 1; i < components; ++i) {
                        apart[j][i - 1] = apart[j][i];
                    }
                    apart[j][components - 1] = take_bytes(results[j]);
                }
                own += Rows::bytes;
            }
#pragma unroll
            for (int j = 0; j < tile_rows; ++j) {
                if (y + j < plane.height) {
                    store_pixels<components>(apart[j], launch, tile, x, y + j);
                }
            }
        }
    }
}

template <int components, int radius>
inline constexpr NetworkInstance pixel_network{
    radius, radius, components,
    Band<std::uint8_t, radius, components>::bytes + components* Band<std::uint8_t, radius>::bytes,
    select_pixels<components, radius>};
inline constexpr NetworkInstance pixel_instances[] = {
    pixel_network<3, 1>, pixel_network<3, 2>, pixel_network<3, 3>,
    pixel_network<4, 1>, pixel_network<4, 2>, pixel_network<4, 3>,
};

}  // namespace vfilter::cuda::median
