#pragma once
// Pictures and filters for tests of engines.

#include <cstdint>
#include <random>

#include "filters/filters.h"
#include "io/formats/frame_pool.h"
#include "pipeline/engine/planes.h"

namespace vfilter::testing {

/// Every bit of every sample by chance.
inline FramePtr random_picture(const PictureFormat& format, FramePool& pool, unsigned seed) {
    FramePtr picture = make_frame();
    picture->format = format.format;
    picture->width = format.width;
    picture->height = format.height;
    pool.fill(*picture, format.width, format.height);
    std::mt19937 random(seed);
    for (const PlaneLayout& layout : plane_layouts(format)) {
        for (int y = 0; y < layout.height; ++y) {
            for (int x = 0; x < layout.width * layout.step; ++x) {
                const auto sample = static_cast<unsigned>(random()) & ((1U << layout.depth) - 1);
                if (layout.depth == 8) {
                    plane_view<std::uint8_t>(*picture, layout, 0, 1).row(y)[x] = static_cast<std::uint8_t>(sample);
                } else {
                    plane_view<std::uint16_t>(*picture, layout, 0, 1).row(y)[x] =
                        static_cast<std::uint16_t>(sample << layout.lsb);
                }
            }
        }
    }
    return picture;
}

inline FilterSpec filter(const char* name, const char* arguments) {
    return parse_filter(*find_filter(name), arguments);
}

}  // namespace vfilter::testing
