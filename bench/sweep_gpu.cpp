// The sweep's rows on one GPU.

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "bench/gpu.h"
#include "bench/gpu_libraries.h"
#include "bench/gpu_pictures.h"
#include "bench/sweep.h"
#include "kernels/cuda/filter.h"

namespace vfilter::bench {

namespace {

// What is compared with the SIMD code as a whole: one size that tiles divide well, and one that nothing divides.
constexpr std::pair<int, int> small_sizes[] = {{640, 360}, {637, 359}};
constexpr int small_planes = 3;

// One way in which the filter of a row runs.
struct Engine {
    std::string name;
    CudaFilter convolver;
};

// The first one is what users get, and what plots and promises are about; another one is told of like a library.
std::vector<Engine> engines_for(const std::vector<Operation>& filters) {
    std::vector<Engine> engines;
    engines.push_back({"vfilter", CudaFilter(filters, gpu_border)});
    // Where the stencil does not take it, the fallback takes milliseconds.
    CudaFilter cores(filters, gpu_border, KernelChoice::cuda_cores);
    const std::string name = cores.name();
    if (name != engines.front().convolver.name() && !name.starts_with("general")) {
        engines.push_back({"CUDA cores", std::move(cores)});
    }
    return engines;
}

bool right_on_small(const Engine& engine, const SweepRow& row, const std::vector<Operation>& filters) {
    for (const auto& [width, height] : small_sizes) {
        const Pictures pictures({width, height, row.depth, row.chroma, small_planes}, 0);
        filtered(pictures, filters, engine.convolver, engine.name).run(0, nullptr);
        cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        if (!right(pictures, 0, filters, Compared::all)) {
            return false;
        }
    }
    return true;
}

class RowMeter {
public:
    explicit RowMeter(const Patience& patience) : patience_(patience) {}

    KernelTimes measure(const SweepRow& row, const std::vector<Operation>& filters) {
        const std::vector<Engine> engines = engines_for(filters);
        bool all_right = true;
        for (const Engine& engine : engines) {
            const std::string key = fmt::format("{}, {}, {}, {}", engine.name, row.arguments, row.depth, row.chroma);
            const auto known = small_.find(key);
            const bool one = known != small_.end() ? known->second : right_on_small(engine, row, filters);
            small_[key] = one;
            all_right = all_right && one;
        }
        const Pictures pictures({row.width(), row.height, row.depth, row.chroma, row.batch ? measured_planes : 1},
                                rotated_bytes());
        std::vector<Contestant> contestants{copy_of(pictures)};
        for (const Engine& engine : engines) {
            contestants.push_back(filtered(pictures, filters, engine.convolver, engine.name));
        }
        if (row.npp) {
            if (auto way = npp_blur(pictures, exact_kernel(filters.at(0)).terms.at(0).rows)) {
                contestants.push_back(std::move(*way));
            }
        }
        const Contestant first = contestants[1];
        if (row.chroma) {
            for (Contestant& contestant : contestants) {
                contestant = replayed(contestant, pictures.count);
            }
        }
        KernelTimes times = contest(contestants, pictures, patience_);
        times.kernel = engines[0].convolver.name();
        // What was timed, once more by the first: the others have written over it.
        first.run(0, nullptr);
        cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        times.right = all_right && right(pictures, 0, filters, Compared::sample);
        return times;
    }

private:
    Patience patience_;
    std::map<std::string, bool> small_;  // whether the small pictures were right
};

}  // namespace

SweepMeter sweep_meter(const Wishes& wishes) {
    cuda_check(cudaSetDevice(wishes.gpu), "cudaSetDevice");
    cudaDeviceProp properties{};
    cuda_check(cudaGetDeviceProperties(&properties, wishes.gpu), "cudaGetDeviceProperties");
    wake_gpu();
    const Patience patience = wishes.quick ? Patience{5, 1000} : Patience{7, 2000};
    const auto rows = std::make_shared<RowMeter>(patience);
    SweepMeter meter;
    meter.kind = fmt::format("sm_{}{}", properties.major, properties.minor);
    meter.text = fmt::format(
        "{}. A batch is a launch of eight planes, of which a time is an eighth; alone is a launch for each plane, "
        "whose time has the gap between two launches in it, as the copy's has; 4:2:0 pictures are a launch each, "
        "replayed as a graph of many. Pictures rotate "
        "through four times the L2 cache; contestants take turns, and a figure is the median of {} rounds of about {} "
        "ms, or of one launch where that takes longer. NPP does the same in its faster way, for some sizes at 8 bits. "
        "Each filter at each depth is compared with the CPU's bytes on pictures of 640x360 and 637x359 before it is "
        "timed, and rows at both ends and in the middle of a plane that was timed afterwards.",
        properties.name, patience.rounds, patience.round_us / 1e3);
    meter.tensor_rate = byte_tensor_rate();
    if (meter.tensor_rate == 0) {
        meter.left_out.push_back({"the share of the tensor cores",
                                  "this GPU has no products of bytes, or this program "
                                  "was not made for it"});
    }
    if (const std::string why = why_missing(GpuLibrary::npp); !why.empty()) {
        meter.left_out.push_back({"NPP", why});
    }
    meter.measure = [rows](const SweepRow& row, const std::vector<Operation>& filters) {
        return rows->measure(row, filters);
    };
    return meter;
}

}  // namespace vfilter::bench
