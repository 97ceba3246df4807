#pragma once
// Sound of one codec to that of another.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

extern "C" {
#include <libavutil/audio_fifo.h>
}

#include "config/io_options.h"
#include "io/codec/sound_resampler.h"
#include "io/graph/sound_graph.h"
#include "io/input/complaints.h"
#include "io/input/damage.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// What sound becomes, and for which container.
struct SoundSetup {
    const AVCodec& encoder;
    const AVOutputFormat& container;
    std::int64_t pictures_begin = 0;  ///< the time of the output's first picture, microseconds of the input
    SoundOptions how;                 ///< graph, bits, channels and samples a second that were asked for
    Strip strip = Strip::nothing;     ///< what the encoder is not to say of itself
};

/// Decodes one stream, resamples where the encoder has to have it so, and encodes. What is heard when stays exactly so:
/// what codecs put before the beginning and after the end is taken off and told to the container, a hole in the
/// timestamps is silence of that length (also before the first packet, where the container holds no times of sound),
/// what overlaps is cut, and the sound begins and ends with the wanted part. A long hole is silence at its ends, and a
/// step of the times between them; where the container holds none, one that the input cannot have for real, so few are
/// its bytes, is left out, and is damage. Live, where clocks of devices run apart,
/// it is stretched to follow the timestamps, by 0.5 % at most. A graph of libavfilter's has all that, with the silence,
/// before it is encoded; times that it changes are those of the output. One thread; damage(), silence_behind() and
/// left_out_before() are for after the end.
class SoundConverter {
public:
    /// For the stream of the input with this number, which must outlive it. Throws Error(input) or Error(encoder) where
    /// decoder or encoder refuse it.
    SoundConverter(const Demuxer& input, int stream, const SoundSetup& setup);

    /// A packet of the stream; null for the end. After each call, take every packet with receive().
    void send(const AVPacket* packet);
    /// The next packet, in time_base() and the clock of the input; null where more has to be sent first.
    PacketPtr receive();

    [[nodiscard]] int stream() const { return stream_.index; }
    [[nodiscard]] const AVCodecContext& context() const { return *encoder_; }
    [[nodiscard]] AVRational time_base() const { return encoder_->time_base; }
    [[nodiscard]] Damage damage() const;
    /// How much silence was put behind the sound's own end, seconds; after the end.
    [[nodiscard]] double silence_behind() const { return silence_behind_; }
    /// How much of the sound lies before what the container begins with, seconds.
    [[nodiscard]] double left_out_before() const { return left_out_before_; }
    /// Whether its graph was given sound, and made none of it; after the end.
    [[nodiscard]] bool filtered_away() const { return given_ && !filtered_; }

private:
    struct DeleteQueue {
        void operator()(AVAudioFifo* queue) const { av_audio_fifo_free(queue); }
    };

    void open_decoder(const AVCodecParameters& parameters);
    void begin_clip(int clip);
    void open_encoder(const SoundSetup& setup);
    [[nodiscard]] bool make_progress();
    [[nodiscard]] FramePtr decode();
    [[nodiscard]] FramePtr receive_decoded();
    void note_left_out(std::int64_t from, std::int64_t to, int rate);
    void note_damage(std::int64_t& count, const std::string& what);
    void place(FramePtr frame, bool last);
    void cut_filling(AVFrame& frame) const;
    [[nodiscard]] std::int64_t told_place(const AVFrame& frame);
    [[nodiscard]] std::int64_t steadied(std::int64_t at, const AVFrame& frame, bool changed);
    [[nodiscard]] std::int64_t cut_to_part(AVFrame& frame, std::int64_t at, std::int64_t first);
    void tell_change(const AVFrame& frame);
    void stretch(double error, const AVFrame& frame);
    void set_up_resampler(const AVFrame& like);
    void resample(const AVFrame* frame);
    [[nodiscard]] AVRational resampled_clock() const { return sample_clock(resampled_format_.rate); }
    void open_graph(const SoundSetup& setup);
    void filter(FramePtr sound);
    [[nodiscard]] bool take_filtered();
    [[nodiscard]] bool graph_ended() const { return graph_ && (graph_->ended() || cut_); }
    [[nodiscard]] bool cut_to_end(AVFrame& sound, std::int64_t at);
    void queue_filtered(FramePtr sound);
    void queue_silence(std::int64_t samples);
    void queue(const AVFrame& sound);
    [[nodiscard]] double longest_step(const AVOutputFormat& container) const;
    void note_bytes(const AVPacket& packet);
    [[nodiscard]] double allowed_silence(std::int64_t bytes) const;
    [[nodiscard]] std::int64_t limit_silence(std::int64_t at, int rate);
    void limit_silence_behind();
    void add_silence();
    void encode_next(int samples);
    [[nodiscard]] std::int64_t mended(std::int64_t at, std::int64_t length);

