// The preview's window, on a screen of its own: colours, keys, mouse, and what happens without a screen.

#include "io/preview/preview_window.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "config/error.h"
#include "tests/io/preview/on_screen.h"

namespace vfilter::test {

namespace {

std::string refusal() {
    try {
        open_preview_window(title);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        return error.what();
    }
    return "opened";
}

TEST(PreviewWindowAlone, WithoutADisplayIsBadUsageAndNoAbort) {
    without_display();
    EXPECT_EQ(refusal(), "--preview: there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set");
}

TEST(PreviewWindowAlone, WithADisplayThatIsNoneIsBadUsageAndNoAbort) {
    without_display();
    setenv("DISPLAY", ":12345", 1);
    EXPECT_EQ(refusal(), "--preview: no window can be opened on the display DISPLAY=:12345");
}

TEST(PreviewWindowAlone, WithAToolkitThatLacksItsPluginIsBadUsageAndNoAbort) {
    without_display();
    setenv("QT_QPA_PLATFORM", "nonsense", 1);
    setenv("GDK_BACKEND", "nonsense", 1);
    EXPECT_EQ(refusal().find("--preview: there is no display"), 0U) << refusal();
}

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

TEST_F(PreviewWindowOnScreen, ShowsTheColoursItIsGiven) {
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

TEST_F(PreviewWindowOnScreen, GivesKeysAndDrags) {
    const std::unique_ptr<PreviewWindow> window = open_preview_window(title);
    window->fit(640, 480);
    const WindowSize size{640, 480};
    std::vector<std::uint8_t> samples = fields(size);
    window->show({samples.data(), size.width, size.height, 3 * size.width});
    struct Press {
        const char* key;
        int wanted;
    };
    constexpr int unused_key = 'x';
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
        {"less", '<'},
        {"greater", '>'},
        {"Left", static_cast<int>(Key::left)},
        {"h", 'h'},
        {"Right", static_cast<int>(Key::right)},
        {"H", 'h'},
    };
    std::vector<int> wanted;
    std::vector<int> got;
    std::vector<MouseEvent> mouse;
    std::atomic<bool> listens{false};
    const auto poll = [&] {
        if (const int key = window->poll_key(); key == unused_key) {
            listens = true;
        } else if (key != 0) {
            got.push_back(key);
        }
        while (const std::optional<MouseEvent> event = window->poll_mouse()) {
            mouse.push_back(*event);
        }
    };
    while_polling(
        [&] {
            screen_.wait_for_window(title);
            // The first ones go nowhere where the screen is slow.
            for (int i = 0; i < 50 && !listens; ++i) {
                screen_.press(title, "x");
                std::this_thread::sleep_for(std::chrono::milliseconds(100));
            }
            for (const Press& press : presses) {
                wanted.push_back(press.wanted);
                screen_.press(title, press.key);
            }
        },
        poll);
    EXPECT_EQ(got, wanted);
    EXPECT_TRUE(mouse.empty());
    while_polling([&] { screen_.drag(100, 100, 480, 240); }, poll);
    ASSERT_GE(mouse.size(), 2U);
    EXPECT_EQ(mouse.front().kind, MouseEvent::Kind::press);
    EXPECT_NEAR(mouse.front().x, 100 / 639.0, 0.01);
    EXPECT_NEAR(mouse.front().y, 100 / 479.0, 0.01);
    EXPECT_EQ(mouse.back().kind, MouseEvent::Kind::release);
    EXPECT_NEAR(mouse.back().x, 0.75, 0.01);
    EXPECT_NEAR(mouse.back().y, 0.5, 0.01);
    EXPECT_FALSE(mouse.back().shift);
    got.clear();
    while_polling([&] { screen_.press(title, "Left"); }, poll);
    EXPECT_EQ(got, std::vector{static_cast<int>(Key::left)}) << "a click leaves the keys where they were";
}

}  // namespace

}  // namespace vfilter::test
