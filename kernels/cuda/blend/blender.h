#pragma once
// A filter confined to a region, on NVIDIA GPUs: see kernels/blend.h.

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/blend.h"
#include "kernels/cuda/memory.h"
#include "kernels/cuda/plane.h"

namespace vfilter {

/// One plane of a launch. The two planes are of the same size, step and lsb, and do not overlap.
struct BlendJob {
    DevicePlane src;        ///< what the filter was given
    DevicePlane dst;        ///< what it made of it
    int weights = 0;        ///< index into what the blender was made with
    int weights_first = 0;  ///< row y has the weights of row weights_first + y * weights_step
    int weights_step = 1;
};

/// The weights of a step's planes, on the device that is current when it is made; any number of streams may use it at
/// once. Immutable.
class CudaBlender {
public:
    static constexpr int max_planes = cuda::max_planes;  ///< of one launch

    /// For samples of that depth. Throws CudaError.
    CudaBlender(const std::vector<GrayImage>& weights, int depth);

    /// Queues one kernel on a stream of that device: see blend_rows, whose bytes it makes. Throws CudaError if it
    /// cannot be launched.
    void launch(std::span<const BlendJob> planes, cudaStream_t stream) const;

    [[nodiscard]] std::size_t device_bytes() const { return samples_.size_bytes(); }

private:
    struct Rows {
        std::size_t offset;  ///< in samples_
        std::ptrdiff_t pitch;
    };
    int depth_;
    std::vector<Rows> weights_;
    cuda::DeviceArray<std::uint8_t> samples_;
};

}  // namespace vfilter
