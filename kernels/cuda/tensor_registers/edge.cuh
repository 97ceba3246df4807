#pragma once
// The halo outside the picture. Functions of their own, so that the others' code and registers stay free of it.

#include "kernels/cuda/tensor_registers/ring.cuh"

namespace vfilter::cuda::tensor_registers {

template <class G>
struct Edge {
    using T = typename G::T;

    /// Loads and arrives wherever rows or chunks lie across the picture's edges. By one warp.
    __device__ __noinline__ static void load(unsigned char* slot, Mbarrier* filled, int left, int y,
                                             const PlaneParams& plane, const Picture& picture,
                                             const unsigned char* src) {
        // By value: parameters would be fetched again after each copy.
        const PlaneParams own = plane;
        const bool constant = picture.border == Border::constant;
        const int lane = static_cast<int>(threadIdx.x) % 32;
        const Strip<G> strip(own, left, lane);
        const std::uint32_t black = black_word<T>(own);
        const int pitch = static_cast<int>(own.src_pitch);
        constexpr int rows = 8;
#pragma unroll 1
        for (int top = 0; top < G::slot_rows; top += rows) {
            if (y + top >= 0 && y + top + rows <= own.height) {
                if (!strip.ragged) {
                    strip.template load<rows>(slot + top * G::pitch, src, y + top, pitch);
                    continue;
                }
            }
            if (strip.valid <= 0) {
                continue;
            }
#pragma unroll
            for (int later = 0; later < rows; later += Strip<G>::rows_at_once) {
                int row = y + strip.row + top + later;
                const bool outside = static_cast<unsigned>(row) >= static_cast<unsigned>(own.height);
                if (outside) {
                    row = fold(row, own.height, own.fold_y);
                }
                unsigned char* const to = slot + strip.place + (top + later) * G::pitch;
                if (outside && constant) {
                    *reinterpret_cast<uint4*>(to) = make_uint4(black, black, black, black);
                } else {
                    cp_async_16(to, src + own.src_pitch * row + strip.byte, strip.valid);
                }
            }
        }
        if (constant) {
            cp_async_wait_all();
            mbarrier_arrive(filled);
        } else {
            cp_async_mbarrier_arrive(filled);
        }
    }

    /// Whether what stands to the right of the picture is put there by the warp whose columns begin at sample `left`,
    /// where any of the block sees it: the one that has the picture's end, or the block's last.
    __device__ static bool has_right(int block_left, int left, int samples) {
        return left < samples && (left + G::columns >= samples || left - block_left == G::width - G::columns);
    }

    /// What a warp whose columns begin at sample `left` has to do at the sides of each slot of a strip: its lanes'
    /// parts. By that warp, one of those that patch.
    __device__ __noinline__ static void plan(Patch* to, int block_left, int left, const PlaneParams& plane,
                                             const Picture& picture) {
        const int samples = plane.samples;
        const int width = plane.width;
        const int step = plane.step;
        const Fold border = plane.fold_x;
        const bool constant = picture.border == Border::constant;
        const bool on_left = left == 0;
        const bool on_right = has_right(block_left, left, samples) && left + G::columns + G::halo > samples;
        const int lane = static_cast<int>(threadIdx.x) % 32;
        const int first = block_left - G::lead;  // sample
        const int begin = on_left ? -G::halo : samples;
        const int end = on_left ? 0 : min(samples + G::halo, left + G::columns + G::halo);
        const int at = ((begin - first) * G::bytes & ~3) + 4 * (lane % patch_words);
        const bool wanted = lane < patch_rows * patch_words && at < (end - first) * G::bytes;
        int words[3] = {-1, -1, -1};  // none yet
        unsigned first_two = 0;
        unsigned with_third = 0;
        // A word across the picture's end would be read by some lanes while another one writes it.
        const bool ragged = on_right && !constant && samples * G::bytes % 4 != 0;
        bool fits = !(on_left && on_right) && !ragged;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int x = first + (at + i) / G::bytes;
            int from = x;
            if (x < 0 || x >= samples) {
                const int away = x < 0 ? -1 - x : x - samples;
                const int pixels = step == 3 ? away * 171 >> 9 : away >> step / 2;  // away / step, of what is below 256
                const int pixel = x < 0 ? -1 - pixels : width + pixels;
                from = constant ? -1 : fold(pixel, width, border) * step + x - pixel * step;
            }
            const int byte = (from - first) * G::bytes + (at + i) % G::bytes;
            const auto is = [&](int which) {
                words[which] = words[which] < 0 ? byte / 4 : words[which];
                return words[which] == byte / 4;
            };
            if (!wanted || x < begin - 3 || x >= end) {
                continue;
            }
            unsigned two = 0;
            unsigned third = i;
            if (from < 0) {
                third = 4 + i % G::bytes;
            } else if (from < first || from >= block_left + G::width + G::lead) {
                fits = false;
            } else if (is(0)) {
                two = byte % 4;
            } else if (is(1)) {
                two = 4 + byte % 4;
            } else if (!constant && is(2)) {
                third = 4 + byte % 4;
            } else {
                fits = false;
            }
            first_two |= two << 4 * i;
            with_third |= third << 4 * i;
        }
        const int row = lane / patch_words * G::pitch;
        // Instead of none, what no other lane writes.
        const auto place = [&](int word) { return static_cast<std::uint16_t>(row + (word < 0 ? at : 4 * word)); };
        *to = {static_cast<std::uint16_t>(row + at),
               place(words[0]),
               place(words[1]),
               place(words[2]),
               static_cast<std::uint16_t>(first_two),
               static_cast<std::uint16_t>(with_third),
               __all_sync(0xffffffff, fits) == 0 ? PatchKind::searched
               : wanted                          ? PatchKind::planned
                                                 : PatchKind::none};
    }

