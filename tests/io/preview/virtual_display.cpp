#include "tests/io/preview/virtual_display.h"

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace vfilter::test {

namespace {

constexpr std::chrono::seconds limit{20};

std::string server_line(int width, int height) {
    // It takes the first number that is free, and tells it where -displayfd says. Without -noreset it would begin anew
    // when the last window is closed.
    // And it goes by itself if the test is killed.
    return "exec timeout 300 Xvfb -displayfd 3 -noreset -nolisten tcp -screen 0 " + std::to_string(width) + "x" +
           std::to_string(height) + "x24 3> number";
}

}  // namespace

Screen::Colour Screen::at(int x, int y) const {
    const std::size_t first =
        3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
    Colour colour{};
    for (std::size_t i = 0; i < colour.size(); ++i) {
        colour[i] = static_cast<unsigned char>(rgb.at(first + i));
    }
    return colour;
}

VirtualDisplay::VirtualDisplay(int width, int height)
    : width_(width), height_(height), server_(server_line(width, height), folder_.path()) {
    const auto end = std::chrono::steady_clock::now() + limit;
    for (std::string number; std::chrono::steady_clock::now() < end && server_.running();) {
        std::ifstream file(folder_.path() / "number");
        if (std::getline(file, number) && !file.eof()) {
            name_ = ":" + number;
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::ostringstream why;
    why << server_.wait(std::chrono::milliseconds(0));
    throw std::runtime_error("no virtual display: " + why.str());
}

// Killed, it would leave the files of its display behind.
VirtualDisplay::~VirtualDisplay() {
    server_.signal(SIGTERM);
    static_cast<void>(server_.wait(limit));
}

std::string VirtualDisplay::run(const std::string& line) const {
    const Result result = run_command("export DISPLAY=" + name_ + "; " + line, folder_.path(), limit);
    if (result.code != 0) {
        std::ostringstream why;
        why << result;
        throw std::runtime_error(why.str());
    }
    return result.out;
}

void VirtualDisplay::start_window_manager() {
    manager_.emplace("DISPLAY=" + name_ + " exec matchbox-window-manager", folder_.path());
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    if (!manager_->running()) {
        std::ostringstream why;
        why << manager_->wait(std::chrono::milliseconds(0));
        throw std::runtime_error("no window manager: " + why.str());
    }
}

Screen VirtualDisplay::screenshot() const {
    const std::string size = std::to_string(width_) + "x" + std::to_string(height_);
    return {width_, height_,
            run("ffmpeg -nostdin -v error -f x11grab -draw_mouse 0 -video_size " + size + " -i " + name_ +
                " -frames:v 1 -f rawvideo -pix_fmt rgb24 -")};
}

void VirtualDisplay::save_screenshot(const std::string& path) const {
    const std::string size = std::to_string(width_) + "x" + std::to_string(height_);
    static_cast<void>(run("ffmpeg -nostdin -v error -y -f x11grab -draw_mouse 0 -video_size " + size + " -i " + name_ +
                          " -frames:v 1 '" + path + "'"));
}

void VirtualDisplay::wait_for_window(const std::string& title) const {
    static_cast<void>(run("xdotool search --sync --onlyvisible --name '" + title + "'"));
}

// There is no window manager that would give a window the focus.
void VirtualDisplay::press(const std::string& title, const std::string& key) const {
    static_cast<void>(run("xdotool search --onlyvisible --name '" + title + "' windowfocus --sync key " + key));
}

void VirtualDisplay::drag(int from_x, int from_y, int to_x, int to_y) const {
    const auto move = [](int x, int y) { return " mousemove " + std::to_string(x) + " " + std::to_string(y); };
    static_cast<void>(
        run("xdotool" + move(from_x, from_y) + " mousedown 1" + move(to_x, to_y) + " sleep 0.2 mouseup 1"));
}

// Its button is the last thing in the title.
void VirtualDisplay::close_window() const {
    static_cast<void>(run("xdotool mousemove " + std::to_string(width_ - 8) + " 8 click 1"));
}

}  // namespace vfilter::test
