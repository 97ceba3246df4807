#pragma once
// The order in which packets of several streams are written.

#include <deque>
#include <limits>
#include <vector>

#include "io/handles.h"

namespace vfilter {

/// How long packets wait for those of other streams, in seconds of decoding time.
struct InterleaverPatience {
    double for_pictures;
    double for_sound;
    bool once;  ///< a stream that let the others wait that long is not waited for until it has caught up
};
inline constexpr InterleaverPatience patience_of_files{10, 10, false};
/// A viewer does not want to wait for sound that has stopped, or is late. Encoders may hold pictures back for longer.
inline constexpr InterleaverPatience patience_of_live_outputs{3, 0.5, true};

/// Streams alternate by decoding time, as in FFmpeg's own queue, which does not say where each packet went, and also
/// waits for subtitles: a packet is written once every video and audio stream has a later one, or patience is
/// exhausted. One thread.
class Interleaver {
public:
    /// `output`, whose header has been written, must outlive it.
    explicit Interleaver(const AVFormatContext& output, InterleaverPatience patience = patience_of_files);

    /// A packet in the clock of its output stream.
    void add(PacketPtr packet);
    /// The next packet to write, null if none may be written yet; with `all`, for use at the end, null when none is
    /// left.
    PacketPtr next(bool all);

private:
    struct Stream {
        AVMediaType type = AVMEDIA_TYPE_UNKNOWN;  // AVMEDIA_TYPE_UNKNOWN for those that are not waited for
        int waiting = 0;                          // packets
        bool is_late = false;                     // it has let the others wait for too long
    };

    [[nodiscard]] bool is_awaited(const Stream& stream) const;
    [[nodiscard]] bool everybody_waits() const;
    [[nodiscard]] double patience() const;
    [[nodiscard]] double seconds(const AVPacket& packet) const;

    const AVFormatContext& output_;
    InterleaverPatience patience_;
    std::deque<PacketPtr> waiting_;                          // in decoding order
    std::vector<Stream> streams_;                            // of the output
    double passed_ = std::numeric_limits<double>::lowest();  // the latest time that was written, seconds
};

}  // namespace vfilter
