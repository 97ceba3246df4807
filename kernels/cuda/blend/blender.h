#pragma once
// Filters confined to regions, on NVIDIA GPUs: see kernels/blend.h.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/blend.h"
#include "kernels/cuda/memory.h"
#include "kernels/cuda/plane.h"

namespace vfilter {

/// The weights of a picture's planes on the device that is current when they are first set. They may be set again and
/// again, and their memory grows with the largest.
class CudaWeights {
public:
    /// Queues their upload. What was uploaded before must have been, and no kernel may be at work with it. Throws
    /// CudaError.
    void set(const std::vector<PlaneWeights>& weights, cudaStream_t stream);

    /// On the device.
    [[nodiscard]] std::size_t device_bytes() const { return capacity_; }
    /// How often memory was taken there.
    [[nodiscard]] int allocations() const { return allocations_; }

private:
    friend class CudaBlender;
    struct FreeHost {
        void operator()(void* memory) const { cudaFreeHost(memory); }
    };
    struct Plane {
        std::size_t boxes = 0;  ///< bytes from the beginning
        int count = 0;
    };

    void reserve(std::size_t bytes);

    std::unique_ptr<void, cuda::DeviceFree> device_;
    std::unique_ptr<void, FreeHost> host_;
    std::size_t capacity_ = 0;
    int allocations_ = 0;
    std::vector<Plane> planes_;
    std::size_t samples_ = 0;  ///< bytes from the beginning
};

/// One plane of a launch. The two planes are of the same size, step and lsb, and do not overlap.
struct BlendJob {
    DevicePlane src;        ///< what the filter was given
    DevicePlane dst;        ///< what it made of it
    int weights = 0;        ///< which plane's
    int weights_first = 0;  ///< row y has the weights of row weights_first + y * weights_step
    int weights_step = 1;
};

class CudaBlender {
public:
    static constexpr int max_planes = cuda::max_planes;  ///< of one launch

    /// Queues one kernel for samples of that depth: see blend_rows, whose bytes it makes. Throws CudaError if it cannot
    /// be launched.
    static void launch(const CudaWeights& weights, std::span<const BlendJob> planes, int depth, cudaStream_t stream);
};

}  // namespace vfilter
