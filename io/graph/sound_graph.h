#pragma once
// A running libavfilter graph for sound.

#include <cstdint>
#include <optional>
#include <string>

#include "io/formats/sound_format.h"
#include "io/graph/graph_ends.h"

namespace vfilter {

/// One thread.
class SoundGraph {
public:
    /// For sound like `given`; the output is converted to `taken`, or stays as the filters make it. Throws Error(usage)
    /// if the graph cannot be set up for it, and as parse_graph does.
    SoundGraph(const std::string& text, const SoundFormat& given, const std::optional<SoundFormat>& taken);

    /// The format of all output.
    [[nodiscard]] const SoundFormat& made() const { return made_; }
    /// Time base of the output; that of the input is the sample clock.
    [[nodiscard]] AVRational time_base() const { return time_base_; }
    [[nodiscard]] const std::string& text() const { return flow_->text(); }

    /// See GraphFlow::tell_results().
    void tell_results() { flow_->tell_results(); }
    /// Sends samples; null for the end. After each call, take all output with receive(). Throws Error with the filter's
    /// name and libavfilter's message.
    void send(const FramePtr& sound);
    /// The next samples, or null when more are needed or all are out.
    FramePtr receive() { return flow_->receive(); }
    /// Whether it produces sound for ever: silence after its input or, if it runs ahead, regardless of its input.
    [[nodiscard]] bool goes_on() const { return goes_on_; }
    [[nodiscard]] bool runs_ahead() const { return runs_ahead_; }
    /// Whether no more comes, whatever is sent: the input has ended, or the graph itself.
    [[nodiscard]] bool ended() const { return flow_->ended(); }

private:
    SoundFormat made_;
    AVRational time_base_{0, 1};
    std::optional<GraphFlow> flow_;  // always set once this is constructed
    std::int64_t end_ = 0;           // of what was sent, in samples
    bool goes_on_ = false;
    bool runs_ahead_ = false;
};

}  // namespace vfilter
