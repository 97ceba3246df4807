#pragma once
// Where the planes of a picture lie in one piece of memory on a device.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pipeline/engine/planes.h"

namespace vfilter {

/// Bytes of a row, without padding.
std::ptrdiff_t row_bytes(const PlaneLayout& plane);

/// An image on the device, and how it is copied. All offsets and pitches suit the kernels: see DevicePlane.
struct ImageLayout {
    std::vector<std::ptrdiff_t> offsets;  ///< bytes from the image's beginning, of each plane
    std::vector<std::ptrdiff_t> pitches;  ///< bytes from one row to the next, of each plane
    std::uint8_t* host = nullptr;         ///< the picture's first plane; null if the layout is no picture's
    bool whole = false;                   ///< as the picture lies on the host, padding and all: one copy takes all
    std::size_t span = 0;                 ///< bytes of that copy, if `whole`
};

/// The layouts of pictures of one format, of which only some planes are on the device. Immutable.
class ImageLayouts {
public:
    explicit ImageLayouts(std::vector<PlaneLayout> planes);

    [[nodiscard]] const std::vector<PlaneLayout>& planes() const { return planes_; }
    /// Room that an image needs, more than any layout takes.
    [[nodiscard]] std::size_t image_bytes() const { return image_bytes_; }
    /// As the picture lies on the host where that is possible, else packed.
    [[nodiscard]] ImageLayout of(const AVFrame& picture) const;
    /// Plane after plane, as close as the kernels allow.
    [[nodiscard]] ImageLayout packed() const;

private:
    std::vector<PlaneLayout> planes_;
    std::size_t image_bytes_;
};

}  // namespace vfilter
