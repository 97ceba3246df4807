#pragma once
// How to start in the middle of an input.

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

/// The result of seeking.
enum class Landing {
    early_enough,
    too_late,  ///< from wherever it was tried: only the beginning is left
    refused,   ///< and the position of the source is now unknown
};

/// Seeks a source to before a time, microseconds: `first` earlier at first, then `factor` times that plus `more`, and
/// so on as long as `lands`, which reads on from there, says no. Formats without an index (MPEG-TS) land anywhere.
struct SeekBack {
    PacketSource& source;
    std::int64_t begin = 0;  ///< of the source; there is no seeking to it
    std::int64_t first = 0;
    int factor = 1;
    std::int64_t more = 0;
    int stream = -1;                       ///< -1: the one that FFmpeg considers best
    AVRational clock = microseconds_base;  ///< of that stream

    [[nodiscard]] Landing before(std::int64_t wanted, const std::function<bool()>& lands) const;
};

/// Goes to a key frame of each filtered video from which a wanted picture can be decoded. One thread.
class PartEntry {
public:
    /// The most packets to read while searching.
    static constexpr std::size_t max_read_ahead = 5000;
    /// The next packet, null at the end; `anew` if the source has seeked since the previous one.
    using Read = std::function<PacketPtr(bool anew)>;

    /// `by_number`: the first of the videos was named by the user, and may not be the one that FFmpeg considers best.
    /// All must outlive it.
    PartEntry(PacketSource& source, const AVFormatContext& format, const std::vector<int>& videos,
              const InputClock& clock, bool by_number)
        : source_(source), format_(format), videos_(videos), clock_(clock), by_number_(by_number) {}

    /// Whether reading can begin anywhere other than at the beginning. Reports if it should be possible but is not.
    [[nodiscard]] bool possible(std::int64_t wanted) const;
    /// Reports if the source refuses. If it landed too late, the source is moved to its beginning.
    Landing seek(std::int64_t wanted, const Read& read);
    /// The packets that were read where it landed, those of filtered videos from a key frame on.
    std::deque<PacketPtr> take() { return std::move(ahead_); }

private:
    [[nodiscard]] const AVStream& video() const { return *format_.streams[videos_.front()]; }
    [[nodiscard]] bool lands(std::int64_t wanted, const Read& read);
    void drop_before_keys();
    void note_key(AVPacket& packet, std::int64_t wanted);

    PacketSource& source_;
    const AVFormatContext& format_;
    const std::vector<int>& videos_;
    const InputClock& clock_;
    bool by_number_;
    std::deque<PacketPtr> ahead_;
    std::map<int, std::int64_t> keys_;  // of each filtered video, the first one there: its latest possible display time
};

}  // namespace vfilter