    const Demuxer& input_;
    const AVStream& stream_;
    bool strict_;
    bool live_;
    bool endless_ = false;    // the graph may make more by itself
    bool given_ = false;      // something has gone into it
    bool given_all_ = false;  // and its end
    bool filtered_ = false;   // something has come out of it
    bool told_overlap_ = false;
    bool cut_ = false;                   // it went on without end
    std::optional<std::int64_t> begin_;  // of the wanted part, microseconds
    std::optional<std::int64_t> end_;
    std::optional<std::int64_t> filled_to_;    // up to where there has to be some, microseconds
    std::optional<std::int64_t> filled_from_;  // where the container begins to count samples, microseconds
    int clip_ = 0;                             // of the packets that come: see clip_of()
    bool clip_begins_ = false;                 // the next one decoded is its first
    std::deque<FramePtr> clip_ends_;           // what was still inside of the decoder of the one before
    CodecContextPtr decoder_;
    CodecContextPtr encoder_;
    SoundFormat resampled_format_;       // the encoder's, or that of the sound which the graph is given
    std::unique_ptr<SoundGraph> graph_;  // between resampler and queue; null without one
    std::int64_t graph_begin_ = 0;       // the time that is 0 for it, microseconds
    std::int64_t made_behind_ = 0;       // samples behind the end of what it was given
    std::optional<std::int64_t> until_;  // up to where what has no end goes, in the encoder's clock
    ResamplerPtr resampler_;
    std::unique_ptr<AVAudioFifo, DeleteQueue> queue_;  // for the encoder

    FramePtr format_;                   // what the resampler takes: a frame without samples
    FramePtr held_;                     // the latest one decoded: whether it is the last decides where it ends
    std::optional<std::int64_t> next_;  // where the next sample belongs, in samples of the decoder's rate
    std::int64_t last_pts_ = AV_NOPTS_VALUE;
    std::int64_t last_error_ = 0;  // of the timestamps against that
    double mean_error_ = 0;        // the same in seconds, live, over some time
    std::int64_t silence_ = 0;     // samples of silence before waiting_
    double longest_step_ = 0;      // seconds, of the output's times; 0 where it holds no gaps of this sound
    std::int64_t bytes_ = 0;       // of the input: all of a file, of others by what has come
    double filled_ = 0;            // seconds of silence so far
    std::int64_t leapt_ = 0;       // seconds in the middle of the silence, which are a step of the output's times
    std::int64_t moved_ = 0;       // samples by which all that comes is heard before its time
    double silence_behind_ = 0;
    double left_out_before_ = 0;
    FramePtr waiting_;            // what comes after the silence
    std::int64_t resampled_ = 0;  // where the next sample out of the resampler belongs, in resampled_clock()
    std::int64_t queued_to_ = 0;  // where what comes behind the queue belongs, in the encoder's clock
    bool sent_all_ = false;
    bool decoded_all_ = false;
    bool queued_all_ = false;
    bool encoded_all_ = false;
    bool told_back_ = false;
    bool told_change_ = false;
    bool stretches_ = false;  // the mean error was too large once
    bool began_ = false;      // something has been decoded
    Complaints complaints_;
    std::int64_t told_complaints_ = 0;
    Damage damage_;          // of the file at hand
    Damage earlier_damage_;  // of those before it
};

}  // namespace vfilter
