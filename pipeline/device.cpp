#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "pipeline/cpu_engine.h"
#include "pipeline/filter_engine.h"

namespace vfilter {

namespace {

constexpr const char* no_cuda = "this version of vfilter has no CUDA engine";

}  // namespace

std::unique_ptr<FilterDevice> choose_device(const std::string& name, int threads) {
    if (name == "cuda" || name.starts_with("cuda:")) {
        throw Error(ExitCode::device, fmt::format("--device {}: {}; --device cpu gives the same bytes", name, no_cuda));
    }
    if (name == "auto") {
        spdlog::debug("filtering on the CPU: {}", no_cuda);
    }
    return std::make_unique<CpuDevice>(threads);
}

std::string device_list() {
    std::string targets;
    for (const std::string& target : simd_targets()) {
        targets += (targets.empty() ? "" : ", ") + target;
    }
    return fmt::format("cpu         SIMD: {}\n", targets);
}

}  // namespace vfilter
