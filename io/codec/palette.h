#pragma once
// Palettes of 256 colours computed from the pictures that use them, for GIF, which has nothing else.

#include <cstddef>
#include <deque>
#include <memory>
#include <string>

#include "io/graph/filter_graph.h"

namespace vfilter {

/// Converts pictures of any format to pictures with a palette (PAL8), with libavfilter's palettegen and paletteuse.
/// Memory is bounded. One thread.
class Palettes {
public:
    /// Which pictures share a palette, and where it comes from.
    enum class Scope {
        made_for_clip,  ///< the palette for all of them goes to the file; a blank picture comes out for each
        clip,           ///< all of them use the one in the file
        second,         ///< those of one second each, or fewer if they are large, which wait for each other
    };
    /// For pictures like these; `file` is needed except for `second`. Throws Error.
    Palettes(const GraphPictures& pictures, Scope scope, std::string file);
    ~Palettes();
    Palettes(const Palettes&) = delete;
    Palettes& operator=(const Palettes&) = delete;

    /// Sends a picture; null for the end. After each call, take every picture with receive(). Throws Error.
    void send(FramePtr picture);
    /// The next picture, with its original times, or null when another one is needed or all are out.
    FramePtr receive();
    /// Whether no more pictures come.
    [[nodiscard]] bool ended() const { return end_ && ready_.empty(); }

private:
    class Mapper;

    void close_group();
    [[nodiscard]] bool is_full(const AVFrame& next) const;
    [[nodiscard]] FramePtr blank(const AVFrame& like);

    GraphPictures pictures_;
    Scope scope_;
    std::string file_;
    std::unique_ptr<FilterGraph> maker_;  // computes the palette of those it was given
    std::unique_ptr<Mapper> mapper_;
    FramePtr blank_;
    std::deque<FramePtr> group_;  // that share a palette which has not been computed yet
    std::deque<FramePtr> ready_;  // whose palette the mapper has
    bool end_ = false;
};

}  // namespace vfilter
