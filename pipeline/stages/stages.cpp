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

Pipeline::Video* Pipeline::video_of(int stream) {
    const auto found =
        std::ranges::find_if(videos_, [stream](const auto& video) { return video->parts.stream == stream; });
    return found == videos_.end() ? nullptr : found->get();
}

void Pipeline::note_latency(const Video& video, Leg leg, Stamps::Clock::duration time) const {
    if (video.number == 0) {
        parts_.stats.latency[leg].add(time);
    }
}

void Pipeline::note_span(const Video& video, StageId id, std::int64_t frame,
                         StageStats::Clock::time_point begin) const {
    if (parts_.trace != nullptr && video.number == 0) {
        parts_.trace->span(id, frame, begin);
    }
}

void Pipeline::read_packets() {
    Demuxer& demuxer = parts_.demuxer;
    StageStats& stats = parts_.stats[StageId::read];
    const auto start = demuxer.start();
    const auto end = demuxer.end();
    const auto any_video_wanted = [this] {
        return std::ranges::any_of(videos_, [](const auto& video) { return video->wanted; });
    };
    for (;;) {
        stats.enter(live_ || demuxer.waits() ? Activity::waiting_for_input : Activity::working);
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
        if (end && dated && begin >= *end + interleaving && !(counted && any_video_wanted())) {
            return;
        }
        stats.count();
        stats.enter(Activity::waiting_for_output);
        if (Video* const video = video_of(index)) {
            // A picture is never shown before it is decoded: with dts past the end, so are all that follow.
            const bool past = end && packet->dts != AV_NOPTS_VALUE && begin >= *end && !counted;
            video->wanted = video->wanted && !past && send_video(*video, {std::move(packet), captured});
            if (!video->wanted) {
                video->packets.close();
                if (cancelled() || ((!end || live_) && !any_video_wanted())) {
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
bool Pipeline::send_video(Video& video, InputPacket packet) {
    if (!live_) {
        return video.packets.send(std::move(packet));
    }
    bool wanted = true;
    if (video.independent) {
        if (video.packets.replace(std::move(packet), wanted)) {
            count(drops_.undecoded);
        }
        return wanted;
    }
    // What builds on a packet that is missing is not worth decoding.
    const bool key = (packet.packet->flags & AV_PKT_FLAG_KEY) != 0;
    video.waits_for_key = video.waits_for_key && !key;
    if ((video.waits_for_key || !video.packets.offer(packet, wanted)) && wanted) {
        video.waits_for_key = true;
        count(drops_.undecoded);
    }
    return wanted;
}

void Pipeline::decode_packets(Video& video) {
    Decoder& decoder = video.parts.decoder;
    StageStats& stats = parts_.stats.of(StageId::decode, video.number);
    std::int64_t index = 0;
    std::map<std::int64_t, Stamps::Clock::time_point> inside;  // when the packets in the decoder came, by pts
    auto latest = Stamps::Clock::now();
    for (bool more = true; more;) {
        stats.enter(Activity::waiting_for_input);
        const std::optional<InputPacket> item = video.packets.receive();
        if (cancelled()) {
            return;
        }
        stats.enter(Activity::working);
        auto begin = StageStats::Clock::now();
        more = item.has_value();
        if (more && is_stale(video, *item)) {
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
            if (!wanted_yet(video, frame)) {
                continue;
            }
            if (live_) {
                note_drift(video, frame);
            }
            // At the end the last ones come together, and nothing comes after them.
            if (!wanted_still(video, frame) || !deliver_frame(video, std::move(frame), begin, live_ && more)) {
                return;
            }
            ++index;
            begin = StageStats::Clock::now();
        }
    }
}

// Whether a packet has waited too long: then, and up to the next key frame that has not, decoding would only show what
// was. The reader sees to that itself where any packet may be left out.
bool Pipeline::is_stale(Video& video, const InputPacket& item) {
    if (!live_ || video.independent) {
        return false;
    }
    const bool key = (item.packet->flags & AV_PKT_FLAG_KEY) != 0;
    const bool late = Stamps::Clock::now() - item.captured > live_patience;
    video.skips_to_key = late || (video.skips_to_key && !key);
    return video.skips_to_key;
}

void Pipeline::note_drift(Video& video, const Frame& frame) {
    const std::int64_t pts = av_rescale_q(frame.picture->pts, video.stream.time_base, AVRational{1, 1000000000});
    const std::int64_t ahead = frame.stamps.captured.time_since_epoch() / std::chrono::nanoseconds(1) - pts;
    video.first_ahead = video.first_ahead.value_or(ahead);
    drift_.store(ahead - *video.first_ahead, std::memory_order_relaxed);
}

bool Pipeline::wanted_yet(const Video& video, const Frame& frame) const {
    const Demuxer& demuxer = parts_.demuxer;
    return !demuxer.start() || microseconds(frame.picture->pts, video.stream.time_base) >= *demuxer.start();
}

bool Pipeline::wanted_still(const Video& video, const Frame& frame) const {
    const Demuxer& demuxer = parts_.demuxer;
    return demuxer.max_frames()
               ? frame.index < *demuxer.max_frames()
               : !demuxer.end() || microseconds(frame.picture->pts, video.stream.time_base) < *demuxer.end();
}

// A size or a format that changes on the way is made like the first one, which is told: each change once.
void Pipeline::tell_change(Video& video, const AVFrame& picture) {
    const PictureKind kind{static_cast<AVPixelFormat>(picture.format), picture.width, picture.height};
    if (kind == video.kind) {
        return;
    }
    if (video.kind) {
        const Converter& made = video.parts.normaliser;
        const bool scaled = kind.width != made.width() || kind.height != made.height();
        spdlog::warn(
            "stream {}: from {:.3f} s on pictures are {}x{} {} instead of {}x{} {}; they become {}x{} {}, {}{}",
            video.parts.stream, static_cast<double>(picture.pts) * av_q2d(video.stream.time_base), kind.width,
            kind.height, name_of(kind.format), video.kind->width, video.kind->height, name_of(video.kind->format),
            made.width(), made.height(), name_of(made.format()), scaled ? "scaled, " : "",
            loss_between(kind.format, made.format()));
    }
    video.kind = kind;
}

// False when no further picture is wanted.
bool Pipeline::deliver_frame(Video& video, Frame frame, StageStats::Clock::time_point begin, bool overtakes) {
    reached(StageId::decode, frame.index);
    tell_change(video, *frame.picture);
    Converter& normaliser = video.parts.normaliser;
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
    note_latency(video, Leg::decode, frame.stamps.decoded - frame.stamps.captured);
    note_span(video, StageId::decode, frame.index, begin);
    StageStats& stats = parts_.stats.of(StageId::decode, video.number);
    stats.count();
    stats.enter(Activity::waiting_for_output);
    const bool wanted = send_decoded(video, std::move(frame), overtakes);
    stats.enter(Activity::working);
    return wanted;
}

// Live: until the next picture is due to come after this one. So long a stage may be waited for without anything being
// lost by it: after a pause pictures come in bursts.
std::chrono::microseconds Pipeline::time_to_next(const Video& video, const Frame& frame) const {
    const auto due = frame.stamps.captured + video.interval;
    const auto left = std::chrono::duration_cast<std::chrono::microseconds>(due - Stamps::Clock::now());
    return std::max(left, std::chrono::microseconds(0));
}

bool Pipeline::send_decoded(Video& video, Frame frame, bool overtakes) {
    if (!overtakes) {
        return video.decoded.send(std::move(frame));
    }
    bool wanted = true;
    const std::chrono::microseconds patience = time_to_next(video, frame);
    if (video.decoded.replace(std::move(frame), wanted, patience)) {
        count(drops_.overtaken);
    }
    return wanted;
}

void Pipeline::filter_frames(Video& video) {
    StageStats& stats = parts_.stats.of(StageId::filter, video.number);
    for (;;) {
        stats.enter(Activity::waiting_for_input);
        std::optional<Frame> frame = video.decoded.receive();
        stats.enter(Activity::working);
        const auto begin = StageStats::Clock::now();
        if (!frame) {
            break;
        }
        reached(StageId::filter, frame->index);
        if (too_late(video, *frame)) {
            count(drops_.shed);
        } else if (!filter_next(video, *std::move(frame), begin)) {
            return;
        }
    }
    while (!cancelled() && video.parts.engine->in_flight() > 0 && take_filtered(video, StageStats::Clock::now())) {
    }
}

// False when no further picture is wanted.
bool Pipeline::filter_next(Video& video, Frame frame, StageStats::Clock::time_point begin) {
    if (std::unique_ptr<FilterEngine> next = video.number == 0 ? take_new_engine() : nullptr) {
        while (video.parts.engine->in_flight() > 0) {
            if (!take_filtered(video, begin)) {
                return false;
            }
        }
        video.parts.engine = std::move(next);
    }
    const bool verified = video.parts.verifier != nullptr && video.parts.verifier->wants(frame.index);
    if (verified || (parts_.preview && video.number == 0)) {
        video.originals.emplace(frame.index, FramePtr(av_frame_clone(frame.picture.get())));
    }
    video.parts.engine->submit(std::move(frame));
    // Live, nobody waits for the next picture to have this one.
    while (video.parts.engine->in_flight() >= (live_ ? 1 : video.parts.engine->slots())) {
        if (!take_filtered(video, begin)) {
            return false;
        }
    }
    return true;
}

// Whether a picture would be ready only after --max-latency. One in a second passes all the same: where the limit
// cannot be held at all, that is to be seen.
bool Pipeline::too_late(Video& video, const Frame& frame) {
    constexpr std::chrono::seconds sign_of_life{1};
    if (!live_ || !parts_.max_latency) {
        return false;
    }
    const auto now = Stamps::Clock::now();
    const std::chrono::duration<double, std::milli> expected = now - frame.stamps.captured + video.usual_time;
    if (expected.count() > *parts_.max_latency && now - video.last_passed < sign_of_life) {
        return true;
    }
    video.last_passed = now;
    return false;
}

std::unique_ptr<FilterEngine> Pipeline::take_new_engine() {
    const std::lock_guard lock(mutex_);
    return std::move(next_engine_);
}

// The oldest picture in the engine, on to where it is wanted. False when no further one is.
bool Pipeline::take_filtered(Video& video, StageStats::Clock::time_point begin) {
    Frame frame = video.parts.engine->take();
    Stamps& stamps = frame.stamps;
    stamps.filtered = Stamps::Clock::now();
    stamps.uploaded = stamps.uploaded == Stamps::never ? begin : stamps.uploaded;
    constexpr int memory = 8;  // pictures over which the usual time follows a change
    video.usual_time += (stamps.filtered - begin - video.usual_time) / memory;
    note_latency(video, Leg::queue, stamps.uploaded - stamps.decoded);
    note_latency(video, Leg::filter, stamps.filtered - stamps.uploaded);
    note_latency(video, Leg::ready, stamps.filtered - stamps.captured);
    if (const auto found = video.originals.find(frame.index); found != video.originals.end()) {
        frame.original = std::move(found->second);
        video.originals.erase(found);
    }
    if (video.parts.verifier != nullptr && video.parts.verifier->wants(frame.index)) {
        video.parts.verifier->check(*frame.original, *frame.picture, frame.index);
    }
    note_span(video, StageId::filter, frame.index, begin);
    StageStats& stats = parts_.stats.of(StageId::filter, video.number);
    stats.count();
    stats.enter(Activity::waiting_for_output);
    const bool wanted = deliver_filtered(video, std::move(frame));
    stats.enter(Activity::working);
    return wanted;
}

bool Pipeline::deliver_filtered(Video& video, Frame frame) {
    bool wanted = true;
    if (parts_.preview && video.number == 0) {
        wanted = show(frame);
    }
    if (video.parts.encoder == nullptr) {
        return wanted;
    }
    frame.original = nullptr;
    if (!live_) {
        return video.filtered.send(std::move(frame));
    }
    // A slow encoder holds up neither the camera nor the window: what its queue cannot take is told.
    if (!video.filtered.offer(frame, wanted, time_to_next(video, frame))) {
        count(drops_.unrecorded);
    }
    return wanted;
}

// Where a file is played, the window's clock is everybody's: there this waits. False when the window is gone.
bool Pipeline::show(const Frame& frame) {
    Frame shown{FramePtr(av_frame_clone(frame.picture.get())), frame.index, frame.stamps,
                FramePtr(av_frame_clone(frame.original.get()))};
    if (!live_ && parts_.muxer == nullptr) {
        return pictures_.send(std::move(shown));
    }
    bool wanted = true;
    if (pictures_.replace(std::move(shown), wanted)) {
        count(drops_.unseen);
    }
    return true;  // a recording goes on without its window
}

void Pipeline::encode_frames(Video& video) {
    Encoder& encoder = *video.parts.encoder;
    StageStats& stats = parts_.stats.of(StageId::encode, video.number);
    struct Inside {
        std::int64_t index;
        Stamps::Clock::time_point captured;
    };
    std::map<std::int64_t, Inside> inside;  // the pictures in the encoder, by pts
    for (bool more = true; more;) {
        stats.enter(Activity::waiting_for_input);
        std::optional<Frame> frame = video.filtered.receive();
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
            item.video = video.number;
            stats.enter(Activity::waiting_for_output);
            if (!output_.send(std::move(item))) {
                return;
            }
            stats.enter(Activity::working);
        }
        if (more) {
            stats.count();
            note_span(video, StageId::encode, frame->index, begin);
        }
    }
}

void Pipeline::write_packets() {
    Muxer& muxer = *parts_.muxer;
    StageStats& stats = parts_.stats[StageId::write];
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
        const Video& video = *videos_[item->video];
        muxer.write_video(std::move(item->packet), video.parts.stream, video.parts.encoder->time_base());
        if (item->captured != Stamps::never) {
            note_latency(video, Leg::write, Stamps::Clock::now() - item->captured);
        }
        stats.count();
        note_span(video, StageId::write, item->frame, begin);
    }
    muxer.finish();
}

}  // namespace vfilter
