// The threads' functions, in the order of a frame's route. Each waits only in its channels and in its codec.

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <map>

#include "pipeline/pipeline.h"

namespace vfilter {

namespace {

std::int64_t microseconds(std::int64_t time, AVRational base) {
    return av_rescale_q(time, base, AVRational{1, AV_TIME_BASE});
}

// Packets are interleaved by time, loosely: so long after the end another stream's last packets may come.
constexpr std::int64_t interleaving = 2 * std::int64_t{AV_TIME_BASE};

void count(std::atomic<std::int64_t>& events) {
    events.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

void Pipeline::read_packets() {
    Demuxer& demuxer = parts_.demuxer;
    StageStats& stats = parts_.stats[StageId::read];
    const auto start = demuxer.start();
    const auto end = demuxer.end();
    bool video_wanted = true;
    for (;;) {
        stats.enter(live_ ? Activity::waiting_for_input : Activity::working);
        PacketPtr packet = demuxer.read();
        const auto captured = Stamps::Clock::now();
        stats.enter(Activity::working);
        if (!packet) {
            return;
        }
        reached(StageId::read, stats.items());
        const int index = packet->stream_index;
        const AVRational base = demuxer.format().streams[index]->time_base;
        const std::int64_t stamp = packet->dts != AV_NOPTS_VALUE ? packet->dts : packet->pts;
        const bool dated = stamp != AV_NOPTS_VALUE;
        const std::int64_t begin = dated ? microseconds(stamp, base) : 0;
        const std::int64_t over = dated ? microseconds(stamp + packet->duration, base) : 0;
        // Where a number of frames is asked for, the end is an estimate: only the decoder knows when it has them.
        const bool counted = demuxer.max_frames().has_value();
        if (end && dated && begin >= *end + interleaving && !(counted && video_wanted)) {
            return;
        }
        stats.count();
        stats.enter(Activity::waiting_for_output);
        if (index == demuxer.video_index()) {
            // A picture is never shown before it is decoded: with dts past the end, so are all that follow.
            const bool past = end && packet->dts != AV_NOPTS_VALUE && begin >= *end && !counted;
            video_wanted = video_wanted && !past && send_video({std::move(packet), captured});
            if (!video_wanted) {
                packets_.close();
                if (cancelled() || !end || live_) {
                    return;
                }
            }
            continue;
        }
        const bool before = start && dated && over <= *start;
        const bool after = end && dated && begin >= *end;
        if (parts_.muxer != nullptr && parts_.muxer->carries(index) && !before && !after &&
            !output_.send({.packet = std::move(packet), .copied = true})) {
            return;
        }
    }
}

// False when no further packet is wanted. Live, it never waits: the source would go on without us.
bool Pipeline::send_video(InputPacket packet) {
    if (!live_) {
        return packets_.send(std::move(packet));
    }
    bool wanted = true;
    if (independent_) {
        if (packets_.replace(std::move(packet), wanted)) {
            count(drops_.undecoded);
        }
        return wanted;
    }
    // What builds on a packet that is missing is not worth decoding.
    const bool key = (packet.packet->flags & AV_PKT_FLAG_KEY) != 0;
    waits_for_key_ = waits_for_key_ && !key;
    if ((waits_for_key_ || !packets_.offer(packet, wanted)) && wanted) {
        waits_for_key_ = true;
        count(drops_.undecoded);
    }
    return wanted;
}

void Pipeline::decode_packets() {
    Decoder& decoder = parts_.decoder;
    StageStats& stats = parts_.stats[StageId::decode];
    std::int64_t index = 0;
    std::map<std::int64_t, Stamps::Clock::time_point> inside;  // when the packets in the decoder came, by pts
    auto latest = Stamps::Clock::now();
    for (bool more = true; more;) {
        stats.enter(Activity::waiting_for_input);
        const std::optional<InputPacket> item = packets_.receive();
        if (cancelled()) {
            return;
        }
        stats.enter(Activity::working);
        auto begin = StageStats::Clock::now();
        more = item.has_value();
        if (more && is_stale(*item)) {
            count(drops_.undecoded);
            continue;
        }
        if (more) {
            latest = item->captured;
            inside.emplace(item->packet->pts, latest);
        }
        decoder.send(more ? item->packet.get() : nullptr);
        while (FramePtr picture = decoder.receive()) {
            Frame frame{std::move(picture), index};
            // Decoders give a picture the pts of its packet. Those of packets that gave none go with later ones.
            const auto found = inside.find(frame.picture->pts);
            frame.stamps.captured = found != inside.end() ? found->second : latest;
            inside.erase(inside.begin(), inside.upper_bound(frame.picture->pts));
            if (!wanted_yet(frame)) {
                continue;
            }
            if (live_) {
                note_drift(frame);
            }
            // At the end the last ones come together, and nothing comes after them.
            if (!wanted_still(frame) || !deliver_frame(std::move(frame), begin, live_ && more)) {
                return;
            }
            ++index;
            begin = StageStats::Clock::now();
        }
    }
}

// Whether a packet has waited too long: then, and up to the next key frame that has not, decoding would only show what
// was. The reader sees to that itself where any packet may be left out.
bool Pipeline::is_stale(const InputPacket& item) {
    if (!live_ || independent_) {
        return false;
    }
    const bool key = (item.packet->flags & AV_PKT_FLAG_KEY) != 0;
    const bool late = Stamps::Clock::now() - item.captured > live_patience;
    skips_to_key_ = late || (skips_to_key_ && !key);
    return skips_to_key_;
}

void Pipeline::note_drift(const Frame& frame) {
    const std::int64_t pts =
        av_rescale_q(frame.picture->pts, parts_.demuxer.video().time_base, AVRational{1, 1000000000});
    const std::int64_t ahead = frame.stamps.captured.time_since_epoch() / std::chrono::nanoseconds(1) - pts;
    first_ahead_ = first_ahead_.value_or(ahead);
    drift_.store(ahead - *first_ahead_, std::memory_order_relaxed);
}

bool Pipeline::wanted_yet(const Frame& frame) const {
    const Demuxer& demuxer = parts_.demuxer;
    return !demuxer.start() || microseconds(frame.picture->pts, demuxer.video().time_base) >= *demuxer.start();
}

bool Pipeline::wanted_still(const Frame& frame) const {
    const Demuxer& demuxer = parts_.demuxer;
    return demuxer.max_frames()
               ? frame.index < *demuxer.max_frames()
               : !demuxer.end() || microseconds(frame.picture->pts, demuxer.video().time_base) < *demuxer.end();
}

// False when no further picture is wanted.
bool Pipeline::deliver_frame(Frame frame, StageStats::Clock::time_point begin, bool overtakes) {
    reached(StageId::decode, frame.index);
    Converter& normaliser = parts_.normaliser;
    if (normaliser.needed(*frame.picture)) {
        FramePtr normal = make_frame();
        normal->format = normaliser.format();
        normal->width = normaliser.width();
        normal->height = normaliser.height();
        parts_.pool.fill(*normal, normaliser.width(), normaliser.height());
        normaliser.convert(*frame.picture, *normal);
        frame.picture = std::move(normal);
    }
    frame.stamps.decoded = Stamps::Clock::now();
    parts_.stats.latency[Leg::decode].add(frame.stamps.decoded - frame.stamps.captured);
    if (parts_.trace != nullptr) {
        parts_.trace->span(StageId::decode, frame.index, begin);
    }
    StageStats& stats = parts_.stats[StageId::decode];
    stats.count();
    stats.enter(Activity::waiting_for_output);
    const bool wanted = send_decoded(std::move(frame), overtakes);
    stats.enter(Activity::working);
    return wanted;
}

// Live: until the next picture is due to come after this one. So long a stage may be waited for without anything being
// lost by it: after a pause pictures come in bursts.
std::chrono::microseconds Pipeline::time_to_next(const Frame& frame) const {
    const auto due = frame.stamps.captured + interval_;
    const auto left = std::chrono::duration_cast<std::chrono::microseconds>(due - Stamps::Clock::now());
    return std::max(left, std::chrono::microseconds(0));
}

bool Pipeline::send_decoded(Frame frame, bool overtakes) {
    if (!overtakes) {
        return decoded_.send(std::move(frame));
    }
    bool wanted = true;
    const std::chrono::microseconds patience = time_to_next(frame);
    if (decoded_.replace(std::move(frame), wanted, patience)) {
        count(drops_.overtaken);
    }
    return wanted;
}

void Pipeline::filter_frames() {
    StageStats& stats = parts_.stats[StageId::filter];
    for (;;) {
        stats.enter(Activity::waiting_for_input);
        std::optional<Frame> frame = decoded_.receive();
        stats.enter(Activity::working);
        const auto begin = StageStats::Clock::now();
        if (!frame) {
            break;
        }
        reached(StageId::filter, frame->index);
        if (too_late(*frame)) {
            count(drops_.shed);
        } else if (!filter_next(*std::move(frame), begin)) {
            return;
        }
    }
    while (!cancelled() && parts_.engine->in_flight() > 0 && take_filtered(StageStats::Clock::now())) {
    }
}

// False when no further picture is wanted.
bool Pipeline::filter_next(Frame frame, StageStats::Clock::time_point begin) {
    if (std::unique_ptr<FilterEngine> next = take_new_engine()) {
        while (parts_.engine->in_flight() > 0) {
            if (!take_filtered(begin)) {
                return false;
            }
        }
        parts_.engine = std::move(next);
    }
    const bool verified = parts_.verifier != nullptr && parts_.verifier->wants(frame.index);
    if (verified || parts_.preview) {
        originals_.emplace(frame.index, FramePtr(av_frame_clone(frame.picture.get())));
    }
    parts_.engine->submit(std::move(frame));
    // Live, nobody waits for the next picture to have this one.
    while (parts_.engine->in_flight() >= (live_ ? 1 : parts_.engine->slots())) {
        if (!take_filtered(begin)) {
            return false;
        }
    }
    return true;
}

// Whether a picture would be ready only after --max-latency. One in a second passes all the same: where the limit
// cannot be held at all, that is to be seen.
bool Pipeline::too_late(const Frame& frame) {
    constexpr std::chrono::seconds sign_of_life{1};
    if (!live_ || !parts_.max_latency) {
        return false;
    }
    const auto now = Stamps::Clock::now();
    const std::chrono::duration<double, std::milli> expected = now - frame.stamps.captured + usual_time_;
    if (expected.count() > *parts_.max_latency && now - last_passed_ < sign_of_life) {
        return true;
    }
    last_passed_ = now;
    return false;
}

std::unique_ptr<FilterEngine> Pipeline::take_new_engine() {
    const std::lock_guard lock(mutex_);
    return std::move(next_engine_);
}

// The oldest picture in the engine, on to where it is wanted. False when no further one is.
bool Pipeline::take_filtered(StageStats::Clock::time_point begin) {
    Frame frame = parts_.engine->take();
    Stamps& stamps = frame.stamps;
    stamps.filtered = Stamps::Clock::now();
    stamps.uploaded = stamps.uploaded == Stamps::never ? begin : stamps.uploaded;
    constexpr int memory = 8;  // pictures over which the usual time follows a change
    usual_time_ += (stamps.filtered - begin - usual_time_) / memory;
    parts_.stats.latency[Leg::queue].add(stamps.uploaded - stamps.decoded);
    parts_.stats.latency[Leg::filter].add(stamps.filtered - stamps.uploaded);
    parts_.stats.latency[Leg::ready].add(stamps.filtered - stamps.captured);
    if (const auto found = originals_.find(frame.index); found != originals_.end()) {
        frame.original = std::move(found->second);
        originals_.erase(found);
    }
    if (parts_.verifier != nullptr && parts_.verifier->wants(frame.index)) {
        parts_.verifier->check(*frame.original, *frame.picture, frame.index);
    }
    if (parts_.trace != nullptr) {
        parts_.trace->span(StageId::filter, frame.index, begin);
    }
    StageStats& stats = parts_.stats[StageId::filter];
    stats.count();
    stats.enter(Activity::waiting_for_output);
    const bool wanted = deliver_filtered(std::move(frame));
    stats.enter(Activity::working);
    return wanted;
}

bool Pipeline::deliver_filtered(Frame frame) {
    bool wanted = true;
    if (parts_.preview) {
        wanted = show(frame);
    }
    if (parts_.encoder == nullptr) {
        return wanted;
    }
    frame.original = nullptr;
    if (!live_) {
        return filtered_.send(std::move(frame));
    }
    // A slow encoder holds up neither the camera nor the window: what its queue cannot take is told.
    if (!filtered_.offer(frame, wanted, time_to_next(frame))) {
        count(drops_.unrecorded);
    }
    return wanted;
}

// Where a file is played, the window's clock is everybody's: there this waits. False when the window is gone.
bool Pipeline::show(const Frame& frame) {
    Frame shown{FramePtr(av_frame_clone(frame.picture.get())), frame.index, frame.stamps,
                FramePtr(av_frame_clone(frame.original.get()))};
    if (!live_ && parts_.encoder == nullptr) {
        return pictures_.send(std::move(shown));
    }
    bool wanted = true;
    if (pictures_.replace(std::move(shown), wanted)) {
        count(drops_.unseen);
    }
    return true;  // a recording goes on without its window
}

void Pipeline::encode_frames() {
    Encoder& encoder = *parts_.encoder;
    StageStats& stats = parts_.stats[StageId::encode];
    struct Inside {
        std::int64_t index;
        Stamps::Clock::time_point captured;
    };
    std::map<std::int64_t, Inside> inside;  // the pictures in the encoder, by pts
    for (bool more = true; more;) {
        stats.enter(Activity::waiting_for_input);
        std::optional<Frame> frame = filtered_.receive();
        if (cancelled()) {
            return;
        }
        stats.enter(Activity::working);
        const auto begin = StageStats::Clock::now();
        more = frame.has_value();
        if (more) {
            reached(StageId::encode, frame->index);
            inside.emplace(frame->picture->pts, Inside{frame->index, frame->stamps.captured});
        }
        encoder.send(more ? std::move(frame->picture) : nullptr);
        while (PacketPtr packet = encoder.receive()) {
            OutputPacket item;
            if (const auto found = inside.find(packet->pts); found != inside.end()) {
                item.frame = found->second.index;
                item.captured = found->second.captured;
                inside.erase(found);
            }
            item.packet = std::move(packet);
            stats.enter(Activity::waiting_for_output);
            if (!output_.send(std::move(item))) {
                return;
            }
            stats.enter(Activity::working);
        }
        if (more) {
            stats.count();
            if (parts_.trace != nullptr) {
                parts_.trace->span(StageId::encode, frame->index, begin);
            }
        }
    }
}

void Pipeline::write_packets() {
    Muxer& muxer = *parts_.muxer;
    StageStats& stats = parts_.stats[StageId::write];
    const AVRational base = parts_.encoder->time_base();
    for (;;) {
        stats.enter(Activity::waiting_for_input);
        std::optional<OutputPacket> item = output_.receive();
        stats.enter(Activity::working);
        if (!item) {
            break;
        }
        const auto begin = StageStats::Clock::now();
        if (item->copied) {
            muxer.write_copy(std::move(item->packet));
            continue;
        }
        reached(StageId::write, stats.items());
        muxer.write_video(std::move(item->packet), base);
        if (item->captured != Stamps::never) {
            parts_.stats.latency[Leg::write].add(Stamps::Clock::now() - item->captured);
        }
        stats.count();
        if (parts_.trace != nullptr) {
            parts_.trace->span(StageId::write, item->frame, begin);
        }
    }
    muxer.finish();
}

}  // namespace vfilter
