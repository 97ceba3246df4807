#pragma once
// How far the streams of a playlist have come.

#include <cstdint>
#include <vector>

#include "io/handles.h"
#include "io/log/missing_parts.h"

namespace vfilter {

/// Knows by the packets of a playlist (HLS, DASH), or of another input that FFmpeg opens by itself, where each stream
/// is, and whether it ends. `format` is the same in every call. One thread.
class PlaylistStreams {
public:
    /// A packet was read.
    void note(const AVFormatContext& format, const AVPacket& packet);
    /// Of a packet that its demuxer marks as damaged: where parts of a playlist are joined the counters of MPEG-TS
    /// begin anew, which it takes for that. So many joints were there so far; one packet of each stream is forgiven for
    /// each.
    void forgive_joint(const AVFormatContext& format, AVPacket& packet, std::int64_t joints);
    /// FFmpeg's reader of DASH reads from the stream that is farthest behind, and ends with the first that has an end.
    /// The others go on without it, by being read alone: false if none is left.
    [[nodiscard]] bool leave_ended(const AVFormatContext& format);
    /// The input is read on elsewhere, all of it.
    void sought();
    /// By the streams that had packets, and the duration of the whole.
    [[nodiscard]] MissingParts::End how_ended(const AVFormatContext& format) const;

private:
    std::vector<std::int64_t> ends_;      // of the streams, microseconds
    std::vector<AVStream*> left_;         // of DASH, as they have ended
    std::vector<std::int64_t> latest_;    // the latest packet's pts of each stream, microseconds
    std::vector<std::int64_t> forgiven_;  // by stream, packets before a joint
};

}  // namespace vfilter
