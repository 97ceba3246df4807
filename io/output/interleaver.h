#pragma once
// The order in which packets of several streams are written.

#include <deque>
#include <limits>
#include <vector>

#include "io/handles.h"

namespace vfilter {

/// How long packets wait for those of other streams, in seconds by their decoding times.
struct InterleaverPatience {
    double for_pictures;
    double for_sound;
    bool once;  ///< a stream that let the others wait so long is not waited for until it has caught up
};
inline constexpr InterleaverPatience patience_of_files{10, 10, false};
/// Nobody who watches waits for sound that has stopped, or comes late. Encoders may hold pictures back for longer.
inline constexpr InterleaverPatience patience_of_live_outputs{3, 0.5, true};

/// Streams take turns by decoding time, as they do in FFmpeg's own queue, which does not tell where each packet went,
/// and waits for subtitles as well: a packet goes once every stream of pictures or sound has a later one, or patience
/// is over. One thread.
class Interleaver {
public:
    /// `output`, whose header is written, must outlive it.
    explicit Interleaver(const AVFormatContext& output, InterleaverPatience patience = patience_of_files);

    /// A packet in the clock of its stream of the output.
    void add(PacketPtr packet);
    /// The next packet to write, null where none may go yet; with `all`, which is for the end, null when none is left.
    PacketPtr next(bool all);

private:
    struct Stream {
        AVMediaType type = AVMEDIA_TYPE_UNKNOWN;  // AVMEDIA_TYPE_UNKNOWN of those that nobody waits for
        int waiting = 0;                          // packets
        bool is_late = false;                     // it has let the others wait for too long
    };

    [[nodiscard]] bool is_awaited(const Stream& stream) const;
    [[nodiscard]] bool everybody_waits() const;
    [[nodiscard]] double patience() const;
    [[nodiscard]] double seconds(const AVPacket& packet) const;

    const AVFormatContext& output_;
    InterleaverPatience patience_;
    std::deque<PacketPtr> waiting_;                          // in the order of decoding times
    std::vector<Stream> streams_;                            // of the output
    double passed_ = std::numeric_limits<double>::lowest();  // the latest time that went, seconds
};

}  // namespace vfilter
