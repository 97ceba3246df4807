#pragma once
// A picture's planes as the kernels see them.

#include <array>
#include <vector>

#include "filters/filters.h"
#include "io/handles.h"
#include "kernels/arithmetic/operation.h"
#include "kernels/blend.h"
#include "kernels/plane.h"
#include "pipeline/engine/filter_engine.h"
#include "pipeline/engine/step_region.h"

namespace vfilter {

/// One plane of a format.
struct PlaneLayout {
    int index = 0;  ///< in AVFrame::data
    int width = 0;  ///< pixels
    int height = 0;
    int step = 1;
    int lsb = 0;
    int depth = 8;
    bool chroma = false;
    bool alpha = false;
    int pitch_x = 1;  ///< luma pixels from one sample to the next
    int pitch_y = 1;
    int black = 0;                                 ///< value of the constant border
    std::array<Component, max_step> components{};  ///< the meaning of its samples; for interleaved ones in order
};

std::vector<PlaneLayout> plane_layouts(const PictureFormat& format);

/// Rows of one field of a plane, or of the whole plane if fields == 1.
template <class T>
PlaneView<T> plane_view(const AVFrame& frame, const PlaneLayout& layout, int field, int fields) {
    const std::ptrdiff_t stride = frame.linesize[layout.index];
    auto* const data = reinterpret_cast<T*>(frame.data[layout.index] + stride * field);
    return {data,        layout.width, (layout.height - field + fields - 1) / fields, stride * fields,
            layout.step, layout.lsb};
}

/// A picture from the pool for what an engine makes of `from`, with all of its properties except the samples.
FramePtr make_result_picture(const PictureFormat& format, FramePool& pool, const AVFrame& from);

/// Makes `to` refer to a plane of `from` that is left alone, instead of copying it. `next_buffer` is the first free one
/// of to.buf, and is advanced.
void share_plane(AVFrame& to, const AVFrame& from, int plane, int& next_buffer);

/// The number of fields that are filtered separately: 2 if the picture is interlaced.
int field_count(const AVFrame& frame);

/// A filter for a plane, or nothing if the plane is left alone (chroma=off, identity). Throws Error(usage).
std::optional<Operation> plane_filter(const FilterSpec& filter, const PictureFormat& format, const PlaneLayout& layout);

/// One step of a filter chain, prepared for all planes of a format.
struct FilterStep {
    Border border = Border::reflect_101;
    std::vector<std::optional<Operation>> planes;  ///< as layouts; empty if a plane is left alone
    /// When and where it applies: there its results are blended with its input.
    StepRegion region;
};

/// Reads masks. Throws Error(usage) if a filter cannot be represented, or its region is not within the picture.
FilterStep make_step(const FilterSpec& filter, const PictureFormat& format);

}  // namespace vfilter
