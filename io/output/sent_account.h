#pragma once
// What was sent to an output, packet by packet: what the file must contain in the end, and what its container loses.

#include <cstdint>
#include <map>
#include <vector>

#include "io/output/counted_times.h"
#include "io/output/output_check.h"

namespace vfilter {

/// What happened at the ends of encoded sound, seconds.
struct EncodedSoundEnds {
    double left_out_before = 0;  ///< sound for which the container has no room
    double silence_behind = 0;   ///< not from the input's sound
};

/// Counts packets and checks their times; keeps none. One thread.
class SentAccount {
public:
    SentAccount() = default;
    /// For an output whose streams are complete, and whose clocks are not set yet.
    explicit SentAccount(const AVFormatContext& output);

    /// Compares sound with its own length if the container keeps no times for it. `output` is as it was for the
    /// constructor, and must outlive the account.
    void watch_sounds(const AVFormatContext& output);
    /// The same for pictures: stream `index` has `rate` a second, or at most, and their times are in `time_base`. Sound
    /// is sent as if the first one were at `begin`, microseconds.
    void watch_pictures(int index, AVRational rate, AVRational time_base, CountedTimes::Places places,
                        std::int64_t begin);

    /// A picture of stream `index`, with its time as returned by the encoder.
    void add_picture(int index, std::int64_t pts);
    /// Any packet, including pictures, as given to the muxer, in `clock`.
    void add(const AVPacket& packet, AVRational clock);
    /// After the last one. Warns about what is not displayed or heard at its time in `container`, or not at all.
    /// `encoded`: those that are not copies, by stream.
    void finish(const AVOutputFormat& container, const std::map<int, EncodedSoundEnds>& encoded);

    /// What was sent, by stream.
    [[nodiscard]] const std::vector<SentStream>& streams() const { return streams_; }
    /// Pictures of all videos that are not displayed at their time, because the container only counts them; after
    /// finish().
    [[nodiscard]] std::int64_t displaced_pictures() const;

private:
    void tell_pictures(const AVOutputFormat& container) const;
    void tell_sounds(const AVOutputFormat& container, const std::map<int, EncodedSoundEnds>& encoded) const;
    void tell_begins(const AVOutputFormat& container, const std::map<int, EncodedSoundEnds>& encoded) const;
    void tell_ends(const AVOutputFormat& container, const std::map<int, EncodedSoundEnds>& encoded) const;

    std::vector<SentStream> streams_;
    // By stream, those that a container only counts.
    std::map<int, CountedTimes> pictures_;
    std::map<int, CountedSound> sounds_;
    std::map<int, std::int64_t> begins_;  // of pictures, microseconds
};

}  // namespace vfilter
