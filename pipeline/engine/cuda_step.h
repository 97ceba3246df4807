#pragma once
// One step of a filter chain on an NVIDIA GPU: its filter, and the region to which it is confined.

#include <cuda_runtime_api.h>

#include <array>
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
        std::span<const NeighbourPlane> neighbours{};  ///< of its window, if the step has one
    };

    /// What it does to one picture.
    struct Turn {
        bool works = false;
        const CudaWeights* weights = nullptr;              ///< null: it applies everywhere
        const std::vector<PlaneWeights>* boxes = nullptr;  ///< the same, on the host
    };

    /// For the current device. Throws CudaError.
    CudaStep(FilterStep step, const std::vector<PlaneLayout>& layouts);

    /// Whether it changes that plane.
    [[nodiscard]] bool filters(int plane) const { return filters_[static_cast<std::size_t>(plane)] >= 0; }
    /// The pictures that it reads.
    [[nodiscard]] const TimeReach& window() const { return window_; }
    /// Call it for each picture in turn; `fields` is 2 for an interlaced one. Weights of moving regions are uploaded to
    /// `own`, which must not be in use.
    Turn turn(const PictureTime& picture, int fields, CudaWeights& own, cudaStream_t stream);
    /// The turn for a picture in which it applies everywhere, even if its region is empty: all kernels are launched.
    Turn first_turn(CudaWeights& own, cudaStream_t stream) const;
    /// Queues kernels for the planes that it filters, with that many fields each. Returns how many. Throws CudaError.
    /// If it applies only to a part, no more of a plane is filtered than the part that contains the boxes.
    int launch(const Turn& turn, std::span<const Rows> planes, int fields, cudaStream_t stream) const;

    /// What runs the filter: see CudaFilter::name.
    [[nodiscard]] std::string kernel() const { return filter_ ? filter_->name() : "none"; }
    [[nodiscard]] const StepCount& count() const { return step_.region.count(); }

    /// Device memory allocated for a region that does not move, and how often.
    [[nodiscard]] std::size_t device_bytes() const { return lasting_[0].device_bytes() + lasting_[1].device_bytes(); }
    [[nodiscard]] int allocations() const { return lasting_[0].allocations() + lasting_[1].allocations(); }
    /// See CudaFilter::device_bytes.
    [[nodiscard]] std::size_t borrowed_bytes() const { return filter_ ? filter_->device_bytes() : 0; }

private:
    [[nodiscard]] PlaneJob part_of(const PlaneJob& job, const BlendJob& blend, const PlaneWeights& weights,
                                   std::span<NeighbourPlane> neighbours) const;
    const CudaWeights& lasting_weights(const std::vector<PlaneWeights>& weights, int fields, cudaStream_t stream);

    FilterStep step_;
    TimeReach window_;
    std::vector<PlaneLayout> layouts_;
    std::vector<int> filters_;  ///< for each plane, as layouts_; -1 if a plane is left alone
    std::optional<CudaFilter> filter_;
    std::array<CudaWeights, 2> lasting_;  ///< for one field and for two, created when needed
};

}  // namespace vfilter
