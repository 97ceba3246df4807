// The preview's window, on a screen of its own: colours, keys, mouse, and what happens without a screen.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <thread>

#include "config/error.h"
#include "io/formats/bgr_picture.h"
#include "io/preview/preview_window.h"
#include "pipeline/live/preview.h"
#include "tests/io/preview/virtual_display.h"

namespace vfilter::test {

namespace {

constexpr const char* title = "vfilter test";

void without_display() {
    for (const char* const name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) {
        unsetenv(name);
    }
}

std::string refusal() {
    try {
        open_preview_window(title);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        return error.what();
    }
    return "opened";
}

TEST(PreviewWindowAlone, without_a_display_is_bad_usage_and_no_abort) {
    without_display();
    EXPECT_EQ(refusal(), "--preview: there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set");
}

TEST(PreviewWindowAlone, with_a_display_that_is_none_is_bad_usage_and_no_abort) {
    without_display();
    setenv("DISPLAY", ":12345", 1);
    EXPECT_EQ(refusal(), "--preview: no window can be opened on the display DISPLAY=:12345");
}

TEST(PreviewWindowAlone, with_a_toolkit_that_lacks_its_plugin_is_bad_usage_and_no_abort) {
    without_display();
    setenv("QT_QPA_PLATFORM", "nonsense", 1);
    setenv("GDK_BACKEND", "nonsense", 1);
    EXPECT_EQ(refusal().find("--preview: there is no display"), 0U) << refusal();
}

bool near(const Screen::Colour& colour, const Screen::Colour& wanted, int tolerance = 3) {
    for (std::size_t i = 0; i < colour.size(); ++i) {
        if (std::abs(colour[i] - wanted[i]) > tolerance) {
            return false;
        }
    }
    return true;
}

constexpr Screen::Colour red{255, 0, 0};
constexpr Screen::Colour green{0, 255, 0};
constexpr Screen::Colour blue{0, 0, 255};
constexpr Screen::Colour white{255, 255, 255};
constexpr Screen::Colour black{0, 0, 0};

class PreviewWindowOnScreen : public ::testing::Test {
protected:
    PreviewWindowOnScreen() {
        without_display();
        setenv("DISPLAY", screen_.name().c_str(), 1);
    }

    // Handles the window's events in this thread, as the toolkits want it, while another one is the person.
    static void while_polling(const std::function<void()>& person, const std::function<void()>& poll) {
        std::future<void> done = std::async(std::launch::async, person);
        while (done.wait_for(std::chrono::milliseconds(0)) != std::future_status::ready) {
            poll();
        }
        for (int i = 0; i < 50; ++i) {
            poll();
        }
        done.get();
    }

    VirtualDisplay screen_;
};

// Four fields: red, green, blue, white.
std::vector<std::uint8_t> fields(const WindowSize& size) {
    std::vector<std::uint8_t> samples;
    for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) {
            const Screen::Colour colour =
                y < size.height / 2 ? (x < size.width / 2 ? red : green) : (x < size.width / 2 ? blue : white);
            for (const std::size_t i : {2U, 1U, 0U}) {
                samples.push_back(static_cast<std::uint8_t>(colour[i]));
            }
        }
    }
    return samples;
}

TEST_F(PreviewWindowOnScreen, shows_the_colours_it_is_given) {
    const std::unique_ptr<PreviewWindow> window = open_preview_window(title);
    window->fit(640, 480);
    for (int i = 0; i < 100; ++i) {
        const WindowSize size = window->size();
        std::vector<std::uint8_t> samples = fields(size);
        window->show({samples.data(), size.width, size.height, 3 * size.width});
        EXPECT_EQ(window->poll_key(), 0);
    }
    EXPECT_FALSE(window->closed());
    EXPECT_EQ(window->size().width, 640);
    EXPECT_EQ(window->size().height, 480);
    const Screen seen = screen_.screenshot();
    EXPECT_EQ(seen.at(10, 10), red);
    EXPECT_EQ(seen.at(318, 10), red) << "nothing is scaled";
    EXPECT_EQ(seen.at(321, 10), green);
    EXPECT_EQ(seen.at(10, 470), blue);
    EXPECT_EQ(seen.at(630, 470), white);
    EXPECT_EQ(seen.at(660, 100), black) << "the window ends";
}

