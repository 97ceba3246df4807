#include "pipeline/stages/decode_stage.h"

#include <spdlog/spdlog.h>

#include "io/input/part_cut.h"
#include "io/packet_times.h"

namespace vfilter {

namespace {

// The picture keeps its shape.
AVRational aspect_after_scaling(const AVFrame& from, const AVFrame& to) {
    return from.sample_aspect_ratio.num <= 0 || (from.width == to.width && from.height == to.height)
               ? from.sample_aspect_ratio
               : av_mul_q(from.sample_aspect_ratio, av_mul_q({from.width, to.width}, {to.height, from.height}));
}

}  // namespace

DecodeStage::DecodeStage(StageRun& run, VideoRoute& route, const Demuxer& demuxer, FrameSource& decoder,
                         Converter& normaliser, FramePool& pool, HeldPackets* held)
    : run_(run),
      route_(route),
      meter_(run, StageId::decode, route.number),
      demuxer_(demuxer),
      decoder_(decoder),
      normaliser_(normaliser),
      pool_(pool),
      held_(held) {}

void DecodeStage::run() {
    decoder_.look_on([this](bool gets_on) {
        if (gets_on) {
            meter_.enter(Activity::working);
        }
        return !run_.is_cancelled();
    });
    for (bool more = true; more;) {
        meter_.enter(Activity::waiting_for_input);
        const std::optional<InputPacket> item = route_.packets.receive();
        if (run_.is_cancelled()) {
            return;
        }
        if (route_.chain_ended.load(std::memory_order_relaxed)) {
            return;
        }
        meter_.enter(Activity::working);
        auto begin = StageStats::Clock::now();
        more = item.has_value();
        if (more && is_stale(*item)) {
            run_.drops.count(Drop::undecoded);
            continue;
        }
        if (more) {
            latest_ = item->captured;
            inside_.emplace(item->packet->pts, latest_);
        }
        decoder_.send(more ? item->packet.get() : nullptr);
        while (FramePtr picture = decoder_.receive()) {
            Frame frame = stamped(std::move(picture));
            if (!wanted_yet(frame)) {
                continue;
            }
            if (run_.live) {
                note_drift(frame);
            }
            // At the end the last ones come together, and nothing comes after them.
            if (!wanted_still(frame)) {
                route_.part_decoded.store(!beyond_, std::memory_order_relaxed);
                return;
            }
            beyond_ = beyond_ || is_beyond(frame);
            if (!deliver(std::move(frame), begin, run_.live && more ? Passing::overtaking : Passing::in_turn)) {
                return;
            }
            ++next_index_;
            release_held();
            begin = StageStats::Clock::now();
        }
        release_held();
    }
}

// As far ahead of the pictures as the packets of a decoder that does not read ahead are.
void DecodeStage::release_held() {
    if (held_ != nullptr) {
        held_->release(decoder_.passed() + static_cast<std::int64_t>(packets_ahead));
    }
}

// Whether a packet has waited too long: then, and up to the next key frame that has not, decoding would only show what
// was. The reader sees to that itself where any packet may be left out.
bool DecodeStage::is_stale(const InputPacket& item) {
    if (!run_.live || route_.independent) {
        return false;
    }
    const bool key = (item.packet->flags & AV_PKT_FLAG_KEY) != 0;
    const bool late = Stamps::Clock::now() - item.captured > live_patience;
    skips_to_key_ = late || (skips_to_key_ && !key);
    return skips_to_key_;
}

// Decoders give a picture the pts of its packet. Those of packets that gave none go with later ones.
Frame DecodeStage::stamped(FramePtr picture) {
    Frame frame{std::move(picture), next_index_};
    const auto found = inside_.find(frame.picture->pts);
    frame.stamps.captured = found != inside_.end() ? found->second : latest_;
    inside_.erase(inside_.begin(), inside_.upper_bound(frame.picture->pts));
    return frame;
}

bool DecodeStage::wanted_yet(const Frame& frame) const {
    return !demuxer_.part().start ||
           microseconds(frame.picture->pts, route_.stream.time_base) >= *demuxer_.part().start;
}

bool DecodeStage::wanted_still(const Frame& frame) const {
    const std::optional<std::int64_t> end = demuxer_.part().picture_end;
    return (!demuxer_.part().max_frames || frame.index < *demuxer_.part().max_frames) &&
           (!end || microseconds(frame.picture->pts, route_.stream.time_base) < *end);
}

// Where a number of frames is asked for, the end of the part is an estimate.
bool DecodeStage::is_beyond(const Frame& frame) const {
    const std::optional<std::int64_t>& end = demuxer_.part().exact_end;
    return end && microseconds(frame.picture->pts, route_.stream.time_base) >= *end + PartCut::interleaving;
}

void DecodeStage::note_drift(const Frame& frame) {
    const std::int64_t pts = av_rescale_q(frame.picture->pts, route_.stream.time_base, AVRational{1, 1000000000});
    const std::int64_t ahead = frame.stamps.captured.time_since_epoch() / std::chrono::nanoseconds(1) - pts;
    first_ahead_ = first_ahead_.value_or(ahead);
    drift_.store(ahead - *first_ahead_, std::memory_order_relaxed);
}

// A size or a format that changes on the way is made like the first one, which is told: each change once.
void DecodeStage::tell_change(const AVFrame& picture) {
    const PictureKind kind{static_cast<AVPixelFormat>(picture.format), picture.width, picture.height};
    if (kind == kind_) {
        return;
    }
    if (kind_) {
        const bool scaled = kind.width != normaliser_.width() || kind.height != normaliser_.height();
        const std::string of_format = loss_between(kind.format, normaliser_.format());
        const std::string loss = !scaled                       ? of_format
                                 : of_format == "without loss" ? "scaled, with loss"
                                                               : "scaled, " + of_format;
        spdlog::warn(
            "stream {}: from {:.3f} s on pictures are {}x{} {} instead of {}x{} {}; they become {}x{} {}, {}",
            route_.stream_index,
            static_cast<double>(picture.pts) * av_q2d(route_.stream.time_base) - seconds_of(demuxer_.told_from()),
            kind.width, kind.height, name_of(kind.format), kind_->width, kind_->height, name_of(kind_->format),
            normaliser_.width(), normaliser_.height(), name_of(normaliser_.format()), loss);
    }
    kind_ = kind;
}

void DecodeStage::normalise(Frame& frame) {
    if (!normaliser_.needed(*frame.picture)) {
        return;
    }
    FramePtr normal = make_frame();
    normal->format = normaliser_.format();
    normal->width = normaliser_.width();
    normal->height = normaliser_.height();
    pool_.fill(*normal, normaliser_.width(), normaliser_.height());
    normaliser_.convert(*frame.picture, *normal);
    normal->sample_aspect_ratio = aspect_after_scaling(*frame.picture, *normal);
    frame.picture = std::move(normal);
}

// False when no further picture is wanted.
bool DecodeStage::deliver(Frame frame, StageStats::Clock::time_point begin, Passing passing) {
    meter_.reached(frame.index);
    if (!is_on_device(*frame.picture)) {  // where all are as the first
        tell_change(*frame.picture);
        normalise(frame);
    }
    frame.stamps.decoded = Stamps::Clock::now();
    meter_.took(Leg::decode, frame.stamps.decoded - frame.stamps.captured);
    meter_.worked(frame.index, begin);
    meter_.count();
    meter_.enter(Activity::waiting_for_output);
    const bool wanted = send(std::move(frame), passing);
    meter_.enter(Activity::working);
    return wanted;
}

bool DecodeStage::send(Frame frame, Passing passing) {
    if (passing == Passing::in_turn) {
        return route_.decoded.send(std::move(frame));
    }
    const std::chrono::microseconds patience = route_.time_to_next(frame);
    const auto [overtaken, wanted] = route_.decoded.replace(std::move(frame), patience);
    if (overtaken) {
        run_.drops.count(Drop::overtaken);
    }
    return wanted;
}

}  // namespace vfilter
