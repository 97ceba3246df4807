// The parts of the preview that need no window.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "pipeline/live/playback_clock.h"
#include "pipeline/live/preview_keys.h"
#include "pipeline/live/preview_picture.h"
#include "pipeline/live/recent_values.h"

namespace vfilter {
namespace {

using namespace std::chrono_literals;

constexpr PlaybackClock::Time noon = PlaybackClock::Time() + 1000h;

TEST(PlaybackClock, begins_with_the_first_picture_and_goes_on) {
    PlaybackClock clock;
    EXPECT_EQ(clock.due(7s, noon), noon) << "at once, wherever the video begins";
    EXPECT_EQ(clock.due(7040ms, noon + 1ms), noon + 40ms);
    EXPECT_EQ(clock.due(10s, noon + 5s), noon + 3s) << "late is late";
}

TEST(PlaybackClock, stands_still_while_it_is_paused) {
    PlaybackClock clock;
    clock.due(0s, noon);
    clock.pause(noon + 1s);
    clock.pause(noon + 2s);
    EXPECT_EQ(clock.due(3s, noon + 5s), noon + 7s);
    clock.resume(noon + 11s);
    clock.resume(noon + 12s);
    EXPECT_EQ(clock.due(1s, noon + 11s), noon + 11s) << "what was due when it was paused";
    EXPECT_EQ(clock.due(3s, noon + 11s), noon + 13s);
}

TEST(PlaybackClock, goes_on_from_a_single_step) {
    PlaybackClock clock;
    clock.due(0s, noon);
    clock.pause(noon + 1s);
    clock.set(5s, noon + 20s);
    EXPECT_EQ(clock.due(5s, noon + 20s), noon + 20s);
    EXPECT_EQ(clock.due(6s, noon + 25s), noon + 26s) << "still paused";
    clock.resume(noon + 30s);
    EXPECT_EQ(clock.due(6s, noon + 30s), noon + 31s);
}

TEST(PlaybackClock, may_be_paused_before_it_begins) {
    PlaybackClock clock;
    clock.pause(noon);
    clock.resume(noon + 5s);
    EXPECT_EQ(clock.due(2s, noon + 6s), noon + 6s);
}

TEST(RecentValues, tell_percentiles_by_nearest_rank) {
    RecentValues values(10s);
    EXPECT_FALSE(values.percentile(noon, 50));
    for (int i = 100; i >= 1; --i) {
        values.add(noon, i);
    }
    EXPECT_EQ(values.percentile(noon, 50), 50);
    EXPECT_EQ(values.percentile(noon, 99), 99);
    EXPECT_EQ(values.percentile(noon, 100), 100);
    EXPECT_EQ(values.percentile(noon, 0), 1);
    RecentValues one(10s);
    one.add(noon, 7);
    EXPECT_EQ(one.percentile(noon, 50), 7);
    EXPECT_EQ(one.percentile(noon, 99), 7);
}

TEST(RecentValues, forget_what_is_old_and_what_is_too_much) {
    RecentValues values(2s, 3);
    values.add(noon, 1);
    values.add(noon + 1s, 2);
    EXPECT_EQ(values.percentile(noon + 2s, 0), 1);
    EXPECT_EQ(values.percentile(noon + 2001ms, 0), 2);
    values.add(noon + 2500ms, 5);
    values.add(noon + 2500ms, 6);
    values.add(noon + 2500ms, 4);
    EXPECT_EQ(values.percentile(noon + 2500ms, 0), 4) << "three at most";
    EXPECT_FALSE(values.percentile(noon + 10s, 50));
}

TEST(RecentValues, tell_how_many_come_in_a_second) {
    RecentValues values(2s);
    EXPECT_EQ(values.rate(noon), 0);
    values.add(noon, 0);
    EXPECT_EQ(values.rate(noon), 0);
    for (int i = 1; i <= 50; ++i) {
        values.add(noon + i * 20ms, 0);
    }
    EXPECT_NEAR(values.rate(noon + 1s), 50, 1e-9);
    EXPECT_EQ(values.rate(noon + 10s), 0);
}

TEST(PreviewPicture, lies_in_the_middle_in_its_shape) {
    EXPECT_EQ(place_in({1280, 720}, 640, 360, 1), (Place{0, 0, 1280, 720}));
    EXPECT_EQ(place_in({1280, 1024}, 640, 360, 1), (Place{0, 152, 1280, 720}));
    EXPECT_EQ(place_in({1280, 720}, 480, 480, 1), (Place{280, 0, 720, 720}));
    EXPECT_EQ(place_in({1024, 576}, 720, 576, 64.0 / 45), (Place{0, 0, 1024, 576})) << "wide PAL";
    EXPECT_EQ(place_in({1, 1}, 4096, 16, 1), (Place{0, 0, 1, 1}));
}

struct Picture {
    Picture(int width, int height, std::uint8_t value)
        : samples(static_cast<std::size_t>(3 * width * height), value),
          view{samples.data(), width, height, 3 * width} {}
    std::vector<std::uint8_t> samples;
    BgrView view;
};

TEST(PreviewPicture, is_original_left_of_the_line_and_filtered_right_of_it) {
    Picture filtered(20, 4, 10);
    Picture original(20, 4, 90);
    constexpr int x0 = 3;
    constexpr int y0 = 2;
    const auto drawn = [&](double split) {
        BgrCanvas canvas;
        canvas.resize({26, 8});
        draw_split(filtered.view, original.view, split, canvas.view(), x0, y0);
        std::string columns;
        for (int x = 0; x < 26; ++x) {
            const std::uint8_t* const at = canvas.view().row(y0 + 3) + 3 * x;
            EXPECT_EQ(at[0], at[2]);
            columns += *at == 0 ? '.' : *at == 10 ? 'f' : *at == 90 ? 'o' : *at == 255 ? '|' : '?';
        }
        const BgrView view = canvas.view();
        EXPECT_TRUE(std::all_of(view.row(0), view.row(y0), [](std::uint8_t sample) { return sample == 0; }));
        EXPECT_TRUE(std::all_of(view.row(y0 + 4), view.row(8), [](std::uint8_t sample) { return sample == 0; }));
        return columns;
    };
    EXPECT_EQ(drawn(0), "...ffffffffffffffffffff...");
    EXPECT_EQ(drawn(1), "...oooooooooooooooooooo...");
    EXPECT_EQ(drawn(0.5), "...ooooooooo||fffffffff...");
    EXPECT_EQ(drawn(0.05), "...||ffffffffffffffffff...");
    EXPECT_EQ(drawn(0.95), "...oooooooooooooooooo||...");
}

TEST(PreviewKeys, are_each_found_once_and_explained) {
    for (const PreviewKey& row : preview_keys()) {
        for (int key = row.first; key <= row.last; ++key) {
            EXPECT_EQ(find_preview_key(key), &row) << key;
        }
        EXPECT_EQ(row.name.empty(), row.help.empty());
    }
    EXPECT_EQ(find_preview_key(0), nullptr);
    EXPECT_EQ(find_preview_key('x'), nullptr);
    EXPECT_EQ(find_preview_key('5')->action, PreviewAction::choose);
}

TEST(PreviewKeys, stand_in_the_documents) {
    std::ifstream file(VFILTER_SOURCE "/docs/cli.md");
    std::stringstream text;
    text << file.rdbuf();
    for (const PreviewKey& row : preview_keys()) {
        if (!row.name.empty()) {
            const std::string line = "| " + std::string(row.name) + " | " + std::string(row.help) + " |\n";
            EXPECT_NE(text.str().find(line), std::string::npos) << line;
        }
    }
}

}  // namespace
}  // namespace vfilter
