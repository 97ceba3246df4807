#pragma once
// Planes in device memory, and how kernels get them as parameters of a launch.

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/arithmetic/arithmetic.h"
#include "kernels/plane.h"

namespace vfilter {

/// Samples of one component, or of interleaved ones, in device memory. The first row begins at a multiple of 16 bytes
/// and so does every other: `pitch` is a multiple of 16, of any sign, that fits 31 bits. Up to 7 bytes after a row's
/// last sample are written, never read. Samples are laid out as in PlaneView; see
/// CudaFilter for the steps that are taken.
struct DevicePlane {
    void* data = nullptr;
    int width = 0;   ///< pixels, >= 1
    int height = 0;  ///< rows, >= 1
    std::ptrdiff_t pitch = 0;
    int step = 1;
    int lsb = 0;
};

/// The same plane of another picture: as a DevicePlane, of which it has the size, step and lsb.
struct NeighbourPlane {
    const void* data = nullptr;
    std::ptrdiff_t pitch = 0;
};

/// One plane of a launch. The two planes are of the same size, step and lsb, and do not overlap.
struct PlaneJob {
    DevicePlane src;
    DevicePlane dst;
    int filter = 0;  ///< index into what the CudaFilter was made of
    int black = 0;   ///< value of the constant border
    /// The window of an operation with time, but for the picture itself, in any order: see Neighbours in
    /// kernels/cpu/scalar.h. Any of them may be `src`, none overlaps `dst`.
    std::span<const NeighbourPlane> neighbours{};
};

namespace cuda {

inline constexpr int max_planes = 32;  ///< of one launch
/// As many as most launches have at most: a block that belongs to one of them looks at no further ones.
inline constexpr int usual_planes = 8;
inline constexpr int max_filters = 2;  ///< luma, which transparency shares, and chroma

/// What stands for an index outside of a line: factor * index + before or after, as often as it takes.
struct Fold {
    int factor;
    int before;
    int after;
};

struct PlaneParams {
    const unsigned char* src;
    unsigned char* dst;
    std::int64_t src_pitch;
    std::int64_t dst_pitch;
    int width;  ///< pixels
    int height;
    int samples;  ///< of a row
    int step;
    int lsb;
    int black;
    int filter;  ///< index
    Fold fold_x;
    Fold fold_y;
    int tiles_x;
    /// inverse_of(tiles_x): the upper half of its product with a tile's number is the tile's row, or, where tiles times
    /// tiles_x are not below 2^32, the one after it.
    unsigned inverse;
    int first_block;
};

/// What the launches of all kernels have in common; a block finds its plane by the number of its first block.
struct Picture {
    /// Next to each other, as parameters are fetched by lines. Of planes that are not there, more than there are.
    int first_blocks[max_planes];
    PlaneParams planes[max_planes];
    int tile_rows;
    Border border;
    unsigned max_value;
};

/// Planes alike that lie at the same distance from each other, as those of a batch do: blocks share the parameters of
/// the first one.
struct Stack {
    int pictures = 1;
    std::int64_t src_bytes = 0;  ///< from one to the next
    std::int64_t dst_bytes = 0;
};
/// What all of these are; one picture alone where they are none. Sources go upwards in memory, by a number of whole
/// rows.
[[nodiscard]] Stack stack_of(std::span<const PlaneJob> jobs);

/// Rows of a plane.
struct Rows {
    const unsigned char* data;
    std::int64_t pitch;
};

/// 2^32 / number, rounded up; 0 of 1.
[[nodiscard]] unsigned inverse_of(int number);
/// Fills in the planes for tiles of that many columns, but for their first blocks; the border is there.
void describe_planes(Picture& picture, std::span<const PlaneJob> jobs, int tile_columns);
/// The same for tiles of that size, one for each block. Returns the number of blocks.
unsigned describe(Picture& picture, std::span<const PlaneJob> jobs, int tile_columns, int tile_rows);

}  // namespace cuda
}  // namespace vfilter
