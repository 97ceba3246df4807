#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/background_task.h"
#include "pipeline/engine/cpu_engine.h"
#include "pipeline/engine/cuda_environment.h"
#include "pipeline/engine/filter_engine.h"
#include "pipeline/engine/free_choice.h"
#include "pipeline/engine/round_robin.h"
#ifdef VFILTER_WITH_CUDA
#include "pipeline/engine/cuda_decoding.h"
#include "pipeline/engine/cuda_device.h"
#endif

namespace vfilter {

namespace {

#ifdef VFILTER_WITH_CUDA
std::unique_ptr<FilterDevice> make_cuda_device(int number, int streams) {
    return std::make_unique<CudaDevice>(number, streams);
}
int cuda_count() {
    return CudaDevice::count();
}
std::unique_ptr<DecodeDevice> make_cuda_decoding(int number) {
    return std::make_unique<CudaDecoding>(number);
}
std::string cuda_list() {
    return CudaDevice::list();
}
#else
std::unique_ptr<FilterDevice> make_cuda_device(int /*number*/, int /*streams*/) {
    throw Error(ExitCode::device, "this program was built without CUDA");
}
int cuda_count() {
    return 1;  // whose making says why there is none
}
std::unique_ptr<DecodeDevice> make_cuda_decoding(int /*number*/) {
    throw Error(ExitCode::device, "this program was built without CUDA");
}
std::string cuda_list() {
    return "cuda        none: this program was built without CUDA\n";
}
#endif

// Each GPU takes a tenth of a second to get up.
std::vector<std::future<std::unique_ptr<FilterDevice>>> begin_devices(const std::vector<int>& numbers, int streams) {
    std::vector<std::future<std::unique_ptr<FilterDevice>>> rising;
    rising.reserve(numbers.size());
    for (const int number : numbers) {
        rising.push_back(begin_task([number, streams] { return make_cuda_device(number, streams); }));
    }
    return rising;
}

// All that work; what does not is told, unless nothing does.
std::unique_ptr<FilterDevice> all_devices(int streams, std::string note) {
    std::vector<int> numbers(static_cast<std::size_t>(cuda_count()));
    std::iota(numbers.begin(), numbers.end(), 0);
    std::vector<std::unique_ptr<FilterDevice>> devices;
    for (int number = 0; auto& rising : begin_devices(numbers, streams)) {
        try {
            devices.push_back(rising.get());
        } catch (const Error& error) {
            note += fmt::format("{}cuda:{} is left out: {}", note.empty() ? "" : "; ", number, error.what());
        }
        ++number;
    }
    if (devices.empty()) {
        return make_cuda_device(0, streams);
    }
    return std::make_unique<DeviceGroup>(std::move(devices), DeviceGroup::Wanted::those_that_work, std::move(note));
}

// `note` is told of several.
std::unique_ptr<FilterDevice> make_devices(const std::string& names, int streams, std::string note) {
    if (names == "all") {
        return all_devices(streams, std::move(note));
    }
    const std::vector<int> numbers = gpu_numbers(names);
    if (numbers.size() == 1) {
        return make_cuda_device(numbers.front(), streams);
    }
    std::vector<std::unique_ptr<FilterDevice>> devices;
    for (auto& rising : begin_devices(numbers, streams)) {
        devices.push_back(rising.get());
    }
    return std::make_unique<DeviceGroup>(std::move(devices), DeviceGroup::Wanted::all, std::move(note));
}

std::unique_ptr<FilterDevice> choose(const std::string& name, int threads, int streams, std::string note) {
    if (name == "cpu") {
        return std::make_unique<CpuDevice>(threads);
    }
    const bool free_choice = name == "auto";
    try {
        std::unique_ptr<FilterDevice> made = make_devices(name, streams, std::move(note));
        return free_choice ? std::make_unique<FreeChoice>(std::move(made), std::make_unique<CpuDevice>(threads))
                           : std::move(made);
    } catch (const Error& error) {
        if (!free_choice) {
            throw Error(error.code(),
                        fmt::format("--device {}: {}; --device cpu gives the same bytes", name, error.what()));
        }
        return std::make_unique<CpuDevice>(threads, fmt::format("filtering on the CPU: {}", error.what()));
    }
}

}  // namespace

std::unique_ptr<FilterDevice> choose_device(const std::string& name, int threads, int streams) {
    return choose(name, threads, streams, {});
}

bool look_in_time(const std::vector<FilterSpec>& filters) {
    return time_reach(filters) != TimeReach{};
}

TimeReach time_reach(const std::vector<FilterSpec>& filters) {
    TimeReach sum;
    for (const FilterSpec& filter : filters) {
        const TimeReach own = filter.time_reach();
        sum.before += own.before;
        sum.after += own.after;
    }
    return sum;
}

std::unique_ptr<FilterDevice> choose_device_for(const std::vector<FilterSpec>& filters, const std::string& name,
                                                int threads, int streams) {
    const auto found =
        std::ranges::find_if(filters, [](const FilterSpec& filter) { return filter.time_reach() != TimeReach{}; });
    return choose(name, threads, streams,
                  found == filters.end()
                      ? std::string()
                      : fmt::format("{} looks at several pictures: of several GPUs the first one filters them all",
                                    found->def->name));
}

std::unique_ptr<DecodeDevice> make_decode_device(int gpu) {
    return make_cuda_decoding(gpu);
}

std::string device_list() {
    std::string targets;
    for (const std::string& target : simd_targets()) {
        targets += (targets.empty() ? "" : ", ") + target;
    }
    return fmt::format("cpu         SIMD: {}\n{}", targets, cuda_list());
}

}  // namespace vfilter
