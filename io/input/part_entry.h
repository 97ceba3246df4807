#pragma once
// The way into the middle of an input.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "io/handles.h"
#include "io/input/packet_source.h"
#include "io/input/wanted_part.h"
#include "io/packet_times.h"

namespace vfilter {

/// What came of seeking.
enum class Landing {
    early_enough,
    too_late,  ///< from wherever it was tried: there is only the beginning left
    refused,   ///< and nobody knows where the source is now
};

/// Seeks a source before a time, microseconds: by `first` at first, then by `factor` times that and `more`, and so on
/// for as long as `lands`, which reads on from there, says no. Formats without an index (MPEG-TS) land anywhere.
struct SeekBack {
    PacketSource& source;
    std::int64_t begin = 0;  ///< of the source, to which it is not sought
    std::int64_t first = 0;
    int factor = 1;
    std::int64_t more = 0;
    int stream = -1;                       ///< -1: the one that FFmpeg takes for the best
    AVRational clock = microseconds_base;  ///< of that stream

    [[nodiscard]] Landing before(std::int64_t wanted, const std::function<bool()>& lands) const;
};

/// To a key frame of each filtered video from which a wanted picture can be decoded. One thread.
class PartEntry {
public:
    /// Packets, in search of something.
    static constexpr std::size_t max_read_ahead = 5000;
    /// The next packet, null at the end; `anew` where the source has been sought since the one before.
    using Read = std::function<PacketPtr(bool anew)>;

    /// `by_number`: the first of the videos was asked for, and may be another one than FFmpeg takes for the best. All
    /// must outlive it.
    PartEntry(PacketSource& source, const AVFormatContext& format, const std::vector<int>& videos,
              const InputClock& clock, bool by_number)
        : source_(source), format_(format), videos_(videos), clock_(clock), by_number_(by_number) {}

    /// Whether there is another place to begin at than the beginning. Says where there should be, and is none.
    [[nodiscard]] bool possible(std::int64_t wanted) const;
    /// Says where the source refuses. Where it landed too late the source is sought to its beginning.
    Landing seek(std::int64_t wanted, const Read& read);
    /// What was read where it landed.
    std::deque<PacketPtr> take() { return std::move(ahead_); }

private:
    [[nodiscard]] const AVStream& video() const { return *format_.streams[videos_.front()]; }
    [[nodiscard]] bool lands(std::int64_t wanted, const Read& read);
    void note_key(AVPacket& packet, std::int64_t wanted);

    PacketSource& source_;
    const AVFormatContext& format_;
    const std::vector<int>& videos_;
    const InputClock& clock_;
    bool by_number_;
    std::deque<PacketPtr> ahead_;
    std::map<int, std::int64_t> keys_;  // of each filtered video, the first one there: when it is shown at the latest
};

}  // namespace vfilter
