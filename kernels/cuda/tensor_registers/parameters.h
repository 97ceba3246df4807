#pragma once
// What the tensor-core kernels get as parameters, and the list of them.

#include <cuda_runtime_api.h>

#include <memory>
#include <span>
#include <vector>

#include "kernels/cuda/box_map.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/tensor_filter.h"

namespace vfilter::cuda {

template <int term_count>
struct ChainFilter {
    const uint4* fragments[2];  ///< of planes with step 1 and 2; all terms, of each the rows, then the columns
    TensorTerm terms[term_count];
    TensorEnd end;
};

/// Rows of a plane, cut into strips of the same height.
struct alignas(16) Part {
    int first_block;
    int plane;
    int top;
    int bottom;
    int rows;  ///< of a strip
    int tiles_x;
    unsigned inverse;  ///< as in PlaneParams
    int height;        ///< of the plane
};

template <int term_count>
struct ChainLaunch {
    static constexpr int most_parts = 2 * CudaConvolver::max_planes;

    Picture picture;
    ChainFilter<term_count> filters[CudaConvolver::max_filters];
    int first_blocks[most_parts];  ///< of parts, as those of planes in a Picture
    Part parts[most_parts];
    bool boxes;  ///< there are maps, of the planes' sources
    BoxMap maps[CudaConvolver::max_planes];
};

/// A kernel of the chain for windows of that many blocks of 16, taps of that form, and that many terms or less.
struct ChainKernel {
    int blocks;
    TapForm form;
    int terms;
    Finish finish;
    /// `step`: the largest of the planes that it will be given.
    std::unique_ptr<CudaConvolver::Implementation> (*make)(const PlaneFilters&, Border, int step);

    /// Radius that a window holds, in samples.
    [[nodiscard]] int radius() const { return 8 * (blocks - 1); }
};
/// The fastest first.
std::span<const ChainKernel> chain_kernels_8();
std::span<const ChainKernel> chain_kernels_16();

/// The kernels for all that the chain has none for: all that passes
/// tensor_tile_takes, at any step. Null where the device has too little shared memory.
std::unique_ptr<CudaConvolver::Implementation> make_tile_8(const PlaneFilters& filters, Border border);
std::unique_ptr<CudaConvolver::Implementation> make_tile_16(const PlaneFilters& filters, Border border);

/// The planner: whether filters are to run on tensor cores. `own_kernels`: whether the CUDA cores have kernels made for
/// filters like these.
bool wants_tensor_cores(const PlaneFilters& filters, KernelChoice choice, bool own_kernels);

/// The tensor-core implementation of filters that pass tensor_tile_takes, on a device of compute capability 8.0 or
/// later; null where there is none.
std::unique_ptr<CudaConvolver::Implementation> make_tensor(const PlaneFilters& filters, Border border);

}  // namespace vfilter::cuda
