#include "kernels/cuda/choose.h"

#include <algorithm>
#include <utility>

#include "kernels/cuda/bilateral/host.h"
#include "kernels/cuda/blocks/host.h"
#include "kernels/cuda/check.h"
#include "kernels/cuda/code/code.h"
#include "kernels/cuda/deband/host.h"
#include "kernels/cuda/decimated/host.h"
#include "kernels/cuda/dithered/host.h"
#include "kernels/cuda/fallback/host.h"
#include "kernels/cuda/guided/host.h"
#include "kernels/cuda/median/host.h"
#include "kernels/cuda/nl_means/host.h"
#include "kernels/cuda/stencil/host.h"
#include "kernels/cuda/temporal/host.h"
#include "kernels/cuda/tensor_registers/host.h"
#include "kernels/cuda/tensor_shared/host.h"

namespace vfilter::cuda {

namespace {

// Ampere is the first whose tensor cores multiply bytes 16 x 8 x 32 at once.
constexpr int first_with_tensor_cores = 8;

bool tensor_cores(const Request& request, const Device& device) {
    return device.compute_capability >= first_with_tensor_cores && request.choice != KernelChoice::cuda_cores;
}

bool is_decimated(const Request& request, const Device&) {
    return !request.decimated.empty();
}

bool small(const Request& request, const Device&) {
    return stencil::takes(request.filters, request.step);
}

bool small_and_no_smoothing(const Request& request, const Device& device) {
    return request.choice == KernelChoice::automatic && std::ranges::none_of(request.filters, &LinearFilter::bounded) &&
           small(request, device);
}

template <int radius>
bool fits_registers(const Request& request, const Device& device) {
    return tensor_cores(request, device) && tensor_registers::takes(request.filters, request.step, radius);
}
template <int radius>
MadeLauncher make_registers(const Request& request) {
    return tensor_registers::make(request.filters, request.border, request.step, radius);
}

bool fits_shared_memory(const Request& request, const Device& device) {
    return tensor_cores(request, device) && tensor_shared::takes(request.filters, request.step, device.shared_bytes);
}

MadeLauncher make_decimated(const Request& request) {
    // Nobody sees the border of the decimated picture.
    Request inner{.border = Border::replicate, .choice = request.choice};
    for (const DecimatedFilter& filter : request.decimated) {
        inner.filters.push_back(filter.inner);
    }
    return decimated::make(request.decimated, request.border, make_launcher(std::move(inner)));
}

// In shared memory, samples: from there on planes with the copies there and back take less time.
constexpr int max_interleaved_radius = 48;

bool any(const Request&, const Device&) {
    return true;
}

// What is faster was measured on an H200 (docs/kernels.md) and is taken to be so on all devices with tensor cores.
constexpr Row table[] = {
    // What is no sum of neighbours.
    {"blocks", [](const Request& r, const Device&) { return !r.pixelations.empty(); },
     [](const Request& r) { return blocks::make(r.pixelations); }},
    {"blocks", [](const Request& r, const Device&) { return !r.fills.empty(); },
     [](const Request& r) { return blocks::make(r.fills); }},
    {"nl_means",
     [](const Request& r, const Device& d) {
         return !r.nl_means.empty() && tensor_cores(r, d) && d.shared_bytes >= nl_means::max_tensor_bytes;
     },
     [](const Request& r) { return nl_means::make(r.nl_means, r.border, true); }},
    {"nl_means", [](const Request& r, const Device&) { return !r.nl_means.empty(); },
     [](const Request& r) { return nl_means::make(r.nl_means, r.border, false); }},
    {"temporal", [](const Request& r, const Device&) { return !r.temporal_medians.empty(); },
     [](const Request& r) { return temporal::make(r.temporal_medians); }},
    {"temporal", [](const Request& r, const Device&) { return !r.temporal_means.empty(); },
     [](const Request& r) { return temporal::make(r.temporal_means); }},
    // All of a request are alike.
    {"median",
     [](const Request& r, const Device&) { return !r.medians.empty() && median::has_network(r.medians[0], r.step); },
     [](const Request& r) { return median::make_network(r.medians[0], r.border, r.step); }},
    {"median",
     [](const Request& r, const Device& device) {
         return !r.medians.empty() && median::has_columns(r.medians[0], r.step, device.shared_bytes);
     },
     [](const Request& r) { return median::make_columns(r.medians[0], r.border, r.step); }},
    {"median", [](const Request& r, const Device&) { return !r.medians.empty(); },
     [](const Request& r) { return median::make_counting(r.medians[0], r.border); }},
    // All of a request are run in the same way.
    {"bilateral",
     [](const Request& r, const Device&) {
         return !r.bilaterals.empty() && r.step == 1 && bilateral::way_of(r.bilaterals[0]) != bilateral::Way::samples;
     },
     [](const Request& r) { return bilateral::make(r.bilaterals, r.border, bilateral::way_of(r.bilaterals[0])); }},
    {"bilateral", [](const Request& r, const Device&) { return !r.bilaterals.empty(); },
     [](const Request& r) { return bilateral::make(r.bilaterals, r.border, bilateral::Way::samples); }},
    {"guided", [](const Request& r, const Device&) { return !r.guided.empty(); },
     [](const Request& r) { return guided::make(r.guided, r.border); }},
    {"deband", [](const Request& r, const Device&) { return !r.debands.empty(); },
     [](const Request& r) { return deband::make(r.debands, r.border); }},
    // What is dithered is a CudaFilter of its own.
    {"dithered", [](const Request& r, const Device&) { return !r.dithered.empty(); },
     [](const Request& r) { return dithered::make(r.dithered, r.border, r.choice); }},
    // Decimation and interpolation have kernels of their own; the inner filter between them comes here again.
    {"decimated", is_decimated, make_decimated},
    // Magnitudes, and what needs the sample itself, take longer on tensor cores.
    {"stencil", small_and_no_smoothing, [](const Request& r) { return stencil::make(r.filters, r.border, r.step); }},
    // The fastest for int16, in windows of five widths: the narrower, the faster.
    {"tensor_registers", fits_registers<8>, make_registers<8>},
    {"tensor_registers", fits_registers<16>, make_registers<16>},
    {"tensor_registers", fits_registers<24>, make_registers<24>},
    {"tensor_registers", fits_registers<32>, make_registers<32>},
    {"tensor_registers", fits_registers<48>, make_registers<48>},
    // int16 and split, any radius, any number of terms, as far as shared memory holds the taps.
    {"tensor_shared", fits_shared_memory,
     [](const Request& r) { return tensor_shared::make(r.filters, r.border, r.step); }},
    // Without tensor cores: int16 of up to three terms, smoothings too.
    {"stencil", small, [](const Request& r) { return stencil::make(r.filters, r.border, r.step); }},
    // The contract as it is written, for all that is left. No family but this one has 64-bit sums for int64.
    {"fallback", any, [](const Request& r) { return fallback::make(r.filters, r.border); }},
};

/// For launches with and without interleaved planes, where those need another kernel.
class EitherStep final : public Launcher {
public:
    EitherStep(MadeLauncher plain, MadeLauncher interleaved)
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
    MadeLauncher plain_;
    MadeLauncher interleaved_;
};

}  // namespace

Device current_device() {
    return {std::min(device_attribute(cudaDevAttrComputeCapabilityMajor), code_capability()),
            device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)};
}

