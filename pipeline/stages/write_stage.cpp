#include "pipeline/stages/write_stage.h"

#include <chrono>
#include <optional>
#include <utility>

namespace vfilter {

namespace {

// A part of the time that a signal gives.
constexpr std::chrono::milliseconds hurried_time{250};

}  // namespace

WriteStage::WriteStage(const StageRun& run, Muxer& muxer, std::vector<Source> sources, std::vector<Source> sounds,
                       Channel<OutputPacket>& output)
    : run_(run),
      muxer_(muxer),
      sources_(std::move(sources)),
      sounds_(std::move(sounds)),
      output_(output),
      meter_(run, StageId::write, 0) {}

void WriteStage::run() {
    for (;;) {
        meter_.enter(Activity::waiting_for_input);
        std::optional<OutputPacket> item = output_.receive();
        meter_.enter(Activity::working);
        if (!item) {
            break;
        }
        const auto begin = StageStats::Clock::now();
        if (item->from == OutputPacket::From::input) {
            muxer_.write_copy(std::move(item->packet));
            continue;
        }
        if (item->from == OutputPacket::From::sound_encoder) {
            const Source& sound = sounds_[item->video];
            muxer_.write_sound(std::move(item->packet), sound.stream_index, sound.time_base);
            continue;
        }
        meter_.reached(meter_.items());
        const Source& source = sources_[item->video];
        muxer_.write_video(std::move(item->packet), source.stream_index, source.time_base);
        const bool first = item->video == 0;
        if (first && item->captured != Stamps::never) {
            meter_.took(Leg::write, Stamps::Clock::now() - item->captured);
        }
        meter_.count();
        if (first) {
            meter_.worked(item->frame, begin);
        }
    }
    muxer_.finish([this, begin = StageStats::Clock::now()] {
        meter_.enter(Activity::working);  // a megabyte of a file that is copied
        return !run_.hurried || !run_.hurried() || StageStats::Clock::now() - begin < hurried_time;
    });
}

}  // namespace vfilter
