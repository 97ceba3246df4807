#pragma once
// Operations on NVIDIA GPUs: one launch filters all planes of a picture, rows and columns fused.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/arithmetic/operation.h"
#include "kernels/cuda/check.h"
#include "kernels/cuda/kernel_choice.h"
#include "kernels/cuda/plane.h"

namespace vfilter {

namespace cuda {
class Launcher;
}

/// One step of a chain made ready for the device that is current when it is made; any number of streams may use it at
/// once. Immutable.
class CudaFilter {
public:
    static constexpr int max_planes = cuda::max_planes;    ///< of one launch
    static constexpr int max_filters = cuda::max_filters;  ///< operations that are no fills

    /// All operations are of the same depth. It is for planes of steps 1 and 2; or, if `step` is 3 or 4, of that one
    /// alone. Throws std::invalid_argument if they are too many, or not of one depth, or not for such planes;
    /// CudaError.
    CudaFilter(const std::vector<Operation>& operations, Border border, KernelChoice choice = KernelChoice::automatic,
               int step = 1);
    ~CudaFilter();
    CudaFilter(CudaFilter&&) noexcept;
    CudaFilter& operator=(CudaFilter&&) noexcept;

    /// Whether planes of three or four interleaved components can be filtered as they lie on the current device, in
    /// about the time of as many planes of one. Throws CudaError.
    static bool takes_interleaved(const std::vector<Operation>& operations, int step);

    /// Queues kernels on a stream of that device, one for all planes with linear filters, one for pixelations, one
    /// for fills, one for debanding, one for temporal means, one for non-local means of the same patch, one for medians
    /// of the same window, one for bilateral filters of alike windows, two for guided filters, three for those with
    /// decimated ones of the same factor, and those of what is dithered with one before, for every max_planes that it
    /// looks at, and one after it: see filter_scalar, whose bytes they make. Returns how many. The last three kinds
    /// take memory in the order of the stream, from pools that grow with the streams at work and not with pictures. The
    /// memory of the planes must stay until they have run.
    /// Throws CudaError if one cannot be launched, std::invalid_argument for too many planes, for one of another step,
    /// and where the neighbours are not as many as time_reach() says.
    int launch(std::span<const PlaneJob> planes, cudaStream_t stream) const;
    /// What launch() of such planes returns.
    [[nodiscard]] int kernels(std::span<const PlaneJob> planes) const;

    /// Memory on the device that launches have borrowed so far, at most at the same time; taps are not counted.
    [[nodiscard]] std::size_t device_bytes() const;

    /// How it is run, for people: "tensor chain, radius 8".
    [[nodiscard]] std::string name() const;

private:
    /// Operations that are launched together.
    struct Part {
        std::unique_ptr<const cuda::Launcher> launcher;
        std::vector<int> indices;  ///< of each operation in it; -1 for those of another part
    };
    /// Calls visit(launcher, jobs), each job with the filter's index in that part.
    void for_each_part(std::span<const PlaneJob> planes, const auto& visit) const;

    std::vector<Part> parts_;
    int step_ = 1;                         ///< see the constructor
    std::vector<std::size_t> neighbours_;  // that each operation looks at
};

}  // namespace vfilter
