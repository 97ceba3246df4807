#include "kernels/cuda/stencil/host.h"

#include <algorithm>

namespace vfilter::cuda::stencil {

namespace {

const Instance* find_instance(const std::vector<LinearFilter>& filters) {
    const auto instances = filters.front().depth == 8 ? instances_8() : instances_16();
    const auto fits = std::ranges::find_if(
        instances, [&](const Instance& instance) { return std::ranges::all_of(filters, instance.takes); });
    return fits != instances.end() ? &*fits : nullptr;
}

}  // namespace

bool takes(const std::vector<LinearFilter>& filters) {
    return find_instance(filters) != nullptr;
}

MadeLauncher make(const std::vector<LinearFilter>& filters, Border border) {
    return find_instance(filters)->make(filters, border);
}

}  // namespace vfilter::cuda::stencil
