#pragma once
// Palettes of 256 colours made from the pictures that use them: what GIF has in place of colours.

#include <cstddef>
#include <deque>
#include <memory>
#include <string>

#include "io/graph/filter_graph.h"

namespace vfilter {

/// Pictures with a palette (PAL8) of pictures of any format, by libavfilter's palettegen and paletteuse. Memory is
/// bounded. One thread.
class Palettes {
public:
    /// Which pictures share a palette, and where it is from.
    enum class Scope {
        made_for_clip,  ///< the palette of all of them goes to the file; a blank picture comes out for each
        clip,           ///< all of them have the one in the file
        second,         ///< those of a second each, or of fewer where they are large, which wait for each other
    };
    /// Of pictures like these; `file` is needed but for `second`. Throws Error.
    Palettes(const GraphPictures& pictures, Scope scope, std::string file);
    ~Palettes();
    Palettes(const Palettes&) = delete;
    Palettes& operator=(const Palettes&) = delete;

    /// Gives a picture; null for the end. After each call, take every picture with receive(). Throws Error.
    void send(FramePtr picture);
    /// The next picture, with the times that it had, or null when another one is needed or all are out.
    FramePtr receive();
    /// Whether no more comes.
    [[nodiscard]] bool ended() const { return end_ && ready_.empty(); }

private:
    class Mapper;

    void close_group();
    [[nodiscard]] bool is_full(const AVFrame& next) const;
    [[nodiscard]] FramePtr blank(const AVFrame& like);

    GraphPictures pictures_;
    Scope scope_;
    std::string file_;
    std::unique_ptr<FilterGraph> maker_;  // makes the palette of those it was given
    std::unique_ptr<Mapper> mapper_;
    FramePtr blank_;
    std::deque<FramePtr> group_;  // that share a palette which is not made yet
    std::deque<FramePtr> ready_;  // whose palette the mapper has
    bool end_ = false;
};

}  // namespace vfilter