std::span<const Row> rows() {
    return table;
}

const Row& choose(const Request& request, const Device& device) {
    return *std::ranges::find_if(table, [&](const Row& row) { return row.takes(request, device); });
}

bool takes_interleaved(const Request& request, const Device& device) {
    if (!request.medians.empty()) {
        return median::has_network(request.medians[0], request.step);
    }
    if (request.filters.empty()) {
        return false;
    }
    const Row& own = choose(request, device);
    if (own.family != "tensor_shared") {
        return own.family == "tensor_registers" || own.family == "stencil";
    }
    Request planes = request;
    planes.step = 1;
    const bool small = std::ranges::all_of(request.filters, [&](const LinearFilter& filter) {
        return filter.radius_x() * request.step <= max_interleaved_radius;
    });
    return small && choose(planes, device).family == own.family;
}

MadeLauncher make_launcher(Request request) {
    const Device device = current_device();
    if (request.step > 2) {
        return choose(request, device).make(request);
    }
    request.step = 1;
    const Row& plain = choose(request, device);
    Request wider = request;
    wider.step = 2;
    const Row& interleaved = choose(wider, device);
    if (&plain == &interleaved) {
        return plain.make(wider);
    }
    return std::make_unique<EitherStep>(plain.make(request), interleaved.make(wider));
}

}  // namespace vfilter::cuda