    /// Puts what stands to the left and to the right of the picture into a slot that begins at row y, as far as one
    /// warp's results need it. By that warp, as it was planned.
    __device__ __noinline__ static void patch(unsigned char* slot, int y, int left, const PlaneParams& plane,
                                              const Picture& picture, const unsigned char* src) {
        const Patch own = *ring<G>().patch();
        if (own.kind == PatchKind::searched) {
            patch_searched(slot, y, left - static_cast<int>(threadIdx.x) / 32 * G::columns, left, plane, picture, src);
        } else if (own.kind == PatchKind::planned) {
            const bool constant = picture.border == Border::constant;
            const std::uint32_t black = black_word<T>(plane);
            const int lane = static_cast<int>(threadIdx.x) % 32;
            constexpr int turns = (G::slot_rows + patch_rows - 1) / patch_rows;
            constexpr int under_way = turns < 4 ? turns : 4;
            const auto is_there = [&](int turn) {
                return turn < turns &&
                       (G::slot_rows % patch_rows == 0 || turn * patch_rows + lane / patch_words < G::slot_rows);
            };
#pragma unroll
            for (int turn = 0; turn < turns; turn += under_way) {
                // The compiler cannot know that none of them comes from where another goes, and would wait for one
                // after the other.
                std::uint32_t words[under_way];
#pragma unroll
                for (int i = 0; i < under_way; ++i) {
                    if (is_there(turn + i)) {
                        const unsigned char* const rows = slot + (turn + i) * patch_rows * G::pitch;
                        const auto word = [&](int from) {
                            return *reinterpret_cast<const std::uint32_t*>(rows + from);
                        };
                        words[i] = __byte_perm(__byte_perm(word(own.from), word(own.second), own.first_two),
                                               constant ? black : word(own.third), own.with_third);
                    }
                }
#pragma unroll
                for (int i = 0; i < under_way; ++i) {
                    if (is_there(turn + i)) {
                        *reinterpret_cast<std::uint32_t*>(slot + (turn + i) * patch_rows * G::pitch + own.to) =
                            words[i];
                    }
                }
            }
        }
        __syncwarp();
    }

private:
    static constexpr int patch_words = G::halo * G::bytes / 4 + 1;        ///< of a row, wherever it ends
    static constexpr int patch_rows = 32 / patch_words;                   ///< that a warp patches at once
    static constexpr int searched_columns = G::halo < 32 ? G::halo : 32;  ///< at once
    static constexpr int searched_rows = 32 / searched_columns;
    static constexpr int samples_of_row = G::pitch / G::bytes;

    /// Where there can be no plan: both sides are a warp's, or what stands there lies further away than the strip
    /// reaches.
    __device__ __noinline__ static void patch_searched(unsigned char* slot, int y, int block_left, int left,
                                                       const PlaneParams& plane, const Picture& picture,
                                                       const unsigned char* src) {
        const PlaneParams own = plane;
        const bool constant = picture.border == Border::constant;
        const int lane = static_cast<int>(threadIdx.x) % 32;
        const int first = block_left - G::lead;  // sample
        const int end = block_left + G::width + G::lead;
        const T black = static_cast<T>(own.black << own.lsb);
#pragma unroll 1
        for (int side = left == 0 ? 0 : 1; side < (has_right(block_left, left, own.samples) ? 2 : 1); ++side) {
#pragma unroll 1
            for (int column = lane % searched_columns; column < G::halo; column += searched_columns) {
                const int x = side == 0 ? column - G::halo : own.samples + column;
                // Of 24 samples some lanes have no row.
                if (lane >= searched_rows * searched_columns || x < left - G::halo ||
                    x >= left + G::columns + G::halo) {
                    continue;
                }
                const int from = source_of(x, own, constant);
                T* to = reinterpret_cast<T*>(slot + lane / searched_columns * G::pitch) + (x - first);
                if (from < 0 || (from >= max(first, 0) && from < end)) {
                    const int away = from < 0 ? 0 : from - x;
                    put_column<8>(to, [&](int row) { return from < 0 ? black : to[row * samples_of_row + away]; });
                } else {
                    put_column<4>(to, [&](int row) {
                        int line = y + row + lane / searched_columns;
                        line = static_cast<unsigned>(line) >= static_cast<unsigned>(own.height)
                                   ? fold(line, own.height, own.fold_y)
                                   : line;
                        return reinterpret_cast<const T*>(src + own.src_pitch * line)[from];
                    });
                }
            }
        }
    }

    /// A lane's column of a slot, of sample_of(row), so many of them at once: the compiler cannot know that none comes
    /// from where another goes, and would wait for one after the other.
    template <int at_once>
    __device__ __forceinline__ static void put_column(T* to, const auto& sample_of) {
        static_assert(G::slot_rows % (at_once * searched_rows) == 0);
#pragma unroll 1
        for (int top = 0; top < G::slot_rows; top += at_once * searched_rows) {
            T samples[at_once];
#pragma unroll
            for (int i = 0; i < at_once; ++i) {
                samples[i] = sample_of(top + i * searched_rows);
            }
#pragma unroll
            for (int i = 0; i < at_once; ++i) {
                to[(top + i * searched_rows) * samples_of_row] = samples[i];
            }
        }
    }
};

}  // namespace vfilter::cuda::tensor_registers
