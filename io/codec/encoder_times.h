#pragma once
// The times of pictures while they are encoded: an encoder counts by a clock of its own, and knows no durations.

#include <cstdint>
#include <map>
#include <optional>

#include "io/codec/coarse_clock.h"
#include "io/handles.h"

namespace vfilter {

/// Gives pictures the times by which their encoder knows them, and its packets those of their pictures back. Owns the
/// times of the pictures inside, of which there are as many as the encoder holds. One thread.
class EncoderTimes {
public:
    /// Of pictures whose pts are in `time_base`. `encoder` has its clock, and outlives this.
    EncoderTimes(const AVCodecContext& encoder, AVRational time_base) : encoder_(encoder), time_base_(time_base) {}

    /// A tick of the container's clock, in which pictures stay apart from then on: see CoarseClock. Before the first
    /// one.
    void set_output_clock(AVRational tick) { clock_ = CoarseClock(tick, time_base_); }

    /// A picture on its way into the encoder, behind all others: its pts become the encoder's. Throws Error(encoder)
    /// where the codec cannot tell so long a time between two.
    void take(AVFrame& picture);
    /// The end, after which no picture comes.
    void end();
    /// A packet of the encoder's: its pts, decoding time and duration become the picture's, in `time_base`. Throws
    /// Error(encoder) where it belongs to none.
    void put(AVPacket& packet);

    [[nodiscard]] AVRational time_base() const { return time_base_; }

private:
    struct Stamp {
        std::int64_t pts;
        std::int64_t duration;
    };

    void check_step(std::int64_t pts) const;

    const AVCodecContext& encoder_;
    AVRational time_base_;
    CoarseClock clock_;
    std::map<std::int64_t, Stamp> inside_;  // by the encoder's pts, of the pictures that it may still speak of
    std::int64_t given_ = 0;                // pictures
    std::optional<std::int64_t> first_;     // pts in time_base_
    std::int64_t last_ = AV_NOPTS_VALUE;    // the encoder's pts
    bool in_order_ = false;                 // libx265's, which are too few for another order: see put()
};

}  // namespace vfilter
