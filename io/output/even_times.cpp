#include "io/output/even_times.h"

#include <cmath>
#include <cstdlib>
#include <numeric>

namespace vfilter {

namespace {

// Milliseconds and the like, of which a picture lasts for several. What is coarser says what it means (GIF).
bool is_coarse(AVRational tick, AVRational rate) {
    constexpr AVRational finest{1, 2000};
    constexpr AVRational coarsest{1, 500};
    constexpr double most = 0.25;  // of a picture
    return av_cmp_q(tick, finest) >= 0 && av_cmp_q(tick, coarsest) <= 0 && av_q2d(tick) * av_q2d(rate) <= most;
}

bool is_near(AVRational a, AVRational b) {
    constexpr double rounding = 1e-4;
    return a.num > 0 && a.den > 0 && b.num > 0 && b.den > 0 && std::abs(av_q2d(a) / av_q2d(b) - 1) < rounding;
}

// Both of FFmpeg's rates are the header's then; a graph has the average alone.
bool is_stated(const AVStream& stream, AVRational rate) {
    return is_near(stream.avg_frame_rate, rate) &&
           (stream.r_frame_rate.num <= 0 || is_near(stream.avg_frame_rate, stream.r_frame_rate));
}

// Headers of FLV have 23.976, of which libavformat makes 983/41.
AVRational exact_rate(const AVStream& stream, AVRational rate) {
    const auto is_usual = [](AVRational of) { return of.num > 0 && (of.den == 1 || of.den == 1001); };
    return !is_usual(rate) && is_usual(stream.r_frame_rate) ? stream.r_frame_rate : rate;
}

}  // namespace

std::optional<EvenTimes> EvenTimes::of(const AVStream& stream, AVRational rate, std::int64_t first, bool begins) {
    const AVRational tick = stream.time_base;
    if (first < 0 || !is_stated(stream, rate) || !is_coarse(tick, rate)) {
        return std::nullopt;
    }
    return EvenTimes(tick, av_inv_q(exact_rate(stream, rate)), first, begins);
}

AVRational EvenTimes::clock_for(const AVStream& stream, AVRational rate) {
    constexpr std::int64_t finest = 1'000'000;
    const AVRational tick = stream.time_base;
    if (tick.num != 1 || !is_stated(stream, rate) || !is_coarse(tick, rate)) {
        return tick;
    }
    const std::int64_t both =
        std::lcm(static_cast<std::int64_t>(tick.den), static_cast<std::int64_t>(exact_rate(stream, rate).num));
    return both <= finest ? AVRational{1, static_cast<int>(both)} : tick;
}

// Counted from 0 where the first picture may be of a grid that begins there: a part of a longer video.
EvenTimes::EvenTimes(AVRational tick, AVRational picture, std::int64_t first, bool begins)
    : tick_(tick), picture_(picture), origin_(0) {
    if (!is_even(first)) {
        origin_ = first;
    } else if (begins) {
        begin_ = first;
    }
}

bool EvenTimes::is_even(std::int64_t time) const {
    const std::int64_t since = time - origin_;
    return av_rescale_q(av_rescale_q(since, tick_, picture_), picture_, tick_) == since;
}

std::int64_t EvenTimes::at(std::int64_t time, AVRational clock) const {
    if (!is_even(time)) {
        return av_rescale_q(time, tick_, clock);
    }
    const auto place = [&](std::int64_t of) {
        return av_rescale_q(av_rescale_q(of - origin_, tick_, picture_), picture_, clock);
    };
    const std::int64_t begin =
        begin_ ? av_rescale_q(*begin_, tick_, clock) - place(*begin_) : av_rescale_q(origin_, tick_, clock);
    return begin + place(time);
}

void EvenTimes::move(AVPacket& packet, AVRational clock) const {
    const bool one_picture = std::abs(packet.duration - av_rescale_q(1, picture_, tick_)) <= 1;
    packet.duration = one_picture ? av_rescale_q(1, picture_, clock) : av_rescale_q(packet.duration, tick_, clock);
    packet.pts = at(packet.pts, clock);
    packet.dts = at(packet.dts, clock);
}

}  // namespace vfilter
