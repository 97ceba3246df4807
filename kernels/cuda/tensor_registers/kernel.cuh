#pragma once
// Filters of small and middle size on tensor cores: the intermediate stays in registers.
//
// A block owns a strip of columns of samples and walks down it in steps of 16 rows; each of its warps owns a part
// of them, in tiles of 16 columns. The row pass is a product of a band (Toeplitz) matrix of taps (A) and 16 rows of
// samples (B), the column pass one of another band matrix and the last `down` blocks of intermediate samples: what
// the row pass leaves in a lane's accumulators is, rounded and cut into bytes, a B fragment of the column pass.
// docs/kernels.md has the drawings.
//
// Samples come through a ring of slots in shared memory, asked for some steps ahead: as TMA boxes from compute
// capability 9.0 on, with cp.async before. The halo outside the picture is put in there by the blocks at its edges
// alone.

#include <utility>

#include "kernels/cuda/tensor/finish.cuh"
#include "kernels/cuda/tensor_registers/passes.cuh"

namespace vfilter::cuda::tensor_registers {

/// In global memory: the numbers, the bands of the row pass, those of the column pass.
template <class S>
inline constexpr int fragments_of_term = 2 + Bands<S, S::blocks>::fragments + Bands<S, S::down>::fragments;

/// A warp's part of a strip: its intermediate samples, and where its results go.
template <class S>
struct Walk {
    using T = typename S::T;

    const PlaneParams& plane;
    const unsigned char* src;
    const FilterParams<S::terms>& filter;
    unsigned max_value;
    int lsb;
    int left;
    int y;                ///< of a lane's first result in the next 16 rows
    int rows;             ///< from there on that are to be stored
    unsigned own_second;  ///< see gather()
    bool second_tile;     ///< whether a lane stores something of it, of samples of 9 to 16 bits
    unsigned picked;      ///< which bytes of two sums are results
    int shift;
    unsigned char* to;
    std::int64_t half_pitch;  ///< bytes of 8 rows of results
    Numbers numbers[S::terms];
    Bands<S, S::blocks> row_bands[S::terms];
    Bands<S, S::down> column_bands[S::terms];
    Bands<S, S::down>
        swapped_bands[S::down == 2 ? S::terms : 1];  ///< of the column pass, for the other order of two blocks
    Middle middles[S::terms][S::tiles][S::down];

    /// Numbers and bands, from what the filter has for planes like this one.
    __device__ __forceinline__ void load(const uint4* fragments, int lane) {
#pragma unroll
        for (int term = 0; term < S::terms; ++term) {
            numbers[term].load(fragments);
            row_bands[term].load(fragments + 2, lane);
            column_bands[term].load(fragments + 2 + Bands<S, S::blocks>::fragments, lane);
            if constexpr (S::down == 2) {
                swapped_bands[term] = column_bands[term].swapped();
            }
            fragments += fragments_of_term<S>;
        }
    }

    /// The column pass of the window: results of 16 rows, to memory.
    template <int newest>
    __device__ __forceinline__ void make_results() {
        [[maybe_unused]] std::uint32_t packed[S::tiles][2];
#pragma unroll
        for (int tile = 0; tile < S::tiles; ++tile) {
            std::int32_t sums[S::terms][2][4];
#pragma unroll
            for (int term = 0; term < S::terms; ++term) {
#pragma unroll
                for (int columns = 0; columns < 2; ++columns) {
                    const Bands<S, S::down>& bands =
                        S::down == 2 && newest == 0 ? swapped_bands[term] : column_bands[term];
                    filter_columns<S, newest>(sums[term][columns], bands, numbers[term], filter.terms[term], columns,
                                              middles[term][tile]);
                }
            }
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                std::int32_t own[S::terms][4];
#pragma unroll
                for (int term = 0; term < S::terms; ++term) {
#pragma unroll
                    for (int i = 0; i < 4; ++i) {
                        own[term][i] = sums[term][i / 2][2 * half + i % 2];
                    }
                }
                if constexpr (S::finish == FinishKind::aligned) {
                    const auto pair = [&](int i) {
                        return __byte_perm(static_cast<std::uint32_t>(own[0][i]),
                                           static_cast<std::uint32_t>(own[0][i + 1]), picked);
                    };
                    packed[tile][half] = __byte_perm(pair(0), pair(2), 0x5410);
                    continue;
                }
                std::int32_t results[4];
                FinishNumbers end = filter.finish;
                end.shift = shift;
                tensor::finish<T, S::finish>(results, own, end, [&](std::uint32_t(&given)[4]) {
                    const int from = left + 16 * tile + static_cast<int>(threadIdx.x) % 4 * 4;
                    tensor::load_four<T>(given, src + plane.src_pitch * min(y + 8 * half, plane.height - 1), from,
                                         plane, max_value);
                });
                if constexpr (S::bytes == 1) {
                    packed[tile][half] = tensor::pack_four(results);
                } else if (8 * half < rows && (tile == 0 || second_tile)) {
                    *reinterpret_cast<uint2*>(to + 32 * tile + half_pitch * half) =
                        tensor::pack_four(results, lsb, max_value);
                }
            }
        }
        if constexpr (S::bytes == 1) {
            static_assert(S::tiles == 2);
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const uint2 eight = gather(packed[0][half], packed[1][half], own_second);
                if (8 * half < rows) {
                    *reinterpret_cast<uint2*>(to + half_pitch * half) = eight;
                }
            }
        }
        y += 16;
        rows -= 16;
        to += 2 * half_pitch;
    }

    template <int newest>
    __device__ __forceinline__ void filter_rows_of(const Samples<S>& samples) {
#pragma unroll
        for (int tile = 0; tile < S::tiles; ++tile) {
#pragma unroll
            for (int term = 0; term < S::terms; ++term) {
                middles[term][tile][newest] = filter_rows<S>(samples, tile, row_bands[term], numbers[term]);
            }
        }
    }
};

