#pragma once
// One step of a filter chain on an NVIDIA GPU: its filter, and the region to which that is confined.

#include <cuda_runtime_api.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/cuda/blend/blender.h"
#include "kernels/cuda/filter.h"
#include "pipeline/engine/planes.h"

namespace vfilter {

class CudaStep {
public:
    /// A plane's rows before and after the step.
    struct Rows {
        int plane = 0;  ///< index into the layouts
        std::uint8_t* src = nullptr;
        std::ptrdiff_t src_pitch = 0;
        std::uint8_t* dst = nullptr;
        std::ptrdiff_t dst_pitch = 0;
    };

    /// For the current device. Throws CudaError.
    CudaStep(const FilterStep& step, const std::vector<PlaneLayout>& layouts);

    /// Whether it does anything to that plane.
    [[nodiscard]] bool filters(int plane) const { return filters_[static_cast<std::size_t>(plane)] >= 0; }
    /// Queues kernels for planes that it filters, each of so many fields. Returns how many. Throws CudaError.
    int launch(std::span<const Rows> planes, int fields, cudaStream_t stream) const;

    /// What runs the filter: see CudaFilter::name.
    [[nodiscard]] std::string kernel() const { return filter_ ? filter_->name() : "none"; }

    /// Memory taken on the device for a region: one allocation, or none.
    [[nodiscard]] std::size_t device_bytes() const { return blender_ ? blender_->device_bytes() : 0; }
    /// See CudaFilter::device_bytes.
    [[nodiscard]] std::size_t borrowed_bytes() const { return filter_ ? filter_->device_bytes() : 0; }

private:
    std::vector<PlaneLayout> layouts_;
    std::vector<int> filters_;  ///< of each plane, as layouts_; -1 where a plane is left alone
    std::optional<CudaFilter> filter_;
    std::optional<CudaBlender> blender_;
};

}  // namespace vfilter
