#include "pipeline/engine/cuda_step.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace vfilter {

CudaStep::CudaStep(FilterStep step, const std::vector<PlaneLayout>& layouts)
    : step_(std::move(step)), layouts_(layouts) {
    for (const std::optional<Operation>& plane : step_.planes) {
        if (plane && time_reach(*plane) != TimeReach{}) {
            window_ = time_reach(*plane);
        }
    }
    std::vector<Operation> made;
    std::array<int, 2> known{-1, -1};  // of luma and alpha, of chroma
    for (std::size_t i = 0; i < layouts_.size(); ++i) {
        int& index = known[layouts_[i].chroma ? 1 : 0];
        const bool own = step_.planes[i] && std::holds_alternative<Fill>(*step_.planes[i]);
        if (step_.planes[i] && (own || index < 0)) {
            index = static_cast<int>(made.size());
            made.push_back(*step_.planes[i]);
        }
        filters_.push_back(step_.planes[i] ? index : -1);
    }
    if (made.empty()) {
        return;
    }
    filter_.emplace(made, step_.border);
}

const CudaWeights& CudaStep::lasting_weights(const std::vector<PlaneWeights>& weights, int fields,
                                             cudaStream_t stream) {
    CudaWeights& own = lasting_.at(static_cast<std::size_t>(fields - 1));
    if (own.allocations() == 0) {
        own.set(weights, stream);
        cuda_check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");  // other streams use them, too
    }
    return own;
}

CudaStep::Turn CudaStep::turn(const PictureTime& picture, int fields, CudaWeights& own, cudaStream_t stream) {
    const StepRegion::Use use = step_.region.at(picture, fields);
    if (!use.works || use.weights == nullptr) {
        return {use.works};
    }
    if (step_.region.lasting()) {
        return {true, &lasting_weights(*use.weights, fields, stream), use.weights};
    }
    own.set(*use.weights, stream);
    return {true, &own, use.weights};
}

CudaStep::Turn CudaStep::first_turn(CudaWeights& own, cudaStream_t stream) const {
    if (!step_.region.partial()) {
        return {true};
    }
    own.set(std::vector<PlaneWeights>(layouts_.size()), stream);
    return {true, &own};
}

// The part of a plane that holds what the results in its boxes are made of. It begins where rows of the device may, and
// so do those of its neighbours then.
PlaneJob CudaStep::part_of(const PlaneJob& job, const BlendJob& blend, const PlaneWeights& weights,
                           std::span<NeighbourPlane> neighbours) const {
    constexpr int row_unit = 16;  // bytes
    const PlaneLayout& layout = layouts_[static_cast<std::size_t>(blend.weights)];
    const Operation& operation = *step_.planes[static_cast<std::size_t>(blend.weights)];
    const int pixel_bytes = job.src.step * (layout.depth == 8 ? 1 : 2);
    const auto part = [&](const Reach& reach, int unit, int from, int to, int length) {
        return part_of_line({reach.radius, std::lcm(reach.unit, unit)}, step_.border, from, to, length);
    };
    int left = job.src.width;
    int right = 0;
    int top = job.src.height;
    int bottom = 0;
    for (const WeightBox& box : weights.boxes) {
        const auto row_from = [&](int row) {
            return std::max(row - blend.weights_first + blend.weights_step - 1, 0) / blend.weights_step;
        };
        left = std::min(left, box.left);
        right = std::max(right, box.right());
        top = std::min(top, row_from(box.top));
        bottom = std::max(bottom, row_from(box.bottom()));
    }
    PlaneJob made = job;
    if (left >= right || top >= bottom) {
        made.src.width = 0;
        return made;
    }
    const LinePart columns = part(reach_x(operation), row_unit / pixel_bytes, left, right, job.src.width);
    const LinePart rows = part(reach_y(operation), 1, top, bottom, job.src.height);
    const std::ptrdiff_t first_byte = std::ptrdiff_t{columns.first} * pixel_bytes;
    for (NeighbourPlane& neighbour : neighbours) {
        neighbour.data = static_cast<const std::uint8_t*>(neighbour.data) + neighbour.pitch * rows.first + first_byte;
    }
    for (DevicePlane* const plane : {&made.src, &made.dst}) {
        plane->data = static_cast<std::uint8_t*>(plane->data) + plane->pitch * rows.first + first_byte;
        plane->width = columns.length();
        plane->height = rows.length();
    }
    return made;
}

int CudaStep::launch(const Turn& turn, std::span<const Rows> planes, int fields, cudaStream_t stream) const {
    std::array<PlaneJob, CudaFilter::max_planes> jobs;
    std::array<BlendJob, CudaBlender::max_planes> blends;
    std::array<std::array<NeighbourPlane, max_neighbours>, CudaFilter::max_planes> windows;
    std::size_t count = 0;
    std::size_t filtered = 0;
    for (const Rows& rows : planes) {
        const auto plane = static_cast<std::size_t>(rows.plane);
        const PlaneLayout& layout = layouts_[plane];
        for (int field = 0; field < fields; ++field) {
            const int height = (layout.height - field + fields - 1) / fields;  // 0 for the lower field of one row
            if (height == 0) {
                continue;
            }
            const auto view = [&](std::uint8_t* data, std::ptrdiff_t pitch) {
                return DevicePlane{data + pitch * field, layout.width, height, pitch * fields, layout.step, layout.lsb};
            };
            const bool looks = time_reach(*step_.planes[plane]) != TimeReach{};
            const std::span window(windows.at(count).data(), looks ? rows.neighbours.size() : 0);
            for (std::size_t i = 0; i < window.size(); ++i) {
                const NeighbourPlane& whole = rows.neighbours[i];
                window[i] = {static_cast<const std::uint8_t*>(whole.data) + whole.pitch * field, whole.pitch * fields};
            }
            const PlaneJob job{view(rows.src, rows.src_pitch), view(rows.dst, rows.dst_pitch), filters_[plane],
                               layout.black, window};
            const BlendJob blend{job.src, job.dst, rows.plane, field, fields};
            blends.at(count++) = blend;
            const PlaneJob part = turn.boxes == nullptr ? job : part_of(job, blend, (*turn.boxes)[plane], window);
            if (part.src.width > 0) {
                jobs.at(filtered++) = part;
            }
        }
    }
    if (count == 0) {
        return 0;
    }
    int launches = filtered > 0 ? filter_->launch({jobs.data(), filtered}, stream) : 0;
    if (turn.weights != nullptr) {
        CudaBlender::launch(*turn.weights, {blends.data(), count}, layouts_.front().depth, stream);
        ++launches;
    }
    return launches;
}

}  // namespace vfilter