/// The strip that a block makes.
struct Piece {
    int plane;
    int picture;  ///< of the stack
    int left;     ///< sample
    int top;
    int bottom;
    int height;  ///< of the plane
};

template <class S>
[[nodiscard]] __device__ __forceinline__ Piece own_piece(const Launch<S::terms>& launch) {
    const Part& part = launch.parts[last_begun<2 * usual_planes>(launch.first_blocks)];
    const int strip = static_cast<int>(blockIdx.x) - part.first_block;
    const int picture = part.inverse_strips == 0
                            ? strip
                            : static_cast<int>(__umulhi(static_cast<unsigned>(strip), part.inverse_strips));
    const int tile = strip - picture * part.strips;
    int band = part.inverse == 0 ? tile : static_cast<int>(__umulhi(static_cast<unsigned>(tile), part.inverse));
    if (band * part.tiles_x > tile) {
        --band;
    }
    // Edges take longest and come first: the last column before the others.
    const int column = tile - band * part.tiles_x;
    const int top = part.top + band * part.rows;
    return {part.plane,
            picture,
            (column == 0 ? part.tiles_x - 1 : column - 1) * S::width,
            top,
            min(top + part.rows, part.bottom),
            part.height};
}

/// How a warp asks for the slots of a strip.
template <class S>
struct Loader {
    const Launch<S::terms>& launch;
    const Ring<GeometryOf<S>>& slots;
    Piece piece;
    int first_row;  ///< of slot 0
    int inside;     ///< slots from there on that end in the picture
    int lane;
#ifndef VFILTER_TMA
    const PlaneParams& plane = launch.picture.planes[piece.plane];
    Strip<GeometryOf<S>> strip{plane, piece.left, lane};
    int pitch = static_cast<int>(plane.src_pitch);
#endif

    [[nodiscard]] __device__ __forceinline__ const unsigned char* source() const {
        return launch.picture.planes[piece.plane].src + launch.stack.src_bytes * piece.picture;
    }
    __device__ __forceinline__ void load(int number, int slot) const {
        const int y = first_row + S::slot_rows * number;
        if (number < inside && y >= 0) [[likely]] {
#ifdef VFILTER_TMA
            if (lane == 0) {
                tma_expect(slots.filled(slot), S::slot_bytes);
                tma_load_3d(slots.at(slot), S::slot_bytes, &launch.tensor_maps[piece.plane], piece.left - S::lead, y,
                            piece.picture, slots.filled(slot));
                tma_arrive(slots.filled(slot), 32);
            }
#else
            strip.load(slots.at(slot), source(), y, pitch);
            cp_async_mbarrier_arrive(slots.filled(slot));
#endif
            return;
        }
        Edge<GeometryOf<S>>::load(slots.at(slot), slots.filled(slot), piece.left, y, launch.picture.planes[piece.plane],
                                  launch.picture, source());
    }
};

