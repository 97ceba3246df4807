#pragma once
// What packets of a video contain besides its pictures, and its decoder silently ignores.

#include <set>
#include <string_view>
#include <vector>

#include "io/handles.h"

namespace vfilter {

class BesidePictures {
public:
    explicit BesidePictures(const AVStream& video);

    /// Warns about what occurs for the first time: further layers (alpha or another view: H.264 annexes F and H, H.265
    /// annexes F to I), and HDR10+ data in a block's additions (Matroska, BlockAddIDType 4).
    void look(const AVPacket& packet);

private:
    void tell(std::string_view what);
    [[nodiscard]] bool has_layers(const AVPacket& packet) const;

    int stream_;
    AVCodecID codec_;
    std::size_t length_size_;
    std::set<std::string_view> told_;
};

}  // namespace vfilter
