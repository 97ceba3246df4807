#include "io/formats/formats.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <climits>

#include "io/formats/samples.h"

namespace vfilter {

namespace {

constexpr std::uint64_t foreign = AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL |
                                  AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT;

struct Reason {
    std::uint64_t flag;
    const char* text;
};
constexpr Reason reasons[] = {
    {AV_PIX_FMT_FLAG_HWACCEL, "they lie in the memory of a device"},
    {AV_PIX_FMT_FLAG_BAYER, "a sensor's mosaic is no picture yet"},
    {AV_PIX_FMT_FLAG_FLOAT, "16 bits do not hold their floating-point samples"},
};

struct Loss {
    int flag;
    const char* name;
};
constexpr Loss losses[] = {
    {FF_LOSS_DEPTH, "depth"},       {FF_LOSS_RESOLUTION, "resolution of chroma"},
    {FF_LOSS_ALPHA, "alpha"},       {FF_LOSS_CHROMA, "colour"},
    {FF_LOSS_COLORQUANT, "shades"},
};

}  // namespace

const std::vector<AVPixelFormat>& native_formats() {
    static const std::vector<AVPixelFormat> formats = [] {
        std::vector<AVPixelFormat> list;
        for (const AVPixFmtDescriptor* d = av_pix_fmt_desc_next(nullptr); d != nullptr; d = av_pix_fmt_desc_next(d)) {
            if (const AVPixelFormat format = av_pix_fmt_desc_get_id(d);
                is_native(format) && without_j(format) == format) {
                list.push_back(format);
            }
        }
        return list;
    }();
    return formats;
}

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

AVPixelFormat nearest_of(const std::vector<AVPixelFormat>& candidates, AVPixelFormat format) {
    AVPixelFormat best = AV_PIX_FMT_NONE;
    int min_distance = INT_MAX;
    for (const AVPixelFormat candidate : candidates) {
        if (candidate == format) {
            return format;
        }
        if (holds(candidate, format) && distance(format, candidate) < min_distance) {
            best = candidate;
            min_distance = distance(format, candidate);
        }
    }
    if (best != AV_PIX_FMT_NONE) {
        return best;
    }
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(format);
    if (d != nullptr && colours_of(*d) == Colours::xyz) {
        return nearest_of(candidates, nearest_native(format));  // FFmpeg would take it for YUV
    }
    const bool alpha = d != nullptr && (d->flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
    for (const AVPixelFormat candidate : candidates) {
        if (sws_isSupportedOutput(candidate) != 0) {
            best = av_find_best_pix_fmt_of_2(best, candidate, format, alpha ? 1 : 0, nullptr);
        }
    }
    return best;
}

std::string loss_between(AVPixelFormat from, AVPixelFormat to) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(to);
    const bool same = d != nullptr && (d->flags & AV_PIX_FMT_FLAG_FLOAT) != 0 &&
                      d->nb_components >= av_pix_fmt_desc_get(from)->nb_components &&
                      colours_of(*av_pix_fmt_desc_get(from)) != Colours::yuv && d->comp[0].depth == 32;
    if (holds(to, from) || same) {
        return "without loss";
    }
    const int flags = av_get_pix_fmt_loss(to, from, 1);
    std::string lost;
    for (const Loss& loss : losses) {
        if ((flags & loss.flag) != 0) {
            lost += fmt::format("{}{}", lost.empty() ? "with loss of " : ", ", loss.name);
        }
    }
    return lost.empty() ? "with rounding" : lost;
}

AVPixelFormat nearest_native(AVPixelFormat format) {
    const AVPixelFormat plain = without_j(format);
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(plain);
    if (d == nullptr || is_native(plain)) {
        return d == nullptr ? AV_PIX_FMT_NONE : plain;
    }
    const Colours colours = colours_of(*d);
    // Three equal planes stay gray under any filter. Neutral chroma would not.
    const Colours wanted = colours == Colours::gray && d->nb_components == 1 ? Colours::gray
                           : colours == Colours::yuv                         ? Colours::yuv
                                                                             : Colours::rgb;
    AVPixelFormat best = AV_PIX_FMT_NONE;
    int min_distance = INT_MAX;
    for (const AVPixelFormat native : native_formats()) {
        const int far = colours_of(*av_pix_fmt_desc_get(native)) == wanted ? distance(plain, native) : -1;
        if (far >= 0 && far < min_distance) {
            best = native;
            min_distance = far;
        }
    }
    return best;
}

AVPixelFormat kept_format(AVPixelFormat format) {
    const AVPixelFormat plain = without_j(format);
    const AVPixelFormat native = nearest_native(plain);
    return holds(plain, plain) ? plain : native;
}

std::string why_not_native(AVPixelFormat format) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(format);
    for (const Reason& reason : reasons) {
        if (d != nullptr && (d->flags & reason.flag) != 0) {
            return reason.text;
        }
    }
    return d != nullptr && d->comp[0].depth > 16 ? "16 bits do not hold their samples"
                                                 : "FFmpeg does not describe where their samples lie";
}

std::string name_of(AVPixelFormat format) {
    const char* const name = av_get_pix_fmt_name(format);
    return name != nullptr ? name : "unknown";
}

}  // namespace vfilter
