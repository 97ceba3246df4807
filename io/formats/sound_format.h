#pragma once
// In what form sound is.

#include "io/handles.h"

namespace vfilter {

struct SoundFormat {
    AVSampleFormat samples = AV_SAMPLE_FMT_NONE;
    int rate = 0;                ///< samples of each channel in a second
    AVChannelLayout channels{};  ///< of FFmpeg's fixed ones, which own nothing
};

/// The clock that counts samples.
inline AVRational sample_clock(int rate) {
    return {1, rate};
}

}  // namespace vfilter
