#include "io/formats.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>

#include <bit>

namespace vfilter {

namespace {

constexpr std::uint64_t foreign = AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL |
                                  AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT;

const std::vector<AVPixelFormat>& native_formats() {
    static const std::vector<AVPixelFormat> formats = [] {
        std::vector<AVPixelFormat> list;
        for (const AVPixFmtDescriptor* d = av_pix_fmt_desc_next(nullptr); d != nullptr; d = av_pix_fmt_desc_next(d)) {
            if (const AVPixelFormat format = av_pix_fmt_desc_get_id(d);
                is_native(format) && without_j(format) == format) {
                list.push_back(format);
            }
        }
        list.push_back(AV_PIX_FMT_NONE);
        return list;
    }();
    return formats;
}

// The same samples in another order of bytes or planes.
bool same_samples(const AVPixFmtDescriptor& a, const AVPixFmtDescriptor& b) {
    constexpr std::uint64_t kind = AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_ALPHA | AV_PIX_FMT_FLAG_FLOAT |
                                   AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_HWACCEL;
    return a.nb_components == b.nb_components && (a.flags & kind) == (b.flags & kind) &&
           a.comp[0].depth == b.comp[0].depth && a.log2_chroma_w == b.log2_chroma_w &&
           a.log2_chroma_h == b.log2_chroma_h;
}

int colour_space_for_sws(const AVFrame& frame) {
    return frame.colorspace == AVCOL_SPC_UNSPECIFIED ? static_cast<int>(SWS_CS_DEFAULT)
                                                     : static_cast<int>(frame.colorspace);
}

}  // namespace

bool is_native(AVPixelFormat format) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(format);
    if (d == nullptr || (d->flags & foreign) != 0) {
        return false;
    }
    const bool big = (d->flags & AV_PIX_FMT_FLAG_BE) != 0;
    const int depth = d->comp[0].depth;
    const int bytes = depth > 8 ? 2 : 1;
    if (depth < 8 || depth > 16 || (bytes == 2 && big != (std::endian::native == std::endian::big))) {
        return false;
    }
    int components_in[4] = {};
    for (int i = 0; i < d->nb_components; ++i) {
        ++components_in[d->comp[i].plane];
    }
    for (int i = 0; i < d->nb_components; ++i) {
        const AVComponentDescriptor& c = d->comp[i];
        // A plane holds one component, or two that alternate and fill it: NV12's chroma.
        const int sharing = components_in[c.plane];
        if (c.depth != depth || c.shift != d->comp[0].shift || sharing > 2 || c.step != bytes * sharing ||
            (sharing == 2 && c.plane == 0) || (c.shift != 0 && c.shift != 16 - depth)) {
            return false;
        }
    }
    return true;
}

AVPixelFormat without_j(AVPixelFormat format) {
    switch (format) {
        case AV_PIX_FMT_YUVJ420P:
            return AV_PIX_FMT_YUV420P;
        case AV_PIX_FMT_YUVJ422P:
            return AV_PIX_FMT_YUV422P;
        case AV_PIX_FMT_YUVJ444P:
            return AV_PIX_FMT_YUV444P;
        case AV_PIX_FMT_YUVJ440P:
            return AV_PIX_FMT_YUV440P;
        case AV_PIX_FMT_YUVJ411P:
            return AV_PIX_FMT_YUV411P;
        default:
            return format;
    }
}

AVPixelFormat nearest_of(const AVPixelFormat* candidates, AVPixelFormat format) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(format);
    const bool alpha = d != nullptr && (d->flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
    AVPixelFormat best = AV_PIX_FMT_NONE;
    for (const AVPixelFormat* candidate = candidates; d != nullptr && *candidate != AV_PIX_FMT_NONE; ++candidate) {
        if (const AVPixFmtDescriptor* const c = av_pix_fmt_desc_get(*candidate); c != nullptr && same_samples(*c, *d)) {
            best = *candidate == format || best == AV_PIX_FMT_NONE ? *candidate : best;
        }
    }
    if (best != AV_PIX_FMT_NONE) {
        return best;
    }
    for (; *candidates != AV_PIX_FMT_NONE; ++candidates) {
        const AVPixFmtDescriptor* const c = av_pix_fmt_desc_get(*candidates);
        if (c != nullptr && (c->flags & AV_PIX_FMT_FLAG_HWACCEL) == 0) {
            best = av_find_best_pix_fmt_of_2(best, *candidates, format, alpha ? 1 : 0, nullptr);
        }
    }
    return best;
}

AVPixelFormat nearest_native(AVPixelFormat format) {
    const AVPixelFormat plain = without_j(format);
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(plain);
    if (d == nullptr || (d->flags & (AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER)) != 0 ||
        sws_isSupportedInput(plain) == 0) {
        return is_native(plain) ? plain : AV_PIX_FMT_NONE;
    }
    return is_native(plain) ? plain : nearest_of(native_formats().data(), plain);
}

std::string name_of(AVPixelFormat format) {
    const char* const name = av_get_pix_fmt_name(format);
    return name != nullptr ? name : "unknown";
}

void Converter::convert(const AVFrame& from, AVFrame& to) {
    const auto source = static_cast<AVPixelFormat>(from.format);
    context_.reset(sws_getCachedContext(context_.release(), from.width, from.height, source, width_, height_, format_,
                                        SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_BITEXACT, nullptr,
                                        nullptr, nullptr));
    if (!context_) {
        throw Error(ExitCode::input,
                    fmt::format("pictures cannot be converted from {} to {}", name_of(source), name_of(format_)));
    }
    const int* const table = sws_getCoefficients(colour_space_for_sws(from));
    const int full = from.color_range == AVCOL_RANGE_JPEG ? 1 : 0;
    sws_setColorspaceDetails(context_.get(), table, full, table, full, 0, 1 << 16, 1 << 16);
    av_check(sws_scale(context_.get(), from.data, from.linesize, 0, from.height, to.data, to.linesize), "sws_scale",
             ExitCode::input);
    av_check(av_frame_copy_props(&to, &from), "av_frame_copy_props");
}

}  // namespace vfilter
