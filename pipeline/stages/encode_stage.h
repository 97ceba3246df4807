#pragma once
// Converts filtered pictures of one video to packets for the muxer.

#include <cstdint>
#include <map>

#include "io/codec/encoder.h"
#include "pipeline/stages/stage.h"

namespace vfilter {

/// One thread calls run(), once.
class EncodeStage {
public:
    /// All must outlive the stage.
    EncodeStage(StageRun& run, VideoRoute& route, Encoder& encoder, Channel<OutputPacket>& output);

    /// Runs until the encoder has returned everything or nothing more is wanted. Throws Error.
    void run();
    /// Called once run_.cancelled is set: makes it end now. Any thread.
    void cancel();

private:
    struct Inside {
        std::int64_t index = 0;
        Stamps::Clock::time_point captured;
    };

    bool wait_for_room();
    bool pass_packets();
    [[nodiscard]] OutputPacket labelled(PacketPtr packet);

    StageRun& run_;
    VideoRoute& route_;
    StageMeter meter_;
    Encoder& encoder_;
    Channel<OutputPacket>& output_;
    std::map<std::int64_t, Inside> inside_;  // the pictures in the encoder, by pts
};

}  // namespace vfilter
