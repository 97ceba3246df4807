#pragma once
// The rows that a block of networks works on, in shared memory: copied while the block works on those before. What lies
// outside of the picture is made on the way.

#include <cstdint>

#include "kernels/cuda/load.cuh"
#include "kernels/cuda/median/parameters.h"
#include "kernels/cuda/ptx.cuh"

namespace vfilter::cuda::median {

/// Waits for what this thread has copied to shared memory.
__device__ __forceinline__ void wait_for_copies() {
#ifdef VFILTER_TENSOR_CORES
    cp_async_wait_all();
#endif
}

/// What a block makes.
struct Tile {
    const PlaneParams& plane;  ///< of the stack's first picture
    int picture;               ///< of the stack
    int left;                  ///< column
    int top;
    int bottom;
};
__device__ __forceinline__ Tile own_tile(const Launch& launch) {
    const PlaneParams& plane = own_plane(launch.picture);
    auto block = static_cast<unsigned>(static_cast<int>(blockIdx.x) - plane.first_block);
    unsigned picture = 0;
    if (launch.stack.pictures > 1) {
        picture = block / launch.blocks_of_picture;
        block -= picture * launch.blocks_of_picture;
    }
    int tile_row = static_cast<int>(plane.inverse == 0 ? block : __umulhi(block, plane.inverse));
    if (tile_row * plane.tiles_x > static_cast<int>(block)) {
        --tile_row;
    }
    const int top = tile_row * launch.picture.tile_rows;
    return {plane, static_cast<int>(picture), (static_cast<int>(block) - tile_row * plane.tiles_x) * network_columns,
            top, min(top + launch.picture.tile_rows, plane.height)};
}

/// Row y of its results.
__device__ __forceinline__ unsigned char* result_at(const Launch& launch, const Tile& tile, int y) {
    return tile.plane.dst + launch.stack.dst_bytes * tile.picture + tile.plane.dst_pitch * y;
}

/// Fills bands, one below the other. A thread copies the same 16 bytes, or two times 16, of some rows of each; what
/// lies beside the picture is dealt out sample by sample, as one thread for all of a row would keep its warp waiting.
template <class T, int radius_x, int radius_y, int components = 1>
class Filler {
public:
    using Rows = Band<T, radius_y, components>;

    /// For a tile, from `radius_y` rows above it on.
    __device__ Filler(const Launch& launch, const Tile& tile)
        : launch_(launch), plane_(tile.plane), picture_(tile.picture), top_(tile.top - radius_y) {
        const int thread = static_cast<int>(threadIdx.x);
        const int row = thread / chunks;
        const int chunk = thread - row * chunks;
        const int x = tile.left * components + (chunk - Rows::lead / 16) * per_chunk;
        own_ = find_piece(x, row < at_once ? top_ + row : none);
        if constexpr (chunks > network_threads) {
            second_ = find_piece(x + network_threads * per_chunk, chunk + network_threads < chunks ? top_ : none);
        }
        to_ = row * Rows::pitch + chunk * 16;
        from_ = data() + plane_.src_pitch * (top_ + row) + std::int64_t{x} * static_cast<int>(sizeof(T));
#pragma unroll
        for (int i = 0; i < max_beside; ++i) {
            beside_[i] =
                find_beside(thread + i * network_threads, components == 1 ? tile.left >> (plane_.step - 1) : tile.left);
        }
    }

    /// The band whose turn it is. What lies outside of the picture is made here.
    __device__ __forceinline__ void fill(unsigned char* band) {
        const unsigned char* from = from_;
#pragma unroll
        for (int round = 0; round * at_once < Rows::rows; ++round) {
            unsigned char* const to = band + to_ + round * at_once * Rows::pitch;
            if ((round + 1) * at_once <= Rows::rows || to < band + Rows::bytes) {
                fill_piece(own_, round, to, from);
                if constexpr (chunks > network_threads) {
                    fill_piece(second_, round, to + 16 * network_threads, from + 16 * network_threads);
                }
            }
            from += plane_.src_pitch * at_once;
        }
#pragma unroll
        for (int i = 0; i < max_beside; ++i) {
            if (beside_[i].to >= 0) {
                fill_beside(band, beside_[i]);
            }
        }
        from_ += plane_.src_pitch * network_rows;
        go_down(own_);
        if constexpr (chunks > network_threads) {
            go_down(second_);
        }
        top_ += network_rows;
    }

private:
    static constexpr int none = -0x40000000;
    static constexpr int chunks = Rows::pitch / 16;  ///< of a row, of 16 bytes
    static constexpr int per_chunk = 16 / static_cast<int>(sizeof(T));
    static constexpr int at_once = chunks > network_threads ? 1 : network_threads / chunks;  ///< rows
    static_assert(chunks <= 2 * network_threads);
    static constexpr int max_reach = radius_x * (components == 1 ? 2 : components);
    /// Of what lies beside the picture, on both sides, to a thread.
    static constexpr int max_beside = (2 * Rows::rows * max_reach + network_threads - 1) / network_threads;

