#pragma once
// Which kernel runs a filter: one table, whose first row that takes a request runs it.

#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/arithmetic/operation.h"
#include "kernels/cuda/kernel_choice.h"
#include "kernels/cuda/launcher.h"

namespace vfilter::cuda {

/// Operations of one kind.
template <class... Made>
std::variant<std::vector<Made>...> lists_of(const std::variant<Made...>& operation);
using Operations = decltype(lists_of(std::declval<Operation>()));

/// Some of the operations of a step, which are launched together.
struct LaunchGroup {
    Operations operations{};
    std::vector<int> indices{};  ///< of each operation of the step in these; -1 for those of another group
};
/// What operations of one depth are launched as: those of one kind together, if what their kernels are made for (the
/// factor of decimated filters, the patch of non-local means, the window of medians) is the same. Linear filters come
/// last.
std::vector<LaunchGroup> launch_groups(const std::vector<Operation>& operations);

/// A group that is to be launched.
struct Request {
    Operations operations{};
    int step = 1;  ///< of the planes, at most: 2 where there are interleaved ones, whose windows are twice as wide; 3
                   ///< and 4, of all of them, are for what takes_interleaved() is true for
    Border border = Border::reflect_101;
    KernelChoice choice = KernelChoice::automatic;
};

/// What of a device decides.
struct Device {
    int compute_capability = 0;  ///< major; that of the code that runs there, where it was compiled for older ones
    int shared_bytes = 0;        ///< that one block can have
};
/// The one that is current. Throws CudaError.
Device current_device();

struct Row {
    std::string_view family;  ///< the folder and namespace of its kernels
    bool (*takes)(const Request& request, const Device& device);
    /// For the current device, if `takes` is true for it.
    MadeLauncher (*make)(const Request& request);
};

std::span<const Row> rows();
/// The first row that takes the request; every kind has one that takes any of it.
const Row& choose(const Request& request, const Device& device);

/// Whether there are kernels for planes of the request's step, of which 3 and 4 are meant.
bool has_interleaved(const Request& request);
/// And whether they take no longer than as many samples in planes of their own.
bool takes_interleaved(const Request& request, const Device& device);

/// By the table, for planes of steps 1 and 2, or of 3 or 4 if that is the request's, on the current device. Throws
/// CudaError.
MadeLauncher make_launcher(Request request);

}  // namespace vfilter::cuda
