// The threads' functions, in the order of a frame's route. Each waits only in its channels and in its codec.

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <map>

#include "pipeline/pipeline.h"

namespace vfilter {

namespace {

std::int64_t microseconds(std::int64_t time, AVRational base) {
    return av_rescale_q(time, base, AVRational{1, AV_TIME_BASE});
}

// Packets are interleaved by time, loosely: so long after the end another stream's last packets may come.
constexpr std::int64_t interleaving = 2 * std::int64_t{AV_TIME_BASE};

}  // namespace

void Pipeline::read_packets() {
    Demuxer& demuxer = parts_.demuxer;
    StageStats& stats = parts_.stats[StageId::read];
    const auto start = demuxer.start();
    const auto end = demuxer.end();
    bool video_wanted = true;
    for (;;) {
        stats.enter(Activity::working);
        PacketPtr packet = demuxer.read();
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
            video_wanted = video_wanted && !past && packets_.send(std::move(packet));
            if (!video_wanted) {
                packets_.close();
                if (cancelled() || !end) {
                    return;
                }
            }
            continue;
        }
        const bool before = start && dated && over <= *start;
        const bool after = end && dated && begin >= *end;
        if (parts_.muxer.carries(index) && !before && !after && !output_.send({std::move(packet), true})) {
            return;
        }
    }
}

void Pipeline::decode_packets() {
    Decoder& decoder = parts_.decoder;
    StageStats& stats = parts_.stats[StageId::decode];
    std::int64_t index = 0;
    for (bool more = true; more;) {
        stats.enter(Activity::waiting_for_input);
        const std::optional<PacketPtr> packet = packets_.receive();
        if (cancelled()) {
            return;
        }
        stats.enter(Activity::working);
        auto begin = StageStats::Clock::now();
        more = packet.has_value();
        decoder.send(more ? packet->get() : nullptr);
        while (FramePtr picture = decoder.receive()) {
            if (!deliver_frame(std::move(picture), index, begin)) {
                return;
            }
            begin = StageStats::Clock::now();
        }
    }
}

// False when no further picture is wanted.
bool Pipeline::deliver_frame(FramePtr picture, std::int64_t& index, StageStats::Clock::time_point begin) {
    const Demuxer& demuxer = parts_.demuxer;
    const std::int64_t at = microseconds(picture->pts, demuxer.video().time_base);
    if (demuxer.start() && at < *demuxer.start()) {
        return true;
    }
    const bool enough = demuxer.max_frames() ? index >= *demuxer.max_frames() : demuxer.end() && at >= *demuxer.end();
    if (enough) {
        return false;
    }
    reached(StageId::decode, index);
    Converter& normaliser = parts_.normaliser;
    if (normaliser.needed(*picture)) {
        FramePtr normal = make_frame();
        normal->format = normaliser.format();
        normal->width = normaliser.width();
        normal->height = normaliser.height();
        parts_.pool.fill(*normal, normaliser.width(), normaliser.height());
        normaliser.convert(*picture, *normal);
        picture = std::move(normal);
    }
    if (parts_.trace != nullptr) {
        parts_.trace->span(StageId::decode, index, begin);
    }
    StageStats& stats = parts_.stats[StageId::decode];
    stats.count();
    stats.enter(Activity::waiting_for_output);
    const bool wanted = decoded_.send({std::move(picture), index++});
    stats.enter(Activity::working);
    return wanted;
}

void Pipeline::filter_frames() {
    FilterEngine& engine = parts_.engine;
    StageStats& stats = parts_.stats[StageId::filter];
    std::map<std::int64_t, FramePtr> originals;  // of the frames inside that the verifier wants
    const auto take = [&](StageStats::Clock::time_point begin) {
        Frame frame = engine.take();
        FramePtr original;
        if (const auto found = originals.find(frame.index); found != originals.end()) {
            original = std::move(found->second);
            originals.erase(found);
        }
        return deliver_filtered(std::move(frame), std::move(original), begin);
    };
    for (;;) {
        stats.enter(Activity::waiting_for_input);
        std::optional<Frame> frame = decoded_.receive();
        stats.enter(Activity::working);
        const auto begin = StageStats::Clock::now();
        if (!frame) {
            break;
        }
        reached(StageId::filter, frame->index);
        if (parts_.verifier != nullptr && parts_.verifier->wants(frame->index)) {
            originals.emplace(frame->index, FramePtr(av_frame_clone(frame->picture.get())));
        }
        engine.submit(*std::move(frame));
        if (engine.in_flight() == engine.slots() && !take(begin)) {
            return;
        }
    }
    while (!cancelled() && engine.in_flight() > 0 && take(StageStats::Clock::now())) {
    }
}

bool Pipeline::deliver_filtered(Frame frame, FramePtr original, StageStats::Clock::time_point begin) {
    if (original) {
        parts_.verifier->check(*original, *frame.picture, frame.index);
    }
    if (parts_.trace != nullptr) {
        parts_.trace->span(StageId::filter, frame.index, begin);
    }
    StageStats& stats = parts_.stats[StageId::filter];
    stats.count();
    stats.enter(Activity::waiting_for_output);
    return filtered_.send(std::move(frame));
}

void Pipeline::encode_frames() {
    Encoder& encoder = parts_.encoder;
    StageStats& stats = parts_.stats[StageId::encode];
    std::map<std::int64_t, std::int64_t> indices;  // pts of the pictures inside the encoder -> frame
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
            indices.emplace(frame->picture->pts, frame->index);
        }
        encoder.send(more ? std::move(frame->picture) : nullptr);
        while (PacketPtr packet = encoder.receive()) {
            const auto found = indices.find(packet->pts);
            const std::int64_t index = found != indices.end() ? found->second : -1;
            if (found != indices.end()) {
                indices.erase(found);
            }
            stats.enter(Activity::waiting_for_output);
            if (!output_.send({std::move(packet), false, index})) {
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
    Muxer& muxer = parts_.muxer;
    StageStats& stats = parts_.stats[StageId::write];
    const AVRational base = parts_.encoder.time_base();
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
        stats.count();
        if (parts_.trace != nullptr) {
            parts_.trace->span(StageId::write, item->frame, begin);
        }
    }
    muxer.finish();
}

}  // namespace vfilter
