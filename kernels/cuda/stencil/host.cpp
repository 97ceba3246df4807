#include "kernels/cuda/stencil/host.h"

#include <algorithm>

namespace vfilter::cuda::stencil {

namespace {

const Instance* find_instance(const std::vector<LinearFilter>& filters, int step) {
    const auto instances = filters.front().depth == 8 ? instances_8() : instances_16();
    const auto fits = std::ranges::find_if(instances, [&](const Instance& instance) {
        return (step <= 2 || instance.pixels) && std::ranges::all_of(filters, instance.takes);
    });
    return fits != instances.end() ? &*fits : nullptr;
}

}  // namespace

bool takes(const std::vector<LinearFilter>& filters, int step) {
    return find_instance(filters, step) != nullptr;
}

MadeLauncher make(const std::vector<LinearFilter>& filters, Border border, int step) {
    return find_instance(filters, step)->make(filters, border, step);
}

}  // namespace vfilter::cuda::stencil
