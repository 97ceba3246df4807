#pragma once
// Converts sound of one codec to another.

#include "io/codec/sound/sound_maker.h"
#include "io/codec/sound/sound_pieces.h"
#include "io/codec/sound/sound_placer.h"

namespace vfilter {

/// Decodes one stream (SoundPieces), puts every sample at its place (SoundPlacer), resamples if the encoder needs that,
/// and encodes (SoundMaker). Timing is preserved exactly: what codecs add before the beginning and after the end is
/// removed and declared to the container, a gap in the timestamps becomes silence of that length (also before the first
/// packet, if the container has no times for sound), overlaps are cut, and the sound begins and ends with the wanted
/// part. A long gap is silence at its ends, and a step of the times between them; if the container cannot hold one, a
/// gap that cannot be real, because the input has too few bytes for it, is left out, and counts as damage. Live, where
/// the clocks of devices drift apart, sound is stretched to follow the timestamps, by 0.5 % at most. If there is a
/// libavfilter graph, it gets all of that, including the silence, before encoding; times that it changes apply to the
/// output. One thread; damage(), silence_behind() and left_out_before() are for after the end.
class SoundConverter {
public:
    /// For the stream of the input with this number, which must outlive it. Throws Error(input) or Error(encoder) if
    /// decoder or encoder refuse it.
    SoundConverter(const Demuxer& input, int stream, const SoundSetup& setup);

    /// A packet of the stream; null for the end. After each call, take every packet with receive().
    void send(const AVPacket* packet) { pieces_.send(packet); }
    /// The next packet, in time_base() and the clock of the input; null if more has to be sent first.
    PacketPtr receive();

    [[nodiscard]] int stream() const { return stream_.index; }
    [[nodiscard]] const AVCodecContext& context() const { return maker_.encoder().context(); }
    [[nodiscard]] AVRational time_base() const { return maker_.encoder().time_base(); }
    [[nodiscard]] Damage damage() const { return pieces_.damage(); }
    /// How much silence was added after the sound's own end, seconds; after the end.
    [[nodiscard]] double silence_behind() const { return silence_behind_; }
    /// How much of the sound is before the time at which the container begins, seconds.
    [[nodiscard]] double left_out_before() const { return placer_.left_out_before(); }
    /// Whether its graph was given sound, but output none; after the end.
    [[nodiscard]] bool filtered_away() const { return maker_.filtered_away(); }

private:
    [[nodiscard]] bool make_progress();
    void place(FramePtr piece, bool begins_clip);

    const Demuxer& input_;
    const AVStream& stream_;
    SoundPieces pieces_;
    SoundMaker maker_;
    SoundPlacer placer_;
    bool ended_ = false;  // what comes after the last piece has been added
    double silence_behind_ = 0;
};

}  // namespace vfilter
