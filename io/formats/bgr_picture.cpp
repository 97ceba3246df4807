#include "io/formats/bgr_picture.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <vector>

#include "io/formats/formats.h"
#include "io/formats/samples.h"

namespace vfilter {

namespace {

constexpr int row_alignment = 64;  // bytes, as the widest vectors want it

// Below HD, where nothing tells, videos are those of television and of old cameras.
constexpr int hd_width = 1280;
constexpr int above_sd_height = 577;

}  // namespace

AVColorSpace matrix_of(AVColorSpace tagged, int width, int height) {
    switch (tagged) {
        case AVCOL_SPC_BT709:
        case AVCOL_SPC_FCC:
        case AVCOL_SPC_BT470BG:
        case AVCOL_SPC_SMPTE170M:
        case AVCOL_SPC_SMPTE240M:
        case AVCOL_SPC_BT2020_NCL:
            return tagged;
        case AVCOL_SPC_BT2020_CL:
            return AVCOL_SPC_BT2020_NCL;  // the nearest that swscale has
        default:
            return width >= hd_width || height >= above_sd_height ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M;
    }
}

namespace {

// swscale takes gray for full whatever one tells it.
void stretch_limited(const BgrView& view) {
    static const auto table = [] {
        std::array<std::uint8_t, 256> made{};
        for (int i = 0; i < 256; ++i) {
            made[static_cast<std::size_t>(i)] =
                static_cast<std::uint8_t>(std::clamp(((i - 16) * 255 + 109) / 219, 0, 255));
        }
        return made;
    }();
    for (int y = 0; y < view.height; ++y) {
        std::uint8_t* const row = view.row(y);
        std::transform(row, row + 3 * view.width, row, [](std::uint8_t sample) { return table[sample]; });
    }
}

Colours colours_of_frame(const AVFrame& picture) {
    return colours_of(*av_pix_fmt_desc_get(static_cast<AVPixelFormat>(picture.format)));
}

// swscale 6 does not read all that FFmpeg describes: NV16 is one that it does not.
AVPixelFormat readable(AVPixelFormat format) {
    if (sws_isSupportedInput(format) != 0) {
        return format;
    }
    std::vector<AVPixelFormat> candidates;
    for (const AVPixFmtDescriptor* d = av_pix_fmt_desc_next(nullptr); d != nullptr; d = av_pix_fmt_desc_next(d)) {
        const AVPixelFormat candidate = av_pix_fmt_desc_get_id(d);
        if (is_native(candidate) && without_j(candidate) == candidate && sws_isSupportedInput(candidate) != 0 &&
            holds(candidate, format)) {
            candidates.push_back(candidate);
        }
    }
    return nearest_of(candidates, format);
}

FramePtr empty_picture(AVPixelFormat format, int width, int height) {
    FramePtr picture = make_frame();
    picture->format = format;
    picture->width = width;
    picture->height = height;
    av_check(av_frame_get_buffer(picture.get(), row_alignment), "av_frame_get_buffer");
    return picture;
}

}  // namespace

void BgrConverter::prepare(const Kind& kind) {
    const auto given = static_cast<AVPixelFormat>(kind.format);
    const AVPixelFormat format = readable(given);
    if (format == AV_PIX_FMT_NONE) {
        throw Error(ExitCode::input, fmt::format("pictures of format {} cannot be shown", name_of(given)));
    }
    readable_ = format == given ? nullptr : empty_picture(format, kind.width, kind.height);
    const AVPixFmtDescriptor& d = *av_pix_fmt_desc_get(format);
    // Without FULL_CHR swscale halves the chroma of what has all of it.
    const bool full_chroma = chroma_ == Chroma::smooth || (d.log2_chroma_w == 0 && colours_of(d) == Colours::yuv);
    context_.reset(sws_getContext(kind.width, kind.height, format, kind.to_width, kind.to_height, AV_PIX_FMT_BGR24,
                                  SWS_BILINEAR | SWS_ACCURATE_RND | (full_chroma ? SWS_FULL_CHR_H_INT : 0), nullptr,
                                  nullptr, nullptr));
    if (!context_) {
        throw Error(ExitCode::input, fmt::format("pictures of format {} cannot be shown", name_of(format)));
    }
    const int* const table = sws_getCoefficients(kind.matrix);
    sws_setColorspaceDetails(context_.get(), table, kind.full_range ? 1 : 0, table, 1, 0, 1 << 16, 1 << 16);
    made_ = empty_picture(AV_PIX_FMT_BGR24, kind.to_width, kind.to_height);
    kind_ = kind;
}

BgrView BgrConverter::convert(const AVFrame& picture, int width, int height) {
    const Colours colours = colours_of_frame(picture);
    const Kind kind{picture.width,
                    picture.height,
                    picture.format,
                    width,
                    height,
                    matrix_of(picture.colorspace, picture.width, picture.height),
                    colours != Colours::yuv || picture.color_range == AVCOL_RANGE_JPEG};
    if (!(kind == kind_)) {
        prepare(kind);
    }
    const AVFrame* source = &picture;
    if (readable_) {
        rearrange(picture, *readable_);
        source = readable_.get();
    }
    av_check(sws_scale(context_.get(), source->data, source->linesize, 0, source->height, made_->data, made_->linesize),
             "sws_scale", ExitCode::input);
    const BgrView view{made_->data[0], width, height, made_->linesize[0]};
    if (colours == Colours::gray && picture.color_range == AVCOL_RANGE_MPEG) {
        stretch_limited(view);
    }
    return view;
}

double sample_aspect_of(const AVFrame& picture) {
    const AVRational aspect = picture.sample_aspect_ratio;
    return aspect.num > 0 && aspect.den > 0 ? av_q2d(aspect) : 1;
}

void save_png(const BgrView& picture, AVRational sample_aspect, const std::string& path) {
    const AVCodec* const codec = avcodec_find_encoder(AV_CODEC_ID_PNG);
    if (codec == nullptr) {
        throw Error(ExitCode::output, fmt::format("{}: this FFmpeg has no encoder for PNG", path));
    }
    const CodecContextPtr context(avcodec_alloc_context3(codec));
    context->width = picture.width;
    context->height = picture.height;
    context->pix_fmt = AV_PIX_FMT_RGB24;
    context->time_base = {1, 1};
    context->sample_aspect_ratio = sample_aspect;
    context->compression_level = 3;  // a live picture waits meanwhile
    av_check(avcodec_open2(context.get(), codec, nullptr), "avcodec_open2", ExitCode::output);

    const FramePtr frame = make_frame();
    frame->format = context->pix_fmt;
    frame->width = picture.width;
    frame->height = picture.height;
    frame->sample_aspect_ratio = sample_aspect;
    av_check(av_frame_get_buffer(frame.get(), 0), "av_frame_get_buffer", ExitCode::output);
    for (int y = 0; y < picture.height; ++y) {
        const std::uint8_t* from = picture.row(y);
        std::uint8_t* to = frame->data[0] + static_cast<std::ptrdiff_t>(y) * frame->linesize[0];
        for (int x = 0; x < picture.width; ++x, from += 3, to += 3) {
            to[0] = from[2];
            to[1] = from[1];
            to[2] = from[0];
        }
    }
    const PacketPtr packet = make_packet();
    av_check(avcodec_send_frame(context.get(), frame.get()), "avcodec_send_frame", ExitCode::output);
    av_check(avcodec_receive_packet(context.get(), packet.get()), "avcodec_receive_packet", ExitCode::output);

    const auto size = static_cast<std::size_t>(packet->size);
    std::FILE* const file = std::fopen(path.c_str(), "wbx");
    const bool written = file != nullptr && std::fwrite(packet->data, 1, size, file) == size;
    const int error = errno;
    if (file == nullptr || std::fclose(file) != 0 || !written) {
        throw Error(ExitCode::output,
                    fmt::format("{}: {}", path, std::generic_category().message(written ? errno : error)));
    }
}

}  // namespace vfilter