TEST_F(PreviewWindowOnScreen, gives_keys_and_drags) {
    const std::unique_ptr<PreviewWindow> window = open_preview_window(title);
    window->fit(640, 480);
    const WindowSize size{640, 480};
    std::vector<std::uint8_t> samples = fields(size);
    window->show({samples.data(), size.width, size.height, 3 * size.width});
    struct Press {
        const char* key;
        int wanted;
    };
    const Press presses[] = {
        {"q", 'q'},
        {"Escape", static_cast<int>(Key::escape)},
        {"space", ' '},
        {"period", '.'},
        {"s", 's'},
        {"bracketleft", '['},
        {"bracketright", ']'},
        {"1", '1'},
        {"9", '9'},
        {"Left", static_cast<int>(Key::left)},
        {"h", 'h'},
        {"Right", static_cast<int>(Key::right)},
        {"H", 'h'},
    };
    std::vector<int> wanted;
    std::vector<int> got;
    std::optional<double> drag;
    const auto poll = [&] {
        if (const int key = window->poll_key(); key != 0) {
            got.push_back(key);
        }
        const std::optional<double> seen = window->poll_drag();
        drag = seen ? seen : drag;
    };
    while_polling(
        [&] {
            screen_.wait_for_window(title);
            for (const Press& press : presses) {
                wanted.push_back(press.wanted);
                screen_.press(title, press.key);
            }
        },
        poll);
    EXPECT_EQ(got, wanted);
    EXPECT_FALSE(drag);
    while_polling([&] { screen_.drag(100, 100, 480, 100); }, poll);
    ASSERT_TRUE(drag);
    EXPECT_NEAR(*drag, 0.75, 0.01);
}

// ---------------------------------------------------------------------------------------------------- the whole
// preview

FramePtr picture_of(int y, int u, int v, int width = 640, int height = 480) {
    FramePtr picture = make_frame();
    picture->format = AV_PIX_FMT_YUV420P;
    picture->width = width;
    picture->height = height;
    picture->colorspace = AVCOL_SPC_BT709;
    picture->color_range = AVCOL_RANGE_MPEG;
    av_check(av_frame_get_buffer(picture.get(), 0), "av_frame_get_buffer");
    const int values[] = {y, u, v};
    for (int plane = 0; plane < 3; ++plane) {
        const int rows = plane == 0 ? height : height / 2;
        std::memset(picture->data[plane], values[plane], static_cast<std::size_t>(picture->linesize[plane] * rows));
    }
    return picture;
}

