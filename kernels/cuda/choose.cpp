#include "kernels/cuda/choose.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <stdexcept>
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

constexpr auto any = [](const auto& /*operations*/, const Request&, const Device&) { return true; };

constexpr auto small = [](const std::vector<LinearFilter>& filters, const Request& request, const Device&) {
    return stencil::takes(filters, request.step);
};

MadeLauncher make_decimated(const std::vector<DecimatedFilter>& filters, const Request& request) {
    std::vector<LinearFilter> inner;
    std::ranges::transform(filters, std::back_inserter(inner), &DecimatedFilter::inner);
    // Nobody sees the border of the decimated picture.
    return decimated::make(
        filters, request.border,
        make_launcher({.operations = std::move(inner), .border = Border::replicate, .choice = request.choice}));
}

// In shared memory, samples: from there on planes with the copies there and back take less time.
constexpr int max_interleaved_radius = 48;

// A row for operations of one kind, which both functions get first: lambdas without captures, of which the type says
// all.
template <class Made, class Takes, class Make>
constexpr Row row(std::string_view family, Takes /*takes*/, Make /*make*/) {
    return {family,
            [](const Request& request, const Device& device) {
                const auto* const operations = std::get_if<std::vector<Made>>(&request.operations);
                return operations != nullptr && Takes()(*operations, request, device);
            },
            [](const Request& request) { return Make()(std::get<std::vector<Made>>(request.operations), request); }};
}

constexpr Row small_row(auto takes) {
    return row<LinearFilter>("stencil", takes, [](const auto& filters, const Request& r) {
        return stencil::make(filters, r.border, r.step);
    });
}

template <int radius>
constexpr Row registers_row() {
    return row<LinearFilter>(
        "tensor_registers",
        [](const auto& made, const Request& r, const Device& d) {
            return tensor_cores(r, d) && tensor_registers::takes(made, r.step, radius);
        },
        [](const auto& made, const Request& r) { return tensor_registers::make(made, r.border, r.step, radius); });
}

// What is faster was measured on an H200 (docs/kernels.md) and is taken to be so on all devices with tensor cores.
constexpr Row table[] = {
    // What is no sum of neighbours.
    row<Pixelation>("blocks", any, [](const auto& made, const Request&) { return blocks::make(made); }),
    row<Fill>("blocks", any, [](const auto& made, const Request&) { return blocks::make(made); }),
    row<NlMeans>(
        "nl_means",
        [](const auto&, const Request& r, const Device& d) {
            return tensor_cores(r, d) && d.shared_bytes >= nl_means::max_tensor_bytes;
        },
        [](const auto& made, const Request& r) { return nl_means::make(made, r.border, true); }),
    row<NlMeans>("nl_means", any,
                 [](const auto& made, const Request& r) { return nl_means::make(made, r.border, false); }),
    row<TemporalMedian>("temporal", any, [](const auto& made, const Request&) { return temporal::make(made); }),
    row<TemporalMean>("temporal", any, [](const auto& made, const Request&) { return temporal::make(made); }),
    // All of a group are alike.
    row<MedianFilter>(
        "median",
        [](const auto& made, const Request& r, const Device&) { return median::has_network(made[0], r.step); },
        [](const auto& made, const Request& r) { return median::make_network(made[0], r.border, r.step); }),
    row<MedianFilter>(
        "median",
        [](const auto& made, const Request& r, const Device& d) {
            return median::has_columns(made[0], r.step, d.shared_bytes);
        },
        [](const auto& made, const Request& r) { return median::make_columns(made[0], r.border, r.step); }),
    row<MedianFilter>("median", any,
                      [](const auto& made, const Request& r) { return median::make_counting(made[0], r.border); }),
    // All of a group are run in the same way.
    row<Bilateral>(
        "bilateral",
        [](const auto& made, const Request& r, const Device&) {
            return r.step == 1 && bilateral::way_of(made[0]) != bilateral::Way::samples;
        },
        [](const auto& made, const Request& r) { return bilateral::make(made, r.border, bilateral::way_of(made[0])); }),
    row<Bilateral>(
        "bilateral", any,
        [](const auto& made, const Request& r) { return bilateral::make(made, r.border, bilateral::Way::samples); }),
    row<Guided>("guided", any, [](const auto& made, const Request& r) { return guided::make(made, r.border); }),
    row<Deband>("deband", any, [](const auto& made, const Request& r) { return deband::make(made, r.border); }),
    // What is dithered is a CudaFilter of its own.
    row<Dithered>("dithered", any,
                  [](const auto& made, const Request& r) { return dithered::make(made, r.border, r.choice); }),
    // Decimation and interpolation have kernels of their own; the inner filter between them comes here again.
    row<DecimatedFilter>("decimated", any, [](const auto& made, const Request& r) { return make_decimated(made, r); }),
    // Magnitudes, and what needs the sample itself, take longer on tensor cores.
    small_row([](const auto& made, const Request& r, const Device& d) {
        return r.choice == KernelChoice::automatic && std::ranges::none_of(made, &LinearFilter::bounded) &&
               small(made, r, d);
    }),
    // The fastest for int16, in windows of five widths: the narrower, the faster.
    registers_row<8>(),
    registers_row<16>(),
    registers_row<24>(),
    registers_row<32>(),
    registers_row<48>(),
    // int16 and split, any radius, any number of terms, as far as shared memory holds the taps.
    row<LinearFilter>(
        "tensor_shared",
        [](const auto& made, const Request& r, const Device& d) {
            return tensor_cores(r, d) && tensor_shared::takes(made, r.step, d.shared_bytes);
        },
        [](const auto& made, const Request& r) { return tensor_shared::make(made, r.border, r.step); }),
    // Without tensor cores: int16 of up to three terms, smoothings too.
    small_row(small),
    // The contract as it is written, for all that is left. No family but this one has 64-bit sums for int64.
    row<LinearFilter>("fallback", any,
                      [](const auto& made, const Request& r) { return fallback::make(made, r.border); }),
};

