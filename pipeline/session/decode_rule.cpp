#include "pipeline/session/decode_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/formats/formats.h"

namespace vfilter {

namespace {

// In a second: of a core, with libavcodec's frame threads, and of an engine, beside the time for any picture. Measured
// on an H200 and an H100 beside 16 cores.
struct CodecSpeed {
    AVCodecID codec;
    double core_pixels;
    double core_bits;
    double engine_pixels;
    double engine_bits;
    int max_depth;
    bool full_chroma;  // 4:4:4 as well
};
constexpr std::array speeds{
    CodecSpeed{AV_CODEC_ID_H264, 228e6, 60e6, 1.77e9, 760e6, 8, false},
    CodecSpeed{AV_CODEC_ID_HEVC, 240e6, 60e6, 1.43e9, 760e6, 12, true},
};
constexpr double engine_seconds_of_a_picture = 1e-3;
// By which a run is longer for each session: it takes 40 ms to make and as long to end, one after the other in the
// driver, while the others are at work.
constexpr double seconds_of_a_session = 0.05;
// cuvidGetDecodeStatus is for H.264, HEVC and JPEG (Video Codec SDK, nvcuvid.h): damage in others would pass unseen.
constexpr std::array silent{AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1};
// Beside hardware's sessions, seven of which want a core or two. With 12 of 16 cores a run of 1.2 s is 0.03 s shorter
// than with 8, and as long as with 14.
constexpr int fewest_cores_to_help = 4;
// libavcodec makes no more threads by itself, and more do not decode faster: 32 cores make the 810 pictures a second
// of 16.
constexpr int most_cores = 16;
constexpr double shortest = 5;  // seconds
constexpr double usual_bits_of_a_pixel = 0.1;

const CodecSpeed* speed_of(AVCodecID codec) {
    const auto found = std::ranges::find(speeds, codec, &CodecSpeed::codec);
    return found == speeds.end() ? nullptr : &*found;
}

bool takes(const CodecSpeed& speed, AVPixelFormat format) {
    struct Row {
        AVPixelFormat format;
        int depth;
        bool full_chroma;
    };
    constexpr std::array rows{Row{AV_PIX_FMT_YUV420P, 8, false},      Row{AV_PIX_FMT_YUV420P10LE, 10, false},
                              Row{AV_PIX_FMT_YUV420P12LE, 12, false}, Row{AV_PIX_FMT_YUV444P, 8, true},
                              Row{AV_PIX_FMT_YUV444P10LE, 10, true},  Row{AV_PIX_FMT_YUV444P12LE, 12, true}};
    return std::ranges::any_of(rows, [&](const Row& row) {
        return row.format == format && row.depth <= speed.max_depth && (speed.full_chroma || !row.full_chroma);
    });
}

double pixels_of(const DecodeFactors& factors) {
    return static_cast<double>(factors.kind.width) * factors.kind.height;
}

double bits_of(const DecodeFactors& factors) {
    return factors.bit_rate > 0 ? factors.bit_rate / factors.rate : usual_bits_of_a_pixel * pixels_of(factors);
}

// Pictures in a second.
double speed_in_hardware(const CodecSpeed& speed, const DecodeFactors& factors, int sessions) {
    const double seconds = engine_seconds_of_a_picture +
                           std::max(pixels_of(factors) / speed.engine_pixels, bits_of(factors) / speed.engine_bits);
    return sessions / seconds;
}

// Seconds for the whole video, whose length is known.
double time_in_hardware(const CodecSpeed& speed, const DecodeFactors& factors, int sessions) {
    return sessions * seconds_of_a_session +
           static_cast<double>(factors.pictures) / speed_in_hardware(speed, factors, sessions);
}

}  // namespace

DecodeVerdict can_use_hardware(const DecodeFactors& factors) {
    const CodecSpeed* const speed = speed_of(factors.codec);
    if (factors.live) {
        return {0, "a live input has one picture at a time"};
    }
    if (factors.several) {
        return {0, "several videos are filtered"};
    }
    if (std::ranges::find(silent, factors.codec) != silent.end()) {
        return {0,
                fmt::format("the GPU does not tell whether pictures of {} are whole", avcodec_get_name(factors.codec))};
    }
    if (speed == nullptr) {
        return {0, fmt::format("{} is not decoded by hardware with the same bytes", avcodec_get_name(factors.codec))};
    }
    if (!takes(*speed, factors.kind.format)) {
        return {0, fmt::format("{} of {} is not decoded by hardware", avcodec_get_name(factors.codec),
                               name_of(factors.kind.format))};
    }
    if (!factors.timed) {
        return {0, "the packets have no times"};
    }
    if (factors.engines < 1) {
        return {0, fmt::format("the device has no decoder for {} of {}x{}, {}", avcodec_get_name(factors.codec),
                               factors.kind.width, factors.kind.height, name_of(factors.kind.format))};
    }
    const int most = factors.key_frames == 0
                         ? factors.engines
                         : static_cast<int>(std::min<std::int64_t>(factors.engines, factors.key_frames));
    int sessions = factors.pictures == 0 ? most : 1;
    for (int more = sessions + 1; more <= most; ++more) {
        if (time_in_hardware(*speed, factors, more) < time_in_hardware(*speed, factors, sessions)) {
            sessions = more;
        }
    }
    return {sessions, ""};
}

DecodeVerdict choose_decoding(const DecodeFactors& factors) {
    DecodeVerdict verdict = can_use_hardware(factors);
    if (verdict.sessions == 0) {
        return verdict;
    }
    if (factors.pictures > 0 && static_cast<double>(factors.pictures) < shortest * factors.rate) {
        return {0, fmt::format("the video is short ({} pictures)", factors.pictures)};
    }
    const CodecSpeed& speed = *speed_of(factors.codec);
    const int used = std::min(factors.cores, most_cores);
    const double cores = factors.encodes ? std::max(1.0, used / 2.0) : used;
    const double on_cpu = cores / (pixels_of(factors) / speed.core_pixels + bits_of(factors) / speed.core_bits);
    const double on_device = factors.pictures == 0 ? speed_in_hardware(speed, factors, verdict.sessions)
                                                   : static_cast<double>(factors.pictures) /
                                                         time_in_hardware(speed, factors, verdict.sessions);
    const std::string reason =
        fmt::format("about {:.0f} pictures a second in {} session{}, and {:.0f} on {:.0f} core{}", on_device,
                    verdict.sessions, verdict.sessions == 1 ? "" : "s", on_cpu, cores, cores == 1 ? "" : "s");
    if (on_device < on_cpu) {
        return {0, reason};
    }
    const bool helps = !factors.encodes && factors.cores >= fewest_cores_to_help;
    return {verdict.sessions, reason, helps ? used * 3 / 4 : 0};
}

}  // namespace vfilter
