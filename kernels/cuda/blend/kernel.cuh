#include <algorithm>
#include <array>
#include <stdexcept>
#include <type_traits>

#include "kernels/cuda/blender.h"
#include "kernels/cuda/load.cuh"

namespace vfilter {

namespace {

constexpr int group_bytes = 8;  // of one thread; as many behind a row's last sample may be written but for one
constexpr int lanes = 32;       // groups of a tile's row
template <class T>
constexpr int tile_columns = lanes* group_bytes / static_cast<int>(sizeof(T));
constexpr int tile_rows = 32;
constexpr int threads = 256;
constexpr std::ptrdiff_t weights_unit = 16;  // rows of weights begin at multiples of it

struct Weights {
    const std::uint8_t* first;
    std::int64_t pitch;  ///< from one of the plane's rows to the next
};

struct Launch {
    cuda::Picture picture;
    Weights weights[CudaBlender::max_planes];
};

/// Neighbouring values that are loaded and stored at once.
template <class T, int count>
struct alignas(count * sizeof(T)) Group {
    T values[count];
};

template <class T, int step>
__device__ __forceinline__ void blend_group(const cuda::PlaneParams& plane, const std::uint8_t* weights, int x, int y) {
    constexpr int samples = group_bytes / static_cast<int>(sizeof(T));
    using Samples = Group<T, samples>;
    const auto shares = *reinterpret_cast<const Group<std::uint8_t, samples / step>*>(weights + x / step);
    bool any = false;
    bool all = true;
#pragma unroll
    for (int i = 0; i < samples / step; ++i) {
        any = any || shares.values[i] != 0;
        all = all && shares.values[i] == 255;
    }
    if (all) {
        return;
    }
    const T* const from = reinterpret_cast<const T*>(plane.src + plane.src_pitch * y) + x;
    T* const to = reinterpret_cast<T*>(plane.dst + plane.dst_pitch * y) + x;
    const int count = min(samples, plane.samples - x);
    Samples before{};
    Samples made{};
    if (count == samples) {
        before = *reinterpret_cast<const Samples*>(from);
    } else {  // what lies behind a row's last sample is never read
#pragma unroll
        for (int i = 0; i < samples; ++i) {
            before.values[i] = i < count ? from[i] : T{0};
        }
    }
    if (any) {
        if (count == samples) {
            made = *reinterpret_cast<const Samples*>(to);
        } else {
#pragma unroll
            for (int i = 0; i < samples; ++i) {
                made.values[i] = i < count ? to[i] : T{0};
            }
        }
    }
#pragma unroll
    for (int i = 0; i < samples; ++i) {
        const int share = shares.values[i / step];
        if (share == 0) {
            made.values[i] = before.values[i];
        } else if (share < 255) {
            made.values[i] =
                static_cast<T>(blend(before.values[i] >> plane.lsb, made.values[i] >> plane.lsb, share) << plane.lsb);
        }
    }
    *reinterpret_cast<Samples*>(to) = made;
}

template <class T>
__global__ void __launch_bounds__(threads) blend_tiles(const __grid_constant__ Launch launch) {
    constexpr int samples = group_bytes / static_cast<int>(sizeof(T));
    const cuda::PlaneParams& plane = cuda::own_plane(launch.picture);
    const Weights& weights = launch.weights[plane.filter];
    const int tile = static_cast<int>(blockIdx.x) - plane.first_block;
    const int x = (tile % plane.tiles_x * lanes + static_cast<int>(threadIdx.x) % lanes) * samples;
    const int top = tile / plane.tiles_x * tile_rows;
    const int bottom = min(top + tile_rows, plane.height);
    if (x >= plane.samples) {
        return;
    }
    for (int y = top + static_cast<int>(threadIdx.x) / lanes; y < bottom; y += threads / lanes) {
        const std::uint8_t* const row = weights.first + weights.pitch * y;
        if (plane.step == 1) {
            blend_group<T, 1>(plane, row, x, y);
        } else {
            blend_group<T, 2>(plane, row, x, y);
        }
    }
}

std::ptrdiff_t pitch_of(const GrayImage& weights) {
    return (weights.width + weights_unit - 1) / weights_unit * weights_unit;
}

// Planes of weights one after the other, rows padded.
std::vector<std::uint8_t> pack(const std::vector<GrayImage>& weights) {
    std::vector<std::uint8_t> packed;
    for (const GrayImage& plane : weights) {
        for (int y = 0; y < plane.height; ++y) {
            const auto row = plane.samples.begin() + std::ptrdiff_t{y} * plane.width;
            packed.insert(packed.end(), row, row + plane.width);
            packed.resize(packed.size() + static_cast<std::size_t>(pitch_of(plane) - plane.width));
        }
    }
    return packed;
}

}  // namespace

CudaBlender::CudaBlender(const std::vector<GrayImage>& weights, int depth) : depth_(depth), samples_(pack(weights)) {
    std::size_t offset = 0;
    for (const GrayImage& plane : weights) {
        weights_.push_back({offset, pitch_of(plane)});
        offset += static_cast<std::size_t>(pitch_of(plane) * plane.height);
    }
}

void CudaBlender::launch(std::span<const BlendJob> planes, cudaStream_t stream) const {
    if (planes.size() > max_planes) {
        throw std::invalid_argument("a CUDA blender takes eight planes at most");
    }
    if (planes.empty()) {
        return;
    }
    Launch launch{};
    std::array<PlaneJob, max_planes> jobs;
    for (std::size_t i = 0; i < planes.size(); ++i) {
        const BlendJob& job = planes[i];
        const Rows& rows = weights_.at(static_cast<std::size_t>(job.weights));
        launch.weights[i] = {samples_.data() + rows.offset + rows.pitch * job.weights_first,
                             std::int64_t{rows.pitch} * job.weights_step};
        jobs[i] = {job.src, job.dst, static_cast<int>(i), 0};
    }
    const auto run = [&]<class T>(std::type_identity<T>) {
        const unsigned blocks =
            cuda::describe(launch.picture, {jobs.data(), planes.size()}, tile_columns<T>, tile_rows);
        void* arguments[] = {&launch};
        cuda_check(cudaLaunchKernel(blend_tiles<T>, dim3(blocks), dim3(threads), arguments, 0, stream),
                   "cudaLaunchKernel");
    };
    depth_ == 8 ? run(std::type_identity<std::uint8_t>()) : run(std::type_identity<std::uint16_t>());
}

}  // namespace vfilter
