#include "io/input/layers/keyed_sound.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <span>
#include <utility>

#include "config/error.h"
#include "io/stream_facts.h"

namespace vfilter {

bool has_key(const InputOptions& options) {
    return std::ranges::any_of(options.input_options, [](const auto& option) {
        return option.first.find("decryption_key") != std::string::npos;
    });
}

KeyedSound::KeyedSound(std::unique_ptr<PacketSource> inner, const InputRequest& options)
    : PacketLayer(std::move(inner)), options_(options) {
    if ((options.wanted & kind::audio) != 0) {
        for (const AVStream* const stream : std::span(format().streams, format().nb_streams)) {
            begin(*stream);
        }
    }
}

void KeyedSound::begin(const AVStream& stream) {
    CodecContextPtr& decoder = decoders_.emplace_back();
    const AVCodec* const codec = avcodec_find_decoder(stream.codecpar->codec_id);
    if (stream.codecpar->codec_type != AVMEDIA_TYPE_AUDIO || codec == nullptr) {
        return;
    }
    decoder.reset(avcodec_alloc_context3(codec));
    if (!decoder) {
        throw std::bad_alloc();
    }
    decoder->thread_count = 1;
    if (avcodec_parameters_to_context(decoder.get(), stream.codecpar) < 0 ||
        avcodec_open2(decoder.get(), codec, nullptr) < 0) {
        decoder.reset();
    }
}

bool KeyedSound::is_refused(const AVPacket& packet) {
    const auto stream = static_cast<std::size_t>(packet.stream_index);
    if (stream >= decoders_.size() || !decoders_[stream] || packet.size == 0) {
        return false;
    }
    const FramePtr sound = make_frame();
    int got = avcodec_send_packet(decoders_[stream].get(), &packet);
    while (got >= 0) {
        got = avcodec_receive_frame(decoders_[stream].get(), sound.get());
    }
    if (got == AVERROR(ENOMEM)) {
        throw std::bad_alloc();
    }
    return got != AVERROR(EAGAIN) && got != AVERROR_EOF;
}

int KeyedSound::read(AVPacket& packet) {
    const int got = PacketLayer::read(packet);
    if (got < 0 || !is_refused(packet)) {
        return got;
    }
    ++damage_.packets;
    if (told_.insert(packet.stream_index).second) {
        std::string what = fmt::format("{}: it cannot be decoded with the given key, which may be the wrong one",
                                       describe(*format().streams[packet.stream_index]));
        if (options_.strict) {
            throw Error(ExitCode::damaged, what + "; --strict was given");
        }
        damage_.note(std::move(what));
    }
    return got;
}

int KeyedSound::seek(int stream, std::int64_t latest, int flags) {
    for (const CodecContextPtr& decoder : decoders_) {
        if (decoder) {
            avcodec_flush_buffers(decoder.get());
        }
    }
    damage_ = {};
    told_.clear();
    return PacketLayer::seek(stream, latest, flags);
}

Damage KeyedSound::take_damage() {
    Damage damage = PacketLayer::take_damage();
    damage += std::exchange(damage_, {});
    return damage;
}

}  // namespace vfilter
