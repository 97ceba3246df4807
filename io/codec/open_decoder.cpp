#include "io/codec/open_decoder.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cerrno>
#include <new>

#include "io/codec/thread_limit.h"
#include "io/compat.h"

namespace vfilter {

namespace {

int get_pool_buffer(AVCodecContext* context, AVFrame* frame, int flags) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame->format));
    if (d == nullptr || (d->flags & (AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_PAL)) != 0) {
        return avcodec_default_get_buffer2(context, frame, flags);
    }
    int width = frame->width;
    int height = frame->height;
    int linesize_align[AV_NUM_DATA_POINTERS] = {};
    avcodec_align_dimensions2(context, &width, &height, linesize_align);
    try {
        static_cast<const DecoderListener*>(context->opaque)->pool->fill(*frame, width, height);
    } catch (const std::bad_alloc&) {
        return AVERROR(ENOMEM);
    } catch (const Error&) {
        return AVERROR(EINVAL);
    }
    return 0;
}

}  // namespace

const AVCodec& decoder_of(const AVStream& stream) {
    const AVCodec* const codec = avcodec_find_decoder(stream.codecpar->codec_id);
    if (codec == nullptr) {
        throw Error(ExitCode::input,
                    fmt::format("this FFmpeg has no decoder for {}", avcodec_get_name(stream.codecpar->codec_id)));
    }
    return *codec;
}

void open_codec(AVCodecContext& context, const AVCodec& codec) {
    int opened = avcodec_open2(&context, &codec, nullptr);
    if (opened == AVERROR(EAGAIN) || (opened < 0 && refuses_threads())) {
        spdlog::warn("the system refuses more threads: {} works in one", codec.name);
        context.thread_count = 1;
        opened = avcodec_open2(&context, &codec, nullptr);
    }
    if (opened == AVERROR(EAGAIN)) {
        throw Error(ExitCode::internal,
                    fmt::format("no thread for the decoder {}: {}", codec.name, av_message(opened)));
    }
    if (opened < 0) {
        throw Error(ExitCode::input,
                    fmt::format("the decoder {} refuses this stream: {}", codec.name, av_message(opened)));
    }
}

CodecContextPtr open_decoder(const Demuxer& input, int stream, const AVCodec& codec, DecoderListener& listener,
                             int threads, const std::function<void(AVCodecContext&)>& change) {
    const AVStream& video = *input.format().streams[stream];
    CodecContextPtr context(avcodec_alloc_context3(&codec));
    if (!context) {
        throw std::bad_alloc();
    }
    av_check(avcodec_parameters_to_context(context.get(), video.codecpar), "avcodec_parameters_to_context",
             ExitCode::input);
    context->pkt_timebase = video.time_base;
    context->framerate = input.frame_rate(stream);
    context->max_pixels = input.max_pixels() + input.max_pixels() / 8 + 65536;  // it counts whole blocks
    context->err_recognition |= AV_EF_CRCCHECK;                                 // checksums that lossless codecs carry
    context->thread_count = threads;
    if (input.live()) {
        // Threads that work on a picture each hold it back until as many more have come.
        context->thread_type = FF_THREAD_SLICE;
        if (video.codecpar->video_delay == 0) {
            context->flags |= AV_CODEC_FLAG_LOW_DELAY;
        }
    }
    context->opaque = &listener;
    listener.complaints.listen(&listener);
    if ((codec.capabilities & AV_CODEC_CAP_DR1) != 0) {
        context->get_buffer2 = &get_pool_buffer;
        mark_thread_safe(*context);
    }
    if (change) {
        change(*context);
    }
    open_codec(*context, codec);
    return context;
}

}  // namespace vfilter
