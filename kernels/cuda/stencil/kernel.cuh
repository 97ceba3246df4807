#pragma once
// Filters of a few terms and of small radius, in registers alone: every thread walks down a strip of its own columns
// and adds each row's intermediate samples to the sums of all results that they are part of.

#include "kernels/cuda/stencil/ends.cuh"
#include "kernels/cuda/stencil/results.cuh"
#include "kernels/cuda/stencil/sums.cuh"

namespace vfilter::cuda::stencil {

constexpr int warps = 4;  // of a block: strips one below the other
constexpr int lanes = 32;
constexpr int rows_ahead = 4;  // so many rows are asked for before the first one is worked on

template <class S>
struct Launch {
    Picture picture;
    typename S::Taps taps[max_filters];
};

/// The samples of which a warp makes the results: rows of a strip, columns from `left` on.
struct Strip {
    int left;
    int top;
    int rows;
};

/// One thread's own columns, from x on.
template <class S, int step>
__device__ __forceinline__ void walk(const typename S::Taps& taps, const PlaneParams& plane, const Picture& picture,
                                     int x, const Ends<S, step>& ends, const Strip& strip) {
    using T = typename S::T;
    using L = LineShape<S, step>;
    constexpr int bytes = static_cast<int>(sizeof(T));
    Kept<S, S::own> kept = {};
    unsigned char* to = plane.dst + plane.dst_pitch * strip.top + x * bytes;
    const int count = strip.rows + 2 * S::R;
    const int left = (x - L::before * S::per_word) * bytes;
    const std::uint32_t black = black_word<T>(plane);
    const auto fetch_row = [&](std::uint32_t(&line)[L::words], const unsigned char* from) {
        if constexpr (Ends<S, step>::made) {
            std::uint32_t before[L::before];
            std::uint32_t own[S::own_words];
            std::uint32_t after[L::after];
            load_words<0, S::own * bytes>(own, from + 4 * L::before);
#pragma unroll
            for (std::uint32_t& word : before) {
                word = black;
            }
            if (!ends.no_before) {
                load_words<0, 4 * L::before>(before, from);
            }
#pragma unroll
            for (std::uint32_t& word : after) {
                word = black;
            }
            if (!ends.no_after) {
                load_words<0, 4 * L::after>(after, from + 4 * (L::before + S::own_words));
            }
#pragma unroll
            for (int word = 0; word < L::words; ++word) {
                line[word] = word < L::before                  ? before[word % L::before]
                             : word < L::before + S::own_words ? own[(word - L::before) % S::own_words]
                                                               : after[(word - L::before - S::own_words) % L::after];
            }
        } else {
            load_words<L::before, S::own * bytes>(line, from);
        }
    };
    const auto fetch = [&](std::uint32_t(&lines)[rows_ahead][L::words], int y) {
        if (y >= 0 && y + rows_ahead <= plane.height) {
            const unsigned char* from = plane.src + plane.src_pitch * y + left;
#pragma unroll
            for (int i = 0; i < rows_ahead; ++i) {
                fetch_row(lines[i], from);
                from += plane.src_pitch;
            }
            return;
        }
#pragma unroll
        for (int i = 0; i < rows_ahead; ++i) {
            const unsigned char* const from = row_at(plane, picture, y + i);
            if (from != nullptr) {
                fetch_row(lines[i], from + left);
            } else {
#pragma unroll
                for (std::uint32_t& word : lines[i]) {
                    word = black;
                }
            }
        }
    };
    std::uint32_t next[rows_ahead][L::words];
    fetch(next, strip.top - S::R);
#pragma unroll 1
    for (int row = 0; row < count; row += rows_ahead) {
        const int y = strip.top - S::R + row;
        std::uint32_t lines[rows_ahead][L::words];
#pragma unroll
        for (int i = 0; i < rows_ahead; ++i) {
#pragma unroll
            for (int word = 0; word < L::words; ++word) {
                lines[i][word] = next[i][word];
            }
            ends.put(lines[i]);
        }
        if (row + rows_ahead < count) {
            fetch(next, y + rows_ahead);
        }
#pragma unroll
        for (int i = 0; i < rows_ahead; ++i) {
            std::int32_t mid[S::terms][S::own];
#pragma unroll
            for (int t = 0; t < S::terms; ++t) {
                filter_line<S, step>(lines[i], mid[t], taps.rows[t], plane, picture);
            }
            std::uint32_t complete[S::sums][S::own];
            add_row<S>(kept, complete, mid, taps, [&](int c) {
                return sample_of<S::form>(lines[i][L::before + c / S::per_word], c, plane, picture);
            });
            // The first ones are the strip's above, one too many may be that of the strip below.
            if (row + i < 2 * S::R || row + i >= count) {
                continue;
            }
            std::int32_t results[S::own];
            finish<S>(complete, results, taps, [&](int c) {
                const unsigned char* const from = plane.src + plane.src_pitch * (y + i - S::R) + x * bytes;
                const std::uint32_t word = reinterpret_cast<const std::uint32_t*>(from)[c / S::per_word];
                return sample_of<S::form>(word, c, plane, picture);
            });
            store<S>(to, results, plane, picture);
            to += plane.dst_pitch;
        }
    }
}

/// One column, wherever it lies: sample x of each row.
template <class S>
__device__ __noinline__ void walk_edge(const typename S::Taps& given_taps, const PlaneParams& given_plane,
                                       const Picture& picture, int x, const Strip& given_strip) {
    using T = typename S::T;
    // By value: after each store the parameters would be fetched again.
    const typename S::Taps taps = given_taps;
    const PlaneParams plane = given_plane;
    const Strip strip = given_strip;
    const bool constant = picture.border == Border::constant;
    const unsigned max_value = picture.max_value;
    constexpr int width = 2 * S::R + 1;
    constexpr int ahead = 2 * rows_ahead;
    const int pixel = x / plane.step;
    const int component = x - pixel * plane.step;
    int from[width];  // samples; -1 where the constant stands
#pragma unroll
    for (int j = 0; j < width; ++j) {
        const int index = pixel + j - S::R;
        const int folded = fold(index, plane.width, plane.fold_x);
        from[j] = folded != index && constant ? -1 : folded * plane.step + component;
    }
    Kept<S, 1> kept = {};
    const int count = strip.rows + 2 * S::R;
#pragma unroll 1
    for (int first = 0; first < count; first += ahead) {
        std::int32_t samples[ahead][width];
#pragma unroll
        for (int i = 0; i < ahead; ++i) {
            // Rows after the last one are read again, and come to nothing.
            const int y = strip.top - S::R + min(first + i, count - 1);
            const int row = fold(y, plane.height, plane.fold_y);
            const T* const line = reinterpret_cast<const T*>(plane.src + plane.src_pitch * row);
#pragma unroll
            for (int j = 0; j < width; ++j) {
                samples[i][j] =
                    from[j] < 0 || (row != y && constant)
                        ? plane.black
                        : static_cast<std::int32_t>((static_cast<unsigned>(line[from[j]]) >> plane.lsb) & max_value);
            }
        }
#pragma unroll
        for (int i = 0; i < ahead; ++i) {
            std::int32_t mid[S::terms][1];
#pragma unroll
            for (int t = 0; t < S::terms; ++t) {
                const Rows<Form::words, S::R>& rows = taps.plain_rows[t];
                mid[t][0] = rows.start;
#pragma unroll
                for (int j = 0; j < width; ++j) {
                    mid[t][0] += rows.taps[j] * samples[i][j];
                }
                mid[t][0] >>= rows.shift;
            }
            std::uint32_t complete[S::sums][1];
            add_row<S>(kept, complete, mid, taps, [&](int) { return static_cast<std::uint32_t>(samples[i][S::R]); });
            const int row = first + i - 2 * S::R;
            if (row < 0 || row >= strip.rows) {
                continue;
            }
            const int y = strip.top + row;
            std::int32_t result[1];
            finish<S>(complete, result, taps, [&](int) {
                const T sample = reinterpret_cast<const T*>(plane.src + plane.src_pitch * y)[x];
                return (static_cast<unsigned>(sample) >> plane.lsb) & max_value;
            });
            const std::int32_t clamped =
                S::ready ? result[0] & 0xff : min(max(result[0], 0), static_cast<std::int32_t>(max_value));
            reinterpret_cast<T*>(plane.dst + plane.dst_pitch * y)[x] = static_cast<T>(clamped << plane.lsb);
        }
    }
}

/// A strip by one warp. What reads from outside the picture other than Ends can make is made column by column,
/// as many at once as there are lanes.
template <class S, int step>
__device__ __forceinline__ void filter_strip(const Launch<S>& launch, const PlaneParams& plane, const Strip& strip) {
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const int x = strip.left + lane * S::own;
    Ends<S, step> ends;
    const bool whole = x < plane.samples && ends.find(plane, launch.picture, x);
    if (whole) {
        // Taps at addresses that are known when this is compiled are operands of instructions, others take registers
        // and a tenth of the time. Interleaved planes, half of the luma's size at most, are not worth the code.
        static_assert(max_filters == 2);
        if constexpr (step == 2) {
            walk<S, step>(launch.taps[plane.filter], plane, launch.picture, x, ends, strip);
        } else if (plane.filter == 0) {
            walk<S, step>(launch.taps[0], plane, launch.picture, x, ends, strip);
        } else {
            walk<S, step>(launch.taps[1], plane, launch.picture, x, ends, strip);
        }
    }
    // Lanes whose own columns are not whole, at the strip's ends, leave them to all.
    const unsigned others = __ballot_sync(0xffffffff, x < plane.samples && !whole);
    const int before = __ffs(static_cast<int>(~others)) - 1;
    const int all = __popc(others);
    const int last = 31 - __clz(static_cast<int>(others));
    for (int i = lane; i < all * S::own; i += lanes) {
        const int owner = i / S::own < before || before < 0 ? i / S::own : last - all + 1 + i / S::own;
        const int column = strip.left + owner * S::own + i % S::own;
        if (column < plane.samples) {
            walk_edge<S>(launch.taps[plane.filter], plane, launch.picture, column, strip);
        }
    }
}

template <class S>
__device__ __forceinline__ void fill_strip(std::int32_t value, const PlaneParams& plane, const Picture& picture,
                                           const Strip& strip) {
    const int x = strip.left + static_cast<int>(threadIdx.x) % lanes * S::own;
    std::int32_t results[S::own];
#pragma unroll
    for (std::int32_t& result : results) {
        result = value;
    }
    for (int row = strip.top; row < strip.top + strip.rows && x < plane.samples; ++row) {
        store<S>(plane.dst + plane.dst_pitch * row + x * static_cast<int>(sizeof(typename S::T)), results, plane,
                 picture);
    }
}

struct Tile {
    int column;
    int row;
};

/// The first and the last column take longest, and come first.
__device__ __forceinline__ Tile own_tile(const PlaneParams& plane, const Picture& picture) {
    const int number = static_cast<int>(blockIdx.x) - plane.first_block;
    const int inner = plane.tiles_x - 2;
    if (inner <= 0) {
        return {number % plane.tiles_x, number / plane.tiles_x};
    }
    const int outer = 2 * ((plane.height + picture.tile_rows - 1) / picture.tile_rows);  // tiles
    if (number < outer) {
        return {number % 2 * (plane.tiles_x - 1), number / 2};
    }
    return {1 + (number - outer) % inner, (number - outer) / inner};
}

/// The strip of this thread's warp; it may have no rows.
template <class S>
[[nodiscard]] __device__ __forceinline__ Strip own_strip(const PlaneParams& plane, const Picture& picture) {
    const Tile tile = own_tile(plane, picture);
    const int rows = picture.tile_rows / warps;
    const int top = tile.row * picture.tile_rows + static_cast<int>(threadIdx.x) / lanes * rows;
    return {tile.column * lanes * S::own, top, min(rows, plane.height - top)};
}

/// Planes of one component or two; `pixel_step` 3 or 4: of so many.
template <class S, int pixel_step>
__global__ void __launch_bounds__(warps* lanes, S::blocks) filter_strips(const __grid_constant__ Launch<S> launch) {
    const Picture& picture = launch.picture;
    const PlaneParams& plane = own_plane(picture);
    const Strip strip = own_strip<S>(plane, picture);
    if (strip.rows <= 0) {
        return;
    }
    if (launch.taps[plane.filter].ending == Ending::constant) {
        fill_strip<S>(launch.taps[plane.filter].constant, plane, picture, strip);
    } else if constexpr (pixel_step != 0) {
        filter_strip<S, pixel_step>(launch, plane, strip);
    } else if (plane.step == 1) {
        filter_strip<S, 1>(launch, plane, strip);
    } else {
        filter_strip<S, 2>(launch, plane, strip);
    }
}

}  // namespace vfilter::cuda::stencil
