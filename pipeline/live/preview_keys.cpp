#include "pipeline/live/preview_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/preview/preview_window.h"

namespace vfilter {

namespace {

constexpr int code(Key key) {
    return static_cast<int>(key);
}

// Rows of the mouse have no key: the first one is after the last.
constexpr int mouse = 0;

constexpr std::array table{
    PreviewKey{'q', 'q', PreviewAction::quit, "q, Esc", "end; what is recorded is finished"},
    PreviewKey{code(Key::escape), code(Key::escape), PreviewAction::quit, "", ""},
    PreviewKey{' ', ' ', PreviewAction::pause, "space", "pause, and go on"},
    PreviewKey{',', ',', PreviewAction::step_back, ", and .", "one picture back, further, and pause"},
    PreviewKey{'.', '.', PreviewAction::step, "", ""},
    PreviewKey{code(Key::left), code(Key::left), PreviewAction::back, "left, right", "a file 5 seconds back, on"},
    PreviewKey{code(Key::right), code(Key::right), PreviewAction::on, "", ""},
    PreviewKey{code(Key::down), code(Key::down), PreviewAction::far_back, "down, up", "a file a minute back, on"},
    PreviewKey{code(Key::up), code(Key::up), PreviewAction::far_on, "", ""},
    PreviewKey{mouse, mouse - 1, PreviewAction::none, "mouse on the bar", "a file goes on there"},
    PreviewKey{'l', 'l', PreviewAction::loop, "l", "a file begins again at its end, or not"},
    PreviewKey{'s', 's', PreviewAction::screenshot, "s", "screenshots as PNG: filtered, original and both"},
    PreviewKey{'o', 'o', PreviewAction::original, "o", "original or filtered picture"},
    PreviewKey{'b', 'b', PreviewAction::beside, "b", "both side by side, or not"},
    PreviewKey{'<', '<', PreviewAction::split_left, "< and >, mouse on the line",
               "original left of a line, filtered right of it"},
    PreviewKey{'>', '>', PreviewAction::split_right, "", ""},
    PreviewKey{'[', '[', PreviewAction::weaker, "[ and ]", "the chosen filter weaker, stronger"},
    PreviewKey{']', ']', PreviewAction::stronger, "", ""},
    PreviewKey{'1', '9', PreviewAction::choose, "1 to 9", "choose the filter"},
    PreviewKey{mouse, mouse - 1, PreviewAction::none, "mouse",
               "draw, move or size the chosen filter's region; with shift one more"},
    PreviewKey{'x', 'x', PreviewAction::everywhere, "x", "the chosen filter works everywhere"},
    PreviewKey{'r', 'r', PreviewAction::outlines, "r", "outlines of regions, or none"},
    PreviewKey{'c', 'c', PreviewAction::command_line, "c", "print the command line with the filters as they are"},
    PreviewKey{'f', 'f', PreviewAction::full_screen, "f", "full screen"},
    PreviewKey{'i', 'i', PreviewAction::overlay, "i", "numbers and bar, or none"},
    PreviewKey{'h', 'h', PreviewAction::help, "h", "this list"},
};

}  // namespace

std::span<const PreviewKey> preview_keys() {
    return table;
}

const PreviewKey* find_preview_key(int key) {
    const auto* const found =
        std::ranges::find_if(table, [key](const PreviewKey& row) { return row.first <= key && key <= row.last; });
    return found == table.end() ? nullptr : found;
}

std::string preview_help() {
    std::string text;
    for (const PreviewKey& row : table) {
        if (!row.name.empty()) {
            text += fmt::format("{}{} - {}", text.empty() ? "" : "\n", row.name, row.help);
        }
    }
    return text;
}

}  // namespace vfilter
