#include "io/codec/sound/sound_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "io/changed_parameters.h"
#include "io/compat.h"
#include "io/formats/sound_format.h"
#include "io/input/layers/with_appended.h"
#include "io/packet_times.h"

namespace vfilter {

namespace {

// Of a pipe, where nobody knows how far a packet lies behind the beginning: so much of the input is sound, at least.
constexpr std::int64_t least_share = 10;

}  // namespace

SoundPieces::SoundPieces(const Demuxer& input, int stream, bool within)
    : input_(input), stream_(*input.format().streams[stream]), within_(within) {
    complaints_.listen(this);
    open_decoder(*stream_.codecpar);
    if (AVIOContext* const bytes = input.bytes_of(stream);
        input.clips() == 1 && bytes != nullptr && (bytes->seekable & AVIO_SEEKABLE_NORMAL) != 0) {
        bytes_ = std::max<std::int64_t>(0, avio_size(bytes));
    }
}

void SoundPieces::open_decoder(const AVCodecParameters& parameters) {
    const AVCodec* const codec = avcodec_find_decoder(parameters.codec_id);
    if (codec == nullptr) {
        throw Error(ExitCode::input,
                    fmt::format("this FFmpeg has no decoder for {}", avcodec_get_name(parameters.codec_id)));
    }
    decoder_.reset(avcodec_alloc_context3(codec));
    if (!decoder_) {
        throw std::bad_alloc();
    }
    av_check(avcodec_parameters_to_context(decoder_.get(), &parameters), "avcodec_parameters_to_context",
             ExitCode::input);
    decoder_->pkt_timebase = stream_.time_base;
    decoder_->err_recognition |= AV_EF_CRCCHECK;
    decoder_->thread_count = 1;
    decoder_->opaque = this;
    if (const int opened = avcodec_open2(decoder_.get(), codec, nullptr); opened < 0) {
        throw Error(ExitCode::input, fmt::format("the decoder {} refuses the sound of stream {}: {}", codec->name,
                                                 stream_.index, av_message(opened)));
    }
}

void SoundPieces::send(const AVPacket* packet) {
    if (packet != nullptr) {
        if (clip_of(*packet) != clip_) {
            begin_clip(clip_of(*packet));
        }
        if (const AVCodecParameters* const anew = attached_parameters(*packet); anew != parameters_) {
            go_on_with(*packet, anew);
        }
        if (packet->size == 0) {
            return;  // what FLAC's encoder says at its end, which is no sound
        }
        bytes_ = packet->pos >= 0 ? std::max(bytes_, packet->pos + packet->size) : bytes_ + least_share * packet->size;
    }
    const int sent = avcodec_send_packet(decoder_.get(), packet);
    if (sent == AVERROR(ENOMEM)) {
        throw std::bad_alloc();
    }
    if (sent < 0 && sent != AVERROR_EOF) {
        note_refusal();
    }
}

// What is still inside of a decoder comes out before the sound of the next one.
void SoundPieces::drain() {
    avcodec_send_packet(decoder_.get(), nullptr);
    for (SoundPiece piece = decode(); piece.frame; piece = decode()) {
        drained_.push_back(std::move(piece));
    }
    decoded_all_ = false;
}

// A live input that was lost and came back, with another setup of its encoder. Null: as it was at first.
void SoundPieces::go_on_with(const AVPacket& packet, const AVCodecParameters* parameters) {
    drain();
    BufferPtr owner(packet.opaque_ref != nullptr ? av_buffer_ref(packet.opaque_ref) : nullptr);
    if (parameters != nullptr && !owner) {
        throw std::bad_alloc();
    }
    owner_ = std::move(owner);  // no other ones have their address
    parameters_ = parameters;
    open_decoder(parameters != nullptr ? *parameters : *stream_.codecpar);
}

// Sound of another file: its decoder knows nothing of the one before, whose last piece is cut as at an end.
void SoundPieces::begin_clip(int clip) {
    drain();
    if (const SoundPiece& last = drained_.empty() ? held_ : drained_.back(); last.frame) {
        cut_filling(*last.frame);
    }
    earlier_damage_ = damage();
    damage_ = {};
    clip_ = clip;
    clip_begins_ = true;
    open_decoder(*input_.stream_of_clip(stream_.index, clip).value().stream.codecpar);
}

SoundPiece SoundPieces::receive() {
    for (SoundPiece piece = next(); piece.frame; piece = next()) {
        std::swap(piece, held_);
        if (piece.frame) {
            return piece;
        }
    }
    if (!decoded_all_) {
        return {};
    }
    if (held_.frame) {
        cut_filling(*held_.frame);
    }
    return std::exchange(held_, {});
}

SoundPiece SoundPieces::next() {
    if (!drained_.empty()) {
        SoundPiece piece = std::move(drained_.front());
        drained_.pop_front();
        return piece;
    }
    return decoded_all_ ? SoundPiece{} : decode();
}

SoundPiece SoundPieces::decode() {
    for (;;) {
        FramePtr frame = make_frame();
        const int got = avcodec_receive_frame(decoder_.get(), frame.get());
        const std::int64_t complaints = complaints_.count();
        const bool complained = complaints != std::exchange(told_complaints_, complaints);
        decoded_all_ = decoded_all_ || got == AVERROR_EOF;
        if (got == AVERROR(EAGAIN) || got == AVERROR_EOF) {
            return {};
        }
        if (got == AVERROR(ENOMEM)) {
            throw std::bad_alloc();
        }
        if (got < 0) {
            note_refusal();
            continue;
        }
        if (complained && began_) {
            note_damage(damage_.complaints, complaints_.latest());
        }
        if (frame->nb_samples > 0 && frame->sample_rate > 0) {
            began_ = true;
            return {std::move(frame), std::exchange(clip_begins_, false)};
        }
    }
}

// The container tells where the last piece ends: the codec fills its last packet up.
void SoundPieces::cut_filling(AVFrame& frame) const {
    const std::int64_t told =
        av_rescale_q(frame_duration(frame), decoder_->pkt_timebase, sample_clock(frame.sample_rate));
    const bool fine = av_q2d(decoder_->pkt_timebase) * frame.sample_rate < 2;
    if (fine && told > 0 && told < frame.nb_samples) {
        frame.nb_samples = static_cast<int>(told);
    }
}

void SoundPieces::note_refusal() {
    if (began_ || !within_) {
        note_damage(damage_.packets, "a damaged packet");
    }
}

void SoundPieces::note_damage(std::int64_t& count, const std::string& what) {
    ++count;
    const std::string at = reached_ && decoder_->sample_rate > 0
                               ? fmt::format("near {:.3f} s", static_cast<double>(*reached_) / decoder_->sample_rate -
                                                                  seconds_of(input_.told_from()))
                               : "at the beginning";
    damage_.note(fmt::format("sound of stream {} {}: {}", stream_.index, at, what));
    if (input_.strict()) {
        throw Error(ExitCode::damaged,
                    fmt::format("the sound of stream {} is damaged ({}), and --strict was given", stream_.index, what));
    }
}

Damage SoundPieces::damage() const {
    Damage own = damage_;
    const std::string file = clip_ > 0 ? input_.appended_file(clip_) : input_.added_file(stream_.index);
    Damage all = earlier_damage_;
    all += file.empty() ? own : own.give_to(file);
    return all;
}

std::int64_t SoundPieces::bytes_read() const {
    const AVIOContext* const read = input_.bytes_of(stream_.index);
    return read != nullptr ? std::max(bytes_, read->bytes_read) : bytes_;
}

}  // namespace vfilter
