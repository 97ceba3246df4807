#pragma once
// Environment variables that NVIDIA's driver reads when it starts and that can make a run start faster (CUDA C++
// Programming Guide, "CUDA Environment Variables"). For a program only: a library leaves its process's environment
// alone.

#include <optional>
#include <string>
#include <vector>

namespace vfilter {

/// The numbers of the GPUs that a name given to --device refers to: {0} for auto, cuda and cpu, {1, 2} for
/// cuda:1,cuda:2; empty for all, however many there are.
std::vector<int> gpu_numbers(const std::string& device);

/// A value of CUDA_VISIBLE_DEVICES that shows these GPUs under their own numbers, and none after the last of them.
/// `users` is the value set by the user. Empty if all are to be visible.
std::optional<std::string> visible_devices(const std::vector<int>& gpus, const std::optional<std::string>& users);

/// Sets what the user has not set: CUDA_DEVICE_MAX_CONNECTIONS, and CUDA_VISIBLE_DEVICES to visible_devices() unless
/// `all_visible`. Call it once, before other threads exist and before CUDA is used.
void set_cuda_environment(const std::string& device, bool all_visible);

/// CUDA_VISIBLE_DEVICES as set by the user.
std::optional<std::string> users_visible_devices();

}  // namespace vfilter
