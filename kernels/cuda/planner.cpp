// Which kernel runs a filter: on tensor cores or not, and with them which one.

#include <algorithm>
#include <utility>

#include "kernels/cuda/tensor_launch.h"

namespace vfilter::cuda {

namespace {

// The first compute capability whose tensor cores multiply bytes 16 x 8 x 32 at once.
constexpr int first_tensor_cores = 8;
// Smoothings up to that radius have kernels for CUDA cores that do no more work than memory leaves time for, and wait
// for less; so have the composites for which there are quick kernels, of radius 3 at most. Measured on an H200
// (docs/kernels.md), the same for all devices.
constexpr int most_radius = 2;
// Such smoothings of 8 bits are faster on tensor cores from about so many samples of a launch on: less time for each,
// but a later beginning.
constexpr std::int64_t many_samples = std::int64_t{1} << 25;

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

/// One kernel for launches of few samples, which begins sooner, and one for others.
class BySize final : public CudaConvolver::Implementation {
public:
    BySize(MadeImplementation few, MadeImplementation many) : few_(std::move(few)), many_(std::move(many)) {}

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        std::int64_t samples = 0;
        for (const PlaneJob& job : planes) {
            samples += std::int64_t{job.src.width} * job.src.height * job.src.step;
        }
        (samples < many_samples ? few_ : many_)->launch(planes, stream);
    }
    [[nodiscard]] std::string name() const override {
        return many_->name() + " (" + few_->name() + " where there is little to do)";
    }

private:
    MadeImplementation few_;
    MadeImplementation many_;
};

}  // namespace

MadeImplementation by_size(MadeImplementation few, MadeImplementation many) {
    return std::make_unique<BySize>(std::move(few), std::move(many));
}

Cores cores_for(const PlaneFilters& filters, KernelChoice choice, bool own_kernels) {
    if (choice == KernelChoice::cuda_cores || attribute(cudaDevAttrComputeCapabilityMajor) < first_tensor_cores ||
        !std::ranges::all_of(filters, tensor_tile_takes)) {
        return Cores::cuda;
    }
    const auto small_smoothing = [](const PlaneFilter& filter) {
        const auto* const smoothing = std::get_if<Convolution>(&filter);
        return smoothing != nullptr && std::max(smoothing->rows.radius(), smoothing->columns.radius()) <= most_radius;
    };
    const auto small = [&](const PlaneFilter& filter) {
        return std::holds_alternative<Composite>(filter) || small_smoothing(filter);
    };
    if (choice == KernelChoice::tensor_cores || !own_kernels || !std::ranges::all_of(filters, small)) {
        return Cores::tensor;
    }
    return of_bytes(filters) && std::ranges::all_of(filters, small_smoothing) ? Cores::by_size : Cores::cuda;
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
