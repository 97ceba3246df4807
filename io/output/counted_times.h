#pragma once
// What happens to times in a container that only counts pictures, or ticks of their rate.

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "io/handles.h"

namespace vfilter {

/// How far from their times pictures are displayed if a container only says how many there are per second: the one
/// after k others is displayed k pictures after the first or, if the container can leave places empty, at the next free
/// place. One thread.
class CountedTimes {
public:
    enum class Places { all_taken, some_empty };

    /// With `rate` places a second, and times in `time_base`.
    CountedTimes(AVRational rate, AVRational time_base, Places places = Places::all_taken);

    /// The next picture, in encoder order, which differs from the order of times by less than 64 pictures.
    void add(std::int64_t pts);
    /// After the last one.
    void finish();

    [[nodiscard]] AVRational rate() const { return rate_; }
    [[nodiscard]] Places places() const { return places_; }
    /// The time of the first one, microseconds.
    [[nodiscard]] std::optional<std::int64_t> begin() const;
    [[nodiscard]] std::int64_t pictures() const { return pictures_; }
    /// The number of pictures that are displayed more than half a place before or after their time, and the largest
    /// such difference, seconds.
    [[nodiscard]] std::int64_t displaced() const { return displaced_; }
    [[nodiscard]] double farthest() const { return farthest_; }

private:
    void count_first();

    AVRational rate_;
    AVRational time_base_;
    Places places_;
    std::int64_t next_ = 0;  // place
    std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> waiting_;
    std::optional<std::int64_t> begin_;
    std::int64_t pictures_ = 0;
    std::int64_t displaced_ = 0;
    double farthest_ = 0;
};

/// The same for sound, whose samples follow each other without gaps and, if the container stores no beginning either,
/// start at time 0.
class CountedSound {
public:
    /// `stream` is the output's, and must outlive it.
    CountedSound(const AVStream& stream, bool from_zero);

    /// The next packet, in the stream's clock.
    void add(const AVPacket& packet);
    /// The largest difference between when it is heard and its time, seconds.
    [[nodiscard]] double farthest() const { return farthest_; }
    /// Where it ends, with packets one after the other, seconds.
    [[nodiscard]] double length() const { return next_.value_or(0); }

private:
    [[nodiscard]] double length_of(const AVPacket& packet) const;

    const AVStream* stream_;
    std::optional<double> next_;  // seconds
    double farthest_ = 0;
};

}  // namespace vfilter
