#pragma once
// Frames of samples.

#include "io/formats/sound_format.h"
#include "io/handles.h"

namespace vfilter {

/// Samples of silence at a time, at most.
inline constexpr int silence_piece = 8192;
/// Gaps that are filled with it whatever the container holds: players are best at sound without any.
inline constexpr double usual_hole_seconds = 60;

/// In what form a frame's samples are.
inline SoundFormat format_of(const AVFrame& frame) {
    return {static_cast<AVSampleFormat>(frame.format), frame.sample_rate, frame.ch_layout};
}

/// One of so many samples, which say nothing yet. Throws std::bad_alloc.
FramePtr sound_frame(const SoundFormat& of, int length);
/// The same of silence.
FramePtr silent_frame(const SoundFormat& of, int length);

/// Takes samples off the beginning, in place; its time stays.
void cut_front(AVFrame& frame, int samples);

}  // namespace vfilter
