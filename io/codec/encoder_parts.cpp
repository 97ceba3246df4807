// Encoders of the same video beside each other.

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <new>
#include <span>

#include "io/bitstream/encoder_notes.h"
#include "io/codec/encoder.h"

namespace vfilter {

namespace {

std::span<const std::uint8_t> headers(const AVCodecContext& encoder) {
    return {encoder.extradata, static_cast<std::size_t>(encoder.extradata_size)};
}

}  // namespace

void Encoder::begin_parts(EncoderParts parts) {
    spdlog::info("{} encoders work in parallel, each on parts of {} pictures", parts.encoders, parts.pictures);
    waiting_.emplace(allocate_picture);
    parts_ = std::make_unique<PartEncoders>(*context_, parts, [this] { return open_like_first(); });
}

// On an encoder's thread.
CodecContextPtr Encoder::open_like_first() {
    CodecContextPtr next(avcodec_alloc_context3(set_up_->codec));
    if (!next) {
        throw std::bad_alloc();
    }
    set_up_like(*set_up_, *next);
    Dictionary settings;
    av_dict_copy(settings.get(), *settings_.get(), 0);
    const int opened = avcodec_open2(next.get(), set_up_->codec, settings.get());
    if (opened < 0) {
        throw Error(ExitCode::encoder,
                    fmt::format("another encoder {} cannot be opened: {}", name(), av_message(opened)));
    }
    if (removes_notes_) {
        remove_notes(*next);
    }
    if (!std::ranges::equal(headers(*next), headers(*context_))) {
        throw Error(ExitCode::encoder,
                    fmt::format("the encoder {} gives each part headers of its own, of which the file has one: leave "
                                "out --encoders",
                                name()));
    }
    return next;
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

double Encoder::seconds_inside() const {
    return parts_ ? parts_->most_pictures() / std::max(av_q2d(context_->framerate), 0.001) : 0;
}

}  // namespace vfilter
