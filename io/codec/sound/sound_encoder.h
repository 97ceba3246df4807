#pragma once
// Encodes samples to packets.

#include <cstdint>
#include <memory>

extern "C" {
#include <libavutil/audio_fifo.h>
}

#include "config/io_options.h"
#include "io/formats/sound_format.h"
#include "io/handles.h"

namespace vfilter {

/// What sound is converted to, and for which container.
struct SoundSetup {
    const AVCodec& encoder;
    const AVOutputFormat& container;
    std::int64_t pictures_begin = 0;  ///< the time of the output's first picture, microseconds of the input
    SoundOptions how;                 ///< graph, bits, channels and sample rate that were requested
    Strip strip = Strip::nothing;     ///< what the encoder must not write about itself
};

/// An encoder, and the queue from which it takes as many samples at a time as it needs. Times are in the clock of its
/// samples.
class SoundEncoder {
public:
    /// For sound in this form, from this stream. Throws Error(encoder) if the encoder refuses it.
    SoundEncoder(const AVStream& stream, const SoundFormat& given, const SoundSetup& setup);

    [[nodiscard]] const AVCodecContext& context() const { return *encoder_; }
    /// The form that it accepts.
    [[nodiscard]] SoundFormat format() const {
        return {encoder_->sample_fmt, encoder_->sample_rate, encoder_->ch_layout};
    }
    [[nodiscard]] AVRational time_base() const { return encoder_->time_base; }
    /// Seconds; gaps in the output's times are shorter. 0 if the container cannot hold gaps in this sound.
    [[nodiscard]] double longest_step() const { return longest_step_; }

    /// Where the next samples belong.
    [[nodiscard]] std::int64_t next() const { return next_; }
    /// Moves the position, and with it what is queued.
    void go_on_at(std::int64_t time) { next_ = time; }
    void add(const AVFrame& sound);
    void add_silence(std::int64_t samples);
    /// No more is added.
    void end() { queued_all_ = true; }
    /// The next packet; null if more has to be added first, or if all are out.
    PacketPtr receive();
    [[nodiscard]] bool ended() const { return encoded_all_; }

private:
    struct DeleteQueue {
        void operator()(AVAudioFifo* queue) const { av_audio_fifo_free(queue); }
    };

    void open(const AVCodecParameters& from, const SoundFormat& taken, const SoundSetup& setup);
    [[nodiscard]] bool encode_next();
    void send(const AVFrame* frame);

    CodecContextPtr encoder_;
    double longest_step_ = 0;
    std::unique_ptr<AVAudioFifo, DeleteQueue> queue_;
    std::int64_t next_ = 0;
    bool queued_all_ = false;
    bool encoded_all_ = false;
};

}  // namespace vfilter
