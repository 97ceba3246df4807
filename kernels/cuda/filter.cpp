#include "kernels/cuda/filter.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "kernels/cuda/choose.h"

namespace vfilter {

bool CudaFilter::takes_interleaved(const std::vector<Operation>& operations, int step) {
    std::vector<cuda::LaunchGroup> groups = cuda::launch_groups(operations);
    return groups.size() == 1 && operations.size() <= max_filters &&
           cuda::takes_interleaved({.operations = std::move(groups.front().operations), .step = step},
                                   cuda::current_device());
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
    std::vector<cuda::LaunchGroup> groups = cuda::launch_groups(operations);
    for (cuda::LaunchGroup& group : groups) {
        cuda::Request request{std::move(group.operations), step, border, choice};
        if (step > 2 && (step > max_step || groups.size() > 1 || !cuda::has_interleaved(request))) {
            throw std::invalid_argument(
                "a CudaFilter for three or four components takes linear filters, or medians of one small window");
        }
        parts_.push_back({cuda::make_launcher(std::move(request)), std::move(group.indices)});
    }
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
