// Parts of pictures that nobody wrote.

#include "io/codec/canaries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "io/formats/frame_pool.h"

namespace vfilter {
namespace {

class CanariesTest : public ::testing::Test {
protected:
    FramePtr picture(AVPixelFormat format) {
        FramePtr frame = make_frame();
        frame->format = format;
        frame->width = 100;
        frame->height = 70;
        pool_.fill(*frame, 128, 96);
        fill(*frame, 0, 70, 7);
        return frame;
    }
    static void fill(AVFrame& frame, int from, int to, int value) {
        for (int y = from; y < to; ++y) {
            std::memset(frame.data[0] + y * frame.linesize[0], value, static_cast<std::size_t>(frame.linesize[0]));
        }
    }
    static bool is(const AVFrame& frame, int from, int to, int value) {
        const std::uint8_t* const begin = frame.data[0] + from * frame.linesize[0];
        return std::all_of(begin, begin + (to - from) * frame.linesize[0], [&](int byte) { return byte == value; });
    }

    Canaries canaries_;

private:
    FramePool pool_{allocate_picture};
};

TEST_F(CanariesTest, LiveWhereNobodyWrites) {
    for (const AVPixelFormat format : {AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV420P10}) {
        const FramePtr whole = picture(format);
        const FramePtr half = picture(format);
        canaries_.set(*whole, 4, false);
        canaries_.set(*half, 5, true);
        fill(*whole, 0, 70, 1);
        fill(*half, 0, 40, 1);
        EXPECT_EQ(canaries_.look(5), std::vector<std::int64_t>{});
        EXPECT_EQ(canaries_.look(8), std::vector<std::int64_t>{5});
        EXPECT_EQ(canaries_.look(8), std::vector<std::int64_t>{});  // told
        EXPECT_TRUE(is(*half, 0, 40, 1));
        EXPECT_TRUE(is(*half, 40, 70, 7));  // what was there is back
    }
}

// The last whole block of a picture, of 8x8 samples.
TEST_F(CanariesTest, LiveInTheLastBlock) {
    const FramePtr frame = picture(AV_PIX_FMT_YUV420P);
    canaries_.set(*frame, 1, true);
    for (int y = 0; y < frame->height; ++y) {
        std::memset(frame->data[0] + y * frame->linesize[0], 1, static_cast<std::size_t>(y < 64 ? 100 : 88));
    }
    EXPECT_EQ(canaries_.look(2), std::vector<std::int64_t>{1});
    EXPECT_EQ(frame->data[0][69 * frame->linesize[0] + 95], 7);
}

// The last block of a slice in the middle of a picture.
TEST_F(CanariesTest, LiveInTheLastBlockOfATree) {
    const FramePtr frame = picture(AV_PIX_FMT_YUV420P);
    canaries_.set(*frame, 1, true);
    for (int y = 0; y < frame->height; ++y) {
        std::memset(frame->data[0] + y * frame->linesize[0], 1, static_cast<std::size_t>(y < 40 || y >= 48 ? 100 : 56));
        std::memset(frame->data[0] + y * frame->linesize[0] + 64, 1, 36);
    }
    EXPECT_EQ(canaries_.look(2), std::vector<std::int64_t>{1});
}

TEST_F(CanariesTest, KeepWhatComesAfterInMind) {
    const FramePtr later = picture(AV_PIX_FMT_YUV420P);
    canaries_.set(*later, 9, false);
    const FramePtr beside = picture(AV_PIX_FMT_YUV420P);
    canaries_.set(*beside, 9, false);  // of the same packet
    EXPECT_TRUE(canaries_.look(9).empty());
    EXPECT_EQ(canaries_.look(9, later.get()), std::vector<std::int64_t>{9});
    fill(*beside, 0, 70, 1);
    EXPECT_TRUE(canaries_.look(10).empty());
}

}  // namespace
}  // namespace vfilter
