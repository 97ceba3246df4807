// The whole preview, on a screen of its own: what is shown, what keys and mouse do.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <thread>

#include "config/error.h"
#include "pipeline/live/preview.h"
#include "tests/io/preview/coloured_pictures.h"
#include "tests/io/preview/on_screen.h"

namespace vfilter::test {

namespace {

// Filtered is green, the original red.
class PreviewOnScreen : public PreviewWindowOnScreen {
protected:
    void run(const std::function<void()>& person) {
        filters_ = {parse_filter(*find_filter("gaussian"), "9"), parse_filter(*find_filter("sharpen"), "0.8")};
        Preview preview(title, filters_);
        Channel<Frame> frames(1);
        std::atomic<bool> stopped{false};
        PreviewHooks hooks;
        hooks.tick = [&] {
            ++ticks_;
            shown_ = preview.counters().shown;
        };
        hooks.change = [&](const std::vector<FilterSpec>& filters) {
            changes_.push_back(to_string(filters[0]) + ", " + to_string(filters[1]));
            if (refuse_) {
                throw Error(ExitCode::usage, "no");
            }
        };
        hooks.shown = [&](const Frame& frame, Stamps::Clock::time_point now) {
            EXPECT_GE(now, frame.stamps.captured);
            ++shown_told_;
        };
        hooks.stop = [&] { stopped = true; };
        hooks.dropped = [] { return 7; };
        std::thread camera([&] {
            bool wanted = true;
            for (std::int64_t i = 0; wanted && !stopped; ++i) {
                Frame frame{green_picture(), i};
                frame.stamps.captured = Stamps::Clock::now();
                frame.original = red_picture();
                frame.picture->pts = i;
                wanted = frames.replace(std::move(frame)).wanted;
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
            }
            frames.close();
        });
        std::future<void> done = std::async(std::launch::async, [&] {
            screen_.wait_for_window(title);
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            person();
        });
        const PreviewedVideo video{.clock = {.time_base = {1, 50}, .rate = 50},
                                   .live = true,
                                   .filters = std::vector<FilterPicture>(2, {.width = 640, .height = 480}),
                                   .no_seeking = "the input is live"};
        EXPECT_FALSE(preview.run(frames, video, hooks));
        camera.join();
        EXPECT_TRUE(stopped);
        done.get();
        counters_ = preview.counters();
        EXPECT_EQ(shown_told_, counters_.shown);
        filters_ = preview.filters();
    }

    void press(const std::string& key) {
        screen_.press(title, key);
        std::this_thread::sleep_for(std::chrono::milliseconds(150));
    }

