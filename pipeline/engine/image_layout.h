#pragma once
// How the planes of a picture are placed in one piece of device memory.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pipeline/engine/planes.h"

namespace vfilter {

/// Bytes of a row, without padding.
std::ptrdiff_t row_bytes(const PlaneLayout& plane);

/// An image on the device, and how it is copied. All offsets and pitches meet the kernels' requirements: see
/// DevicePlane.
struct ImageLayout {
    std::vector<std::ptrdiff_t> offsets;  ///< bytes from the start of the image, for each plane
    std::vector<std::ptrdiff_t> pitches;  ///< the picture's first plane; null if the layout is not a picture's
    std::uint8_t* host = nullptr;         ///< as on the host, including padding: one copy transfers all
    bool whole = false;                   ///< as the picture lies on the host, padding and all: one copy takes all
    std::size_t span = 0;                 ///< bytes of that copy, if `whole`
};

/// The layouts of pictures of one format, of which only some planes are on the device. Immutable.
class ImageLayouts {
public:
    explicit ImageLayouts(std::vector<PlaneLayout> planes);

    [[nodiscard]] const std::vector<PlaneLayout>& planes() const { return planes_; }
    /// The room that an image needs, which is more than any layout uses.
    [[nodiscard]] std::size_t image_bytes() const { return image_bytes_; }
    /// The layout of the picture on the host if possible, otherwise packed.
    [[nodiscard]] ImageLayout of(const AVFrame& picture) const;
    /// One plane after another, as close as the kernels allow.
    [[nodiscard]] ImageLayout packed() const;

private:
    std::vector<PlaneLayout> planes_;
    std::size_t image_bytes_;
};

}  // namespace vfilter
