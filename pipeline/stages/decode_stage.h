#pragma once
// Converts packets of one video to pictures of one size and format.

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>

#include "io/codec/decode_device.h"
#include "io/codec/frame_source.h"
#include "io/formats/formats.h"
#include "io/formats/frame_pool.h"
#include "io/input/demuxer.h"
#include "pipeline/stages/held_packets.h"
#include "pipeline/stages/stage.h"

namespace vfilter {

/// One thread calls run(), once.
class DecodeStage {
public:
    /// `normaliser` converts to what engine and encoder were built for. `held` are packets of other streams, which are
    /// passed on along with the pictures; null if the decoder does not read ahead. All must outlive the stage.
    DecodeStage(StageRun& run, VideoRoute& route, const Demuxer& demuxer, FrameSource& decoder, Converter& normaliser,
                FramePool& pool, HeldPackets* held);

    /// Runs until no more packets come or no more pictures are wanted. Throws Error.
    void run();

    /// Live: by how many seconds pictures now arrive later, relative to their timestamps, than the first one did.
    /// Thread-safe.
    [[nodiscard]] double clock_drift() const {
        return 1e-9 * static_cast<double>(drift_.load(std::memory_order_relaxed));
    }

private:
    // How long a packet of a live stream may wait for the decoder.
    static constexpr std::chrono::milliseconds live_patience{500};

    [[nodiscard]] bool is_stale(const InputPacket& item);
    [[nodiscard]] Frame stamped(FramePtr picture);
    [[nodiscard]] bool wanted_yet(const Frame& frame) const;
    [[nodiscard]] bool wanted_still(const Frame& frame) const;
    [[nodiscard]] bool is_beyond(const Frame& frame) const;
    void release_held();
    void note_drift(const Frame& frame);
    void tell_change(const AVFrame& picture);
    void normalise(Frame& frame);
    enum class Passing { in_turn, overtaking };  // overtaking: drops earlier pictures that nobody has taken
    bool deliver(Frame frame, StageStats::Clock::time_point begin, Passing passing);
    bool send(Frame frame, Passing passing);

    StageRun& run_;
    VideoRoute& route_;
    StageMeter meter_;
    const Demuxer& demuxer_;
    FrameSource& decoder_;
    Converter& normaliser_;
    FramePool& pool_;
    HeldPackets* held_;

    std::int64_t next_index_ = 0;
    bool beyond_ = false;                                       // a picture came from after the expected end
    std::map<std::int64_t, Stamps::Clock::time_point> inside_;  // when the packets in the decoder arrived, by pts
    Stamps::Clock::time_point latest_ = Stamps::Clock::now();   // when the last packet arrived
    bool skips_to_key_ = false;                                 // pictures that depend on a missing packet are dropped
    std::optional<PictureKind> kind_;                           // of the last picture
    std::optional<std::int64_t> first_ahead_;  // this machine's clock less the pictures', nanoseconds, at the first one
    std::atomic<std::int64_t> drift_{0};       // nanoseconds
};

}  // namespace vfilter
