#pragma once
// Frames of samples.

#include "io/formats/sound_format.h"
#include "io/handles.h"

namespace vfilter {

/// The most samples of silence to generate at a time.
inline constexpr int silence_piece = 8192;
/// Gaps up to this length are filled with silence whatever the container can hold: players handle sound without gaps
/// best.
inline constexpr double usual_hole_seconds = 60;

/// The form of a frame's samples.
inline SoundFormat format_of(const AVFrame& frame) {
    return {static_cast<AVSampleFormat>(frame.format), frame.sample_rate, frame.ch_layout};
}

/// A frame with that many uninitialized samples. Throws std::bad_alloc.
FramePtr sound_frame(const SoundFormat& of, int length);
/// The same with silence.
FramePtr silent_frame(const SoundFormat& of, int length);

/// Removes samples from the beginning, in place; its time stays.
void cut_front(AVFrame& frame, int samples);

}  // namespace vfilter