// What operations of one kind that are launched together have in common, besides their depth.
using Alike = std::array<int, 3>;

template <class Made>
Alike alike(const Made& /*made*/) {
    return {};
}
Alike alike(const DecimatedFilter& filter) {
    return {filter.factor()};
}
Alike alike(const NlMeans& filter) {
    return {filter.patch};
}
Alike alike(const TemporalMedian& median) {
    return {median.time.pictures()};
}
Alike alike(const Bilateral& filter) {
    return {static_cast<int>(bilateral::way_of(filter))};
}
// Each window has a kernel of its own; luma's, the largest one, comes first.
Alike alike(const MedianFilter& median) {
    return {-median.radius_x, -median.radius_y, static_cast<int>(median.shape)};
}

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

std::vector<LaunchGroup> launch_groups(const std::vector<Operation>& operations) {
    using Key = std::pair<int, Alike>;  // by the kind, of which the first, linear filters, are to come last
    std::map<Key, LaunchGroup> groups;
    for (std::size_t i = 0; i < operations.size(); ++i) {
        const auto add = [&]<class Made>(const Made& made) {
            LaunchGroup& group = groups[{-static_cast<int>(operations[i].index()), alike(made)}];
            if (group.indices.empty()) {
                group.operations.emplace<std::vector<Made>>();
                group.indices.resize(operations.size(), -1);
            }
            auto& list = std::get<std::vector<Made>>(group.operations);
            group.indices[i] = static_cast<int>(list.size());
            list.push_back(made);
        };
        std::visit(add, operations[i]);
    }
    std::vector<LaunchGroup> made;
    made.reserve(groups.size());
    for (auto& group : groups) {
        made.push_back(std::move(group.second));
    }
    return made;
}

const Row& choose(const Request& request, const Device& device) {
    const auto* const found = std::ranges::find_if(table, [&](const Row& row) { return row.takes(request, device); });
    if (found == std::end(table)) {
        throw std::logic_error("no kernel for this kind of operation");
    }
    return *found;
}

bool has_interleaved(const Request& request) {
    if (const auto* const medians = std::get_if<std::vector<MedianFilter>>(&request.operations)) {
        return median::has_network(medians->front(), request.step);
    }
    return std::holds_alternative<std::vector<LinearFilter>>(request.operations);
}

bool takes_interleaved(const Request& request, const Device& device) {
    const auto* const filters = std::get_if<std::vector<LinearFilter>>(&request.operations);
    if (filters == nullptr) {
        return has_interleaved(request);
    }
    const Row& own = choose(request, device);
    if (own.family != "tensor_shared") {
        return own.family == "tensor_registers" || own.family == "stencil";
    }
    Request planes = request;
    planes.step = 1;
    const bool narrow = std::ranges::all_of(*filters, [&](const LinearFilter& filter) {
        return filter.radius_x() * request.step <= max_interleaved_radius;
    });
    return narrow && choose(planes, device).family == own.family;
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
