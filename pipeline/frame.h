#pragma once
// What the stages pass on to each other.

#include <chrono>
#include <cstdint>

#include "io/handles.h"

namespace vfilter {

/// When a picture passed the points of its route; `never` if it has not.
struct Stamps {
    using Clock = std::chrono::steady_clock;
    static constexpr Clock::time_point never{};

    Clock::time_point captured = never;  ///< its packet was received
    Clock::time_point decoded = never;
    Clock::time_point uploaded = never;  ///< it is where it will be filtered
    Clock::time_point filtered = never;  ///< it could be shown
};

/// A picture and its properties. pts are in the input stream's time base.
struct Frame {
    FramePtr picture;
    std::int64_t index = 0;  ///< from 0, in display order; in live runs some are dropped along the way
    Stamps stamps{};
    FramePtr original{};  ///< on the way to the window: the picture before filtering
    /// After a graph: `index` of the picture that it was made from. -1 means `index` itself.
    std::int64_t source = -1;

    /// The number that spans, tracks and masks refer to.
    [[nodiscard]] std::int64_t counted() const { return source >= 0 ? source : index; }
};

/// A packet of the video on its way to the decoder.
struct InputPacket {
    PacketPtr packet;
    Stamps::Clock::time_point captured = Stamps::never;
};

/// A packet on its way to the muxer.
struct OutputPacket {
    PacketPtr packet;
    enum class From { video_encoder, sound_encoder, input } from = From::video_encoder;
    std::size_t encoder = 0;                             ///< among those of its kind
    std::int64_t frame = -1;                             ///< index of the picture in an encoder's packet, -1 if unknown
    Stamps::Clock::time_point captured = Stamps::never;  ///< of that picture
};

}  // namespace vfilter
