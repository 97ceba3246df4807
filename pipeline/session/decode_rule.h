#pragma once
// Whether a video is decoded on the CPU or by hardware, and why.

#include <cstdint>
#include <string>

#include "io/codec/decode_device.h"

namespace vfilter {

/// What the choice depends on.
struct DecodeFactors {
    AVCodecID codec = AV_CODEC_ID_NONE;
    PictureKind kind{};
    bool live = false;
    bool several = false;         ///< more than one video is filtered
    bool timed = true;            ///< packets have a pts
    bool encodes = false;         ///< the cores also run an encoder
    int engines = 0;              ///< decoders of the device for such a video
    int cores = 1;                ///< of the CPU
    std::int64_t pictures = 0;    ///< expected number, 0 if unknown
    double rate = 25;             ///< pictures per second of the video
    double bit_rate = 0;          ///< bits per second of the video, 0 if unknown
    std::int64_t key_frames = 0;  ///< number in the container's index, 0 if that does not list all
};

/// The number of hardware `sessions` that are worth their start-up, 0 for the CPU.
struct DecodeVerdict {
    int sessions = 0;
    std::string why;  ///< for display
    int helpers = 0;  ///< CPU threads that decode in addition to them
};

/// Whether hardware can decode it at all with the same bytes as the CPU; `sessions` is the number with which the video
/// is finished soonest.
///
/// MPEG-2 and MPEG-4 ASP have an inverse transform that is not normative; for VP8, VP9 and AV1 the device does not
/// report damage. Each session costs the run 0.05 s, and works on its own range.
DecodeVerdict can_use_hardware(const DecodeFactors& factors);

/// The same for --decode auto: hardware only if it is not slower, including the creation of sessions. This is estimated
/// from measurements for each codec: how many pixels and bits per second a CPU core and one of the device's engines can
/// handle. An encoder takes half of the cores; without one, three quarters of them decode in addition to the sessions.
/// Anything that lasts less than five seconds is finished before hardware has started.
DecodeVerdict choose_decoding(const DecodeFactors& factors);

}  // namespace vfilter
