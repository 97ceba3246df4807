#pragma once
// A screen of its own for a test, and the display's place in the environment.

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <future>

#include "tests/io/preview/virtual_display.h"

namespace vfilter::test {

/// Of the window.
inline constexpr const char* title = "vfilter test";

inline void without_display() {
    for (const char* const name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) {
        unsetenv(name);
    }
}

inline bool near(const Screen::Colour& colour, const Screen::Colour& wanted, int tolerance = 3) {
    for (std::size_t i = 0; i < colour.size(); ++i) {
        if (std::abs(colour[i] - wanted[i]) > tolerance) {
            return false;
        }
    }
    return true;
}

inline constexpr Screen::Colour red{255, 0, 0};
inline constexpr Screen::Colour green{0, 255, 0};
inline constexpr Screen::Colour blue{0, 0, 255};
inline constexpr Screen::Colour white{255, 255, 255};
inline constexpr Screen::Colour black{0, 0, 0};

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

}  // namespace vfilter::test