    /// Of each of its rows the samples that a thread copies.
    struct Piece {
        int x;
        int y;  ///< of the first row of the band whose turn it is; none
        bool inside;
    };
    [[nodiscard]] __device__ __forceinline__ Piece find_piece(int x, int y) const {
        return {x, x >= 0 && x < plane_.samples ? y : none, x >= 0 && x + per_chunk <= plane_.samples};
    }
    __device__ __forceinline__ void fill_piece(const Piece& piece, int round, unsigned char* to,
                                               const unsigned char* from) const {
        const int y = piece.y + round * at_once;
        if (piece.inside && static_cast<unsigned>(y) < static_cast<unsigned>(plane_.height)) {
            copy(to, from);
        } else if (piece.y != none) {
            make(to, piece, y);
        }
    }
    __device__ static __forceinline__ void go_down(Piece& piece) {
        piece.y += piece.y != none ? network_rows : 0;
    }

    __device__ static __forceinline__ void copy(unsigned char* to, const unsigned char* from) {
#ifdef VFILTER_TENSOR_CORES
        cp_async_16(to, from, 16);
#else
        *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(from);
#endif
    }
    [[nodiscard]] __device__ __forceinline__ T black() const {
        return static_cast<T>(plane_.black << plane_.lsb);
    }

    [[nodiscard]] __device__ __forceinline__ const unsigned char* data() const {
        return plane_.src + launch_.stack.src_bytes * picture_;
    }
    /// The row that stands for row y; null where black does.
    [[nodiscard]] __device__ __forceinline__ const T* row_of(int y) const {
        return reinterpret_cast<const T*>(row_at({data(), plane_.src_pitch}, plane_, launch_.picture, y));
    }

    /// From the row that stands for row y, what the picture has of it.
    __device__ __forceinline__ void make(unsigned char* to_bytes, const Piece& piece, int y) const {
        const T* const row = row_of(y);
        const int x = piece.x;
        if (piece.inside && row != nullptr) {
            copy(to_bytes, reinterpret_cast<const unsigned char*>(row + x));
            return;
        }
        T* const to = reinterpret_cast<T*>(to_bytes);
        const int count = min(per_chunk, plane_.samples - x);
#pragma unroll 1
        for (int j = 0; j < count; ++j) {
            to[j] = row == nullptr ? black() : row[x + j];
        }
    }
    /// A sample that this thread makes of each band, beside the picture. All but the row is the same in each: found
    /// once, as parameters of a plane are fetched anew, from far, after every step.
    struct Beside {
        int to;     ///< byte of the band; -1: none
        int place;  ///< sample of the row; -1: black
    };
    [[nodiscard]] __device__ __forceinline__ Beside find_beside(int number, int left) const {
        constexpr int of_side = Rows::rows * max_reach;
        // Those on the right come after those on the left, where there are any.
        const bool right = left != 0 || number >= of_side;
        const int own = left == 0 && right ? number - of_side : number;
        const int step = components == 1 ? plane_.step : components;
        const int columns = components == 1 ? network_columns >> (step - 1) : network_columns;
        const int row = own / max_reach;
        const int sample = own - row * max_reach;
        const int column = components == 1 ? sample >> (step - 1) : sample / components;
        const int component = sample - column * step;
        const int pixel = (right ? plane_.width : -radius_x) + column;
        if (own >= of_side || column >= radius_x || pixel >= left + columns + radius_x) {
            return {-1, 0};
        }
        const int x = (pixel - left) * step + component;
        const int place = fold(pixel, plane_.width, plane_.fold_x) * step + component;
        return {row * Rows::pitch + Rows::lead + x * static_cast<int>(sizeof(T)),
                launch_.picture.border == Border::constant ? -1 : place};
    }
    __device__ __forceinline__ void fill_beside(unsigned char* band, const Beside& beside) const {
        const T* const row = row_of(top_ + beside.to / Rows::pitch);
        const bool is_black = row == nullptr || beside.place < 0;
        *reinterpret_cast<T*>(band + beside.to) = is_black ? black() : row[beside.place];
    }

    const Launch& launch_;
    const PlaneParams& plane_;
    int picture_;
    Beside beside_[max_beside];
    int top_;
    int to_;
    Piece own_;
    Piece second_;  ///< where a row has more than there are threads
    const unsigned char* from_;
};

}  // namespace vfilter::cuda::median
