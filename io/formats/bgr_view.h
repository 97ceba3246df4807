#pragma once
// The pixels that the preview draws into and the window shows.

#include <cstddef>
#include <cstdint>

namespace vfilter {

/// 8-bit samples that it does not own: blue, green, red.
struct BgrView {
    std::uint8_t* data = nullptr;
    int width = 0;
    int height = 0;
    std::ptrdiff_t stride = 0;  ///< bytes from one row to the next

    [[nodiscard]] std::uint8_t* row(int y) const { return data + y * stride; }
};

}  // namespace vfilter
