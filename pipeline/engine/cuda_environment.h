#pragma once
// What NVIDIA's driver reads from the environment when it starts, of which a run can start sooner (CUDA C++ Programming
// Guide, "CUDA Environment Variables"). For a program of its own: a library leaves its process's environment alone.

#include <optional>
#include <string>
#include <vector>

namespace vfilter {

/// The GPUs that a name of --device stands for, by number: {0} for auto, cuda and cpu, {1, 2} for cuda:1,cuda:2, none
/// for all, which are as many as there are.
std::vector<int> gpu_numbers(const std::string& device);

/// CUDA_VISIBLE_DEVICES that shows these GPUs with the numbers that they have, and none behind the last of them.
/// `users` is what the user has set. Nothing where all are to be seen.
std::optional<std::string> visible_devices(const std::vector<int>& gpus, const std::optional<std::string>& users);

/// Sets what the user has not: CUDA_DEVICE_MAX_CONNECTIONS, and CUDA_VISIBLE_DEVICES to visible_devices() unless
/// `all_visible`. To be called once, before there are other threads and before CUDA is used.
void set_cuda_environment(const std::string& device, bool all_visible);

/// CUDA_VISIBLE_DEVICES as the user has set it.
std::optional<std::string> users_visible_devices();

}  // namespace vfilter
