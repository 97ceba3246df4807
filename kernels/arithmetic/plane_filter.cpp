#include "kernels/arithmetic/plane_filter.h"

#include <utility>

namespace vfilter {

PlaneFilter make_plane_filter(const FilterKernel& kernel, int depth) {
    const bool plain = kernel.terms.size() == 1 && kernel.combine == Combine::sum && kernel.gain == 0 &&
                       kernel.bias == 0 && kernel.threshold == 0 && is_smoothing(kernel.terms[0]);
    if (plain) {
        auto coarse = make_coarse_convolution(kernel.terms[0], depth);
        return coarse ? PlaneFilter(*std::move(coarse)) : PlaneFilter(make_convolution(kernel.terms[0], depth));
    }
    return make_composite(kernel, depth);
}

FilterKernel exact_kernel(const PlaneFilter& filter) {
    if (const auto* const convolution = std::get_if<Convolution>(&filter)) {
        return {.terms = {convolution->exact}};
    }
    if (const auto* const coarse = std::get_if<CoarseConvolution>(&filter)) {
        return {.terms = {coarse->exact}};
    }
    return std::get<Composite>(filter).exact;
}

}  // namespace vfilter
