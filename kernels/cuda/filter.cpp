#include "kernels/cuda/convolver.h"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "kernels/cuda/launch.h"
#include "kernels/cuda/tensor_launch.h"

namespace vfilter {

void cuda_check(cudaError_t result, const char* call, const char* file, int line) {
    if (result != cudaSuccess) {
        throw CudaError(result, std::string(call) + ": " + cudaGetErrorString(result) + " (" +
                                    cudaGetErrorName(result) + ", " + std::to_string(static_cast<int>(result)) +
                                    ") at " + file + ":" + std::to_string(line));
    }
}

namespace cuda {

int attribute(cudaDeviceAttr name) {
    int device = 0;
    int value = 0;
    cuda_check(cudaGetDevice(&device), "cudaGetDevice");
    cuda_check(cudaDeviceGetAttribute(&value, name, device), "cudaDeviceGetAttribute");
    return value;
}

namespace {

Fold make_fold(Border border, int length) {
    switch (length > 1 || border != Border::reflect_101 ? border : Border::replicate) {
        case Border::reflect_101:
            return {-1, 0, 2 * length - 2};
        case Border::reflect:
            return {-1, -1, 2 * length - 1};
        case Border::wrap:
            return {1, length, -length};
        case Border::replicate:
        case Border::constant:
            return {0, 0, length - 1};
    }
    throw std::logic_error("make_fold: not a border");
}

}  // namespace

void describe_planes(Picture& picture, std::span<const PlaneJob> jobs, int tile_columns) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const PlaneJob& job = jobs[i];
        const int samples = job.src.width * job.src.step;
        const int tiles_x = (samples + tile_columns - 1) / tile_columns;
        const auto tiles = static_cast<std::uint64_t>(tiles_x);
        picture.planes[i] = {static_cast<const unsigned char*>(job.src.data),
                             static_cast<unsigned char*>(job.dst.data),
                             job.src.pitch,
                             job.dst.pitch,
                             job.src.width,
                             job.src.height,
                             samples,
                             job.src.step,
                             job.src.lsb,
                             job.black,
                             job.filter,
                             make_fold(picture.border, job.src.width),
                             make_fold(picture.border, job.src.height),
                             tiles_x,
                             static_cast<unsigned>(((std::uint64_t{1} << 32) + tiles - 1) / tiles),
                             0};
    }
}

unsigned describe(Picture& picture, std::span<const PlaneJob> jobs, int tile_columns, int tile_rows) {
    describe_planes(picture, jobs, tile_columns);
    picture.tile_rows = tile_rows;
    std::ranges::fill(picture.first_blocks, std::numeric_limits<int>::max());
    int blocks = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        PlaneParams& plane = picture.planes[i];
        plane.first_block = blocks;
        picture.first_blocks[i] = blocks;
        blocks += plane.tiles_x * ((plane.height + tile_rows - 1) / tile_rows);
    }
    return static_cast<unsigned>(blocks);
}

namespace {

// The kernel made for convolutions like these, or null.
const FusedKernel* own_kernel(const Convolutions& convolutions) {
    const auto kernels = convolutions.front().depth == 8 ? fused_kernels_8() : fused_kernels_16();
    const auto fits = std::ranges::find_if(kernels, [&](const FusedKernel& row) {
        return std::ranges::all_of(convolutions, [&](const Convolution& convolution) {
            const int radius = std::max(convolution.rows.radius(), convolution.columns.radius());
            return radius <= row.radius && !convolution.rows.wide && !convolution.columns.wide &&
                   row.takes(convolution);
        });
    });
    return fits != kernels.end() ? &*fits : nullptr;
}

const QuickKernel* own_kernel(const Composites& composites) {
    const auto kernels = composites.front().depth == 8 ? quick_kernels_8() : quick_kernels_16();
    const auto fits = std::ranges::find_if(
        kernels, [&](const QuickKernel& row) { return std::ranges::all_of(composites, row.takes); });
    return fits != kernels.end() ? &*fits : nullptr;
}

}  // namespace

