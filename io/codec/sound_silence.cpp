// How much silence a hole in the times of sound may become: a wrong time would fill the disk. And what has no place
// before the beginning.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/codec/sound_choice.h"
#include "io/codec/sound_converter.h"
#include "io/codec/sound_frames.h"
#include "io/input/packet_times.h"

namespace vfilter {

namespace {

// Where one is left to the times there is so much silence at each of its ends, at least: more than is on its way
// through resampler and encoder, so that no sound moves.
constexpr double silent_end = 1;
// No video has fewer bytes in a second.
constexpr double least_bytes = 1000;
// Of a pipe, where nobody knows how far a packet lies behind the beginning: so much of the input is sound, at least.
constexpr std::int64_t share = 10;

}  // namespace

void SoundConverter::note_bytes(const AVPacket& packet) {
    bytes_ = packet.pos >= 0 ? std::max(bytes_, packet.pos + packet.size) : bytes_ + share * packet.size;
}

// Seconds, by so many bytes of the input.
double SoundConverter::allowed_silence(std::int64_t bytes) const {
    return usual_hole_seconds + static_cast<double>(bytes) / least_bytes - filled_;
}

// Where the sound behind the silence belongs that would come at `at`.
std::int64_t SoundConverter::limit_silence(std::int64_t at, int rate) {
    const double seconds = static_cast<double>(silence_) / rate;
    const double allowed = allowed_silence(bytes_);
    // Filters that count samples would not see a step.
    const bool steps = seconds < longest_step_ && !graph_;
    if (seconds <= (steps ? std::min(allowed, usual_hole_seconds) : allowed)) {
        filled_ += std::max(seconds, 0.0);
        return at;
    }
    if (seconds < longest_step_) {
        leapt_ = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(seconds - 2 * silent_end)));
        silence_ -= leapt_ * rate;
        return at;
    }
    note_damage(damage_.packets,
                fmt::format("a time that is {:.3f} s later, for which the input has too few bytes: the sound goes on "
                            "where it was",
                            seconds));
    moved_ += silence_;
    at -= silence_;
    silence_ = 0;
    return at;
}

// Samples before the first one that comes out; those before the wanted part nobody misses.
void SoundConverter::note_left_out(std::int64_t from, std::int64_t to, int rate) {
    if (!next_ && filled_from_) {
        const std::int64_t wanted = begin_ ? av_rescale_q(*begin_, microseconds_base, sample_clock(rate)) : from;
        left_out_before_ += static_cast<double>(std::max<std::int64_t>(0, to - std::max(from, wanted))) / rate;
    }
}

// The end may be told wrong as well. Who reads has ended by now.
void SoundConverter::limit_silence_behind() {
    const AVIOContext* const read = input_.bytes_of(stream_.index);
    const std::int64_t bytes = read != nullptr ? std::max(bytes_, read->bytes_read) : bytes_;
    const double allowed = std::max(0.0, allowed_silence(bytes)) * format_->sample_rate;
    silence_ = static_cast<std::int64_t>(std::min(static_cast<double>(silence_), allowed));
    if (const std::int64_t end = input_.pictures_end(); end != AV_NOPTS_VALUE) {
        const std::int64_t until =
            av_rescale_q(av_sat_add64(end, AV_TIME_BASE), microseconds_base, sample_clock(format_->sample_rate));
        silence_ = std::min(silence_, until - *next_);
    }
}

}  // namespace vfilter
