// Which of its modes a camera is asked for, and what is read of a driver.

#include "io/input/camera.h"

#include <gtest/gtest.h>
#include <linux/videodev2.h>

#include <cerrno>
#include <map>

namespace vfilter {

static void PrintTo(const CameraMode& mode, std::ostream* stream) {
    *stream << mode.format << ' ' << mode.width << 'x' << mode.height << ' ' << av_q2d(mode.rate);
}

namespace {

CameraMode mode(const char* format, int width, int height, int rate) {
    return {format, width, height, {rate, 1}};
}

// As many webcams are: uncompressed up to what USB 2 carries.
const std::vector<CameraMode> webcam = {mode("mjpeg", 1920, 1080, 30),  mode("mjpeg", 1280, 720, 60),
                                        mode("mjpeg", 1280, 720, 30),   mode("mjpeg", 640, 480, 30),
                                        mode("yuyv422", 640, 480, 30),  mode("yuyv422", 640, 480, 15),
                                        mode("yuyv422", 1280, 720, 10), mode("yuyv422", 1920, 1080, 5)};

TEST(CameraMode, IsTheLargestThatReachesTheRate) {
    struct Row {
        CameraWish wish;
        std::optional<CameraMode> chosen;
    };
    const Row rows[] = {
        {{}, mode("mjpeg", 1280, 720, 30)},
        {{.fps = 60}, mode("mjpeg", 1280, 720, 60)},
        {{.fps = 10}, mode("yuyv422", 1280, 720, 10)},
        {{.fps = 12}, mode("mjpeg", 1280, 720, 30)},
        {{.fps = 240}, mode("mjpeg", 1280, 720, 60)},
        {{.width = 640, .height = 480}, mode("yuyv422", 640, 480, 30)},
        {{.width = 640, .height = 480, .fps = 15}, mode("yuyv422", 640, 480, 15)},
        {{.width = 640, .height = 480, .fps = 60}, mode("yuyv422", 640, 480, 30)},
        {{.width = 1920, .height = 1080}, mode("mjpeg", 1920, 1080, 30)},
        {{.width = 1920, .height = 1080, .fps = 5}, mode("yuyv422", 1920, 1080, 5)},
        {{.width = 1920, .height = 1200}, std::nullopt},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(choose_mode(webcam, row.wish), row.chosen)
            << row.wish.width << 'x' << row.wish.height << ' ' << row.wish.fps.value_or(0);
    }
}

TEST(CameraMode, TakesWhatThereIs) {
    EXPECT_EQ(choose_mode({}, {}), std::nullopt);
    const std::vector<CameraMode> large = {mode("h264", 3840, 2160, 30), mode("h264", 1920, 1080, 30)};
    EXPECT_EQ(choose_mode(large, {}), large[1]);
    const std::vector<CameraMode> slow = {mode("yuyv422", 1280, 720, 5), mode("yuyv422", 320, 240, 15)};
    EXPECT_EQ(choose_mode(slow, {}), slow[1]);
    const std::vector<CameraMode> unknown = {{"h264", 640, 480, {0, 1}}, {"yuyv422", 640, 480, {0, 1}}};
    EXPECT_EQ(choose_mode(unknown, {}), unknown[1]);
    // 29.97 is as good as 30, and MJPEG better than H.264.
    const std::vector<CameraMode> ntsc = {
        {"h264", 1280, 720, {30, 1}}, {"mjpeg", 1280, 720, {30000, 1001}}, {"yuyv422", 1280, 720, {29, 1}}};
    EXPECT_EQ(choose_mode(ntsc, {}), ntsc[1]);
}

// A driver with one format of listed sizes and one of ranges, and one that nobody knows.
int driver(unsigned long request, void* argument) {
    const auto refuse = [] {
        errno = EINVAL;
        return -1;
    };
    if (request == VIDIOC_ENUM_FMT) {
        auto& entry = *static_cast<v4l2_fmtdesc*>(argument);
        const std::uint32_t formats[] = {V4L2_PIX_FMT_YUYV, V4L2_PIX_FMT_MJPEG, v4l2_fourcc('?', '?', '?', '?')};
        if (entry.index >= std::size(formats)) {
            return refuse();
        }
        entry.pixelformat = formats[entry.index];
        return 0;
    }
    if (request == VIDIOC_ENUM_FRAMESIZES) {
        auto& entry = *static_cast<v4l2_frmsizeenum*>(argument);
        if (entry.pixel_format == V4L2_PIX_FMT_YUYV) {
            entry.type = V4L2_FRMSIZE_TYPE_DISCRETE;
            entry.discrete = {640U >> entry.index, 480U >> entry.index};
            return entry.index < 2 ? 0 : refuse();
        }
        entry.type = V4L2_FRMSIZE_TYPE_STEPWISE;
        entry.stepwise = {640, 1280, 16, 480, 960, 16};
        return 0;  // whatever the index: it must not be asked for ever
    }
    if (request == VIDIOC_ENUM_FRAMEINTERVALS) {
        auto& entry = *static_cast<v4l2_frmivalenum*>(argument);
        if (entry.pixel_format == V4L2_PIX_FMT_YUYV) {
            entry.type = V4L2_FRMIVAL_TYPE_DISCRETE;
            entry.discrete = {1001, entry.index == 0 ? 30000U : 15000U};
            return entry.index < 2 ? 0 : refuse();
        }
        entry.type = V4L2_FRMIVAL_TYPE_CONTINUOUS;
        entry.stepwise = {{1, 60}, {1, 5}, {1, 1}};
        return 0;
    }
    return refuse();
}

TEST(CameraMode, IsReadOfListsAndOfRanges) {
    const std::vector<CameraMode> modes = read_modes(driver, {.width = 656, .height = 496});
    const std::vector<CameraMode> wanted = {
        {"yuyv422", 640, 480, {30000, 1001}},
        {"yuyv422", 640, 480, {15000, 1001}},
        {"yuyv422", 320, 240, {30000, 1001}},
        {"yuyv422", 320, 240, {15000, 1001}},
    };
    ASSERT_GT(modes.size(), wanted.size());
    EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), modes.begin()));
    std::map<std::pair<int, int>, std::vector<double>> ranges;
    for (std::size_t i = wanted.size(); i < modes.size(); ++i) {
        EXPECT_EQ(modes[i].format, "mjpeg");
        ranges[{modes[i].width, modes[i].height}].push_back(av_q2d(modes[i].rate));
    }
    const std::vector<double> rates = {60, 30, 5};
    const std::map<std::pair<int, int>, std::vector<double>> expected = {
        {{640, 480}, rates}, {{656, 496}, rates}, {{1024, 768}, rates}, {{1280, 720}, rates}, {{1280, 960}, rates}};
    EXPECT_EQ(ranges, expected);
    EXPECT_TRUE(read_modes([](unsigned long, void*) { return -1; }, {}).empty());
}

}  // namespace
}  // namespace vfilter
