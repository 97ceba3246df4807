#include "pipeline/stages/stage.h"

#include <algorithm>

#include "io/codec/decoder.h"

extern "C" {
#include <libavutil/imgutils.h>
}

namespace vfilter {

std::size_t packets_ahead_of(AVCodecID codec, AVPixelFormat format, int width, int height) {
    constexpr std::size_t bytes_ahead = std::size_t{32} << 20;
    constexpr std::size_t least = 4;
    const AVCodecDescriptor* const facts = avcodec_descriptor_get(codec);
    const int size = av_image_get_buffer_size(format, width, height, 1);
    const bool whole = codec == AV_CODEC_ID_WRAPPED_AVFRAME;  // pictures as they are, which YUV4MPEG takes
    const bool large = whole || (facts != nullptr && (facts->props & AV_CODEC_PROP_INTRA_ONLY) != 0);
    if (!large || size <= 0) {
        return packets_ahead;
    }
    return std::clamp(bytes_ahead / static_cast<std::size_t>(size), least, packets_ahead);
}

VideoRoute::VideoRoute(std::size_t video, const AVStream& of, int number_of_stream, AVRational frame_rate, bool live)
    : number(video),
      stream(of),
      stream_index(number_of_stream),
      interval(
          std::chrono::duration_cast<Stamps::Clock::duration>(std::chrono::duration<double>(1 / av_q2d(frame_rate)))),
      independent(has_independent_packets(stream)),
      packets(live && independent
                  ? 1
                  : packets_ahead_of(of.codecpar->codec_id, static_cast<AVPixelFormat>(of.codecpar->format),
                                     of.codecpar->width, of.codecpar->height)),
      decoded(live ? 1 : frames_ahead),
      filtered(live ? recorded_ahead : frames_ahead) {}

std::chrono::microseconds VideoRoute::time_to_next(const Frame& frame) const {
    const auto due = frame.stamps.captured + interval;
    const auto left = std::chrono::duration_cast<std::chrono::microseconds>(due - Stamps::Clock::now());
    return std::max(left, std::chrono::microseconds(0));
}

}  // namespace vfilter
