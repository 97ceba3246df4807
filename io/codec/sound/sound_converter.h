#pragma once
// Sound of one codec to that of another.

#include "io/codec/sound/sound_maker.h"
#include "io/codec/sound/sound_pieces.h"
#include "io/codec/sound/sound_placer.h"

namespace vfilter {

/// Decodes one stream (SoundPieces), puts every sample where it belongs (SoundPlacer), resamples where the encoder has
/// to have it so, and encodes (SoundMaker). What is heard when stays exactly so: what codecs put before the beginning
/// and after the end is taken off and told to the container, a hole in the timestamps is silence of that length (also
/// before the first packet, where the container holds no times of sound), what overlaps is cut, and the sound begins
/// and ends with the wanted part. A long hole is silence at its ends, and a step of the times between them; where the
/// container holds none, one that the input cannot have for real, so few are its bytes, is left out, and is damage.
/// Live, where clocks of devices run apart, it is stretched to follow the timestamps, by 0.5 % at most. A graph of
/// libavfilter's has all that, with the silence, before it is encoded; times that it changes are those of the output.
/// One thread; damage(), silence_behind() and left_out_before() are for after the end.
class SoundConverter {
public:
    /// For the stream of the input with this number, which must outlive it. Throws Error(input) or Error(encoder) where
    /// decoder or encoder refuse it.
    SoundConverter(const Demuxer& input, int stream, const SoundSetup& setup);

    /// A packet of the stream; null for the end. After each call, take every packet with receive().
    void send(const AVPacket* packet) { pieces_.send(packet); }
    /// The next packet, in time_base() and the clock of the input; null where more has to be sent first.
    PacketPtr receive();

    [[nodiscard]] int stream() const { return stream_.index; }
    [[nodiscard]] const AVCodecContext& context() const { return maker_.encoder().context(); }
    [[nodiscard]] AVRational time_base() const { return maker_.encoder().time_base(); }
    [[nodiscard]] Damage damage() const { return pieces_.damage(); }
    /// How much silence was put behind the sound's own end, seconds; after the end.
    [[nodiscard]] double silence_behind() const { return silence_behind_; }
    /// How much of the sound lies before what the container begins with, seconds.
    [[nodiscard]] double left_out_before() const { return placer_.left_out_before(); }
    /// Whether its graph was given sound, and made none of it; after the end.
    [[nodiscard]] bool filtered_away() const { return maker_.filtered_away(); }

private:
    [[nodiscard]] bool make_progress();
    void place(FramePtr piece, bool begins_clip);

    const Demuxer& input_;
    const AVStream& stream_;
    SoundPieces pieces_;
    SoundMaker maker_;
    SoundPlacer placer_;
    bool ended_ = false;  // what comes behind the last piece has been added
    double silence_behind_ = 0;
};

}  // namespace vfilter
