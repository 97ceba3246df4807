#pragma once
// Which kernel runs a filter: one table, whose first row that takes a request runs it.

#include <span>
#include <string_view>
#include <vector>

#include "kernels/arithmetic/operation.h"
#include "kernels/cuda/kernel_choice.h"
#include "kernels/cuda/launcher.h"

namespace vfilter::cuda {

/// Operations that are to be launched together: linear filters, decimated ones of one factor, pixelations, fills,
/// non-local means of one patch, medians of one window, temporal means, bilateral filters that are run in one way,
/// guided filters, debanding, or dithered operations, all of the same depth.
struct Request {
    std::vector<LinearFilter> filters{};
    std::vector<DecimatedFilter> decimated{};  ///< if there are any, there are no others; so with those that follow
    std::vector<Pixelation> pixelations{};
    std::vector<Fill> fills{};
    std::vector<NlMeans> nl_means{};                 ///< of one patch
    std::vector<MedianFilter> medians{};             ///< all alike
    std::vector<TemporalMedian> temporal_medians{};  ///< of as many pictures
    std::vector<TemporalMean> temporal_means{};
    std::vector<Bilateral> bilaterals{};  ///< all run in the same way
    std::vector<Guided> guided{};
    std::vector<Deband> debands{};
    std::vector<Dithered> dithered{};
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
/// The first row that takes the request; the last one takes any.
const Row& choose(const Request& request, const Device& device);

/// Whether planes of the request's step, of which 3 and 4 are meant, are filtered in the time of so many samples in
/// planes of their own.
bool takes_interleaved(const Request& request, const Device& device);

/// By the table, for planes of steps 1 and 2, or of 3 or 4 if that is the request's, on the current device. Throws
/// CudaError.
MadeLauncher make_launcher(Request request);

}  // namespace vfilter::cuda
