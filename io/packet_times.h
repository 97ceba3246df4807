#pragma once
// Times of packets.

#include <cstdint>

#include "io/handles.h"

namespace vfilter {

/// The clock that all streams share: microseconds, FFmpeg's AV_TIME_BASE_Q.
inline constexpr AVRational microseconds_base{1, AV_TIME_BASE};

/// A time of a stream in it.
inline std::int64_t microseconds(std::int64_t time, AVRational base) {
    return av_rescale_q(time, base, microseconds_base);
}
inline double seconds_of(std::int64_t microseconds) {
    return static_cast<double>(microseconds) / AV_TIME_BASE;
}

/// When it is to be decoded, else shown; AV_NOPTS_VALUE where it has no time.
inline std::int64_t decoding_time(const AVPacket& packet) {
    return packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts;
}

/// When it is shown, else to be decoded; AV_NOPTS_VALUE where it has no time.
inline std::int64_t presentation_time(const AVPacket& packet) {
    return packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
}

/// Whether a beginning, in microseconds, is that of what a codec of sound puts before its first sample. Nobody hears it
/// and not all containers tell of it, so that nothing begins there: no codec puts more than a tenth of a second.
constexpr bool is_priming(std::int64_t begin) {
    return begin < 0 && begin > -AV_TIME_BASE / 10;
}

/// Microseconds, 285 years: clocks that count from 1970, or from 1900, have room. Of times within it a thousand can be
/// added.
inline constexpr std::int64_t most_time = std::int64_t{1} << 53;

/// Brings times beyond that into it, and durations. Returns whether there were any.
bool bound_times(AVPacket& packet, AVRational base);

inline void move_times(AVPacket& packet, std::int64_t offset) {
    packet.pts = packet.pts == AV_NOPTS_VALUE ? packet.pts : av_sat_add64(packet.pts, offset);
    packet.dts = packet.dts == AV_NOPTS_VALUE ? packet.dts : av_sat_add64(packet.dts, offset);
}

}  // namespace vfilter
