#pragma once
// One step of a filter chain on an NVIDIA GPU: its filter, and the region to which that is confined.

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
        const CudaWeights* weights = nullptr;              ///< null: it works everywhere
        const std::vector<PlaneWeights>* boxes = nullptr;  ///< the same, on the host
    };

    /// For the current device. Throws CudaError.
    CudaStep(FilterStep step, const std::vector<PlaneLayout>& layouts);

    /// Whether it does anything to that plane.
    [[nodiscard]] bool filters(int plane) const { return filters_[static_cast<std::size_t>(plane)] >= 0; }
    /// The pictures that it looks at.
    [[nodiscard]] const TimeReach& window() const { return window_; }
    /// For each picture in turn; `fields` is 2 for an interlaced one. Weights of regions that move are uploaded to
    /// `own`, which nothing may be using.
    Turn turn(const PictureTime& picture, int fields, CudaWeights& own, cudaStream_t stream);
    /// Of a picture in which it works everywhere, and its region is nowhere: all kernels are launched.
    Turn first_turn(CudaWeights& own, cudaStream_t stream) const;
    /// Queues kernels for planes that it filters, each of so many fields. Returns how many. Throws CudaError. Where it
    /// works in a part, no more of a plane is filtered than what the boxes lie in.
    int launch(const Turn& turn, std::span<const Rows> planes, int fields, cudaStream_t stream) const;

    /// What runs the filter: see CudaFilter::name.
    [[nodiscard]] std::string kernel() const { return filter_ ? filter_->name() : "none"; }
    [[nodiscard]] const StepCount& count() const { return step_.region.count(); }

    /// Memory taken on the device for a region that stays, and how often.
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
    std::vector<int> filters_;  ///< of each plane, as layouts_; -1 where a plane is left alone
    std::optional<CudaFilter> filter_;
    std::array<CudaWeights, 2> lasting_;  ///< of one field and of two, once they are wanted
};

}  // namespace vfilter
