#include "kernels/arithmetic/operation.h"

#include <utility>

namespace vfilter {

Operation make_operation(const FilterKernel& kernel, int depth) {
    if (is_smoothing(kernel)) {
        if (auto decimated = make_decimated_filter(kernel, depth)) {
            return *std::move(decimated);
        }
    }
    return make_linear_filter(kernel, depth);
}

const FilterKernel& exact_kernel(const Operation& operation) {
    return std::visit([](const auto& made) -> const FilterKernel& { return made.exact; }, operation);
}

int depth_of(const Operation& operation) {
    return std::visit([](const auto& made) { return made.depth; }, operation);
}

}  // namespace vfilter
