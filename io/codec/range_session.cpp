#include "io/codec/range_session.h"

#include <fmt/format.h>

#include <cerrno>
#include <new>
#include <utility>

#include "io/formats/formats.h"

namespace vfilter {

namespace {

// Whether it holds no picture back.
bool gives_at_once(AVCodecID codec) {
    return codec == AV_CODEC_ID_VP8 || codec == AV_CODEC_ID_VP9;
}

const AVCodec& codec_for(const AVStream& stream, const DecodeDevice* device) {
    const AVCodec* const own = device == nullptr ? nullptr : hardware_decoder(stream.codecpar->codec_id, *device);
    return own != nullptr ? *own : decoder_of(stream);
}

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

CodecSession::CodecSession(const Demuxer& input, int stream, FramePool& pool, const DecodeDevice* device,
                           PictureKind kind, bool resident)
    : listener_{&pool}, pool_(pool), kind_(kind), resident_(resident) {
    if (device != nullptr) {
        surfaces_ = device->make_surfaces();
        surface_format_ = device->surface_format();
        listener_.format = surface_format_;
    }
    const auto change = [this](AVCodecContext& context) {
        if (!surfaces_) {
            return;
        }
        context.get_format = &choose_format;
        context.hw_device_ctx = av_buffer_ref(surfaces_->context());
        if (context.hw_device_ctx == nullptr) {
            throw std::bad_alloc();
        }
#ifdef AV_HWACCEL_FLAG_UNSAFE_OUTPUT
        context.hwaccel_flags |= AV_HWACCEL_FLAG_UNSAFE_OUTPUT;  // surfaces are given back at once
#endif
    };
    context_ = open_decoder(input, stream, codec_for(*input.format().streams[stream], device), listener_, 1, change);
}

// Nothing but the device's surfaces: else libavcodec would go on on the CPU, and say so to nobody.
AVPixelFormat CodecSession::choose_format(AVCodecContext* context, const AVPixelFormat* formats) {
    const AVPixelFormat wanted = static_cast<const DecoderListener*>(context->opaque)->format;
    for (; *formats != AV_PIX_FMT_NONE; ++formats) {
        if (*formats == wanted) {
            return wanted;
        }
    }
    return AV_PIX_FMT_NONE;
}

void CodecSession::begin(Entry /*entry*/, bool feeding_on) {
    if (!fresh_ && !feeding_on && !(gives_at_once(context_->codec_id) && !ended_)) {
        avcodec_flush_buffers(context_.get());
        fresh_ = true;
    }
    ended_ = false;
    if (!feeding_on) {
        told_complaints_ = listener_.complaints.count();
        refused_ = 0;
    }
}

void CodecSession::send(const AVPacket* packet) {
    if (packet == nullptr && gives_at_once(context_->codec_id)) {
        return;
    }
    ended_ = packet == nullptr;
    fresh_ = false;
    const int sent = avcodec_send_packet(context_.get(), packet);
    if (sent == AVERROR(ENOMEM) && !surfaces_) {
        throw std::bad_alloc();
    }
    if (sent < 0 && sent != AVERROR_EOF) {
        ++refused_;
    }
}

bool CodecSession::receive(RangePicture& next) {
    for (;;) {
        FramePtr frame = make_frame();
        const int got = avcodec_receive_frame(context_.get(), frame.get());
        if (got == AVERROR(ENOMEM) && !surfaces_) {
            throw std::bad_alloc();
        }
        if (got < 0 && got != AVERROR(EAGAIN) && got != AVERROR_EOF) {
            ++refused_;
            if (surfaces_) {  // what it is, the caller finds out: it may be for ever
                fill(next, nullptr);
                return false;
            }
            continue;
        }
        const bool there = got >= 0;
        fill(next, there ? std::move(frame) : nullptr);
        return there;
    }
}

void CodecSession::fill(RangePicture& next, FramePtr frame) {
    const std::int64_t complaints = listener_.complaints.count();
    next = {};
    next.complaints = complaints - std::exchange(told_complaints_, complaints);
    next.complaint = listener_.complaints.latest();
    next.refused = std::exchange(refused_, 0);
    if (!frame || !surfaces_) {
        next.picture = std::move(frame);
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
    doubt(frame->decode_error_flags != 0 || (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0, "a damaged picture");
    doubt(av_frame_get_side_data(frame.get(), AV_FRAME_DATA_FILM_GRAIN_PARAMS) != nullptr, "film grain");
    if (next.doubt.empty()) {
        doubt(context_->sw_pix_fmt != kind_.format && without_j(context_->sw_pix_fmt) != kind_.format,
              "another pixel format");
        next.doubt = next.doubt.empty() ? surfaces_->doubt(*frame) : next.doubt;
    }
    if (next.doubt.empty()) {
        if (without_j(context_->sw_pix_fmt) != context_->sw_pix_fmt) {
            frame->color_range = AVCOL_RANGE_JPEG;
        }
        next.picture = surfaces_->take(*frame, kind_, pool_, resident_);
        next.resident = resident_;
        return;
    }
    next.picture = std::move(frame);
}

}  // namespace vfilter
