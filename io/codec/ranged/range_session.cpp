#include "io/codec/ranged/range_session.h"

#include <fmt/format.h>

#include <cerrno>
#include <limits>
#include <new>
#include <utility>

#include "config/error.h"
#include "io/codec/open_decoder.h"
#include "io/compat.h"
#include "io/formats/formats.h"

namespace vfilter {

namespace {

// Whether it holds no picture back.
bool gives_at_once(AVCodecID codec) {
    return codec == AV_CODEC_ID_VP8 || codec == AV_CODEC_ID_VP9;
}

// The time of a picture that nobody wants; no demuxer's.
constexpr std::int64_t of_warming_up = std::numeric_limits<std::int64_t>::min() + 1;

}  // namespace

const AVCodec* hardware_decoder(AVCodecID codec, const DecodeDevice& device) {
    void* place = nullptr;
    while (const AVCodec* const each = av_codec_iterate(&place)) {
        if (each->id != codec || av_codec_is_decoder(each) == 0) {
            continue;
        }
        for (int i = 0; const AVCodecHWConfig* const config = avcodec_get_hw_config(each, i); ++i) {
            if (config->device_type == device.type() && config->pix_fmt == device.surface_format() &&
                (config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX) != 0 &&
                (each->capabilities & AV_CODEC_CAP_HARDWARE) == 0) {
                return each;
            }
        }
    }
    return nullptr;
}

HardwareSession::HardwareSession(const DecodingSetup& setup, FramePool& pool, const DecodeDevice& device,
                                 PictureKind kind, bool resident)
    : pool_(pool),
      surfaces_(device.make_surfaces()),
      surface_format_(device.surface_format()),
      kind_(kind),
      resident_(resident) {
    const AVCodec* const codec = hardware_decoder(setup.codec->codec_id, device);
    if (codec == nullptr) {
        throw Error(ExitCode::device,
                    fmt::format("this FFmpeg decodes no {} there", avcodec_get_name(setup.codec->codec_id)));
    }
    context_.reset(avcodec_alloc_context3(codec));
    if (!context_) {
        throw std::bad_alloc();
    }
    av_check(avcodec_parameters_to_context(context_.get(), setup.codec.get()), "avcodec_parameters_to_context",
             ExitCode::input);
    leave_out_messages(*context_);
    context_->pkt_timebase = setup.time_base;
    context_->framerate = setup.frame_rate;
    limit_decoder(*context_, setup.max_pixels);
    context_->thread_count = 1;
    context_->opaque = this;
    complaints_.listen(this);
    context_->get_format = &choose_format;
    context_->hw_device_ctx = av_buffer_ref(surfaces_->context());
    if (context_->hw_device_ctx == nullptr) {
        throw std::bad_alloc();
    }
    give_surfaces_at_once(*context_);
    open_codec(*context_, *codec);
}

// Nothing but the device's surfaces: else libavcodec would go on on the CPU, and say so to nobody.
AVPixelFormat HardwareSession::choose_format(AVCodecContext* context, const AVPixelFormat* formats) {
    const AVPixelFormat wanted = static_cast<const HardwareSession*>(context->opaque)->surface_format_;
    for (; *formats != AV_PIX_FMT_NONE; ++formats) {
        if (*formats == wanted) {
            return wanted;
        }
    }
    return AV_PIX_FMT_NONE;
}

void HardwareSession::warm_up(const AVPacket& entry) {
    if (!fresh_) {
        return;
    }
    const PacketPtr packet = reference_to(entry);
    packet->pts = of_warming_up;
    packet->dts = AV_NOPTS_VALUE;
    fresh_ = false;
    warm_ = feeds_on() && avcodec_send_packet(context_.get(), packet.get()) >= 0;
    told_complaints_ = complaints_.count();
}

void HardwareSession::begin(Entry entry, bool feeding_on) {
    feeding_on = feeding_on || (std::exchange(warm_, false) && entry == Entry::closed);
    if (!fresh_ && !feeding_on && !(gives_at_once(context_->codec_id) && !ended_)) {
        avcodec_flush_buffers(context_.get());
        fresh_ = true;
    }
    ended_ = false;
    if (!feeding_on) {
        told_complaints_ = complaints_.count();
        refused_ = 0;
    }
}

void HardwareSession::send(AVPacket* packet) {
    if (packet == nullptr && gives_at_once(context_->codec_id)) {
        return;
    }
    ended_ = packet == nullptr;
    fresh_ = false;
    const int sent = avcodec_send_packet(context_.get(), packet);
    if (sent < 0 && sent != AVERROR_EOF) {
        ++refused_;
    }
}

bool HardwareSession::receive(DecodedPicture& next) {
    FramePtr frame = make_frame();
    int got = avcodec_receive_frame(context_.get(), frame.get());
    if (got >= 0 && frame->pts == of_warming_up) {
        got = avcodec_receive_frame(context_.get(), frame.get());  // which lets go of what the frame holds
    }
    // What else it is, the caller finds out: it may be for ever.
    refused_ += got < 0 && got != AVERROR(EAGAIN) && got != AVERROR_EOF ? 1 : 0;
    fill(next, got >= 0 ? std::move(frame) : nullptr);
    return got >= 0;
}

void HardwareSession::fill(DecodedPicture& next, FramePtr frame) {
    const std::int64_t complaints = complaints_.count();
    next = {};
    next.complaints = complaints - std::exchange(told_complaints_, complaints);
    next.complaint = complaints_.latest();
    next.refused = std::exchange(refused_, 0);
    if (!frame) {
        return;
    }
    frame->best_effort_timestamp = frame->pts;
    const auto doubt = [&](bool there, std::string why) {
        if (there && next.doubt.empty()) {
            next.doubt = std::move(why);
        }
    };
    doubt(frame->format != surface_format_, "the decoder did not use the device");
    doubt(frame->width != kind_.width || frame->height != kind_.height,
          fmt::format("pictures of {}x{} after {}x{}", frame->width, frame->height, kind_.width, kind_.height));
    doubt(frame->pts == AV_NOPTS_VALUE, "a picture has no time");
    doubt(av_frame_get_side_data(frame.get(), AV_FRAME_DATA_FILM_GRAIN_PARAMS) != nullptr, "film grain");
    doubt(without_j(context_->sw_pix_fmt) != kind_.format, "another pixel format");
    // The context's format is that of the last packet, the surface's is the picture's own.
    if (!next.doubt.empty() || !surfaces_->holds(*frame, kind_)) {
        doubt(true, "another pixel format");
        next.picture = std::move(frame);
        return;
    }
    doubt(frame->decode_error_flags != 0 || (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0, "a damaged picture");
    next.doubt = next.doubt.empty() ? surfaces_->doubt(*frame) : next.doubt;
    next.damaged = !next.doubt.empty();
    if (without_j(context_->sw_pix_fmt) != context_->sw_pix_fmt) {
        frame->color_range = AVCOL_RANGE_JPEG;
    }
    next.picture = surfaces_->take(*frame, kind_, pool_, resident_);
    next.resident = resident_;
}

}  // namespace vfilter
