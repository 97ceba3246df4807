#pragma once
// A window on the screen, as a module that is loaded only if one is wanted: a server needs no graphical libraries.

#include <memory>
#include <optional>
#include <string>

#include "io/formats/bgr_view.h"

namespace vfilter {

/// Keys that are not characters.
enum class Key : int { none = 0, escape = 27, left = 0x10000, right, up, down };

struct WindowSize {
    int width = 0;
    int height = 0;
};

/// What the mouse did with its left button.
struct MouseEvent {
    enum class Kind { press, drag, release };
    Kind kind = Kind::press;
    double x = 0;  ///< position: 0 at the window's left to 1 at its right
    double y = 0;  ///< 0 at its top to 1 at its bottom
    bool shift = false;
};

/// Implemented by the module. All calls must come from the thread that opened it, in which the toolkit was loaded, as
/// toolkits require (WindowThread ensures that). After the user has closed the window, the calls do nothing. Destroying
/// it closes it.
class PreviewWindow {
public:
    virtual ~PreviewWindow() = default;

    /// Resizes the window for pictures of that many pixels, or as large as the screen allows, with the same aspect
    /// ratio; small ones get more room. Before the first show().
    virtual void fit(int width, int height) = 0;
    /// The number of pixels that a picture can currently have. The user can change it at any time.
    [[nodiscard]] virtual WindowSize size() const = 0;
    /// Draws a picture over the whole window; it is copied. A picture whose size is not size() is stretched.
    virtual void show(const BgrView& picture) = 0;
    /// Lets the window handle its events, which takes a millisecond or two, and returns the next key that was pressed:
    /// a character, with letters in lower case, or one of Key; 0 if none.
    virtual int poll_key() = 0;
    /// The oldest mouse event that has not been returned yet; of consecutive drags the last one. Empty if there is
    /// none. Events arrive while poll_key() is called.
    virtual std::optional<MouseEvent> poll_mouse() = 0;
    /// Whether the user closed the window.
    [[nodiscard]] virtual bool closed() const = 0;
    /// Whether it counts as closed because its display has gone.
    [[nodiscard]] virtual bool lost() const { return false; }
    virtual void set_full_screen(bool on) = 0;
    /// Writes lines of ASCII over a picture, on a darker background, starting at its upper left corner. They are made
    /// smaller if the picture does not have enough room.
    virtual void write_text(const BgrView& picture, const std::string& lines) const = 0;
    /// Writes a line of ASCII, on a darker background, with its upper left corner at (x, y), or as close to that as
    /// possible within the picture.
    virtual void write_label(const BgrView& picture, int x, int y, const std::string& line) const = 0;
};

/// Loads the module and opens a window. Throws Error(usage) with one line that says what is missing: the module, its
/// libraries, a display. What would make a toolkit abort is tried in a separate process first, so call this before the
/// program has threads. Once in a program.
std::unique_ptr<PreviewWindow> open_preview_window(const std::string& title);

/// The symbols that the module exports. The version is the program's, as both share C++ classes.
inline constexpr const char* preview_version_symbol = "vfilter_preview_version";
inline constexpr const char* preview_open_symbol = "vfilter_preview_open";
using OpenPreviewWindow = PreviewWindow* (*)(const char* title);

}  // namespace vfilter
