#include "io/formats/format_facts.h"

#include <cstdint>

namespace vfilter {

namespace {

bool has_colours(AVPixelFormat format, Colours colours) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(format);
    return d != nullptr && colours_of(*d) == colours;
}

bool has_flag(AVPixelFormat format, std::uint64_t flag) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(format);
    return d != nullptr && (d->flags & flag) != 0;
}

}  // namespace

Colours colours_of(const AVPixFmtDescriptor& descriptor) {
    const AVPixelFormat format = av_pix_fmt_desc_get_id(&descriptor);
    if (format == AV_PIX_FMT_XYZ12LE || format == AV_PIX_FMT_XYZ12BE) {
        return Colours::xyz;
    }
    if ((descriptor.flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)) != 0) {
        return Colours::rgb;
    }
    return descriptor.nb_components <= 2 ? Colours::gray : Colours::yuv;
}

bool is_rgb(AVPixelFormat format) {
    return has_colours(format, Colours::rgb);
}

bool is_yuv(AVPixelFormat format) {
    return has_colours(format, Colours::yuv);
}

bool is_gray(AVPixelFormat format) {
    return has_colours(format, Colours::gray);
}

bool has_alpha(AVPixelFormat format) {
    return has_flag(format, AV_PIX_FMT_FLAG_ALPHA);
}

bool has_floats(AVPixelFormat format) {
    return has_flag(format, AV_PIX_FMT_FLAG_FLOAT);
}

bool is_hardware_format(AVPixelFormat format) {
    return has_flag(format, AV_PIX_FMT_FLAG_HWACCEL);
}

bool is_full_range(AVPixelFormat format, AVColorRange tagged) {
    return is_rgb(format) || has_colours(format, Colours::xyz) || tagged == AVCOL_RANGE_JPEG ||
           (is_gray(format) && tagged != AVCOL_RANGE_MPEG);
}

}  // namespace vfilter
