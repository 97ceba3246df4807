#include "io/codec/sound/sound_frames.h"

#include <cstddef>
#include <new>

namespace vfilter {

FramePtr sound_frame(const SoundFormat& of, int length) {
    FramePtr frame = make_frame();
    frame->format = of.samples;
    frame->sample_rate = of.rate;
    frame->nb_samples = length;
    if (av_channel_layout_copy(&frame->ch_layout, &of.channels) < 0 ||
        (length > 0 && av_frame_get_buffer(frame.get(), 0) < 0)) {
        throw std::bad_alloc();
    }
    return frame;
}

FramePtr silent_frame(const SoundFormat& of, int length) {
    FramePtr frame = sound_frame(of, length);
    av_samples_set_silence(frame->extended_data, 0, length, of.channels.nb_channels, of.samples);
    return frame;
}

void cut_front(AVFrame& frame, int samples) {
    const auto format = static_cast<AVSampleFormat>(frame.format);
    const bool planar = av_sample_fmt_is_planar(format) != 0;
    const int channels = frame.ch_layout.nb_channels;
    const int step = av_get_bytes_per_sample(format) * (planar ? 1 : channels);
    for (int i = 0; i < (planar ? channels : 1); ++i) {
        frame.extended_data[i] += static_cast<std::ptrdiff_t>(samples) * step;
        if (i < AV_NUM_DATA_POINTERS) {
            frame.data[i] = frame.extended_data[i];
        }
    }
    frame.nb_samples -= samples;
}

}  // namespace vfilter
