#pragma once
// The keys of the preview: the window follows this table, its help is generated from it, and docs/cli.md has the same
// lines.

#include <span>
#include <string>
#include <string_view>

namespace vfilter {

enum class PreviewAction {
    none,  ///< what the mouse does
    quit,
    pause,
    step,
    step_back,
    back,
    on,
    far_back,
    far_on,
    loop,
    screenshot,
    original,
    beside,
    split_left,
    split_right,
    weaker,
    stronger,
    choose,  ///< choose the filter with that number
    everywhere,
    outlines,
    command_line,
    full_screen,
    overlay,
    help,
};

struct PreviewKey {
    int first;  ///< a character or a Key, as PreviewWindow::poll_key returns them; for the mouse, none: last < first
    int last;   ///< the last of several consecutive ones
    PreviewAction action;
    std::string_view name;  ///< as displayed; "" if the previous row already says it
    std::string_view help;
};

std::span<const PreviewKey> preview_keys();
/// The row for a key, or null.
const PreviewKey* find_preview_key(int key);
/// One line per key, without a line end after the last.
std::string preview_help();

}  // namespace vfilter
