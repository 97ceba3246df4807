#pragma once
// The format of sound.

#include "io/handles.h"

namespace vfilter {

struct SoundFormat {
    AVSampleFormat samples = AV_SAMPLE_FMT_NONE;
    int rate = 0;                ///< samples of each channel per second
    AVChannelLayout channels{};  ///< one of FFmpeg's fixed layouts, which own nothing
};

/// The clock that counts samples.
inline AVRational sample_clock(int rate) {
    return {1, rate};
}

}  // namespace vfilter
