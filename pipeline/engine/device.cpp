#include <fmt/format.h>

#include "pipeline/engine/cpu_engine.h"
#include "pipeline/engine/filter_engine.h"
#ifdef VFILTER_WITH_CUDA
#include "pipeline/engine/cuda_device.h"
#endif

namespace vfilter {

namespace {

#ifdef VFILTER_WITH_CUDA
std::unique_ptr<FilterDevice> make_cuda_device(int number, int streams) {
    return std::make_unique<CudaDevice>(number, streams);
}
std::string cuda_list() {
    return CudaDevice::list();
}
#else
std::unique_ptr<FilterDevice> make_cuda_device(int /*number*/, int /*streams*/) {
    throw Error(ExitCode::device, "this program was built without CUDA");
}
std::string cuda_list() {
    return "cuda        none: this program was built without CUDA\n";
}
#endif

}  // namespace

std::unique_ptr<FilterDevice> choose_device(const std::string& name, int threads, int streams) {
    if (name == "cpu") {
        return std::make_unique<CpuDevice>(threads);
    }
    const bool free_choice = name == "auto";
    const std::size_t colon = name.find(':');
    try {
        return make_cuda_device(colon == std::string::npos ? 0 : std::stoi(name.substr(colon + 1)), streams);
    } catch (const Error& error) {
        if (!free_choice) {
            throw Error(error.code(),
                        fmt::format("--device {}: {}; --device cpu gives the same bytes", name, error.what()));
        }
        return std::make_unique<CpuDevice>(threads, fmt::format("filtering on the CPU: {}", error.what()));
    }
}

std::string device_list() {
    std::string targets;
    for (const std::string& target : simd_targets()) {
        targets += (targets.empty() ? "" : ", ") + target;
    }
    return fmt::format("cpu         SIMD: {}\n{}", targets, cuda_list());
}

}  // namespace vfilter
