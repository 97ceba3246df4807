#pragma once
// What an output was sent, packet by packet: what the file must hold in the end, and what its container loses of it.

#include <cstdint>
#include <map>
#include <vector>

#include "io/output/counted_times.h"
#include "io/output/output_check.h"

namespace vfilter {

/// What became of the ends of sound that was encoded, seconds.
struct EncodedSoundEnds {
    double left_out_before = 0;  ///< sound for which the container has no place
    double silence_behind = 0;   ///< no sound of the input
};

/// Counts packets and looks at their times; keeps none. One thread.
class SentAccount {
public:
    SentAccount() = default;
    /// Of an output whose streams are complete, and their clocks not yet set.
    explicit SentAccount(const AVFormatContext& output);

    /// Sound is to be held against its own length where the container keeps no times of it. `output` is as it was for
    /// the constructor, and has to outlive the account.
    void watch_sounds(const AVFormatContext& output);
    /// The same of pictures: stream `index` has `rate` a second, or at most, and their times come in `time_base`. Sound
    /// is sent as if the first one were at `begin`, microseconds.
    void watch_pictures(int index, AVRational rate, AVRational time_base, CountedTimes::Places places,
                        std::int64_t begin);

    /// A picture of stream `index`, with its time as the encoder gave it.
    void add_picture(int index, std::int64_t pts);
    /// Any packet, pictures as well, as the muxer is given it, in `clock`.
    void add(const AVPacket& packet, AVRational clock);
    /// After the last one. Warns of what is not shown or heard at its time in `container`, or not at all.
    /// `encoded`: those that are no copies, by stream.
    void finish(const AVOutputFormat& container, const std::map<int, EncodedSoundEnds>& encoded);

    /// What was sent, by stream.
    [[nodiscard]] const std::vector<SentStream>& streams() const { return streams_; }
    /// Pictures of all videos that are not shown at their time, as the container only counts them; after finish().
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
