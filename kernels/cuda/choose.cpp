// Which kernel runs a filter: on tensor cores or not, and with them which one.

#include <algorithm>
#include <utility>

#include "kernels/cuda/tensor_launch.h"

namespace vfilter::cuda {

namespace {

// The first compute capability whose tensor cores multiply bytes 16 x 8 x 32 at once.
constexpr int first_tensor_cores = 8;
using MadeImplementation = std::unique_ptr<CudaConvolver::Implementation>;

struct Needs {
    int radius_x = 0;
    int radius_y = 0;
    int terms = 1;
    TapForm form = TapForm::exact_byte;
    Finish finish = Finish::plain;
};

Needs needs_of(const PlaneFilters& filters) {
    Needs needs;
    for (const PlaneFilter& made : filters) {
        const TensorFilter filter = make_tensor_filter(made, TapForm::bytes);
        needs.radius_x = std::max(needs.radius_x, filter.radius_x);
        needs.radius_y = std::max(needs.radius_y, filter.radius_y);
        needs.terms = std::max(needs.terms, static_cast<int>(filter.terms.size()));
        needs.form = std::max(needs.form, form_of(made));
        needs.finish = std::max(needs.finish, finish_of(filter));
    }
    return needs;
}

bool of_bytes(const PlaneFilters& filters) {
    return std::visit([](const auto& filter) { return filter.depth; }, filters.front()) == 8;
}

// The kernel of the chain for planes of that step at most; null where there is none, and the tile takes them.
const ChainKernel* chain_kernel_for(const PlaneFilters& filters, int step) {
    if (!std::ranges::all_of(filters, tensor_takes)) {
        return nullptr;
    }
    const Needs needs = needs_of(filters);
    const auto kernels = of_bytes(filters) ? chain_kernels_8() : chain_kernels_16();
    const auto ends = [&](const ChainKernel& kernel) {
        return kernel.finish != Finish::aligned
                   ? needs.finish <= kernel.finish
                   : needs.finish == Finish::plain && std::ranges::all_of(filters, [&](const PlaneFilter& filter) {
                         return aligns(filter, kernel.form);
                     });
    };
    const auto fits = std::ranges::find_if(kernels, [&](const ChainKernel& kernel) {
        return std::max(needs.radius_x * step, needs.radius_y) <= kernel.radius() && needs.terms <= kernel.terms &&
               needs.form <= kernel.form && ends(kernel);
    });
    return fits != kernels.end() ? &*fits : nullptr;
}

/// Planes of interleaved samples need windows twice as wide: a kernel for launches without any, and one for others.
class Tensor final : public CudaConvolver::Implementation {
public:
    Tensor(MadeImplementation plain, MadeImplementation interleaved)
        : plain_(std::move(plain)), interleaved_(std::move(interleaved)) {}

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        const bool plain = std::ranges::all_of(planes, [](const PlaneJob& job) { return job.src.step == 1; });
        (plain ? plain_ : interleaved_)->launch(planes, stream);
    }
    [[nodiscard]] std::string name() const override {
        const std::string plain = plain_->name();
        const std::string interleaved = interleaved_->name();
        return plain == interleaved ? plain : plain + " (" + interleaved + " where chroma is interleaved)";
    }

private:
    MadeImplementation plain_;
    MadeImplementation interleaved_;
};

}  // namespace

bool wants_tensor_cores(const PlaneFilters& filters, KernelChoice choice, bool own_kernels) {
    if (choice == KernelChoice::cuda_cores || attribute(cudaDevAttrComputeCapabilityMajor) < first_tensor_cores ||
        !std::ranges::all_of(filters, tensor_tile_takes)) {
        return false;
    }
    // Composites of radius 3 at most have quick kernels. Measured on an H200 (docs/kernels.md), the same for all
    // devices: magnitudes and what needs the samples themselves take longer on tensor cores.
    const bool quick = own_kernels && std::ranges::all_of(filters, [](const PlaneFilter& filter) {
                           return std::holds_alternative<Composite>(filter);
                       });
    return choice == KernelChoice::tensor_cores || !quick;
}

MadeImplementation make_tensor(const PlaneFilters& filters, Border border) {
    const ChainKernel* const for_plain = chain_kernel_for(filters, 1);
    const ChainKernel* const for_interleaved = chain_kernel_for(filters, 2);
    const auto make = [&](const ChainKernel* kernel, int step) {
        const auto make_tile = of_bytes(filters) ? make_tile_8 : make_tile_16;
        return kernel != nullptr ? kernel->make(filters, border, step) : make_tile(filters, border);
    };
    if (for_plain == for_interleaved) {
        return make(for_plain, 2);
    }
    auto plain = make(for_plain, 1);
    auto interleaved = make(for_interleaved, 2);
    if (plain == nullptr || interleaved == nullptr) {
        return nullptr;
    }
    return std::make_unique<Tensor>(std::move(plain), std::move(interleaved));
}

}  // namespace vfilter::cuda