CudaCoreFilters sort(const PlaneFilters& filters) {
    CudaCoreFilters sorted;
    for (const PlaneFilter& filter : filters) {
        if (const auto* const convolution = std::get_if<Convolution>(&filter)) {
            sorted.convolutions.push_back(*convolution);
        } else {
            sorted.composites.push_back(std::get<Composite>(filter));
        }
    }
    return sorted;
}

bool have_own_kernels(const CudaCoreFilters& filters) {
    return (filters.convolutions.empty() || own_kernel(filters.convolutions) != nullptr) &&
           (filters.composites.empty() || own_kernel(filters.composites) != nullptr);
}

}  // namespace cuda

CudaConvolver::CudaConvolver(const std::vector<PlaneFilter>& filters, Border border, KernelChoice choice) {
    const auto depth = [](const PlaneFilter& filter) {
        return std::visit([](const auto& made) { return made.depth; }, filter);
    };
    if (filters.empty() || filters.size() > max_filters ||
        !std::ranges::all_of(filters, [&](const PlaneFilter& f) { return depth(f) == depth(filters.front()); })) {
        throw std::invalid_argument("a CUDA convolver takes one or two filters of one depth");
    }
    for (const int grid_bits : {2, 3}) {
        add_coarse(filters, grid_bits, border, choice);
    }
    cuda::PlaneFilters others;
    std::vector<int> indices;
    for (const PlaneFilter& filter : filters) {
        const bool other = !std::holds_alternative<CoarseConvolution>(filter);
        indices.push_back(other ? static_cast<int>(others.size()) : -1);
        if (other) {
            others.push_back(filter);
        }
    }
    if (others.empty()) {
        return;
    }
    const cuda::CudaCoreFilters sorted = cuda::sort(others);
    if (cuda::wants_tensor_cores(others, choice, cuda::have_own_kernels(sorted))) {
        if (auto made = cuda::make_tensor(others, border)) {
            parts_.push_back({std::move(made), std::move(indices)});
            return;
        }
    }
    const auto add = [&](const auto& own) {
        if (own.empty()) {
            return;
        }
        using Contract = typename std::decay_t<decltype(own)>::value_type;
        const auto* const kernel = cuda::own_kernel(own);
        Part part{kernel != nullptr ? kernel->make(own, border) : cuda::make_general(own, border), {}};
        int next = 0;
        for (const PlaneFilter& filter : filters) {
            part.indices.push_back(std::holds_alternative<Contract>(filter) ? next++ : -1);
        }
        parts_.push_back(std::move(part));
    };
    add(sorted.convolutions);
    add(sorted.composites);
}

void CudaConvolver::add_coarse(const std::vector<PlaneFilter>& filters, int grid_bits, Border border,
                               KernelChoice choice) {
    cuda::CoarseConvolutions own;
    std::vector<int> indices;
    for (const PlaneFilter& filter : filters) {
        const auto* const coarse = std::get_if<CoarseConvolution>(&filter);
        const bool fits = coarse != nullptr && coarse->grid_bits == grid_bits;
        indices.push_back(fits ? static_cast<int>(own.size()) : -1);
        if (fits) {
            own.push_back(*coarse);
        }
    }
    if (!own.empty()) {
        parts_.push_back({cuda::make_coarse(own, border, choice), std::move(indices)});
    }
}

CudaConvolver::~CudaConvolver() = default;
CudaConvolver::CudaConvolver(CudaConvolver&&) noexcept = default;
CudaConvolver& CudaConvolver::operator=(CudaConvolver&&) noexcept = default;

int CudaConvolver::launch(std::span<const PlaneJob> planes, cudaStream_t stream) const {
    if (planes.size() > max_planes) {
        throw std::invalid_argument("a CUDA convolver takes eight planes at most");
    }
    int launches = 0;
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
            part.implementation->launch({own.data(), count}, stream);
            launches += part.implementation->kernels();
        }
    }
    return launches;
}

std::size_t CudaConvolver::device_bytes() const {
    std::size_t bytes = 0;
    for (const Part& part : parts_) {
        bytes += part.implementation->device_bytes();
    }
    return bytes;
}

std::string CudaConvolver::name() const {
    std::string names;
    for (const Part& part : parts_) {
        names += (names.empty() ? "" : " and ") + part.implementation->name();
    }
    return names;
}

}  // namespace vfilter
