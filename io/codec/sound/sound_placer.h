#pragma once
// Where decoded sound is placed.

#include <cstdint>
#include <optional>

#include "io/handles.h"

namespace vfilter {

/// What determines it. Times are microseconds of the input.
struct PlacingRules {
    int stream = 0;                             ///< its number, for messages
    AVRational clock{1, AV_TIME_BASE};          ///< of the pieces' times
    bool live = false;                          ///< the clocks of two devices may run apart
    std::optional<std::int64_t> begin{};        ///< of the wanted part
    std::optional<std::int64_t> end{};          ///< the same
    std::optional<std::int64_t> filled_from{};  ///< where the container begins to count samples
    std::optional<std::int64_t> filled_to{};    ///< up to where there must be sound
    double longest_step = 0;  ///< seconds, in the output's times; 0 if the container cannot hold gaps in this sound
    bool filtered = false;    ///< by filters that count samples: they would not see a step
};

/// A decoded piece.
struct PieceTimes {
    std::int64_t pts = AV_NOPTS_VALUE;  ///< in the clock of the rules
    int samples = 0;
    int rate = 0;
    int packet_samples = 0;                 ///< per packet of the codec; 0 if that varies
    bool begins_clip = false;               ///< the first of a file that follows another
    std::int64_t bytes = 0;                 ///< of the input, as far as that is known
    std::optional<std::int64_t> made_to{};  ///< where what the resampler makes of the pieces before ends, in samples of
                                            ///< `rate`; empty where it is made anew for this one
};

/// For some time from now on the resampler must output slightly more or fewer samples.
struct SoundStretch {
    double share = 0;    ///< as a share of all: 0.001 for one more per thousand
    double seconds = 0;  ///< how long
};

/// What happens to a piece. Samples are at its rate.
struct SoundPlace {
    std::int64_t from = 0;             ///< where the silence before it begins, or the piece itself if there is none
    std::int64_t silence = 0;          ///< samples of it
    std::int64_t leap = 0;             ///< seconds in the middle of the silence, which are a step of the output's times
    int cut = 0;                       ///< samples to drop at its beginning
    int samples = 0;                   ///< that are heard of those behind them; if 0, all but `stretch` means nothing
    std::optional<double> too_late{};  ///< its time is wrong by that many seconds, which is damage
    std::optional<SoundStretch> stretch{};
};

/// Determines the place of each piece: as its time says, as far as that can be true. Plain numbers.
class SoundPlacer {
public:
    explicit SoundPlacer(const PlacingRules& rules) : rules_(rules) {}

    SoundPlace place(const PieceTimes& piece);
    /// After the last one: how many samples of silence, at that rate, must follow it, for an input with that many bytes
    /// whose pictures end there (microseconds; AV_NOPTS_VALUE if unknown).
    std::int64_t silence_behind(int rate, std::int64_t bytes, std::int64_t pictures_end);
    /// Where the next sample belongs, in samples of the latest piece's rate; empty before the first one.
    [[nodiscard]] std::optional<std::int64_t> next() const { return next_; }
    /// The same in seconds; 0 before the first one.
    [[nodiscard]] double next_seconds() const { return next_ ? static_cast<double>(*next_) / rate_ : 0; }
    /// How much of the sound is before the time at which the container begins, seconds.
    [[nodiscard]] double left_out_before() const { return left_out_before_; }

private:
    void count_in(int rate);
    [[nodiscard]] std::int64_t told_place(const PieceTimes& piece);
    [[nodiscard]] std::int64_t steadied(std::int64_t at, const PieceTimes& piece, SoundPlace& place);
    [[nodiscard]] std::int64_t mended(std::int64_t length, const PieceTimes& piece) const;
    [[nodiscard]] std::optional<SoundStretch> stretch(double error, double seconds);
    void note_left_out(std::int64_t from, std::int64_t to);
    [[nodiscard]] double allowed_silence(std::int64_t bytes) const;
    void limit_silence(SoundPlace& place, std::int64_t bytes);

    PlacingRules rules_;
    int rate_ = 0;  // of the samples that are counted here
    std::optional<std::int64_t> next_;
    std::int64_t last_pts_ = AV_NOPTS_VALUE;
    std::int64_t last_error_ = 0;  // of the timestamps relative to next_
    double mean_error_ = 0;        // the same in seconds, live, averaged over some time
    bool stretches_ = false;       // that was once too large
    bool told_back_ = false;
    double filled_ = 0;       // seconds of silence so far
    std::int64_t moved_ = 0;  // samples by which everything that follows is heard too early
    double left_out_before_ = 0;
};

}  // namespace vfilter
