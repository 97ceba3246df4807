#include "kernels/cuda/filter.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "kernels/cuda/bilateral/host.h"
#include "kernels/cuda/choose.h"
#include "kernels/cuda/median/host.h"

namespace vfilter {

namespace {

// Adds the operations that are selected. Returns the index of each there, or -1.
template <class Filter>
std::vector<int> collect(const std::vector<Operation>& operations, std::vector<Filter>& filters, const auto& selected) {
    std::vector<int> indices;
    for (const Operation& operation : operations) {
        const auto* const filter = std::get_if<Filter>(&operation);
        const bool taken = filter != nullptr && selected(*filter);
        indices.push_back(taken ? static_cast<int>(filters.size()) : -1);
        if (taken) {
            filters.push_back(*filter);
        }
    }
    return indices;
}

// Of what planes of three and four components can be filtered with as they lie: whether that is all of them.
bool collect_interleaved(const std::vector<Operation>& operations, cuda::Request& request) {
    collect(operations, request.filters, [](const LinearFilter&) { return true; });
    const auto* const first = std::get_if<MedianFilter>(&operations.front());
    collect(operations, request.medians, [&](const MedianFilter& filter) {
        return first != nullptr && filter == *first && cuda::median::has_network(filter, request.step);
    });
    return std::max(request.filters.size(), request.medians.size()) == operations.size();
}

}  // namespace

bool CudaFilter::takes_interleaved(const std::vector<Operation>& operations, int step) {
    cuda::Request request{.step = step};
    return !operations.empty() && operations.size() <= max_filters && collect_interleaved(operations, request) &&
           cuda::takes_interleaved(request, cuda::current_device());
}

CudaFilter::CudaFilter(const std::vector<Operation>& operations, Border border, KernelChoice choice, int step)
    : step_(step) {
    const auto is_fill = [](const Operation& operation) { return std::holds_alternative<Fill>(operation); };
    const auto fills = std::ranges::count_if(operations, is_fill);
    if (operations.empty() || operations.size() > max_planes || std::ssize(operations) - fills > max_filters ||
        !std::ranges::all_of(operations, [&](const Operation& operation) {
            return depth_of(operation) == depth_of(operations.front());
        })) {
        throw std::invalid_argument("a CudaFilter takes one or two operations of one depth, and fills");
    }
    for (const Operation& operation : operations) {
        neighbours_.push_back(static_cast<std::size_t>(time_reach(operation).neighbours()));
        if (neighbours_.back() > max_neighbours) {
            throw std::invalid_argument("a CudaFilter looks at 16 other pictures at most");
        }
    }
    if (step > 2) {
        cuda::Request request{.step = step, .border = border, .choice = choice};
        if (step > max_step || !collect_interleaved(operations, request)) {
            throw std::invalid_argument(
                "a CudaFilter for three or four components takes linear filters, or medians of one small window");
        }
        std::vector<int> indices(operations.size());
        std::iota(indices.begin(), indices.end(), 0);
        parts_.push_back({cuda::make_launcher(request), std::move(indices)});
        return;
    }
    const auto add = [&](const cuda::Request& request, std::vector<int> indices) {
        if (std::ranges::any_of(indices, [](int index) { return index >= 0; })) {
            parts_.push_back({cuda::make_launcher(request), std::move(indices)});
        }
    };
    for (const int factor : {4, 8}) {
        cuda::Request request{.border = border, .choice = choice};
        auto indices = collect(operations, request.decimated,
                               [&](const DecimatedFilter& filter) { return filter.factor() == factor; });
        add(request, std::move(indices));
    }
    for (int patch = min_nl_means_size; patch <= max_patch_size; patch += 2) {
        cuda::Request request{.border = border, .choice = choice};
        auto indices = collect(operations, request.nl_means, [&](const NlMeans& made) { return made.patch == patch; });
        add(request, std::move(indices));
    }
    for (const auto way :
         {cuda::bilateral::Way::small_words, cuda::bilateral::Way::large_words, cuda::bilateral::Way::samples}) {
        cuda::Request request{.border = border, .choice = choice};
        auto indices = collect(operations, request.bilaterals,
                               [&](const Bilateral& made) { return cuda::bilateral::way_of(made) == way; });
        add(request, std::move(indices));
    }
    const auto add_all = [&]<class Made>(std::vector<Made> cuda::Request::*list) {
        cuda::Request request{.border = border, .choice = choice};
        auto indices = collect(operations, request.*list, [](const Made&) { return true; });
        add(request, std::move(indices));
    };
    add_all(&cuda::Request::pixelations);
    add_all(&cuda::Request::fills);
    add_all(&cuda::Request::temporal_means);
    add_all(&cuda::Request::guided);
    add_all(&cuda::Request::debands);
    add_all(&cuda::Request::dithered);
    for (int pictures = 1; pictures <= max_neighbours + 1; pictures += 2) {
        cuda::Request request{.border = border, .choice = choice};
        auto indices = collect(operations, request.temporal_medians,
                               [&](const TemporalMedian& made) { return made.time.pictures() == pictures; });
        add(request, std::move(indices));
    }
    // Windows of one launch are alike, as each has a kernel of its own.
    std::vector<MedianFilter> seen;
    for (const Operation& operation : operations) {
        const auto* const own = std::get_if<MedianFilter>(&operation);
        if (own != nullptr && std::ranges::find(seen, *own) == seen.end()) {
            seen.push_back(*own);
            cuda::Request request{.border = border, .choice = choice};
            auto indices =
                collect(operations, request.medians, [&](const MedianFilter& filter) { return filter == *own; });
            add(request, std::move(indices));
        }
    }
    add_all(&cuda::Request::filters);
}

CudaFilter::~CudaFilter() = default;
CudaFilter::CudaFilter(CudaFilter&&) noexcept = default;
CudaFilter& CudaFilter::operator=(CudaFilter&&) noexcept = default;

int CudaFilter::launch(std::span<const PlaneJob> planes, cudaStream_t stream) const {
    if (planes.size() > max_planes) {
        throw std::invalid_argument("a CudaFilter takes " + std::to_string(max_planes) + " planes at most");
    }
    if (std::ranges::any_of(
            planes, [&](const PlaneJob& job) { return step_ <= 2 ? job.src.step > 2 : job.src.step != step_; })) {
        throw std::invalid_argument("a CudaFilter was not made for planes of so many components");
    }
    if (std::ranges::any_of(planes, [&](const PlaneJob& job) {
            return job.neighbours.size() != neighbours_.at(static_cast<std::size_t>(job.filter));
        })) {
        throw std::invalid_argument("a CudaFilter needs all neighbours of a window, and no others");
    }
    int launches = 0;
    for_each_part(planes, [&](const cuda::Launcher& launcher, std::span<const PlaneJob> own) {
        launcher.launch(own, stream);
        launches += launcher.kernels(own);
    });
    return launches;
}

int CudaFilter::kernels(std::span<const PlaneJob> planes) const {
    int count = 0;
    for_each_part(
        planes, [&](const cuda::Launcher& launcher, std::span<const PlaneJob> own) { count += launcher.kernels(own); });
    return count;
}

void CudaFilter::for_each_part(std::span<const PlaneJob> planes, const auto& visit) const {
    for (const Part& part : parts_) {
        std::array<PlaneJob, max_planes> own;
        std::size_t count = 0;
        for (const PlaneJob& job : planes) {
            const int index = part.indices.at(static_cast<std::size_t>(job.filter));
            if (index >= 0) {
                own[count] = job;
                own[count++].filter = index;
            }
        }
        if (count > 0) {
            visit(*part.launcher, std::span<const PlaneJob>(own.data(), count));
        }
    }
}

std::size_t CudaFilter::device_bytes() const {
    std::size_t bytes = 0;
    for (const Part& part : parts_) {
        bytes += part.launcher->device_bytes();
    }
    return bytes;
}

std::string CudaFilter::name() const {
    std::string names;
    for (const Part& part : parts_) {
        names += (names.empty() ? "" : " and ") + part.launcher->name();
    }
    return names;
}

}  // namespace vfilter
