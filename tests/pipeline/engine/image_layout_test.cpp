#include "pipeline/engine/image_layout.h"

#include <gtest/gtest.h>

#include "io/formats/frame_pool.h"

namespace vfilter {
namespace {

constexpr PictureFormat format{AV_PIX_FMT_YUV420P, 100, 60};

FramePtr picture_of(FramePool& pool) {
    FramePtr picture = make_frame();
    picture->format = format.format;
    picture->width = format.width;
    picture->height = format.height;
    pool.fill(*picture, format.width, format.height);
    return picture;
}

TEST(ImageLayout, IsTheHostsWhereThePlanesLieInOneBuffer) {
    const ImageLayouts layouts(plane_layouts(format));
    FramePool pool(allocate_picture);
    const FramePtr picture = picture_of(pool);
    const ImageLayout layout = layouts.of(*picture);
    ASSERT_TRUE(layout.whole);
    EXPECT_EQ(layout.host, picture->data[0]);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(layout.pitches[i], picture->linesize[i]);
        EXPECT_EQ(layout.offsets[i], picture->data[i] - picture->data[0]);
    }
    EXPECT_EQ(layout.span,
              static_cast<std::size_t>(picture->data[2] + picture->linesize[2] * 29 + 50 - picture->data[0]));
    EXPECT_LT(layout.span, layouts.image_bytes());
}

TEST(ImageLayout, IsPackedWhereOneCopyCannotTakeAll) {
    const ImageLayouts layouts(plane_layouts(format));
    FramePool pool(allocate_picture);
    const ImageLayout packed = layouts.packed();
    EXPECT_EQ(packed.pitches, (std::vector<std::ptrdiff_t>{128, 64, 64}));
    EXPECT_EQ(packed.offsets, (std::vector<std::ptrdiff_t>{0, 128 * 60, 128 * 60 + 64 * 30}));
    const auto expect_packed = [&](const AVFrame& picture, const char* why) {
        const ImageLayout layout = layouts.of(picture);
        EXPECT_FALSE(layout.whole) << why;
        EXPECT_EQ(layout.offsets, packed.offsets) << why;
        EXPECT_EQ(layout.host, picture.data[0]) << why;
    };
    FramePtr picture = picture_of(pool);
    picture->data[0] += static_cast<std::ptrdiff_t>(picture->linesize[0]) * 59;
    picture->linesize[0] = -picture->linesize[0];
    expect_packed(*picture, "upside down");
    picture = picture_of(pool);
    std::swap(picture->data[1], picture->data[2]);
    expect_packed(*picture, "planes in another order");
    picture = picture_of(pool);
    picture->data[1] += 1;
    expect_packed(*picture, "kernels read aligned samples");
    picture = picture_of(pool);
    const FramePtr other = picture_of(pool);
    picture->data[2] = other->data[2];
    expect_packed(*picture, "planes in two buffers");
}

TEST(ImageLayout, HoldsThePlanesThatAreFilteredAlone) {
    std::vector<PlaneLayout> planes = plane_layouts(format);
    planes.erase(planes.begin());
    const ImageLayouts layouts(planes);
    FramePool pool(allocate_picture);
    const FramePtr picture = picture_of(pool);
    const ImageLayout layout = layouts.of(*picture);
    EXPECT_TRUE(layout.whole);
    EXPECT_EQ(layout.host, picture->data[1]);
    EXPECT_EQ(layout.offsets.size(), 2U);
}

TEST(ImageLayout, OfDeepSamplesHasTwoBytesEach) {
    const std::vector<PlaneLayout> planes = plane_layouts({AV_PIX_FMT_P010, 101, 60});
    EXPECT_EQ(row_bytes(planes[0]), 202);
    EXPECT_EQ(row_bytes(planes[1]), 51 * 2 * 2) << "two samples of chroma at each place";
}

}  // namespace
}  // namespace vfilter