// BT.709's own, in limited range.
FramePtr green_picture() {
    return picture_of(173, 42, 26);
}
FramePtr red_picture() {
    return picture_of(63, 102, 240);
}

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
                frames.replace(std::move(frame), wanted);
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
            }
            frames.close();
        });
        std::future<void> done = std::async(std::launch::async, [&] {
            screen_.wait_for_window(title);
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            person();
        });
        preview.run(frames, {1, 50}, false, hooks);
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

    // As of the next tick.
    [[nodiscard]] std::int64_t shown_count() const {
        std::this_thread::sleep_for(std::chrono::milliseconds(350));
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

TEST_F(PreviewOnScreen, shows_filtered_original_and_a_line_between_them) {
    run([&] {
        expect_sides(green, green, "at first ");
        press("o");
        expect_sides(red, red, "original ");
        press("o");
        expect_sides(green, green, "again ");
        press("Right");
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

TEST_F(PreviewOnScreen, writes_numbers_and_help_over_the_picture) {
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

TEST_F(PreviewOnScreen, makes_the_chosen_filter_stronger_and_weaker) {
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

TEST_F(PreviewOnScreen, saves_what_it_shows) {
    const Folder folder;
    std::filesystem::current_path(folder.path());
    run([&] {
        press("s");
        press("s");
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
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

TEST_F(PreviewOnScreen, fills_the_screen) {
    screen_.start_window_manager();
    run([&] {
        // A title above, and black bars beside what is not as wide as the screen.
        const auto whole = [](const Screen& screen) {
            return near(screen.at(900, 1), green) && near(screen.at(900, 798), green) && screen.at(1270, 400) == black;
        };
        const auto framed = [](const Screen& screen) { return !near(screen.at(900, 2), green); };
        EXPECT_TRUE(framed(screen_where(framed)));
        press("f");
        EXPECT_TRUE(whole(screen_where(whole)));
        press("f");
        EXPECT_TRUE(framed(screen_where(framed)));
        press("q");
    });
}

TEST_F(PreviewOnScreen, shows_nothing_new_while_it_is_paused) {
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

TEST_F(PreviewOnScreen, ends_when_its_window_is_closed) {
    screen_.start_window_manager();
    run([&] { screen_.close_window(); });
    EXPECT_GT(counters_.shown, 5);
}

// ------------------------------------------------------------------------------------------------------ a file is
// played

class PreviewOfAFile : public PreviewWindowOnScreen {
protected:
    // So many pictures, one each 40 ms from 10 s on. `slow` takes its time before it hands out a picture.
    std::chrono::milliseconds play(int pictures, const std::function<void(int)>& slow,
                                   const std::function<void()>& person) {
        Preview preview(title, {});
        Channel<Frame> frames(3);
        std::thread filter([&] {
            for (int i = 0; i < pictures; ++i) {
                if (slow) {
                    slow(i);
                }
                Frame frame{i % 2 == 0 ? green_picture() : red_picture(), i};
                frame.picture->pts = 10000 + 40 * i;
                if (!frames.send(std::move(frame))) {
                    break;
                }
            }
            frames.close();
        });
        std::future<void> done = std::async(std::launch::async, person);
        const auto begin = Stamps::Clock::now();
        PreviewHooks hooks;
        hooks.ending = [&] { return ending_.load(); };
        preview.run(frames, {1, 1000}, true, hooks);
        const auto time = Stamps::Clock::now() - begin;
        filter.join();
        done.get();
        counters_ = preview.counters();
        return std::chrono::duration_cast<std::chrono::milliseconds>(time);
    }

    Preview::Counters counters_;
    std::atomic<bool> ending_{false};
};

TEST_F(PreviewOfAFile, keeps_its_clock) {
    Stamps::Clock::time_point first;
    std::chrono::duration<double> until_20{};
    const auto look = [&](int i) {
        const auto now = Stamps::Clock::now();
        first = i == 0 ? now : first;
        until_20 = i == 20 ? now - first : until_20;
    };
    const auto time = play(25, look, [] {});
    // Three wait in the channel, and two beside it.
    EXPECT_GT(until_20.count(), 0.04 * (20 - 6));
    EXPECT_EQ(counters_.shown + counters_.late, 25);
    EXPECT_LE(counters_.late, 3) << "or this machine has much else to do";
    EXPECT_GE(time.count(), 990);
    EXPECT_LT(time.count(), 1300);
}

TEST_F(PreviewOfAFile, leaves_out_what_is_late) {
    const auto time = play(
        25,
        [](int i) {
            if (i == 5) {
                std::this_thread::sleep_for(std::chrono::milliseconds(600));
            }
        },
        [] {});
    EXPECT_EQ(counters_.shown + counters_.late, 25);
    EXPECT_GT(counters_.late, 4);
    EXPECT_LT(counters_.late, 15);
    EXPECT_LT(time.count(), 1300);
}

TEST_F(PreviewOfAFile, waits_while_it_is_paused) {
    const auto time = play(25, {}, [&] {
        screen_.wait_for_window(title);
        screen_.press(title, "space");
        std::this_thread::sleep_for(std::chrono::milliseconds(800));
        screen_.press(title, "space");
    });
    EXPECT_EQ(counters_.shown + counters_.late, 25);
    EXPECT_LE(counters_.late, 3);
    EXPECT_GE(time.count(), 1750);
    EXPECT_LT(time.count(), 2300);
}

TEST_F(PreviewOfAFile, ends_although_it_is_paused) {
    const auto time = play(1000, {}, [&] {
        screen_.wait_for_window(title);
        screen_.press(title, "space");
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        ending_ = true;
    });
    EXPECT_LT(counters_.shown, 100);
    EXPECT_LT(time.count(), 5000);
}

}  // namespace

}  // namespace vfilter::test
