#include "io/codec/sound/sound_placer.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "io/codec/sound/sound_frames.h"
#include "io/formats/sound_format.h"
#include "io/packet_times.h"

namespace vfilter {

namespace {

// By how much timestamps may miss what the number of samples says before they are taken at their word: containers round
// them, and clocks drift, which is mended in larger steps.
constexpr double rounding_seconds = 0.002;
constexpr double drift_seconds = 0.04;
constexpr double jump_seconds = 0.5;  // back, by which the clock is another one
// Live, clocks of two devices: from this error on, as a mean over some time, the sound is stretched, so that the error
// is gone after a while, and by no more than nobody hears.
constexpr double stretched_seconds = 0.004;
constexpr double averaging_seconds = 1;
constexpr double mending_seconds = 3;
constexpr double max_stretch = 0.005;
// Where a hole is left to the times there is so much silence at each of its ends, at least: more than is on its way
// through resampler and encoder, so that no sound moves.
constexpr double silent_end = 1;
// No video has fewer bytes in a second.
constexpr double least_video_bytes = 1000;

}  // namespace

SoundPlace SoundPlacer::place(const PieceTimes& piece) {
    count_in(piece.rate);
    SoundPlace place;
    std::int64_t at = told_place(piece);
    if (next_ && stretches_ && piece.made_to) {
        next_ = piece.made_to;  // what has come out so far says where the next sample comes to lie
    }
    if (next_) {
        at = steadied(at, piece, place);
    }
    const AVRational clock = sample_clock(piece.rate);
    const std::optional<std::int64_t> begin = rules_.filled_from ? rules_.filled_from : rules_.begin;
    const std::int64_t first = std::max(
        next_.value_or(INT64_MIN), begin ? av_rescale_q_rnd(*begin, microseconds_base, clock, AV_ROUND_UP) : INT64_MIN);
    place.samples = piece.samples;
    if (first > at) {
        note_left_out(at, std::min(first, at + piece.samples));
        place.cut = static_cast<int>(std::min<std::int64_t>(first - at, piece.samples));
        place.samples -= place.cut;
        at = first;
    }
    if (rules_.end) {
        const std::int64_t length = av_rescale_q(*rules_.end, microseconds_base, clock) - at;
        place.samples = static_cast<int>(std::clamp<std::int64_t>(length, 0, place.samples));
    }
    if (place.samples > 0) {
        place.from = next_.value_or(rules_.filled_from ? first : at);
        place.silence = at - place.from;
        limit_silence(place, piece.bytes);
        next_ = place.from + place.silence + place.leap * rate_ + place.samples;
    }
    return place;
}

std::int64_t SoundPlacer::silence_behind(int rate, std::int64_t bytes, std::int64_t pictures_end) {
    if (!rules_.filled_to || !next_) {
        return 0;
    }
    count_in(rate);
    const std::int64_t missing = av_rescale_q(*rules_.filled_to, microseconds_base, sample_clock(rate)) - *next_;
    // The end may be told wrong as well.
    const double allowed = std::max(0.0, allowed_silence(bytes)) * rate;
    auto silence = static_cast<std::int64_t>(std::min(static_cast<double>(missing), allowed));
    if (pictures_end != AV_NOPTS_VALUE) {
        const std::int64_t until =
            av_rescale_q(av_sat_add64(pictures_end, AV_TIME_BASE), microseconds_base, sample_clock(rate));
        silence = std::min(silence, until - *next_);
    }
    return std::max<std::int64_t>(silence, 0);
}

void SoundPlacer::count_in(int rate) {
    if (next_ && rate != rate_) {
        next_ = av_rescale(*next_, rate, rate_);
        moved_ = av_rescale(moved_, rate, rate_);
    }
    rate_ = rate;
}

// By its time, or behind what came before.
std::int64_t SoundPlacer::told_place(const PieceTimes& piece) {
    const bool timed = piece.pts != AV_NOPTS_VALUE;
    const std::int64_t at = timed
                                ? av_sat_sub64(av_rescale_q(piece.pts, rules_.clock, sample_clock(piece.rate)), moved_)
                                : next_.value_or(0);
    const double back = next_ && !rules_.live ? static_cast<double>(*next_ - at) / piece.rate : 0;
    // More than a clock does that is coarser than packets are long: Matroska's, of TrueHD.
    // That of the file before says nothing of another one's.
    const bool stands =
        timed && !piece.begins_clip && piece.pts == last_pts_ && (rules_.live || back > 2 * av_q2d(rules_.clock));
    last_pts_ = piece.pts;
    if (!next_ || (!stands && back <= jump_seconds)) {
        return at;
    }
    // Files that were joined, or a container without times.
    if (!std::exchange(told_back_, true)) {
        spdlog::warn(
            "the timestamps of the sound of stream {} stand still or go back by {:.3f} s, so that part "
            "is heard directly after what came before",
            rules_.stream, back);
    }
    return *next_;
}

// Right behind what came before, unless its time says more than what clocks round and drift by.
std::int64_t SoundPlacer::steadied(std::int64_t at, const PieceTimes& piece, SoundPlace& place) {
    const std::int64_t error = at - *next_;
    const double tick = 2 * av_q2d(rules_.clock) * piece.rate;
    const double rounding = std::max(tick, (rules_.live ? drift_seconds : rounding_seconds) * piece.rate);
    // Each file of several begins where it is to, whatever the sound of the one before lacked or had too much.
    if (piece.begins_clip) {
        last_error_ = 0;
        const double rounded = error < 0 ? rounding_seconds * piece.rate : std::max(tick, 1.0);
        return static_cast<double>(std::abs(error)) <= rounded ? *next_ : at;
    }
    const bool jumps = static_cast<double>(std::abs(error - last_error_)) > rounding;
    const bool drifts = static_cast<double>(std::abs(error)) > drift_seconds * piece.rate;
    last_error_ = jumps || drifts ? 0 : error;
    if (rules_.live && piece.made_to) {
        place.stretch = stretch(jumps || drifts ? 0 : static_cast<double>(error) / piece.rate,
                                static_cast<double>(piece.samples) / piece.rate);
    }
    return *next_ + (jumps || drifts ? mended(error, piece) : 0);
}

// The length of a gap of `length` samples before a piece: as timestamps are rounded, but packets are not, it is a whole
// number of packets where it nearly is.
std::int64_t SoundPlacer::mended(std::int64_t length, const PieceTimes& piece) const {
    const std::int64_t whole = piece.packet_samples;
    const double at = static_cast<double>(*next_ + length) / piece.rate;
    if (whole > 0) {
        const std::int64_t nearest = std::llround(static_cast<double>(length) / static_cast<double>(whole)) * whole;
        if (nearest != 0 && static_cast<double>(std::abs(nearest - length)) <= rounding_seconds * piece.rate) {
            length = nearest;
        }
    }
    spdlog::debug("stream {}: {} samples {} at {:.3f} s", rules_.stream, std::abs(length),
                  length > 0 ? "of silence for a gap" : "that come twice are cut", at);
    return length;
}

// `error` is how many seconds later a piece of so many seconds is by its time than where it comes to lie.
std::optional<SoundStretch> SoundPlacer::stretch(double error, double seconds) {
    mean_error_ += (error - mean_error_) * std::min(1.0, seconds / averaging_seconds);
    stretches_ = stretches_ || std::abs(mean_error_) > stretched_seconds;
    if (!stretches_) {
        return std::nullopt;
    }
    return SoundStretch{std::clamp(mean_error_ / mending_seconds, -max_stretch, max_stretch),
                        std::max(1.0, 2 * seconds)};
}

// Samples before the first one that comes out; those before the wanted part nobody misses.
void SoundPlacer::note_left_out(std::int64_t from, std::int64_t to) {
    if (!next_ && rules_.filled_from) {
        const std::int64_t wanted =
            rules_.begin ? av_rescale_q(*rules_.begin, microseconds_base, sample_clock(rate_)) : from;
        left_out_before_ += static_cast<double>(std::max<std::int64_t>(0, to - std::max(from, wanted))) / rate_;
    }
}

// Seconds, by so many bytes of the input.
double SoundPlacer::allowed_silence(std::int64_t bytes) const {
    return usual_hole_seconds + static_cast<double>(bytes) / least_video_bytes - filled_;
}

// A wrong time would fill the disk.
void SoundPlacer::limit_silence(SoundPlace& place, std::int64_t bytes) {
    const double seconds = static_cast<double>(place.silence) / rate_;
    const double allowed = allowed_silence(bytes);
    const bool steps = seconds < rules_.longest_step && !rules_.filtered;
    if (seconds <= (steps ? std::min(allowed, usual_hole_seconds) : allowed)) {
        filled_ += seconds;
    } else if (seconds < rules_.longest_step) {
        place.leap = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(seconds - 2 * silent_end)));
        place.silence -= place.leap * rate_;
    } else {
        place.too_late = seconds;
        moved_ += std::exchange(place.silence, 0);
    }
}

}  // namespace vfilter
