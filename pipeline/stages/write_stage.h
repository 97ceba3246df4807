#pragma once
// Passes packets of all encoders and of the input to the muxer.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "io/output/muxer.h"
#include "pipeline/stages/stage.h"

namespace vfilter {

/// One thread calls run(), once.
class WriteStage {
public:
    /// Where packets come from, by OutputPacket::encoder.
    struct Source {
        int stream_index;      ///< of the video or sound, in the input
        AVRational time_base;  ///< of its encoder's packets
    };

    /// Everything referred to must outlive the stage. `sounds`: the re-encoded ones, by OutputPacket::encoder.
    WriteStage(const StageRun& run, Muxer& muxer, std::vector<Source> sources, std::vector<Source> sounds,
               Channel<OutputPacket>& output);

    /// Runs until nothing more comes, then finishes the file. Throws Error.
    void run();

private:
    [[nodiscard]] std::optional<OutputPacket> next();
    void write(OutputPacket item);
    void note_written();

    const StageRun& run_;
    Muxer& muxer_;
    std::vector<Source> sources_;
    std::vector<Source> sounds_;
    Channel<OutputPacket>& output_;
    std::deque<OutputPacket> taken_;  // from the channel, copies first
    std::ptrdiff_t copies_ = 0;
    bool ended_ = false;
    std::deque<Stamps::Clock::time_point> handed_;  // when those of the first video came that the muxer still has
    std::int64_t noted_ = 0;                        // its packets that have been written
    StageMeter meter_;
};

}  // namespace vfilter
