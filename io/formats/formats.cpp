#include "io/formats/formats.h"

extern "C" {
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <cstddef>
#include <new>

#include "io/compat.h"
#include "io/formats/samples.h"

namespace vfilter {

namespace {

constexpr std::uint64_t foreign = AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL |
                                  AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT;

// Formats whose native one means something else: the samples are carried in its planes, and only the way back to the
// format itself makes pictures of them again.
bool is_carried(AVPixelFormat format, AVPixelFormat native) {
    const AVPixFmtDescriptor* const from = av_pix_fmt_desc_get(format);
    const AVPixFmtDescriptor* const to = av_pix_fmt_desc_get(native);
    return from != nullptr && to != nullptr && colours_of(*from) != colours_of(*to) && nearest_native(format) == native;
}

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

bool is_rgb(AVPixelFormat format) {
    const Colours colours = colours_of(*av_pix_fmt_desc_get(format));
    return colours == Colours::rgb || colours == Colours::xyz;
}

// Without a tag gray and RGB are full, YUV is not.
bool is_full_range(AVPixelFormat format, AVColorRange range) {
    const bool yuv = colours_of(*av_pix_fmt_desc_get(format)) == Colours::yuv;
    return is_rgb(format) || range == AVCOL_RANGE_JPEG || (!yuv && range != AVCOL_RANGE_MPEG);
}

// As a power of two: 1 in 4:2:0.
int rows_of_chroma(AVPixelFormat format) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(format);
    return d != nullptr && colours_of(*d) == Colours::yuv ? d->log2_chroma_h : 0;
}

int colour_space_for_sws(const AVFrame& frame) {
    return frame.colorspace == AVCOL_SPC_UNSPECIFIED ? static_cast<int>(SWS_CS_DEFAULT)
                                                     : static_cast<int>(frame.colorspace);
}

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
    if (holds(to, from)) {
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

Converter Converter::to_native(int width, int height, AVPixelFormat given) {
    const AVPixelFormat native = nearest_native(given);
    return {width, height, is_carried(given, native) ? given : AV_PIX_FMT_NONE, native};
}

Converter Converter::from_native(int width, int height, AVPixelFormat kept, AVPixelFormat format) {
    const bool carried = is_carried(kept, nearest_native(kept)) && format != kept;
    return {width, height, carried ? kept : AV_PIX_FMT_NONE, format};
}

void Converter::convert(const AVFrame& from, AVFrame& to) {
    if (first_ == AV_PIX_FMT_NONE || (from.format == first_ && from.width == width_ && from.height == height_)) {
        step(from, to);
    } else {
        if (!between_) {
            between_ = make_frame();
            between_->format = first_;
            between_->width = width_;
            between_->height = height_;
            av_check(av_frame_get_buffer(between_.get(), 0), "av_frame_get_buffer");
        }
        between_->color_range = from.color_range;
        between_->colorspace = from.colorspace;
        step(from, *between_);
        step(*between_, to);
    }
    av_check(av_frame_copy_props(&to, &from), "av_frame_copy_props");
}

void Converter::step(const AVFrame& from, AVFrame& to) {
    const auto source = static_cast<AVPixelFormat>(from.format);
    const auto target = static_cast<AVPixelFormat>(to.format);
    if (from.width == to.width && from.height == to.height &&
        (holds(target, source) || is_carried(source, target) || is_carried(target, source))) {
        rearrange(from, to);
    } else if (is_interlaced(from) && from.height == to.height && from.height % 4 == 0 &&
               rows_of_chroma(source) != rows_of_chroma(target)) {
        // Rows of chroma that are made of both fields would be of two times.
        compute_field(from, to, 0);
        compute_field(from, to, 1);
    } else {
        compute(from, to);
    }
}

void Converter::compute(const AVFrame& from, AVFrame& to) {
    SwsContext& context = context_for(from, static_cast<AVPixelFormat>(to.format), from.height, -1);
    av_check(sws_scale(&context, from.data, from.linesize, 0, from.height, to.data, to.linesize), "sws_scale",
             ExitCode::input);
}

void Converter::compute_field(const AVFrame& from, AVFrame& to, int field) {
    SwsContext& context = context_for(from, static_cast<AVPixelFormat>(to.format), from.height / 2, field);
    std::uint8_t* rows[2][4];
    int steps[2][4];
    const AVFrame* const pictures[2] = {&from, &to};
    for (int side = 0; side < 2; ++side) {
        for (int plane = 0; plane < 4; ++plane) {
            std::uint8_t* const data = pictures[side]->data[plane];
            const int step = pictures[side]->linesize[plane];
            rows[side][plane] = data != nullptr ? data + std::ptrdiff_t{step} * field : nullptr;
            steps[side][plane] = 2 * step;
        }
    }
    av_check(sws_scale(&context, rows[0], steps[0], 0, from.height / 2, rows[1], steps[1]), "sws_scale",
             ExitCode::input);
}

// `field`: 0 is the top one, 1 the bottom one, -1 a whole picture.
SwsContext& Converter::context_for(const AVFrame& from, AVPixelFormat target, int height, int field) {
    const auto source = static_cast<AVPixelFormat>(from.format);
    Computing& computing = computing_[field + 1];
    const int made_for[] = {from.width, height, source, target, field};
    if (!computing.context || !std::ranges::equal(made_for, computing.given)) {
        computing.context.reset(sws_alloc_context());
        if (!computing.context) {
            throw std::bad_alloc();
        }
        const auto set = [&](const char* name, std::int64_t value) {
            av_check(av_opt_set_int(computing.context.get(), name, value, 0), name);
        };
        set("srcw", from.width);
        set("srch", height);
        set("src_format", without_j(source));
        set("dstw", width_);
        set("dsth", field < 0 ? height_ : height_ / 2);
        set("dst_format", without_j(target));
        set("sws_flags", SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_BITEXACT);
        if (field >= 0) {
            // H.264, figure 6-4: a quarter and three quarters of a row of 4:2:0 below the field's own first row; of
            // 256.
            const int place = field == 0 ? 64 : 192;
            set("src_v_chr_pos", rows_of_chroma(source) == 1 ? place : -513);
            set("dst_v_chr_pos", rows_of_chroma(target) == 1 ? place : -513);
        }
        if (sws_init_context(computing.context.get(), nullptr, nullptr) < 0) {
            computing.context.reset();
            throw Error(ExitCode::input,
                        fmt::format("pictures cannot be converted from {} to {}", name_of(source), name_of(target)));
        }
        std::ranges::copy(made_for, computing.given);
    }
    const int* const table = sws_getCoefficients(colour_space_for_sws(from));
    const bool full = is_full_range(source, from.color_range);
    const bool target_full = without_j(target) != target || (full && !(is_rgb(source) && !is_rgb(target)));
    sws_setColorspaceDetails(computing.context.get(), table, full ? 1 : 0, table, target_full ? 1 : 0, 0, 1 << 16,
                             1 << 16);
    return *computing.context;
}

}  // namespace vfilter
