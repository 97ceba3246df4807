#pragma once
// Sound that passes through a libavfilter graph on its way to the encoder.

#include <cstdint>
#include <optional>
#include <string>

#include "io/codec/sound/sound_encoder.h"
#include "io/graph/sound_graph.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// The form of sound after the graph with this text, for which the encoder is chosen.
SoundFormat format_behind(const std::string& graph, const SoundFormat& given);

/// Gives it to the encoder at the position that its time indicates, with silence in gaps. Sound without an end of its
/// own ends with the input.
class FilteredSound {
public:
    /// For sound in this form, from a stream of the input. Input and encoder must outlive it. Throws as SoundGraph
    /// does.
    FilteredSound(const Demuxer& input, int stream, const SoundSetup& setup, const SoundFormat& given,
                  SoundEncoder& encoder);

    /// Samples, with their time in the clock of their rate.
    void add(FramePtr sound);
    /// Everything that was added, and the silence, ends there, in the same clock.
    void end(std::int64_t at);
    /// Passes what has come out to the encoder, one frame at a time; what was added goes up to `given_to`. False if
    /// there was nothing to do.
    [[nodiscard]] bool make_progress(std::int64_t given_to);
    [[nodiscard]] bool ended() const { return cut_ || graph_.ended(); }
    /// Whether it was given sound, but output none; after the end.
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
    bool fixed_begin_;        // the container begins to count samples at a place that it is given
    bool given_ = false;      // something has gone into it
    bool given_all_ = false;  // and its end
    bool filtered_ = false;   // something has come out of it
    bool told_overlap_ = false;
    bool cut_ = false;                   // it was endless and was cut off
    std::int64_t made_behind_ = 0;       // samples after the end of its input
    std::optional<std::int64_t> until_;  // where endless sound is to end, in the encoder's clock
};

}  // namespace vfilter
