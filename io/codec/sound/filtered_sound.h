#pragma once
// What a graph of libavfilter's makes of sound, on its way to the encoder.

#include <cstdint>
#include <optional>
#include <string>

#include "io/codec/sound/sound_encoder.h"
#include "io/graph/sound_graph.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// The form of sound behind the graph of this text, for which the encoder is chosen.
SoundFormat format_behind(const std::string& graph, const SoundFormat& given);

/// Gives it to the encoder where its time says, with silence in gaps. What has no end of its own ends with the input.
class FilteredSound {
public:
    /// For sound that is given in this form, of a stream of the input. Input and encoder must outlive it. Throws as
    /// SoundGraph does.
    FilteredSound(const Demuxer& input, int stream, const SoundSetup& setup, const SoundFormat& given,
                  SoundEncoder& encoder);

    /// Samples, with their time in the clock of their rate.
    void add(FramePtr sound);
    /// All that was added, and the silence, ends there, in the same clock.
    void end(std::int64_t at);
    /// Gives the encoder what has come out, a frame at a time; what was added goes up to `given_to`. False where
    /// nothing is done.
    [[nodiscard]] bool make_progress(std::int64_t given_to);
    [[nodiscard]] bool ended() const { return cut_ || graph_.ended(); }
    /// Whether it was given sound, and made none of it; after the end.
    [[nodiscard]] bool is_silent() const { return given_ && !filtered_; }

private:
    void place(AVFrame& sound);
    [[nodiscard]] bool cut_to_end(AVFrame& sound);

    const Demuxer& input_;
    int stream_;
    SoundEncoder& encoder_;
    AVRational given_clock_;
    SoundGraph graph_;
    std::int64_t begin_;      // the time that is 0 for it, microseconds
    bool fixed_begin_;        // the container begins to count samples where it is told to
    bool given_ = false;      // something has gone into it
    bool given_all_ = false;  // and its end
    bool filtered_ = false;   // something has come out of it
    bool told_overlap_ = false;
    bool cut_ = false;                   // it went on without end
    std::int64_t made_behind_ = 0;       // samples behind the end of what it was given
    std::optional<std::int64_t> until_;  // up to where what has no end goes, in the encoder's clock
};

}  // namespace vfilter
