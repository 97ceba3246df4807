#pragma once
// Why there is no GPU, in words that help: what CUDA answers is the same for a machine without one and for a container
// that was not given it.

#include <optional>
#include <string>

namespace vfilter {

/// What can be seen without CUDA.
struct Surroundings {
    bool container = false;              ///< docker's and podman's, which mark theirs
    bool device_files = false;           ///< of NVIDIA's driver
    std::optional<std::string> visible;  ///< CUDA_VISIBLE_DEVICES, as the user has set it
};

/// `root` is where the file system begins: "/" but for tests.
Surroundings look_around(const std::string& root);

/// The driver's CUDA library cannot be loaded.
std::string no_driver_text(const Surroundings& surroundings);

/// It can, and knows of no GPU.
std::string no_gpu_text(const Surroundings& surroundings);

}  // namespace vfilter