    // As of a tick that begins later.
    [[nodiscard]] std::int64_t shown_count() const {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        const auto ticks = ticks_.load();
        while (ticks_ < ticks + 2 && std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return shown_;
    }

    // Looks until it is so, on a machine that may have much to do.
    [[nodiscard]] Screen screen_where(const std::function<bool(const Screen&)>& is_so) const {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
        Screen seen = screen_.screenshot();
        while (!is_so(seen) && std::chrono::steady_clock::now() < end) {
            seen = screen_.screenshot();
        }
        return seen;
    }

    // Below the text, left and right of the middle.
    void expect_sides(const Screen::Colour& left, const Screen::Colour& right, const std::string& what) const {
        const Screen seen = screen_where(
            [&](const Screen& screen) { return near(screen.at(150, 400), left) && near(screen.at(500, 400), right); });
        EXPECT_TRUE(near(seen.at(150, 400), left)) << what << ::testing::PrintToString(seen.at(150, 400));
        EXPECT_TRUE(near(seen.at(500, 400), right)) << what << ::testing::PrintToString(seen.at(500, 400));
    }

    std::vector<FilterSpec> filters_;
    std::vector<std::string> changes_;
    std::atomic<bool> refuse_{false};
    std::atomic<int> ticks_{0};
    std::atomic<std::int64_t> shown_{0};
    std::int64_t shown_told_ = 0;
    Preview::Counters counters_;
};

TEST_F(PreviewOnScreen, ShowsFilteredOriginalAndALineBetweenThem) {
    run([&] {
        expect_sides(green, green, "at first ");
        press("o");
        expect_sides(red, red, "original ");
        press("o");
        expect_sides(green, green, "again ");
        press("greater");
        expect_sides(red, green, "split ");
        screen_.drag(320, 300, 100, 300);
        std::this_thread::sleep_for(std::chrono::milliseconds(150));
        expect_sides(green, green, "line at 100 ");
        screen_.drag(100, 300, 560, 300);
        std::this_thread::sleep_for(std::chrono::milliseconds(150));
        expect_sides(red, red, "line at 560 ");
        press("q");
    });
    EXPECT_GT(counters_.shown, 20);
    EXPECT_GT(ticks_, 2);
}

// Bright points in the corner where the text is.
int letters(const Screen& screen, int rows) {
    int count = 0;
    for (int y = 0; y < rows; ++y) {
        for (int x = 0; x < 400; ++x) {
            const Screen::Colour colour = screen.at(x, y);
            count += colour[0] > 200 && colour[1] > 200 && colour[2] > 200 ? 1 : 0;
        }
    }
    return count;
}

TEST_F(PreviewOnScreen, WritesNumbersAndHelpOverThePicture) {
    run([&] {
        const Screen numbers = screen_.screenshot();
        EXPECT_GT(letters(numbers, 40), 300);
        EXPECT_EQ(numbers.at(2, 2)[0], 0);
        EXPECT_NEAR(numbers.at(2, 2)[1], 0.3 * 255, 2) << "the ground is darker";
        const auto none = [](const Screen& screen) { return letters(screen, 400) == 0; };
        const auto many = [](const Screen& screen) { return letters(screen, 300) > 2000; };
        press("i");
        EXPECT_TRUE(none(screen_where(none)));
        press("h");
        EXPECT_TRUE(many(screen_where(many)));
        press("h");
        EXPECT_TRUE(none(screen_where(none)));
        press("Escape");
    });
}

TEST_F(PreviewOnScreen, MakesTheChosenFilterStrongerAndWeaker) {
    run([&] {
        press("bracketright");
        press("bracketright");
        press("bracketleft");
        press("2");
        press("bracketright");
        press("3");
        press("bracketright");
        refuse_ = true;
        press("bracketright");
        refuse_ = false;
        press("1");
        press("bracketleft");
        press("q");
    });
    EXPECT_EQ(changes_, (std::vector<std::string>{"size=11, amount=0.8", "size=13, amount=0.8", "size=11, amount=0.8",
                                                  "size=11, amount=0.9", "size=11, amount=1", "size=11, amount=1.1",
                                                  "size=9, amount=1"}));
    EXPECT_EQ(to_string(filters_[0]), "size=9");
    EXPECT_EQ(to_string(filters_[1]), "amount=1");
}

TEST_F(PreviewOnScreen, DrawsTheRegionThatTheMouseMakes) {
    run([&] {
        press("2");
        screen_.drag(100, 150, 400, 350);
        const auto outlined = [](const Screen& screen) {
            return near(screen.at(250, 150), {255, 220, 0}) && near(screen.at(250, 250), green);
        };
        EXPECT_TRUE(outlined(screen_where(outlined)));
        press("r");
        const auto bare = [](const Screen& screen) { return near(screen.at(250, 150), green); };
        EXPECT_TRUE(bare(screen_where(bare)));
        press("q");
    });
    EXPECT_EQ(changes_, (std::vector<std::string>{"size=9, amount=0.8:region=100,150,300,200"}));
}

TEST_F(PreviewOnScreen, SavesWhatItShows) {
    const Folder folder;
    std::filesystem::current_path(folder.path());
    run([&] {
        press("s");
        press("s");
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        const auto pictures = [&] {
            return std::ranges::count_if(folder.names(),
                                         [](const std::string& name) { return name.ends_with(".png"); });
        };
        while (pictures() < 6 && std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        press("q");
    });
    std::filesystem::current_path("/");
    std::map<std::string, std::vector<std::string>> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
        const std::string name = entry.path().stem().string();
        files[name.substr(name.rfind('-') + 1)].push_back(entry.path().string());
    }
    const auto samples = [&](const std::string& kind) {
        EXPECT_EQ(files[kind].size(), 2U) << kind;
        Screen screen{640, 480, ""};
        screen.rgb =
            run_command("ffmpeg -v error -i '" + files[kind].at(0) + "' -f rawvideo -pix_fmt rgb24 -", folder.path())
                .out;
        EXPECT_EQ(screen.rgb.size(), 640U * 480 * 3);
        return screen;
    };
    const Screen filtered = samples("filtered");
    const Screen original = samples("original");
    const Screen split = samples("split");
    for (const int x : {3, 300, 340, 630}) {
        EXPECT_TRUE(near(filtered.at(x, 3), green)) << "without numbers";
        EXPECT_TRUE(near(original.at(x, 3), red));
        EXPECT_TRUE(near(split.at(x, 3), x < 320 ? red : green));
    }
    EXPECT_EQ(split.at(320, 3), white);
}

TEST_F(PreviewOnScreen, FillsTheScreen) {
    screen_.start_window_manager();
    run([&] {
        // A title above, and black bars left and right of what is not as wide as the screen.
        const auto whole = [](const Screen& screen) {
            return near(screen.at(900, 1), green) && near(screen.at(900, 798), green) && screen.at(1270, 400) == black;
        };
        const auto framed = [](const Screen& screen) {
            return near(screen.at(640, 400), green) && !near(screen.at(900, 2), green);
        };
        EXPECT_TRUE(framed(screen_where(framed)));
        press("f");
        EXPECT_TRUE(whole(screen_where(whole)));
        press("f");
        EXPECT_TRUE(framed(screen_where(framed)));
        press("q");
    });
}

TEST_F(PreviewOnScreen, ShowsNothingNewWhileItIsPaused) {
    run([&] {
        press("space");
        const auto shown = shown_count();
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        EXPECT_EQ(shown_count(), shown);
        press("o");
        expect_sides(red, red, "what is there can be looked at ");
        press("period");
        EXPECT_EQ(shown_count(), shown + 1);
        press("period");
        EXPECT_EQ(shown_count(), shown + 2);
        press("space");
        EXPECT_GT(shown_count(), shown + 2);
        press("q");
    });
    EXPECT_EQ(counters_.late, 0);
}

TEST_F(PreviewOnScreen, EndsWhenItsWindowIsClosed) {
    screen_.start_window_manager();
    run([&] { screen_.close_window(); });
    EXPECT_GT(counters_.shown, 5);
}

}  // namespace

}  // namespace vfilter::test
