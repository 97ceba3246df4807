#pragma once
// What the kernels get as parameters, and how launches of any of them are prepared.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/cuda/convolver.h"

namespace vfilter {

class CudaConvolver::Implementation {
public:
    virtual ~Implementation() = default;
    virtual void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const = 0;
    /// How many kernels a launch is.
    [[nodiscard]] virtual int kernels() const { return 1; }
    /// Memory on the device that launches borrow.
    [[nodiscard]] virtual std::size_t device_bytes() const { return 0; }
    [[nodiscard]] virtual std::string name() const = 0;
};

namespace cuda {

/// What stands for an index outside of a line: factor * index + before or behind, as often as it takes.
struct Fold {
    int factor;
    int before;
    int behind;
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
    /// 2^32 / tiles_x, rounded up, or 0 for one: the upper half of its product with a tile's number is the tile's row,
    /// exactly as long as tiles times tiles_x are below 2^32.
    unsigned inverse;
    int first_block;
};

/// What all kernels have in common; a block finds its plane by the number of its first block.
struct Picture {
    /// Beside each other, as parameters are fetched by lines. Of planes that are not there, more than there are.
    int first_blocks[CudaConvolver::max_planes];
    PlaneParams planes[CudaConvolver::max_planes];
    int tile_rows;
    Border border;
    unsigned max_value;
    unsigned result_shift;  ///< of the column pass's sums, for 16-bit samples
};

/// Fills in the planes for tiles of that many columns, but for their first blocks; the border is there.
void describe_planes(Picture& picture, std::span<const PlaneJob> jobs, int tile_columns);
/// The same for tiles of that size, one for each block. Returns the number of blocks.
unsigned describe(Picture& picture, std::span<const PlaneJob> jobs, int tile_columns, int tile_rows);

using PlaneFilters = std::vector<PlaneFilter>;
using Convolutions = std::vector<Convolution>;
using Composites = std::vector<Composite>;
using CoarseConvolutions = std::vector<CoarseConvolution>;

/// On a grid that all have in common. `choice` is for the coarse picture.
std::unique_ptr<CudaConvolver::Implementation> make_coarse(const CoarseConvolutions& filters, Border border,
                                                           KernelChoice choice);

/// Filters by contract, none of them coarse: the CUDA cores have kernels for either.
struct CudaCoreFilters {
    Convolutions convolutions;
    Composites composites;
};
CudaCoreFilters sort(const PlaneFilters& filters);
/// Whether all of them have kernels made for filters like these, and need not be left to the general ones.
bool have_own_kernels(const CudaCoreFilters& filters);

using MakeImplementation = std::unique_ptr<CudaConvolver::Implementation> (*)(const Convolutions&, Border);

/// A kernel made for one radius: taps up to there, zeros where a convolution has fewer.
struct FusedKernel {
    int radius;
    bool (*takes)(const Convolution&);
    MakeImplementation make;
};
/// Ascending by radius.
std::span<const FusedKernel> fused_kernels_8();
std::span<const FusedKernel> fused_kernels_16();

/// Any radius, wide taps too.
std::unique_ptr<CudaConvolver::Implementation> make_general(const Convolutions& convolutions, Border border);
/// A kernel made for composites of one shape, and smaller ones.
struct QuickKernel {
    bool (*takes)(const Composite&);
    std::unique_ptr<CudaConvolver::Implementation> (*make)(const Composites&, Border);
};
/// The best first.
std::span<const QuickKernel> quick_kernels_8();
std::span<const QuickKernel> quick_kernels_16();

/// Any number of terms, any radius, wide or not.
std::unique_ptr<CudaConvolver::Implementation> make_general(const Composites& composites, Border border);

/// An attribute of the current device.
int attribute(cudaDeviceAttr name);

}  // namespace cuda
}  // namespace vfilter