template <class S>
__global__ void __launch_bounds__(S::threads, S::resident)
    filter_strips(const __grid_constant__ Launch<S::terms> launch) {
#ifdef VFILTER_TENSOR_CORES
    const Ring<GeometryOf<S>> slots = ring<GeometryOf<S>>();
    griddepcontrol_launch_dependents();

    const Picture& picture = launch.picture;
    const Piece piece = own_piece<S>(launch);
    const PlaneParams& plane = picture.planes[piece.plane];
    const FilterParams<S::terms>& filter = launch.filters[plane.filter];
    const int lane = static_cast<int>(threadIdx.x) % 32;
    // So the compiler knows that it is the same for all lanes.
    const int warp = __shfl_sync(0xffffffff, static_cast<int>(threadIdx.x) / 32, 0);
    const int count = (piece.bottom - piece.top + 15) / 16 + S::down - 1;  // blocks of rows that are walked
    const int loads = (count + S::slot_blocks - 1) / S::slot_blocks;
    const int first_row = piece.top - S::halo_down;
    constexpr int ahead = S::slots - 1;
#ifdef VFILTER_TMA
    const bool plain = launch.tma;
#else
    const bool plain = (plane.samples * S::bytes % 16) == 0 || piece.left + S::width + S::lead <= plane.samples;
#endif
    const int inside = plain ? min(loads, (piece.height - first_row) / S::slot_rows) : 0;
    const Loader<S> loader{launch, slots, piece, first_row, inside, lane};
    // One warp asks for the first slots before the others know that there are any.
    if (warp == 0) {
        if (lane == 0) {
            slots.make();
        }
        __syncwarp();
        griddepcontrol_wait();
#pragma unroll 1
        for (int slot = 0; slot < min(ahead, loads); ++slot) {
            loader.load(slot, slot);
        }
    }

    const int left = piece.left + warp * S::columns;
    const bool right = piece.left + S::width + S::halo > plane.samples;
    // What stands on the left is read by the first warp alone, unless windows are wide; on the right by others, too,
    // for whom one puts it there.
    const bool shared = right || (S::wide && piece.left == 0);
    const bool patches = left == 0 || (right && Edge<GeometryOf<S>>::has_right(piece.left, left, plane.samples));
    // Of samples of 8 bits a lane stores eight of one tile.
    const int x = left + (S::bytes == 1 ? 16 * (lane & 1) + 4 * (lane & 2) : 4 * (lane % 4));
    const int y = piece.top + lane / 4;
    const auto picked = static_cast<unsigned>(filter.finish.shift / 8 * 0x11 + 0x40);
    Walk<S> walk{plane,
                 loader.source(),
                 filter,
                 picture.max_value,
                 plane.lsb,
                 left,
                 y,
                 x < plane.samples ? piece.bottom - y : 0,
                 (lane & 1) != 0 ? 0x7654U : 0x3210U,
                 x + 16 < plane.samples,
                 picked,
                 filter.finish.shift,
                 plane.dst + launch.stack.dst_bytes * piece.picture + plane.dst_pitch * y + std::int64_t{x} * S::bytes,
                 plane.dst_pitch * 8};
    walk.load(filter.fragments[plane.step - 1], lane);
    __syncthreads();
    if (patches) [[unlikely]] {
        constexpr int few_loads = 2;  // for which it takes longer
        if (loads > few_loads) {
            Edge<GeometryOf<S>>::plan(slots.patch(), piece.left, left, plane, picture);
        } else {
            slots.patch()->kind = PatchKind::searched;
        }
    }
    griddepcontrol_wait();

    const int place = Samples<S>::place_of(warp, lane);
    unsigned phase = 0;
    int block = 0;  // of rows
    const auto step = [&]<int k>(std::integral_constant<int, k>) {
        constexpr int slot = k / S::slot_blocks;
        constexpr bool first_of_slot = k % S::slot_blocks == 0;
        constexpr bool last_of_slot = (k + 1) % S::slot_blocks == 0;
        unsigned char* const rows = slots.at(slot) + k % S::slot_blocks * 16 * S::pitch;
        if constexpr (first_of_slot) {
            mbarrier_wait(slots.filled(slot), phase);
            if (patches) [[unlikely]] {
                Edge<GeometryOf<S>>::patch(slots.at(slot), first_row + 16 * block, left, plane, picture,
                                           loader.source());
            }
            if (shared) [[unlikely]] {
                __syncthreads();
            }
        }
        Samples<S> samples;
        samples.fetch(rows + place, walk.lsb, walk.max_value);
        if constexpr (last_of_slot) {
            __syncwarp();
            if (lane == 0) {
                mbarrier_arrive(slots.left(slot));
            }
        }
        if constexpr (first_of_slot) {
            const int number = block / S::slot_blocks + ahead;
            if (number < loads && number % S::warps == warp) {
                constexpr int free = (slot + ahead) % S::slots;
                mbarrier_wait(slots.left(free), slot == 0 ? phase ^ 1 : phase);
                loader.load(number, free);
            }
        }
        walk.template filter_rows_of<k % S::down>(samples);
        if (block >= S::down - 1) {
            walk.template make_results<k % S::down>();
        }
        ++block;
        return count - block;
    };
    const auto make_turn = [&]<int... k>(std::integer_sequence<int, k...>) {
        return ((step(std::integral_constant<int, k>()) != 0) && ...);
    };
#pragma unroll 1
    while (make_turn(std::make_integer_sequence<int, S::turn>())) {
        phase ^= 1;
    }
#else
    __trap();
#endif
}

}  // namespace vfilter::cuda::tensor_registers
