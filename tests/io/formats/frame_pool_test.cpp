// Memory for pictures.

#include "io/formats/frame_pool.h"

#include <gtest/gtest.h>

#include <vector>

namespace vfilter {
namespace {

FramePtr picture_of(FramePool& pool, int width) {
    FramePtr frame = make_frame();
    frame->format = AV_PIX_FMT_GRAY8;
    frame->width = width;
    frame->height = 8;
    pool.fill(*frame, width, 8);
    return frame;
}

// How many buffers there are.
int alive = 0;

AVBufferRef* allocate_counted(std::size_t size) {
    ++alive;
    const auto release = [](void*, std::uint8_t* data) {
        --alive;
        av_free(data);
    };
    return av_buffer_create(static_cast<std::uint8_t*>(av_mallocz(size)), size, release, nullptr, 0);
}

TEST(FramePool, UsesMemoryAgain) {
    FramePool pool(allocate_picture);
    for (int i = 0; i < 10; ++i) {
        picture_of(pool, 64 + 64 * (i % 4));
    }
    EXPECT_EQ(pool.allocations(), 4);
}

TEST(FramePool, KeepsMemoryOfTheLastSizesAlone) {
    FramePool pool(allocate_counted);
    const FramePtr held = picture_of(pool, 64);
    for (int width = 65; width < 300; ++width) {
        picture_of(pool, width);
    }
    EXPECT_LE(alive, 10);
    held->data[0][0] = 1;  // still somebody's
}

}  // namespace
}  // namespace vfilter
