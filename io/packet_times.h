#pragma once
// Times of packets.

#include <cstdint>

#include "io/handles.h"

namespace vfilter {

/// The clock that all streams share: microseconds, FFmpeg's AV_TIME_BASE_Q.
inline constexpr AVRational microseconds_base{1, AV_TIME_BASE};

/// Converts a stream's time to it.
inline std::int64_t microseconds(std::int64_t time, AVRational base) {
    return av_rescale_q(time, base, microseconds_base);
}
inline double seconds_of(std::int64_t microseconds) {
    return static_cast<double>(microseconds) / AV_TIME_BASE;
}

/// The decoding time, otherwise the display time; AV_NOPTS_VALUE if it has neither.
inline std::int64_t decoding_time(const AVPacket& packet) {
    return packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts;
}

/// The display time, otherwise the decoding time; AV_NOPTS_VALUE if it has neither.
inline std::int64_t presentation_time(const AVPacket& packet) {
    return packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
}

/// Whether a beginning, in microseconds, is that of what an audio codec puts before its first sample. It is not heard
/// and not all containers declare it, so it does not count as a beginning: no codec puts more than a tenth of a second
/// there.
constexpr bool is_priming(std::int64_t begin) {
    return begin < 0 && begin > -AV_TIME_BASE / 10;
}

/// Microseconds, 285 years: enough for clocks that count from 1970, or from 1900. A thousand times within it can be
/// added.
inline constexpr std::int64_t most_time = std::int64_t{1} << 53;

/// Limits larger times and durations to it. Returns whether there were any.
bool bound_times(AVPacket& packet, AVRational base);

inline void move_times(AVPacket& packet, std::int64_t offset) {
    packet.pts = packet.pts == AV_NOPTS_VALUE ? packet.pts : av_sat_add64(packet.pts, offset);
    packet.dts = packet.dts == AV_NOPTS_VALUE ? packet.dts : av_sat_add64(packet.dts, offset);
}

}  // namespace vfilter
