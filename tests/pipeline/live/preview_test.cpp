// The preview's keys and pictures, with a window that is none: tests/io/preview has a real one.

#include "pipeline/live/preview.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "config/error.h"

namespace vfilter {
namespace {

// What was shown in a window, and what its user does.
struct Screen {
    std::deque<int> keys;  // one at each look; then 'q'
    std::deque<MouseEvent> mouse;
    std::vector<std::string> labels;
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
    std::optional<MouseEvent> poll_mouse() override {
        if (screen_.middles.empty() || screen_.mouse.empty()) {
            return std::nullopt;
        }
        const MouseEvent event = screen_.mouse.front();
        screen_.mouse.pop_front();
        return event;
    }
    [[nodiscard]] bool closed() const override { return false; }
    void set_full_screen(bool on) override { screen_.full_screen = on; }
    void write_text(const BgrView& /*picture*/, const std::string& lines) const override {
        screen_.texts.push_back(lines);
    }
    void write_label(const BgrView& /*picture*/, int /*x*/, int /*y*/, const std::string& line) const override {
        screen_.labels.push_back(line);
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
        hooks.print = [&](const std::vector<FilterSpec>& filters) { printed_.push_back(to_string(filters.front())); };
        hooks.stop = [&] {
            ++stops_;
            frames.close();
        };
        Frame frame{grey(255)};
        frame.picture->pts = 50;
        frame.original = grey(0);
        frames.send(std::move(frame));
        while (const std::optional<double> at = preview.run(frames, video_, hooks)) {
            sought_.push_back(*at);
            Frame there{grey(100)};
            there.picture->pts = std::llround(*at * 25);
            frames.send(std::move(there));
        }
        counters_ = preview.counters();
        filters_ = preview.filters();
    }

    // A file of which nobody knows how long it is: a bar would cover all of so small a window.
    PreviewKeysObeyed() {
        video_.clock = {.time_base = {1, 25}, .rate = 25};
        video_.filters = {FilterPicture{.width = 20, .height = 15}};
    }

    Screen screen_;
    PreviewedVideo video_;
    std::vector<double> sought_;
    std::vector<FilterSpec> filters_;
    std::vector<std::string> changes_;
    std::vector<std::string> printed_;
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
    run({'v', 'y', 'z'});
    EXPECT_EQ(screen_.middles.size(), 2U) << "the picture, and the q";
}

using Mouse = MouseEvent::Kind;

TEST_F(PreviewKeysObeyed, KeysAndBarGoElsewhereInAFile) {
    video_.end = 4;
    screen_.mouse = {{Mouse::press, 0.5, 0.5}, {Mouse::release, 0.5, 0.5}};
    run({',', static_cast<int>(Key::left), static_cast<int>(Key::up)});
    ASSERT_EQ(sought_.size(), 3U);
    // The bar has 20 columns of the window's 40; the picture before what was pointed at is 40 ms before.
    EXPECT_NEAR(sought_[0], 4 * 10 / 19.0 - 0.04, 1e-6);
    EXPECT_EQ(sought_[1], 0);
    EXPECT_NEAR(sought_[2], 3.96, 1e-6) << "the last picture";
}

TEST_F(PreviewKeysObeyed, WhereTheFileIsNotOursToGoElsewhereTheKeySaysSo) {
    video_.no_seeking = "the output is being written";
    run({static_cast<int>(Key::right), 'l', ','});
    EXPECT_TRUE(sought_.empty());
    EXPECT_NE(screen_.texts.at(1).find("no seeking: the output is being written"), std::string::npos);
    EXPECT_NE(screen_.texts.at(2).find("no loop: the output is being written"), std::string::npos);
    EXPECT_EQ(screen_.texts.at(2).find("again"), std::string::npos);
}

TEST_F(PreviewKeysObeyed, TheTimeIsTold) {
    video_.end = 4;
    run({'l'});
    EXPECT_NE(screen_.texts.at(0).find("\n0:02.00 of 0:04.00\n"), std::string::npos) << screen_.texts.at(0);
    EXPECT_NE(screen_.texts.at(1).find("\n0:02.00 of 0:04.00, begins again at its end\n"), std::string::npos);
}

// The window has two pixels for each of the picture's.
TEST_F(PreviewKeysObeyed, TheMouseDrawsARegionOfTheChosenFilter) {
    screen_.mouse = {{Mouse::press, 10 / 39.0, 6 / 29.0},
                     {Mouse::drag, 20 / 39.0, 10 / 29.0},
                     {Mouse::release, 30 / 39.0, 26 / 29.0}};
    run({'c', 'c', 'c', 'c'});
    EXPECT_EQ(changes_, (std::vector<std::string>{"size=9:region=5,3,10,10"}));
    ASSERT_FALSE(screen_.labels.empty());
    EXPECT_EQ(screen_.labels.back(), "1");
    EXPECT_EQ(printed_, (std::vector<std::string>(4, "size=9:region=5,3,10,10")));
}

TEST_F(PreviewKeysObeyed, TheMouseTellsWhereItHasNothingToChange) {
    video_.filters.front().seen_filtered = false;
    screen_.mouse = {{Mouse::press, 0.5, 0.5}, {Mouse::release, 1, 1}};
    run({'x'});
    EXPECT_EQ(changes_, (std::vector<std::string>{"size=9"})) << "of x alone";
    EXPECT_NE(screen_.texts.at(1).find("in the original picture"), std::string::npos) << screen_.texts.at(1);
    EXPECT_TRUE(screen_.labels.empty());
}

}  // namespace
}  // namespace vfilter
