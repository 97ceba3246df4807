#pragma once
// Why there is no GPU, in a message that helps: CUDA's answer is the same for a machine without a GPU and for a
// container that was not given access to it.

#include <optional>
#include <string>

namespace vfilter {

/// What can be determined without CUDA.
struct Surroundings {
    bool container = false;              ///< detected for docker and podman, which mark theirs
    bool device_files = false;           ///< of NVIDIA's driver
    std::optional<std::string> visible;  ///< CUDA_VISIBLE_DEVICES, as the user has set it
};

/// `root` is the root of the file system: "/" except in tests.
Surroundings look_around(const std::string& root);

/// For a driver whose CUDA library cannot be loaded.
std::string no_driver_text(const Surroundings& surroundings);

/// For a driver whose library can be loaded but reports no GPU.
std::string no_gpu_text(const Surroundings& surroundings);

}  // namespace vfilter
