#pragma once
// Pictures used as masks.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/formats/mask_reader.h"

namespace vfilter {

/// The maximum number of pixels of a mask before scaling: no memory is allocated for a larger one.
inline constexpr std::int64_t max_mask_pixels = 64'000'000;

/// The pictures of a mask (PNG, JPEG, a video...) in shades of grey, 0 black to 255 white, scaled to a size: width *
/// height samples, row by row. Each is the mean of the shades that it covers if the mask is larger, rounded to nearest,
/// and the nearest shade if it is smaller. Colours are weighted by BT.601; transparent parts are black. Which file a
/// name refers to: see open_mask(). Not thread-safe.
class GrayPictures {
public:
    /// Throws Error(usage) if it is not a regular file, contains no picture, or one that is too large.
    GrayPictures(std::string path, int width, int height);
    ~GrayPictures();
    GrayPictures(GrayPictures&&) noexcept;
    GrayPictures& operator=(GrayPictures&&) noexcept;

    /// Whether there are several pictures.
    [[nodiscard]] bool moves() const { return moves_; }
    /// The picture with that number, from 0; the last one is used for all that follow, which is reported once. Valid
    /// until the next call. Numbers may be skipped; a lower one than before costs as much as all up to it. Throws
    /// Error(usage) for what cannot be read.
    const std::vector<std::uint8_t>& at(std::int64_t number);

private:
    void open();

    std::string path_;
    int width_;
    int height_;
    std::unique_ptr<MaskPictures> source_;
    FramePtr shown_;
    FramePtr next_;            // null after the last one
    std::int64_t number_ = 0;  // of the picture in shown_
    bool moves_ = false;
    bool told_end_ = false;
    std::vector<std::uint8_t> samples_;  // of shown_; empty until needed
};

/// Throws Error(usage) if GrayPictures would.
void check_picture(const std::string& path);

}  // namespace vfilter
