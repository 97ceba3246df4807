#pragma once
// Pictures in memory of every order, as callers of the library have them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/library/plain_filter.h"
#include "vfilter/vfilter.hpp"

namespace vfilter_library_test {

using vfilter::test::PlainPlane;

// Samples of pictures, and how they lie: what is between them must stay as it is.
struct Layout {
    const char* name;
    bool interleaved;
    bool backwards;    // channels
    bool upside_down;  // rows
    int gap;           // samples after a row
};
inline constexpr Layout layouts[] = {
    {"HWC", true, false, false, 0},
    {"HWC with gaps", true, false, false, 5},
    {"HWC backwards, upside down", true, true, true, 3},
    {"CHW", false, false, false, 0},
    {"CHW with gaps, upside down", false, false, true, 7},
};

template <class T>
class TestPictures {
public:
    TestPictures(const Layout& layout, int width, int height, int channels, int count)
        : width_(width), height_(height), channels_(channels), count_(count) {
        const int step = layout.interleaved ? channels : 1;
        const int row = width * step + layout.gap;
        const int plane = row * height;
        const int planes = layout.interleaved ? 1 : channels;
        bytes_.assign(static_cast<std::size_t>(plane * planes * count), guard);
        const std::ptrdiff_t size = sizeof(T);
        picture_ = VFILTER_PICTURE_INIT;
        const int first = (layout.upside_down ? row * (height - 1) : 0) + (layout.backwards ? channels - 1 : 0);
        picture_.data = bytes_.data() + first;
        picture_.width = width;
        picture_.height = height;
        picture_.channels = channels;
        picture_.count = count;
        picture_.pixel_pitch = size * step;
        picture_.row_pitch = size * (layout.upside_down ? -row : row);
        picture_.channel_pitch = size * (!layout.interleaved ? plane : layout.backwards ? -1 : 1);
        picture_.picture_pitch = size * plane * planes;
    }

    T& at(int picture, int channel, int x, int y) {
        return *reinterpret_cast<T*>(static_cast<unsigned char*>(picture_.data) + picture * picture_.picture_pitch +
                                     channel * picture_.channel_pitch + y * picture_.row_pitch +
                                     x * picture_.pixel_pitch);
    }
    void set(int picture, int channel, const PlainPlane& plane) {
        for (int i = 0; i < width_ * height_; ++i) {
            at(picture, channel, i % width_, i / width_) = static_cast<T>(plane[static_cast<std::size_t>(i)]);
        }
    }
    PlainPlane get(int picture, int channel) {
        PlainPlane plane;
        for (int i = 0; i < width_ * height_; ++i) {
            plane.push_back(at(picture, channel, i % width_, i / width_));
        }
        return plane;
    }
    // Whether no byte but samples is another than it was.
    bool guards_intact() {
        for (int i = 0; i < width_ * height_ * channels_ * count_; ++i) {
            const int pixel = i / channels_ / count_;
            at(i % count_, i / count_ % channels_, pixel % width_, pixel / width_) = guard;
        }
        return std::ranges::all_of(bytes_, [](T sample) { return sample == guard; });
    }
    const vfilter_picture& picture() const { return picture_; }

private:
    static constexpr T guard = static_cast<T>(0xa5a5);
    int width_;
    int height_;
    int channels_;
    int count_;
    std::vector<T> bytes_;
    vfilter_picture picture_{};
};

inline PlainPlane random_plane(int width, int height, int depth, unsigned seed) {
    std::mt19937 random(seed);
    PlainPlane plane(static_cast<std::size_t>(width * height));
    std::ranges::generate(plane, [&] { return static_cast<std::uint16_t>(random() % (1U << depth)); });
    return plane;
}

}  // namespace vfilter_library_test
