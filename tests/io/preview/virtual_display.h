#pragma once
// A screen of its own for a test: Xvfb on a free display, with the eyes and hands of a person who sits before it.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/command.h"

namespace vfilter::test {

/// What a screen showed.
struct Screen {
    int width = 0;
    int height = 0;
    std::string rgb;  ///< 3 bytes for each pixel, row by row

    using Colour = std::array<int, 3>;  ///< red, green, blue
    [[nodiscard]] Colour at(int x, int y) const;
};

/// Xvfb from its construction on to its end. Throws std::runtime_error where there is no Xvfb, ffmpeg or xdotool, so
/// that a test fails and is not skipped. The methods may be called from any thread.
class VirtualDisplay {
public:
    explicit VirtualDisplay(int width = 1280, int height = 800);
    ~VirtualDisplay();
    VirtualDisplay(const VirtualDisplay&) = delete;
    VirtualDisplay& operator=(const VirtualDisplay&) = delete;

    /// For the environment's DISPLAY: ":7"
    [[nodiscard]] const std::string& name() const { return name_; }

    /// Windows get a frame, and as much room as there is. Once.
    void start_window_manager();

    [[nodiscard]] Screen screenshot() const;
    /// As a PNG, for a person to look at.
    void save_screenshot(const std::string& path) const;
    /// Waits until a window of that title is on the screen.
    void wait_for_window(const std::string& title) const;
    /// Presses and releases a key, by X's name ("q", "space", "bracketleft", "Right"), with that window in focus.
    void press(const std::string& title, const std::string& key) const;
    /// Moves the mouse from one place of the screen to another with its button down.
    void drag(int from_x, int from_y, int to_x, int to_y) const;
    /// Closes the window by the button of the frame that the window manager gave it.
    void close_window() const;

private:
    [[nodiscard]] std::string run(const std::string& line) const;

    int width_;
    int height_;
    Folder folder_;
    std::string name_;
    Command server_;
    std::optional<Command> manager_;
};

}  // namespace vfilter::test
