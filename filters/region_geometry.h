#pragma once
// What a region covers in a frame of a given size, as a weight for every pixel or sample.

#include "filters/orientation.h"
#include "filters/region.h"
#include "kernels/blend.h"

namespace vfilter {

/// Throws RegionError, with the size, if a rectangle reaches beyond a frame of `width` x `height` pixels.
void check_region(const Region& region, int width, int height);

/// A region of the picture as it is shown -> the same region of the picture as it is stored, in whole pixels. Throws
/// RegionError as check_region() does, with the size that is shown.
Region to_stored(const Region& shown, Orientation orientation, int stored_width, int stored_height);

/// A mask for the picture as it is shown -> the same for the picture as it is stored.
GrayImage to_stored(const GrayImage& shown, Orientation orientation);

/// The weight of every pixel of a frame, 0 for untouched to 255 for filtered. `mask` has the frame's size and is read
/// only if the region has one. Throws RegionError as check_region() does.
GrayImage region_weights(const Region& region, int width, int height, const GrayImage& mask);

/// The weights of a plane that is subsampled by `pitch_x` and `pitch_y`: the mean of the pixels that a sample covers.
GrayImage plane_weights(const GrayImage& weights, int pitch_x, int pitch_y);

}  // namespace vfilter
