#pragma once
// A window on the screen, as a module that is loaded only when one is wanted: a server needs no graphical libraries.

#include <memory>
#include <optional>
#include <string>

#include "io/formats/bgr_view.h"

namespace vfilter {

/// Keys that are no characters.
enum class Key : int { none = 0, escape = 27, left = 0x10000, right, up, down };

struct WindowSize {
    int width = 0;
    int height = 0;
};

/// What the mouse did with its left button.
struct MouseEvent {
    enum class Kind { press, drag, release };
    Kind kind = Kind::press;
    double x = 0;  ///< where: 0 at the window's left to 1 at its right
    double y = 0;  ///< 0 at its top to 1 at its bottom
    bool shift = false;
};

/// Implemented by the module. All calls from the thread that opened it, in which the toolkit was loaded: so the
/// toolkits want it (WindowThread sees to that). After the user has closed the window, the calls do nothing. Destroying
/// it closes it.
class PreviewWindow {
public:
    virtual ~PreviewWindow() = default;

    /// Makes room for pictures of so many pixels, or as much of it as the screen has, in the same proportion; small
    /// ones get more. Before the first show().
    virtual void fit(int width, int height) = 0;
    /// The pixels that a picture can have now. The user changes it at any time.
    [[nodiscard]] virtual WindowSize size() const = 0;
    /// Draws a picture all over the window; it is copied. One that has not size() is stretched.
    virtual void show(const BgrView& picture) = 0;
    /// Lets the window handle its events, which takes a millisecond or two, and gives the next key that was pressed: a
    /// character, letters as small ones, or one of Key; 0 if none was.
    virtual int poll_key() = 0;
    /// The oldest thing that the mouse did and that was not told yet; of drags in a row the last one. Empty if there is
    /// none. They come while poll_key() is called.
    virtual std::optional<MouseEvent> poll_mouse() = 0;
    /// Whether the user closed the window.
    [[nodiscard]] virtual bool closed() const = 0;
    /// Whether it counts as closed because its display has gone away.
    [[nodiscard]] virtual bool lost() const { return false; }
    virtual void set_full_screen(bool on) = 0;
    /// Writes lines of ASCII over a picture, on a darker ground, from its upper left corner on. They are made smaller
    /// where the picture has not the room.
    virtual void write_text(const BgrView& picture, const std::string& lines) const = 0;
    /// Writes a line of ASCII, on a darker ground, with its upper left corner at (x, y), or as near to that as lies
    /// within the picture.
    virtual void write_label(const BgrView& picture, int x, int y, const std::string& line) const = 0;
};

/// Loads the module and opens a window. Throws Error(usage) with one line that says what is missing: the module, its
/// libraries, a display. What a toolkit would abort on is tried in a process of its own first, so this comes before the
/// program has threads. Once in a program.
std::unique_ptr<PreviewWindow> open_preview_window(const std::string& title);

/// What the module exports under these names. The version is the program's, as both share C++ classes.
inline constexpr const char* preview_version_symbol = "vfilter_preview_version";
inline constexpr const char* preview_open_symbol = "vfilter_preview_open";
using OpenPreviewWindow = PreviewWindow* (*)(const char* title);

}  // namespace vfilter
