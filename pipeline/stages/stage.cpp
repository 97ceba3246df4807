#include "pipeline/stages/stage.h"

#include <algorithm>

#include "io/codec/decoder.h"

namespace vfilter {

VideoRoute::VideoRoute(std::size_t video, const AVStream& of, int number_of_stream, AVRational frame_rate, bool live)
    : number(video),
      stream(of),
      stream_index(number_of_stream),
      interval(
          std::chrono::duration_cast<Stamps::Clock::duration>(std::chrono::duration<double>(1 / av_q2d(frame_rate)))),
      independent(has_independent_packets(stream)),
      packets(live && independent ? 1 : packets_ahead),
      decoded(live ? 1 : frames_ahead),
      filtered(live ? recorded_ahead : frames_ahead) {}

std::chrono::microseconds VideoRoute::time_to_next(const Frame& frame) const {
    const auto due = frame.stamps.captured + interval;
    const auto left = std::chrono::duration_cast<std::chrono::microseconds>(due - Stamps::Clock::now());
    return std::max(left, std::chrono::microseconds(0));
}

}  // namespace vfilter
