#include "pipeline/engine/cuda_step.h"

#include <array>

namespace vfilter {

CudaStep::CudaStep(const FilterStep& step, const std::vector<PlaneLayout>& layouts) : layouts_(layouts) {
    std::vector<Operation> made;
    std::array<int, 2> known{-1, -1};  // of luma and alpha, of chroma
    for (std::size_t i = 0; i < layouts_.size(); ++i) {
        int& index = known[layouts_[i].chroma ? 1 : 0];
        if (step.planes[i] && index < 0) {
            index = static_cast<int>(made.size());
            made.push_back(*step.planes[i]);
        }
        filters_.push_back(step.planes[i] ? index : -1);
    }
    if (made.empty()) {
        return;
    }
    filter_.emplace(made, step.border);
    if (!step.weights.empty()) {
        blender_.emplace(step.weights, layouts_.front().depth);
    }
}

int CudaStep::launch(std::span<const Rows> planes, int fields, cudaStream_t stream) const {
    std::array<PlaneJob, CudaFilter::max_planes> jobs;
    std::array<BlendJob, CudaBlender::max_planes> blends;
    std::size_t count = 0;
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
            jobs.at(count) = {view(rows.src, rows.src_pitch), view(rows.dst, rows.dst_pitch), filters_[plane],
                              layout.black};
            blends.at(count) = {jobs[count].src, jobs[count].dst, rows.plane, field, fields};
            ++count;
        }
    }
    if (count == 0) {
        return 0;
    }
    int launches = filter_->launch({jobs.data(), count}, stream);
    if (blender_) {
        blender_->launch({blends.data(), count}, stream);
        ++launches;
    }
    return launches;
}

}  // namespace vfilter
