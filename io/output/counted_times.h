#pragma once
// What becomes of times in a container that only counts pictures.

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "io/handles.h"

namespace vfilter {

/// How far from their times pictures are shown where a container says only how many there are a second: the one after k
/// others comes k pictures after the first. One thread.
class CountedTimes {
public:
    /// Of `rate` pictures a second, and times in `time_base`.
    CountedTimes(AVRational rate, AVRational time_base);

    /// The next picture, in the order of an encoder, which is behind that of their times by less than 64.
    void add(std::int64_t pts);
    /// After the last one.
    void finish();

    [[nodiscard]] AVRational rate() const { return rate_; }
    [[nodiscard]] std::int64_t pictures() const { return pictures_; }
    /// Those that are shown more than half a picture before or after their time, and by how much at most, seconds.
    [[nodiscard]] std::int64_t displaced() const { return displaced_; }
    [[nodiscard]] double farthest() const { return farthest_; }

private:
    void count_first();

    AVRational rate_;
    AVRational time_base_;
    std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> waiting_;
    std::optional<std::int64_t> begin_;
    std::int64_t pictures_ = 0;
    std::int64_t displaced_ = 0;
    double farthest_ = 0;
};

/// The same of sound, whose samples follow each other without gaps, and, where the container tells no beginning either,
/// from time 0 on.
class CountedSound {
public:
    /// `stream` is the output's, and has to outlive it.
    CountedSound(const AVStream& stream, bool from_zero);

    /// The next packet, in the stream's clock.
    void add(const AVPacket& packet);
    /// By how much at most it is heard before or after its time, seconds.
    [[nodiscard]] double farthest() const { return farthest_; }

private:
    [[nodiscard]] double length_of(const AVPacket& packet) const;

    const AVStream* stream_;
    std::optional<double> next_;  // seconds
    double farthest_ = 0;
};

}  // namespace vfilter
