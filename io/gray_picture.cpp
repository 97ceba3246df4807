#include "io/gray_picture.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>

#include <algorithm>

#include "io/container_rules.h"
#include "io/handles.h"

namespace vfilter {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw Error(ExitCode::usage, fmt::format("mask={}: {}", path, why));
}

void check(const std::string& path, int result) {
    if (result < 0) {
        refuse(path, fmt::format("no picture can be read: {}", av_message(result)));
    }
}

FramePtr read_picture(const std::string& path) {
    AVFormatContext* opened = nullptr;
    Dictionary options;
    options.set("protocol_whitelist", "file");
    options.set("format_whitelist", allowed_formats(false));
    check(path, avformat_open_input(&opened, fmt::format("file:{}", path).c_str(), nullptr, options.get()));
    const auto close = [](AVFormatContext* context) { avformat_close_input(&context); };
    const std::unique_ptr<AVFormatContext, decltype(close)> input(opened, close);
    check(path, avformat_find_stream_info(opened, nullptr));
    const AVCodec* codec = nullptr;
    const int stream = av_find_best_stream(opened, AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
    check(path, stream);
    const CodecContextPtr decoder(avcodec_alloc_context3(codec));
    check(path, avcodec_parameters_to_context(decoder.get(), opened->streams[stream]->codecpar));
    check(path, avcodec_open2(decoder.get(), codec, nullptr));
    FramePtr picture = make_frame();
    const PacketPtr packet = make_packet();
    bool more = true;
    for (;;) {
        const int received = avcodec_receive_frame(decoder.get(), picture.get());
        if (received == 0) {
            return picture;
        }
        if (received != AVERROR(EAGAIN) || !more) {
            check(path, received);
        }
        more = av_read_frame(opened, packet.get()) >= 0;
        if (!more || packet->stream_index == stream) {
            check(path, avcodec_send_packet(decoder.get(), more ? packet.get() : nullptr));
        }
        av_packet_unref(packet.get());
    }
}

// One step of swscale to a format of that size, in full range.
FramePtr scale(const std::string& path, const AVFrame& from, int width, int height, AVPixelFormat format, int flags) {
    FramePtr to = make_frame();
    to->width = width;
    to->height = height;
    to->format = format;
    av_check(av_frame_get_buffer(to.get(), 0), "av_frame_get_buffer");
    const SwsPtr context(sws_getContext(from.width, from.height, static_cast<AVPixelFormat>(from.format), width, height,
                                        format, flags | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_BITEXACT, nullptr,
                                        nullptr, nullptr));
    if (!context) {
        refuse(path, "its pixel format cannot be converted to grey");
    }
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(from.format));
    const bool full =
        from.color_range == AVCOL_RANGE_JPEG || (d->flags & AV_PIX_FMT_FLAG_RGB) != 0 || d->nb_components < 3;
    const int* const table = sws_getCoefficients(SWS_CS_DEFAULT);
    sws_setColorspaceDetails(context.get(), table, full ? 1 : 0, table, 1, 0, 1 << 16, 1 << 16);
    check(path, sws_scale(context.get(), from.data, from.linesize, 0, from.height, to->data, to->linesize));
    return to;
}

}  // namespace

std::vector<std::uint8_t> read_gray_picture(const std::string& path, int width, int height) {
    const FramePtr picture = read_picture(path);
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(picture->format));
    const bool alpha = d != nullptr && (d->flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
    // Grey first, then its size: a mask of the frame's own size is not resampled at all.
    FramePtr grey = scale(path, *picture, picture->width, picture->height, AV_PIX_FMT_GRAY8, SWS_POINT);
    if (alpha) {
        const FramePtr rgba = scale(path, *picture, picture->width, picture->height, AV_PIX_FMT_RGBA, SWS_POINT);
        for (int y = 0; y < grey->height; ++y) {
            std::uint8_t* const row = grey->data[0] + std::ptrdiff_t{grey->linesize[0]} * y;
            const std::uint8_t* const with_alpha = rgba->data[0] + std::ptrdiff_t{rgba->linesize[0]} * y;
            for (int x = 0; x < grey->width; ++x) {
                row[x] = static_cast<std::uint8_t>((row[x] * with_alpha[4 * x + 3] + 127) / 255);
            }
        }
    }
    grey->color_range = AVCOL_RANGE_JPEG;
    if (grey->width != width || grey->height != height) {
        grey = scale(path, *grey, width, height, AV_PIX_FMT_GRAY8, SWS_BILINEAR);
    }
    std::vector<std::uint8_t> samples;
    for (int y = 0; y < height; ++y) {
        const std::uint8_t* const row = grey->data[0] + std::ptrdiff_t{grey->linesize[0]} * y;
        samples.insert(samples.end(), row, row + width);
    }
    return samples;
}

void check_picture(const std::string& path) {
    read_picture(path);
}

}  // namespace vfilter
