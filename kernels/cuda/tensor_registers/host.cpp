#include "kernels/cuda/tensor_registers/host.h"

#include <algorithm>

namespace vfilter::cuda::tensor_registers {

namespace {

using tensor::FinishKind;
using tensor::TapForm;

/// The least that a kernel for all filters must be able to do.
struct Needs {
    int radius_x = 0;
    int radius_y = 0;
    int terms = 1;
    TapForm form = TapForm::exact_byte;
    FinishKind finish = FinishKind::plain;
};

Needs needs_of(const std::vector<LinearFilter>& filters) {
    Needs needs;
    for (const LinearFilter& given : filters) {
        const tensor::TensorFilter filter = tensor::make_filter(given, TapForm::bytes);
        needs.radius_x = std::max(needs.radius_x, filter.radius_x);
        needs.radius_y = std::max(needs.radius_y, filter.radius_y);
        needs.terms = std::max(needs.terms, static_cast<int>(filter.terms.size()));
        needs.form = std::max(needs.form, tensor::form_of(given));
        needs.finish = std::max(needs.finish, tensor::finish_of(filter));
    }
    return needs;
}

const Instance* find_instance(const std::vector<LinearFilter>& filters, int step, int radius) {
    if (!std::ranges::all_of(filters, tensor::takes)) {
        return nullptr;
    }
    const Needs needs = needs_of(filters);
    if (std::max(needs.radius_x * step, needs.radius_y) > radius) {
        return nullptr;
    }
    const auto finishes = [&](const Instance& instance) {
        const auto aligns = [&](const LinearFilter& filter) { return tensor::aligns(filter, instance.form); };
        return instance.finish != FinishKind::aligned
                   ? needs.finish <= instance.finish
                   : needs.finish == FinishKind::plain && std::ranges::all_of(filters, aligns);
    };
    const auto instances = filters.front().depth == 8 ? instances_8() : instances_16();
    const auto fits = std::ranges::find_if(instances, [&](const Instance& instance) {
        return instance.radius() == radius && needs.radius_y <= instance.radius_down() &&
               needs.terms <= instance.terms && needs.form <= instance.form && finishes(instance);
    });
    return fits != instances.end() ? &*fits : nullptr;
}

}  // namespace

bool takes(const std::vector<LinearFilter>& filters, int step, int radius) {
    return find_instance(filters, step, radius) != nullptr;
}

MadeLauncher make(const std::vector<LinearFilter>& filters, Border border, int step, int radius) {
    return find_instance(filters, step, radius)->make(filters, border, step);
}

}  // namespace vfilter::cuda::tensor_registers
