#include "io/codec/encoder.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "config/error.h"
#include "io/codec/encoder_formats.h"
#include "io/codec/encoder_palettes.h"
#include "io/codec/encoder_setup.h"
#include "io/compat.h"

namespace vfilter {

namespace {

// In a trial, a first pass, and a run without an output nothing is lost that anybody would have had.
bool reports_losses(const EncodeTask& task, const AVOutputFormat& container) {
    return !task.trial && task.pass != 1 && (container.flags & AVFMT_NOFILE) == 0;
}

}  // namespace

Encoder::Encoder(const OutputOptions& options, const EncodeTask& task, const AVOutputFormat& container,
                 const PictureStream& stream, const AVFrame& first, AVPixelFormat kept, FramePool& pool)
    : context_(set_up_encoder(options, task, container, stream, first)),
      conversion_(task, first, *context_, pool),
      losses_(*context_, stream, first, reports_losses(task, container)),
      times_(*context_, stream.stream->time_base),
      edits_(*context_, options.strip >= Strip::tags),
      palettes_(palettes_for(options, task, container, stream, first, kept, *context_)),
      trial_(task.trial) {
    if (!palettes_) {
        choose_format(options, task, container, stream, first, kept);
    }
    recipe_ = open_encoder(options, task, stream, first, *context_, pass_);
    if (recipe_.set_up) {
        begin_parts();
    }
    edits_.keep_density(first);
    set_containers_field_order(*stream.stream, first, *context_);
}

void Encoder::choose_format(const OutputOptions& options, const EncodeTask& task, const AVOutputFormat& container,
                            const PictureStream& stream, const AVFrame& first, AVPixelFormat kept) {
    const AVColorSpace matrix = stream.graphed.named_matrix;
    context_->pix_fmt = choose_encoder_format(options, task, container, *context_, kept);
    tag_full_gray(*context_, kept);
    conversion_.begin(first, kept, matrix);
    tell_conversions(options, task, container, stream.graphed, *context_, kept);
    if (context_->pix_fmt != kept) {
        tag_converted(*context_, kept, matrix);
    }
}

void Encoder::begin_parts() {
    const EncoderParts parts = recipe_.parts;
    spdlog::info("{} encoders work in parallel, each on parts of {} pictures", parts.encoders, parts.pictures);
    conversion_.copy_all();
    parts_ = std::make_unique<PartEncoders>(*context_, parts, [this] { return open_like(recipe_, *context_); });
}

void Encoder::watch_samples() {
    if (!palettes_) {  // which keep what they can of the colours
        watch_.emplace(*context_, !trial_);
    }
}

void Encoder::wait() {
    if (parts_) {
        parts_->wait();
    }
}

void Encoder::cancel_wait() {
    if (parts_) {
        parts_->cancel();
    }
}

double Encoder::seconds_inside() const {
    return parts_ ? parts_->most_pictures() / std::max(av_q2d(context_->framerate), 0.001) : 0;
}

void Encoder::send(FramePtr frame) {
    if (frame) {
        losses_.look(*frame);
        const auto given = static_cast<AVPixelFormat>(frame->format);
        frame = conversion_.convert(std::move(frame));
        losses_.drop_other_profile(*frame, given);
    }
    if (palettes_) {
        palettes_->send(std::move(frame));
    } else {
        encode(std::move(frame));
    }
}

// Replaces what the decoder says about a picture by what libavcodec's encoder is to know.
void Encoder::prepare(AVFrame& picture) {
    times_.take(picture);
    picture.quality = (context_->flags & AV_CODEC_FLAG_QSCALE) != 0 ? context_->global_quality : 0;
    edits_.take(picture);
    if (context_->codec_id == AV_CODEC_ID_H264 && (context_->flags & field_coding) != 0) {
        // x264 would take a new order for all the pictures that it holds, too.
        set_top_field_first(picture, context_->field_order == AV_FIELD_TT);
    }
    picture.pict_type = AV_PICTURE_TYPE_NONE;  // or the encoder would repeat the input's choice of key frames
}

void Encoder::encode(FramePtr frame) {
    if (frame) {
        prepare(*frame);
        if (watch_) {
            watch_->sent(*frame);
        }
    } else {
        times_.end();
    }
    if (parts_) {
        parts_->send(std::move(frame));
        return;
    }
    const int sent = avcodec_send_frame(context_.get(), frame.get());
    if (sent < 0 && sent != AVERROR_EOF) {
        fail(sent);
    }
}

void Encoder::fail(int error) const {
    pass_.check_folder();
    throw Error(ExitCode::encoder, fmt::format("the encoder {} failed: {}", name(), av_message(error)));
}

// As avcodec_receive_packet.
int Encoder::take(PacketPtr& packet) {
    if (!parts_) {
        return avcodec_receive_packet(context_.get(), packet.get());
    }
    PacketPtr next = parts_->receive();
    if (!next) {
        return AVERROR(EAGAIN);
    }
    packet = std::move(next);
    return 0;
}

// The same, but first sends the pictures whose palette has been made.
int Encoder::next_packet(PacketPtr& packet) {
    int got = take(packet);
    while (got == AVERROR(EAGAIN) && palettes_ && !told_end_) {
        FramePtr next = palettes_->receive();
        told_end_ = palettes_->ended() && !next;
        if (!next && !told_end_) {
            break;
        }
        encode(std::move(next));
        got = take(packet);
    }
    return got;
}

PacketPtr Encoder::receive() {
    PacketPtr packet = make_packet();
    const int got = next_packet(packet);
    if (got >= 0 || got == AVERROR_EOF) {
        pass_.keep_statistics(*context_);
        if (watch_) {
            watch_->came(got >= 0 ? packet.get() : nullptr);
        }
    }
    if (got == AVERROR(EAGAIN) || got == AVERROR_EOF) {
        return nullptr;
    }
    if (got < 0) {
        fail(got);
    }
    edits_.put(*packet);
    times_.put(*packet);
    return packet;
}

}  // namespace vfilter
