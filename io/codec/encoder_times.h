#pragma once
// The times of pictures while they are encoded: an encoder counts with its own clock, and knows no durations.

#include <cstdint>
#include <map>
#include <optional>

#include "io/codec/coarse_clock.h"
#include "io/handles.h"

namespace vfilter {

/// Gives pictures timestamps in the encoder's clock, and gives the encoder's packets the original times of their
/// pictures. Owns the times of the pictures inside the encoder. One thread.
class EncoderTimes {
public:
    /// For pictures whose pts are in `time_base`. `encoder` has its clock, and must outlive this.
    EncoderTimes(const AVCodecContext& encoder, AVRational time_base) : encoder_(encoder), time_base_(time_base) {}

    /// From then on the times in packets are at least one `tick` of the container's clock apart: see CoarseClock. To be
    /// called before the first picture.
    void set_output_clock(AVRational tick) { clock_ = CoarseClock(tick, time_base_); }

    /// A picture that goes into the encoder, in order of presentation: converts its pts to the encoder's clock. Throws
    /// Error(encoder) if the codec cannot express the time since the picture before.
    void take(AVFrame& picture);
    /// No more pictures follow.
    void end();
    /// A packet from the encoder: sets its pts, dts and duration to those of its picture, in `time_base`. Throws
    /// Error(encoder) if it belongs to none.
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
    std::map<std::int64_t, Stamp> inside_;  // by the encoder's pts, of pictures that a packet may still refer to
    std::int64_t given_ = 0;                // pictures
    std::optional<std::int64_t> first_;     // pts in time_base_
    std::int64_t last_ = AV_NOPTS_VALUE;    // the encoder's pts
    bool in_order_ = false;                 // libx265 with too few pictures to reorder: see put()
};

}  // namespace vfilter
