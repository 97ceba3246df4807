#include "io/codec/decoder.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "io/codec/thread_limit.h"
#include "io/compat.h"
#include "io/formats/formats.h"

namespace vfilter {

bool has_independent_packets(const AVStream& stream) {
    const AVCodecDescriptor* const codec = avcodec_descriptor_get(stream.codecpar->codec_id);
    return stream.codecpar->codec_id == AV_CODEC_ID_WRAPPED_AVFRAME ||
           (codec != nullptr && (codec->props & AV_CODEC_PROP_INTRA_ONLY) != 0);
}

Decoder::Decoder(const Demuxer& input, int stream, FramePool& pool, int threads, bool strict)
    : pool_(pool),
      strict_(strict),
      time_base_(input.format().streams[stream]->time_base),
      max_pixels_(input.max_pixels()),
      account_(*input.format().streams[stream]->codecpar, time_base_, input.start().has_value() || input.live(),
               judges_gaps(*input.format().iformat, input.live())) {
    const AVStream& video = *input.format().streams[stream];
    check_size(video.codecpar->width, video.codecpar->height);
    const AVCodec* const codec = avcodec_find_decoder(video.codecpar->codec_id);
    if (codec == nullptr) {
        throw Error(ExitCode::input,
                    fmt::format("this FFmpeg has no decoder for {}", avcodec_get_name(video.codecpar->codec_id)));
    }
    context_.reset(avcodec_alloc_context3(codec));
    if (!context_) {
        throw std::bad_alloc();
    }
    av_check(avcodec_parameters_to_context(context_.get(), video.codecpar), "avcodec_parameters_to_context",
             ExitCode::input);
    context_->pkt_timebase = video.time_base;
    context_->framerate = input.frame_rate(stream);
    context_->max_pixels = max_pixels_ + max_pixels_ / 8 + 65536;  // it counts whole blocks
    context_->err_recognition |= AV_EF_CRCCHECK;                   // checksums that lossless codecs carry
    context_->thread_count = threads;
    if (input.live()) {
        // Threads that work on a picture each hold it back until as many more have come.
        context_->thread_type = FF_THREAD_SLICE;
        if (video.codecpar->video_delay == 0) {
            context_->flags |= AV_CODEC_FLAG_LOW_DELAY;
        }
    }
    context_->opaque = this;
    complaints_.listen(this);
    if ((codec->capabilities & AV_CODEC_CAP_DR1) != 0) {
        context_->get_buffer2 = &Decoder::get_buffer;
        mark_thread_safe(*context_);
    }
    int opened = avcodec_open2(context_.get(), codec, nullptr);
    if (opened == AVERROR(EAGAIN) || (opened < 0 && refuses_threads())) {
        spdlog::warn("the system refuses more threads: {} works in one", codec->name);
        context_->thread_count = 1;
        opened = avcodec_open2(context_.get(), codec, nullptr);
    }
    if (opened == AVERROR(EAGAIN)) {
        throw Error(ExitCode::internal,
                    fmt::format("no thread for the decoder {}: {}", codec->name, av_message(opened)));
    }
    if (opened < 0) {
        throw Error(ExitCode::input,
                    fmt::format("the decoder {} refuses this stream: {}", codec->name, av_message(opened)));
    }
    usual_duration_ = std::max<std::int64_t>(1, av_rescale_q(1, av_inv_q(input.frame_rate(stream)), time_base_));
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

// Refuses pictures above the limit before memory is taken for them and all that is made of them.
void Decoder::check_size(int width, int height) const {
    if (std::int64_t{width} * height > max_pixels_) {
        throw Error(
            ExitCode::input,
            fmt::format("pictures of {}x{} are {:.0f} Mpixel each, and the limit is {:.0f}; --max-pixels raises it",
                        width, height, 1e-6 * static_cast<double>(width) * height,
                        1e-6 * static_cast<double>(max_pixels_)));
    }
}

std::string Decoder::place() const {
    return last_pts_ == AV_NOPTS_VALUE
               ? "at the beginning"
               : fmt::format("near {:.3f} s", static_cast<double>(last_pts_) * av_q2d(time_base_));
}

void Decoder::note_damage(std::int64_t& count, const char* what) {
    if (!account_.settled()) {
        return;
    }
    ++count;
    damage_.note(fmt::format("video: a damaged {} {}", what, place()));
    if (strict_) {
        throw Error(ExitCode::damaged, fmt::format("a {} of the input is damaged, and --strict was given", what));
    }
}

// Errors that the decoder has logged since the last picture: some go on after them as if nothing had been.
void Decoder::note_complaints() {
    const std::int64_t now = complaints_.count();
    if (now == told_complaints_) {
        return;
    }
    if (account_.settled()) {
        damage_.complaints += now - told_complaints_;
        damage_.note(fmt::format("video {}: {}", place(), complaints_.latest()));
        if (strict_) {
            throw Error(ExitCode::damaged,
                        fmt::format("the video is damaged ({}), and --strict was given", complaints_.latest()));
        }
    }
    told_complaints_ = now;
}

Damage Decoder::damage() const {
    Damage damage = damage_;
    if (ended_) {
        damage += account_.missing();
    }
    return damage;
}

void Decoder::send(const AVPacket* packet) {
    if (packet != nullptr) {
        account_.sent(*packet);
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
        if (got == AVERROR_EOF && !ended_) {
            ended_ = true;
            note_complaints();
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
        check_size(frame->width, frame->height);
        const bool early = !account_.received(frame->pts, is_interlaced(*frame), is_key_frame(*frame));
        note_complaints();
        const bool damaged = frame->decode_error_flags != 0 || (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0;
        if (const auto format = static_cast<AVPixelFormat>(frame->format); without_j(format) != format) {
            frame->format = without_j(format);
            frame->color_range = AVCOL_RANGE_JPEG;
        }
        date(*frame);
        if (damaged && !early) {
            note_damage(damage_.frames, "frame");
        }
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
