#include "pipeline/stages/write_stage.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

namespace vfilter {

namespace {

// A part of the time that a signal gives.
constexpr std::chrono::milliseconds hurried_time{250};

// Packets that are taken from the channel at once.
constexpr std::size_t most_taken = 64;
constexpr int most_bytes = 1 << 20;

}  // namespace

WriteStage::WriteStage(const StageRun& run, Muxer& muxer, std::vector<Source> sources, std::vector<Source> sounds,
                       Channel<OutputPacket>& output)
    : run_(run),
      muxer_(muxer),
      sources_(std::move(sources)),
      sounds_(std::move(sounds)),
      output_(output),
      meter_(run, StageId::write, 0) {}

// The channel keeps each sender's order and none between senders. Reading is ahead of encoding: what it gave comes
// before the pictures that lie there as well, or subtitles would come late for containers that are written in
// fragments.
std::optional<OutputPacket> WriteStage::next() {
    if (taken_.empty() && !ended_) {
        std::optional<OutputPacket> first = output_.receive();
        if (!first) {
            return std::nullopt;
        }
        int bytes = 0;
        std::size_t made = 0;  // of encoders, some of which make packets that only refer to pictures
        while (first) {
            OutputPacket packet = *std::exchange(first, std::nullopt);
            bytes += packet.packet->size;
            const bool copy = packet.from == OutputPacket::From::input;
            taken_.insert(copy ? taken_.begin() + copies_ : taken_.end(), std::move(packet));
            copies_ += copy ? 1 : 0;
            made += copy ? 0 : 1;
            if (taken_.size() < most_taken && made < output_.capacity() && bytes < most_bytes) {
                Channel<OutputPacket>::Received next = output_.receive_for(std::chrono::microseconds{0});
                first = std::move(next.item);
                ended_ = next.ended;
            }
        }
    }
    if (taken_.empty()) {
        return std::nullopt;
    }
    std::optional<OutputPacket> item = std::move(taken_.front());
    taken_.pop_front();
    copies_ = std::max<std::ptrdiff_t>(0, copies_ - 1);
    return item;
}

void WriteStage::run() {
    for (;;) {
        meter_.enter(Activity::waiting_for_input);
        std::optional<OutputPacket> item = next();
        meter_.enter(Activity::working);
        if (!item) {
            break;
        }
        write(*std::move(item));
        note_written();
    }
    muxer_.finish([this, begin = StageStats::Clock::now()] {
        meter_.enter(Activity::working);  // a megabyte of a file that is copied
        return !run_.hurried || !run_.hurried() || StageStats::Clock::now() - begin < hurried_time;
    });
    note_written();
}

void WriteStage::write(OutputPacket item) {
    const auto begin = StageStats::Clock::now();
    if (item.from == OutputPacket::From::input) {
        muxer_.write_copy(std::move(item.packet));
        return;
    }
    if (item.from == OutputPacket::From::sound_encoder) {
        const Source& sound = sounds_[item.encoder];
        muxer_.write_sound(std::move(item.packet), sound.stream_index, sound.time_base);
        return;
    }
    meter_.reached(meter_.items());
    const Source& source = sources_[item.encoder];
    const bool first = item.encoder == 0;
    if (first) {
        handed_.push_back(item.captured);
    }
    muxer_.write_video(std::move(item.packet), source.stream_index, source.time_base);
    meter_.count();
    if (first) {
        meter_.worked(item.frame, begin);
    }
}

// The muxer keeps packets until it is their turn.
void WriteStage::note_written() {
    for (const std::int64_t settled = muxer_.settled(sources_.front().stream_index);
         noted_ < settled && !handed_.empty(); ++noted_) {
        if (handed_.front() != Stamps::never) {
            meter_.took(Leg::write, Stamps::Clock::now() - handed_.front());
        }
        handed_.pop_front();
    }
}

}  // namespace vfilter
