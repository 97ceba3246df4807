#include "pipeline/engine/missing_gpu.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "pipeline/engine/cuda_environment.h"

namespace vfilter {

Surroundings look_around(const std::string& root) {
    const auto there = [&](const char* name) {
        std::error_code unknown;
        return std::filesystem::exists(std::filesystem::path(root) / name, unknown);
    };
    return {there(".dockerenv") || there("run/.containerenv"), there("dev/nvidiactl"), users_visible_devices()};
}

std::string no_driver_text(const Surroundings& surroundings) {
    if (!surroundings.container) {
        return "no NVIDIA driver; in a container, start it with --gpus all and "
               "NVIDIA_DRIVER_CAPABILITIES=compute,video,utility";
    }
    return surroundings.device_files ? "this container has a GPU without CUDA's library: start it with "
                                       "NVIDIA_DRIVER_CAPABILITIES=compute,video,utility"
                                     : "no NVIDIA driver is in this container: start it with --gpus all";
}

std::string no_gpu_text(const Surroundings& surroundings) {
    if (surroundings.visible) {
        return fmt::format("no NVIDIA GPU is visible with CUDA_VISIBLE_DEVICES='{}'", *surroundings.visible);
    }
    return surroundings.container ? "no NVIDIA GPU is visible in this container: start it with --gpus all"
                                  : "no NVIDIA GPU is visible";
}

}  // namespace vfilter
