#pragma once
// What the kernels get as parameters.

#include <cuda_runtime_api.h>

#include "kernels/cuda/plane.h"
#include "kernels/cuda/tensor/filter.h"
#include "kernels/cuda/tensor/fragments.h"
#include "kernels/cuda/tensor_map.h"

namespace vfilter::cuda::tensor_registers {

using tensor::Band;
using tensor::FinishKind;
using tensor::FinishNumbers;
using tensor::Order;
using tensor::TapForm;
using tensor::TensorFilter;
using tensor::TermNumbers;

template <int term_count>
struct FilterParams {
    const uint4*
        fragments[max_step];  ///< of planes with step 1 and so on; all terms, of each the rows, then the columns
    TermNumbers terms[term_count];
    FinishNumbers finish;
};

/// Rows of a plane, or of a stack of them, cut into strips of the same height.
struct alignas(16) Part {
    int first_block;
    int plane;
    int top;
    int bottom;
    int rows;  ///< of a strip
    int tiles_x;
    unsigned inverse;  ///< as in PlaneParams
    int height;        ///< of the plane
    int strips;        ///< of a picture
    unsigned inverse_strips;
};

template <int term_count>
struct Launch {
    static constexpr int max_parts = 2 * max_planes;

    Picture picture;
    Stack stack;  ///< of which the plane is the first one, if there is more than one picture
    FilterParams<term_count> filters[max_filters];
    int first_blocks[max_parts];  ///< of parts, as those of planes in a Picture
    Part parts[max_parts];
    bool tma;  ///< there are tensor maps, of the planes' sources
    TensorMap tensor_maps[max_planes];
};

}  // namespace vfilter::cuda::tensor_registers
