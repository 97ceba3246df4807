#include "kernels/cuda/tensor_shared/host.h"

#include <algorithm>
#include <utility>

namespace vfilter::cuda::tensor_shared {

bool takes(const std::vector<LinearFilter>& filters, int step, int shared_bytes) {
    return std::ranges::all_of(filters, tensor::takes_in_shared_memory) &&
           prepare(filters, step).shared_bytes(tile_group) <= shared_bytes;
}

MadeLauncher make(const std::vector<LinearFilter>& filters, Border border, int step) {
    Prepared prepared = prepare(filters, step);
    const auto make_own = prepared.depth == 8 ? make_8 : prepared.split ? make_split : make_16;
    return make_own(std::move(prepared), border);
}

}  // namespace vfilter::cuda::tensor_shared
