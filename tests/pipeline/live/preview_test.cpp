// The preview's keys and pictures, with a window that is none: tests/io/preview has a real one.

#include "pipeline/live/preview.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "config/error.h"

namespace vfilter {
namespace {

// What was shown in a window, and what its user does.
struct Screen {
    std::deque<int> keys;  // one at each look; then 'q'
    bool full_screen = false;
    std::vector<std::string> texts;
    std::vector<int> middles;  // the blue of each picture's middle
    WindowSize fitted;
};

class FakeWindow : public PreviewWindow {
public:
    explicit FakeWindow(Screen& screen) : screen_(screen) {}

    void fit(int width, int height) override { screen_.fitted = {width, height}; }
    [[nodiscard]] WindowSize size() const override { return {40, 30}; }
    void show(const BgrView& picture) override {
        screen_.middles.push_back(picture.row(picture.height / 2)[3 * (picture.width / 2)]);
    }
    int poll_key() override {
        if (screen_.middles.empty()) {
            return 0;
        }
        if (screen_.keys.empty()) {
            return 'q';
        }
        const int key = screen_.keys.front();
        screen_.keys.pop_front();
        return key;
    }
    std::optional<double> poll_drag() override { return std::nullopt; }
    [[nodiscard]] bool closed() const override { return false; }
    void set_full_screen(bool on) override { screen_.full_screen = on; }
    void write_text(const BgrView& /*picture*/, const std::string& lines) const override {
        screen_.texts.push_back(lines);
    }

private:
    Screen& screen_;
};

FramePtr grey(int value) {
    FramePtr picture = make_frame();
    picture->format = AV_PIX_FMT_GRAY8;
    picture->width = 20;
    picture->height = 15;
    av_check(av_frame_get_buffer(picture.get(), 0), "av_frame_get_buffer");
    for (int y = 0; y < picture->height; ++y) {
        std::fill_n(picture->data[0] + y * picture->linesize[0], picture->width, static_cast<std::uint8_t>(value));
    }
    return picture;
}

// Filtered pictures are white, originals black.
class PreviewKeysObeyed : public ::testing::Test {
protected:
    void run(std::deque<int> keys) {
        screen_.keys = std::move(keys);
        Preview preview(std::make_unique<FakeWindow>(screen_), {parse_filter(*find_filter("gaussian"), "9")});
        Channel<Frame> frames(1);
        PreviewHooks hooks;
        hooks.change = [&](const std::vector<FilterSpec>& filters) { changes_.push_back(to_string(filters.front())); };
        hooks.stop = [&] {
            ++stops_;
            frames.close();
        };
        Frame frame{grey(255)};
        frame.original = grey(0);
        frames.send(std::move(frame));
        preview.run(frames, {1, 25}, false, hooks);
        counters_ = preview.counters();
    }

    Screen screen_;
    std::vector<std::string> changes_;
    int stops_ = 0;
    Preview::Counters counters_;
};

TEST_F(PreviewKeysObeyed, TheWindowFitsThePictureAndTheUserEndsIt) {
    run({});
    EXPECT_EQ(stops_, 1);
    EXPECT_EQ(counters_.shown, 1);
    EXPECT_EQ(screen_.fitted.width, 20);
    EXPECT_EQ(screen_.fitted.height, 15);
    ASSERT_FALSE(screen_.middles.empty());
    EXPECT_EQ(screen_.middles.front(), 255);
}

TEST_F(PreviewKeysObeyed, OriginalAndFilteredPictureTakeTurns) {
    run({'o', 'o'});
    EXPECT_EQ(screen_.middles, (std::vector<int>{255, 0, 255, 255}));
    EXPECT_EQ(counters_.shown, 1) << "drawn again is not shown again";
}

TEST_F(PreviewKeysObeyed, TheTextFollows) {
    run({'h', 'h', ' ', 'i', 'f'});
    ASSERT_GE(screen_.texts.size(), 4U);
    EXPECT_NE(screen_.texts[1].find("full screen"), std::string::npos);
    EXPECT_EQ(screen_.texts[2].find("full screen"), std::string::npos);
    EXPECT_NE(screen_.texts[3].find("paused\n"), std::string::npos);
    EXPECT_EQ(screen_.texts.size(), 4U) << "i takes it away";
    EXPECT_TRUE(screen_.full_screen);
}

TEST_F(PreviewKeysObeyed, FiltersAreChangedAndRefusalsTold) {
    run({']', '2', '['});
    EXPECT_EQ(changes_, (std::vector<std::string>{"size=11", "size=9"}));
    EXPECT_NE(screen_.texts.at(1).find("filter: gaussian size=11"), std::string::npos);
}

TEST_F(PreviewKeysObeyed, WhatNoKeyMeansDoesNothing) {
    run({'x', 'y', 'z'});
    EXPECT_EQ(screen_.middles.size(), 2U) << "the picture, and the q";
}

}  // namespace
}  // namespace vfilter
