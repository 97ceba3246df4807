#include "io/codec/successive_decoders.h"

#include <utility>

#include "io/codec/decoder.h"
#include "io/input/layers/with_appended.h"

namespace vfilter {

void SuccessiveDecoders::send(const AVPacket* packet) {
    if (packet == nullptr) {
        if (now_) {
            now_->send(nullptr);
        }
        return;
    }
    const int clip = clip_of(*packet);
    if (now_ && clip != clip_) {
        now_->send(nullptr);
        next_ = reference_to(*packet);
        return;
    }
    if (!now_) {
        begin(clip);
    }
    ++sent_;
    now_->send(packet);
}

FramePtr SuccessiveDecoders::receive() {
    while (now_) {
        if (FramePtr picture = now_->receive()) {
            return picture;
        }
        if (!next_ || (look_ && !look_(true))) {
            return nullptr;
        }
        begin(clip_of(*next_));
        ++sent_;
        now_->send(std::exchange(next_, nullptr).get());
    }
    return nullptr;
}

void SuccessiveDecoders::look_on(const Look& look) {
    look_ = look;
    if (now_) {
        now_->look_on(look);
    }
}

void SuccessiveDecoders::begin(int clip) {
    damage_ = damage();
    facts_ = facts();
    sent_before_ = sent_;
    now_.reset();  // its threads and sessions are gone before there are others
    now_ = make_({.number = clip, .first = clip_ < 0});
    clip_ = clip;
    if (look_) {
        now_->look_on(look_);
    }
}

Damage SuccessiveDecoders::damage() const {
    Damage damage = damage_;
    if (now_) {
        damage += now_->damage();
    }
    return damage;
}

DecodeFacts SuccessiveDecoders::facts() const {
    DecodeFacts all = facts_;
    const DecodeFacts now = now_ ? now_->facts() : DecodeFacts{};
    all.hardware += now.hardware;
    all.resident += now.resident;
    all.beside += now.beside;
    all.sessions += now.sessions;
    all.ranges += now.ranges;
    all.on_cpu += now.on_cpu;
    all.why_on_cpu = all.why_on_cpu.empty() ? now.why_on_cpu : all.why_on_cpu;
    return all;
}

std::unique_ptr<FrameSource> make_decoder(const Demuxer& input, int stream, FramePool& pool, int threads, bool strict) {
    if (input.clips() == 1) {
        return std::make_unique<Decoder>(input, stream, pool, threads, strict);
    }
    return std::make_unique<SuccessiveDecoders>(
        [&input, stream, &pool, threads, strict](Clip clip) {
            return std::make_unique<Decoder>(input, stream, pool, threads, strict, clip);
        },
        false);
}

}  // namespace vfilter
