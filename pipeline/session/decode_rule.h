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
    bool encodes = false;         ///< the cores have an encoder to run as well
    int engines = 0;              ///< decoders of the device for such a video
    int cores = 1;                ///< of the CPU
    std::int64_t pictures = 0;    ///< that are expected, 0 if nobody knows
    double rate = 25;             ///< pictures in a second of the video
    double bit_rate = 0;          ///< bits in a second of the video, 0 if nobody knows
    std::int64_t key_frames = 0;  ///< that the container's index tells, 0 if it does not tell all
};

/// `sessions` of hardware are worth their start, 0 for the CPU.
struct DecodeVerdict {
    int sessions = 0;
    std::string why;  ///< for people
    int helpers = 0;  ///< threads of the CPU that decode beside them
};

/// Whether hardware can decode it with the CPU's bytes at all; `sessions` as many as the video is soonest done with.
///
/// MPEG-2 and MPEG-4 ASP have an inverse transform that is not normative; of damage in VP8, VP9 and AV1 the device
/// says nothing. Each session costs the run 0.05 s, and works on a range of its own.
DecodeVerdict can_use_hardware(const DecodeFactors& factors);

/// The same for --decode auto: only where it is not slower, the making of sessions included. That is reckoned from what
/// was measured for each codec: how many pixels and bits in a second a core of the CPU and one of the device's engines
/// take. An encoder has half of the cores; without one, three quarters of them decode beside the sessions. What lasts
/// less than five seconds is over before hardware has begun.
DecodeVerdict choose_decoding(const DecodeFactors& factors);

}  // namespace vfilter
