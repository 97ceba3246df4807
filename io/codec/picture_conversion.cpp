#include "io/codec/picture_conversion.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <utility>

#include "io/formats/format_facts.h"
#include "io/formats/full_range.h"

namespace vfilter {

namespace {

// Of gray only what says so.
bool may_be_limited(const AVFrame& picture) {
    const auto format = static_cast<AVPixelFormat>(picture.format);
    return has_range(format) ||
           (picture.color_range == AVCOL_RANGE_MPEG && colours_of(*av_pix_fmt_desc_get(format)) == Colours::gray);
}

// Whether the range of what becomes gray of `to` is changed there, where there are more levels. Of floats the
// conversion does it.
bool fills_behind(AVPixelFormat kept, AVPixelFormat to) {
    return is_gray(to) && av_pix_fmt_desc_get(to)->comp[0].depth > av_pix_fmt_desc_get(kept)->comp[0].depth;
}

}  // namespace

PictureConversion::PictureConversion(const EncodeTask& task, const AVFrame& first, AVCodecContext& encoder,
                                     FramePool& pool)
    : encoder_(encoder),
      pool_(pool),
      limits_range_(task.limit_range),
      fills_range_(task.full_range && may_be_limited(first) && first.color_range != AVCOL_RANGE_JPEG) {
    encoder.color_range = limits_range_ ? AVCOL_RANGE_MPEG : fills_range_ ? AVCOL_RANGE_JPEG : first.color_range;
}

void PictureConversion::begin(const AVFrame& first, AVPixelFormat kept, AVColorSpace matrix) {
    const AVPixelFormat format = encoder_.pix_fmt;
    if (format == first.format) {
        return;
    }
    converter_ = Converter::from_native(encoder_.width, encoder_.height, kept, format);
    converter_->make_yuv_of(matrix);
    fills_late_ = fills_behind(kept, format);
}

FramePtr PictureConversion::convert(FramePtr picture) {
    if (limits_range_) {
        picture = to_limited_range(*picture, pool_);
    }
    if (fills_range_ && !fills_late_) {
        picture = to_full_range(*picture, pool_);
    }
    if (!converter_) {
        return waiting_ ? waiting_->copy_of(*picture) : std::move(picture);
    }
    FramePool& pool = waiting_ ? *waiting_ : pool_;
    FramePtr made = make_frame();
    made->format = converter_->format();
    made->width = converter_->width();
    made->height = converter_->height();
    pool.fill(*made, converter_->width(), converter_->height());
    converter_->convert(*picture, *made);
    if (fills_range_ && fills_late_ && !has_floats(converter_->format())) {
        made = to_full_range(*made, pool);
    }
    made->colorspace = encoder_.colorspace;
    made->color_range = encoder_.color_range;
    return made;
}

}  // namespace vfilter
