#pragma once
// Runs the preview's window in a separate thread, so that the program survives the loss of the display: toolkits would
// end it.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "io/preview/preview_window.h"

namespace vfilter {

/// Passes all calls to a window that is opened and used by a separate thread, and waits for it. If the display goes
/// away a toolkit calls exit(), which runs a handler of this class: that keeps the thread there for ever, the window
/// counts as closed and lost, and the program continues.
class WindowThread final : public PreviewWindow {
public:
    using Open = std::function<std::unique_ptr<PreviewWindow>()>;

    /// Throws what `open` throws. One at a time.
    explicit WindowThread(const Open& open);
    ~WindowThread() override;
    WindowThread(const WindowThread&) = delete;
    WindowThread& operator=(const WindowThread&) = delete;

    /// Whether any display was lost: then a thread is stuck in exit(), and the program can only be ended by _exit().
    static bool lost_any();

    void fit(int width, int height) override;
    [[nodiscard]] WindowSize size() const override;
    void show(const BgrView& picture) override;
    int poll_key() override;
    std::optional<MouseEvent> poll_mouse() override;
    [[nodiscard]] bool closed() const override;
    [[nodiscard]] bool lost() const override;
    void set_full_screen(bool on) override;
    void write_text(const BgrView& picture, const std::string& lines) const override;
    void write_label(const BgrView& picture, int x, int y, const std::string& line) const override;

private:
    struct Shared;

    static void work(const std::shared_ptr<Shared>& shared);
    static void on_exit();
    // For the handler, which gets no arguments. Thread-local objects are destroyed before handlers run: a plain pointer
    // is not.
    static thread_local Shared* of_this_thread;
    bool call(const std::function<void()>& act) const;

    std::shared_ptr<Shared> shared_;
};

}  // namespace vfilter
