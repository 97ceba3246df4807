#pragma once
// Encodes decoded sound with another codec.

#include <cstdint>
#include <optional>

#include "io/codec/sound/filtered_sound.h"
#include "io/codec/sound/sound_encoder.h"
#include "io/codec/sound/sound_placer.h"
#include "io/codec/sound/sound_resampler.h"

namespace vfilter {

/// Converts pieces, with the silence before them, to the form that the encoder accepts, through a libavfilter graph if
/// one is requested, and encodes them. Only one piece is inside at a time, so that a long silence takes no memory.
class SoundMaker {
public:
    /// For a stream of the input, which must outlive it, whose decoder outputs samples in the format `decoded`. Throws
    /// Error(encoder) if the encoder refuses it, and as SoundGraph does.
    SoundMaker(const Demuxer& input, int stream, AVSampleFormat decoded, const SoundSetup& setup);
    SoundMaker(const SoundMaker&) = delete;
    SoundMaker& operator=(const SoundMaker&) = delete;

    /// Where the output so far ends, in samples of this piece's rate; empty if a new resampler is created for it.
    [[nodiscard]] std::optional<std::int64_t> made_to(const AVFrame& piece) const;
    /// Reports, once, what a piece at that time (seconds) has and one stream of the output cannot have.
    void tell_change(const AVFrame& piece, double at);
    /// Adds a piece at its place. After each call, take every packet with receive().
    void add(FramePtr piece, const SoundPlace& place);
    /// The end, after that many samples of silence.
    void end(std::int64_t silence);
    /// Sample rate of that silence; 0 if there was no piece.
    [[nodiscard]] int rate() const { return like_ ? like_->sample_rate : 0; }
    /// The next packet; null if more has to be added first, or if all are out.
    PacketPtr receive();
    [[nodiscard]] bool ended() const { return encoder_.ended(); }

    [[nodiscard]] const SoundEncoder& encoder() const { return encoder_; }
    /// Whether its graph was given sound, but output none; after the end.
    [[nodiscard]] bool filtered_away() const { return filtered_ && filtered_->is_silent(); }

private:
    [[nodiscard]] bool make_progress();
    void stretch(const SoundStretch& how);
    void set_up_resampler(const AVFrame& like);
    void resample(const AVFrame* frame);
    void add_silence();

    SoundFormat made_;  // by the resampler: what the encoder takes, or the graph
    SoundEncoder encoder_;
    std::optional<FilteredSound> filtered_;  // between resampler and encoder; empty without a graph
    ResamplerPtr resampler_;                 // null before the first piece
    FramePtr like_;                          // what it takes: a frame without samples
    std::int64_t made_to_ = 0;               // where its next output sample belongs, in samples
    std::int64_t silence_ = 0;               // samples of silence that come first
    std::int64_t leap_ = 0;                  // seconds in its middle that are a step of the output's times
    FramePtr waiting_;                       // what comes after it
    bool ends_ = false;                      // nothing does
    bool told_change_ = false;
};

}  // namespace vfilter
