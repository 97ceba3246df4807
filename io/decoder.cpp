#include "io/decoder.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <new>

#include "io/compat.h"
#include "io/formats.h"

namespace vfilter {

bool has_independent_packets(const AVStream& stream) {
    const AVCodecDescriptor* const codec = avcodec_descriptor_get(stream.codecpar->codec_id);
    return stream.codecpar->codec_id == AV_CODEC_ID_WRAPPED_AVFRAME ||
           (codec != nullptr && (codec->props & AV_CODEC_PROP_INTRA_ONLY) != 0);
}

Decoder::Decoder(const Demuxer& input, FramePool& pool, int threads, bool strict)
    : pool_(pool),
      strict_(strict),
      time_base_(input.video().time_base),
      // Others have packets that are not shown. And where reading begins in the middle, the pictures that lean on what
      // came before are left out by right.
      counts_pictures_(!input.start() && (input.video().codecpar->codec_id == AV_CODEC_ID_H264 ||
                                          input.video().codecpar->codec_id == AV_CODEC_ID_HEVC)) {
    const AVStream& stream = input.video();
    const AVCodec* const codec = avcodec_find_decoder(stream.codecpar->codec_id);
    if (codec == nullptr) {
        throw Error(ExitCode::input,
                    fmt::format("this FFmpeg has no decoder for {}", avcodec_get_name(stream.codecpar->codec_id)));
    }
    context_.reset(avcodec_alloc_context3(codec));
    if (!context_) {
        throw std::bad_alloc();
    }
    av_check(avcodec_parameters_to_context(context_.get(), stream.codecpar), "avcodec_parameters_to_context",
             ExitCode::input);
    context_->pkt_timebase = stream.time_base;
    context_->framerate = input.frame_rate();
    context_->thread_count = threads;
    if (input.live()) {
        // Threads that work on a picture each hold it back until as many more have come.
        context_->thread_type = FF_THREAD_SLICE;
        if (stream.codecpar->video_delay == 0) {
            context_->flags |= AV_CODEC_FLAG_LOW_DELAY;
        }
    }
    context_->opaque = this;
    if ((codec->capabilities & AV_CODEC_CAP_DR1) != 0) {
        context_->get_buffer2 = &Decoder::get_buffer;
        mark_thread_safe(*context_);
    }
    const int opened = avcodec_open2(context_.get(), codec, nullptr);
    if (opened < 0) {
        throw Error(ExitCode::input,
                    fmt::format("the decoder {} refuses this stream: {}", codec->name, av_message(opened)));
    }
    usual_duration_ = std::max<std::int64_t>(1, av_rescale_q(1, av_inv_q(input.frame_rate()), time_base_));
}

int Decoder::get_buffer(AVCodecContext* context, AVFrame* frame, int flags) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame->format));
    if (d == nullptr || (d->flags & (AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_PAL)) != 0) {
        return avcodec_default_get_buffer2(context, frame, flags);
    }
    int width = frame->width;
    int height = frame->height;
    int linesize_align[AV_NUM_DATA_POINTERS] = {};
    avcodec_align_dimensions2(context, &width, &height, linesize_align);
    try {
        static_cast<Decoder*>(context->opaque)->pool_.fill(*frame, width, height);
    } catch (const std::bad_alloc&) {
        return AVERROR(ENOMEM);
    } catch (const Error&) {
        return AVERROR(EINVAL);
    }
    return 0;
}

void Decoder::note_damage(std::int64_t& count, const char* what) {
    ++count;
    if (strict_) {
        throw Error(ExitCode::damaged, fmt::format("a {} of the input is damaged, and --strict was given", what));
    }
}

void Decoder::send(const AVPacket* packet) {
    if (packet != nullptr && (packet->flags & AV_PKT_FLAG_DISCARD) == 0 && packet->size > 0 &&
        (sent_ > 0 || (packet->flags & AV_PKT_FLAG_KEY) != 0)) {
        ++sent_;
    }
    const int sent = avcodec_send_packet(context_.get(), packet);
    if (sent == AVERROR(ENOMEM)) {
        throw std::bad_alloc();
    }
    if (sent < 0 && sent != AVERROR_EOF) {
        // Decode on: the next key frame mends it.
        note_damage(damage_.packets, "packet");
    }
}

FramePtr Decoder::receive() {
    for (;;) {
        FramePtr frame = make_frame();
        const int got = avcodec_receive_frame(context_.get(), frame.get());
        if (got == AVERROR_EOF && counts_pictures_ && sent_ > received_) {
            // Pictures that were left out because others on which they lean are missing.
            damage_.frames += sent_ - received_;
            sent_ = received_;
        }
        if (got == AVERROR(EAGAIN) || got == AVERROR_EOF) {
            return nullptr;
        }
        if (got == AVERROR(ENOMEM)) {
            throw std::bad_alloc();
        }
        if (got < 0) {
            note_damage(damage_.packets, "packet");
            continue;
        }
        if (frame->decode_error_flags != 0 || (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0) {
            note_damage(damage_.frames, "frame");
        }
        if (const auto format = static_cast<AVPixelFormat>(frame->format); without_j(format) != format) {
            frame->format = without_j(format);
            frame->color_range = AVCOL_RANGE_JPEG;
        }
        ++received_;
        date(*frame);
        return frame;
    }
}

void Decoder::date(AVFrame& frame) {
    std::int64_t pts = frame.best_effort_timestamp;
    if (pts == AV_NOPTS_VALUE) {
        pts = last_pts_ == AV_NOPTS_VALUE ? 0 : last_pts_ + (last_duration_ > 0 ? last_duration_ : usual_duration_);
    }
    if (last_pts_ != AV_NOPTS_VALUE && pts <= last_pts_) {
        spdlog::debug("timestamp {} after {}: moved forward", pts, last_pts_);
        pts = last_pts_ + 1;
    }
    frame.pts = pts;
    last_pts_ = pts;
    last_duration_ = frame_duration(frame);
}

}  // namespace vfilter
