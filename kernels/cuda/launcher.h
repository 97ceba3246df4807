#pragma once
// What a family of kernels hands out: filters made ready for the device.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "kernels/cuda/plane.h"

namespace vfilter::cuda {

/// Immutable; launch() may be called by any number of threads at once.
class Launcher {
public:
    virtual ~Launcher() = default;
    /// `filter` of a job is an index into the filters that this was made of. Throws CudaError.
    virtual void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const = 0;
    /// How many kernels a launch of these planes is.
    [[nodiscard]] virtual int kernels(std::span<const PlaneJob> /*planes*/) const { return 1; }
    /// Memory on the device that launches borrow.
    [[nodiscard]] virtual std::size_t device_bytes() const { return 0; }
    /// For people: the report's "kernels". Families go by the names that reports have always had: "tensor chain"
    /// (tensor_registers), "tensor tile" (tensor_shared), "quick" (stencil), "coarse grid" (decimated) and "general"
    /// (fallback); "wide" are split taps, or sums of 64 bits.
    [[nodiscard]] virtual std::string name() const = 0;
};

using MadeLauncher = std::unique_ptr<const Launcher>;

}  // namespace vfilter::cuda
