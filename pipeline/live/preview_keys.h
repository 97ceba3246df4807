#pragma once
// The keys of the preview: the window obeys this table, its help is written from it, and docs/cli.md has the same
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
    choose,  ///< the filter of the digit
    everywhere,
    outlines,
    command_line,
    full_screen,
    overlay,
    help,
};

struct PreviewKey {
    int first;  ///< a character or a Key, as PreviewWindow::poll_key gives them; of the mouse, none: last < first
    int last;   ///< of several in a row
    PreviewAction action;
    std::string_view name;  ///< as people read it; "" if the row before says it, too
    std::string_view help;
};

std::span<const PreviewKey> preview_keys();
/// The row of a key, or null.
const PreviewKey* find_preview_key(int key);
/// A line for each key, without a line's end at the last.
std::string preview_help();

}  // namespace vfilter
