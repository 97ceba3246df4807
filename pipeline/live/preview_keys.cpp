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

constexpr std::array table{
    PreviewKey{'q', 'q', PreviewAction::quit, "q, Esc", "end; what is recorded is finished"},
    PreviewKey{code(Key::escape), code(Key::escape), PreviewAction::quit, "", ""},
    PreviewKey{' ', ' ', PreviewAction::pause, "space", "pause, and go on"},
    PreviewKey{'.', '.', PreviewAction::step, ".", "one picture further, and pause"},
    PreviewKey{'s', 's', PreviewAction::screenshot, "s", "screenshots as PNG: filtered, original and split"},
    PreviewKey{'o', 'o', PreviewAction::original, "o", "original or filtered picture"},
    PreviewKey{code(Key::left), code(Key::left), PreviewAction::split_left, "left, right, mouse",
               "original left of a line, filtered right of it"},
    PreviewKey{code(Key::right), code(Key::right), PreviewAction::split_right, "", ""},
    PreviewKey{'[', '[', PreviewAction::weaker, "[ and ]", "the chosen filter weaker, stronger"},
    PreviewKey{']', ']', PreviewAction::stronger, "", ""},
    PreviewKey{'1', '9', PreviewAction::choose, "1 to 9", "choose the filter"},
    PreviewKey{'f', 'f', PreviewAction::full_screen, "f", "full screen"},
    PreviewKey{'i', 'i', PreviewAction::overlay, "i", "numbers on the picture, or none"},
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
