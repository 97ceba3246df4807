#include "pipeline/stages/encode_stage.h"

#include <optional>

namespace vfilter {

EncodeStage::EncodeStage(StageRun& run, VideoRoute& route, Encoder& encoder, Channel<OutputPacket>& output)
    : run_(run), route_(route), meter_(run, StageId::encode, route.number), encoder_(encoder), output_(output) {}

void EncodeStage::run() {
    for (bool more = true; more;) {
        meter_.enter(Activity::waiting_for_input);
        std::optional<Frame> frame = route_.filtered.receive();
        if (run_.is_cancelled()) {
            return;
        }
        meter_.enter(Activity::working);
        const auto begin = StageStats::Clock::now();
        more = frame.has_value();
        if (more) {
            meter_.reached(frame->index);
            if (!wait_for_room()) {
                return;
            }
            inside_.emplace(frame->picture->pts, Inside{frame->index, frame->stamps.captured});
        }
        encoder_.send(more ? std::move(frame->picture) : nullptr);
        if (!pass_packets()) {
            return;
        }
        if (more) {
            meter_.count();
            meter_.worked(frame->index, begin);
        }
    }
    while (!encoder_.ended()) {
        encoder_.wait();
        if (run_.is_cancelled() || !pass_packets()) {
            return;
        }
    }
}

void EncodeStage::cancel() {
    encoder_.cancel_wait();
}

// False when nothing more is wanted.
bool EncodeStage::wait_for_room() {
    while (!encoder_.takes()) {
        encoder_.wait();
        if (run_.is_cancelled() || !pass_packets()) {
            return false;
        }
    }
    return true;
}

// Those that are there. False when nothing more is wanted.
bool EncodeStage::pass_packets() {
    while (PacketPtr packet = encoder_.receive()) {
        OutputPacket item = labelled(std::move(packet));
        meter_.enter(Activity::waiting_for_output);
        if (!output_.send(std::move(item))) {
            return false;
        }
        meter_.enter(Activity::working);
    }
    return true;
}

OutputPacket EncodeStage::labelled(PacketPtr packet) {
    OutputPacket item;
    if (const auto found = inside_.find(packet->pts); found != inside_.end()) {
        item.frame = found->second.index;
        item.captured = found->second.captured;
        inside_.erase(found);
    }
    item.packet = std::move(packet);
    item.encoder = route_.number;
    return item;
}

}  // namespace vfilter
