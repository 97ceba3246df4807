// The preview's window by OpenCV's highgui, with the Qt and the GTK builds of it. The only code that is linked with it.

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <deque>
#include <memory>
#include <opencv2/highgui.hpp>
#include <opencv2/imgproc.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "config/error.h"
#include "io/preview/preview_window.h"

namespace vfilter {

namespace {

// What the toolkits call the keys: X11's keysyms, or Qt's own numbers.
struct KeyCode {
    int code;
    Key key;
};
constexpr std::array key_codes{
    KeyCode{0xff51, Key::left},      KeyCode{0xff52, Key::up},       KeyCode{0xff53, Key::right},
    KeyCode{0xff54, Key::down},      KeyCode{0xff1b, Key::escape},   KeyCode{0x1000012, Key::left},
    KeyCode{0x1000013, Key::up},     KeyCode{0x1000014, Key::right}, KeyCode{0x1000015, Key::down},
    KeyCode{0x1000000, Key::escape},
};

int key_of(int code) {
    if (code < 0) {
        return 0;
    }
    // GTK puts the modifiers, num lock among them, above 16 bits of key.
    const int bare = code & 0xffff;
    for (const int tried : {code, bare}) {
        const auto* const found = std::ranges::find(key_codes, tried, &KeyCode::code);
        if (found != key_codes.end()) {
            return static_cast<int>(found->key);
        }
    }
    return bare < 0x80 ? std::tolower(bare) : 0;
}

// OpenCV does not tell how large the screen is. Both toolkits bring X11's library along.
cv::Size screen_size() {
    const cv::Size usual(1280, 720);
    const std::unique_ptr<void, int (*)(void*)> library(dlopen("libX11.so.6", RTLD_NOW | RTLD_LOCAL), dlclose);
    if (!library) {
        return usual;
    }
    const auto function = [&](auto* signature, const char* name) {
        return reinterpret_cast<decltype(signature)>(dlsym(library.get(), name));
    };
    using Open = void*(const char*);
    using Close = int(void*);
    using Number = int(void*);
    using Side = int(void*, int);
    auto* const open = function(static_cast<Open*>(nullptr), "XOpenDisplay");
    auto* const close = function(static_cast<Close*>(nullptr), "XCloseDisplay");
    auto* const number = function(static_cast<Number*>(nullptr), "XDefaultScreen");
    auto* const width = function(static_cast<Side*>(nullptr), "XDisplayWidth");
    auto* const height = function(static_cast<Side*>(nullptr), "XDisplayHeight");
    if (open == nullptr || close == nullptr || number == nullptr || width == nullptr || height == nullptr) {
        return usual;
    }
    void* const display = open(nullptr);
    if (display == nullptr) {
        return usual;
    }
    const cv::Size size(width(display, number(display)), height(display, number(display)));
    close(display);
    return size;
}

// Qt's view of the picture takes the keyboard when it is clicked, and the arrow keys for itself to scroll by. Without
// Qt's headers, and for whichever Qt there is.
void give_keyboard_to_window() {
    for (const char* const name : {"libQt5Widgets.so.5", "libQt6Widgets.so.6"}) {
        const std::unique_ptr<void, int (*)(void*)> library(dlopen(name, RTLD_NOW | RTLD_NOLOAD), dlclose);
        if (!library) {
            continue;
        }
        using FocusWidget = void*();
        using ClearFocus = void(void*);
        auto* const focus_widget =
            reinterpret_cast<FocusWidget*>(dlsym(library.get(), "_ZN12QApplication11focusWidgetEv"));
        auto* const clear_focus = reinterpret_cast<ClearFocus*>(dlsym(library.get(), "_ZN7QWidget10clearFocusEv"));
        if (focus_widget != nullptr && clear_focus != nullptr) {
            if (void* const view = focus_widget()) {
                clear_focus(view);
            }
        }
    }
}

class HighguiWindow final : public PreviewWindow {
public:
    explicit HighguiWindow(std::string title) : title_(std::move(title)) {
        // Without GUI_NORMAL Qt adds a toolbar. The pictures already have the right proportion.
        cv::namedWindow(title_, cv::WINDOW_NORMAL | cv::WINDOW_FREERATIO | cv::WINDOW_GUI_NORMAL);
        cv::setMouseCallback(title_, on_mouse, this);
    }
    ~HighguiWindow() override {
        try {
            if (!closed_) {
                cv::setMouseCallback(title_, nullptr, nullptr);
                cv::destroyWindow(title_);
                cv::waitKey(1);  // the toolkit does it when it handles events
            }
        } catch (const cv::Exception&) {  // it is gone already
        }
    }
    HighguiWindow(const HighguiWindow&) = delete;
    HighguiWindow& operator=(const HighguiWindow&) = delete;

    void fit(int width, int height) override {
        // Room for a window's frame and a panel next to it; and less than the text needs is of no use.
        constexpr double part_of_screen = 0.85;
        constexpr double min_height = 480;
        const cv::Size screen = screen_size();
        const double largest = std::min(part_of_screen * screen.width / width, part_of_screen * screen.height / height);
        const double scale = std::min(std::max(1.0, min_height / height), largest);
        size_ = {std::max(1, cvRound(width * scale)), std::max(1, cvRound(height * scale))};
        fitted_ = size_;
        unsettled_ = patience;
        guarded([&] { cv::resizeWindow(title_, size_.width, size_.height); });
    }

    // With Qt, OpenCV 4.10 tells how much of the window the last picture takes, and before the first one something
    // else: so the window is taken to have the size that was asked for until it has been seen to have it.
    [[nodiscard]] WindowSize size() const override {
        cv::Rect area;
        guarded([&] { area = cv::getWindowImageRect(title_); });
        const WindowSize seen{area.width, area.height};
        if (unsettled_ > 0) {
            unsettled_ = seen.width == size_.width && seen.height == size_.height ? 0 : unsettled_ - (shown_ ? 1 : 0);
            return size_;
        }
        return seen.width > 1 && seen.height > 1 ? seen : size_;
    }

    void show(const BgrView& picture) override {
        guarded([&] {
            shown_size_ = {picture.width, picture.height};
            cv::imshow(title_, matrix(picture));
            shown_ = true;
        });
    }

    int poll_key() override {
        int code = -1;
        guarded([&] { code = cv::waitKeyEx(1); });
        if (shown_) {
            // highgui would make a window anew if it was shown something after it was closed.
            guarded([&] { closed_ = closed_ || cv::getWindowProperty(title_, cv::WND_PROP_VISIBLE) < 1; });
        }
        return key_of(code);
    }

    std::optional<MouseEvent> poll_mouse() override {
        if (mouse_.empty()) {
            return std::nullopt;
        }
        const MouseEvent event = mouse_.front();
        mouse_.pop_front();
        return event;
    }

    [[nodiscard]] bool closed() const override { return closed_; }

    void set_full_screen(bool on) override {
        const cv::Size screen = screen_size();
        size_ = on ? WindowSize{screen.width, screen.height} : fitted_;
        unsettled_ = patience;
        guarded([&] {
            cv::setWindowProperty(title_, cv::WND_PROP_FULLSCREEN, on ? cv::WINDOW_FULLSCREEN : cv::WINDOW_NORMAL);
        });
    }

    void write_text(const BgrView& picture, const std::string& lines) const override;
    void write_label(const BgrView& picture, int x, int y, const std::string& line) const override;

private:
    static cv::Mat matrix(const BgrView& view) {
        return {view.height, view.width, CV_8UC3, view.data, static_cast<std::size_t>(view.stride)};
    }

    static void on_mouse(int event, int x, int y, int flags, void* self) {
        auto& window = *static_cast<HighguiWindow*>(self);
        const bool held = (flags & cv::EVENT_FLAG_LBUTTON) != 0;
        if (event == cv::EVENT_LBUTTONDOWN) {
            give_keyboard_to_window();
            window.note_mouse(MouseEvent::Kind::press, x, y, flags);
        } else if (event == cv::EVENT_LBUTTONUP) {
            window.note_mouse(MouseEvent::Kind::release, x, y, flags);
        } else if (event == cv::EVENT_MOUSEMOVE && held) {
            window.note_mouse(MouseEvent::Kind::drag, x, y, flags);
        }
    }

    void note_mouse(MouseEvent::Kind kind, int x, int y, int flags) {
        const auto part = [](int at, int side) {
            return std::clamp(static_cast<double>(at) / std::max(1, side - 1), 0.0, 1.0);
        };
        if (kind == MouseEvent::Kind::drag && !mouse_.empty() && mouse_.back().kind == kind) {
            mouse_.pop_back();
        }
        mouse_.push_back(
            {kind, part(x, shown_size_.width), part(y, shown_size_.height), (flags & cv::EVENT_FLAG_SHIFTKEY) != 0});
    }

    // A window that the user has closed makes highgui throw.
    template <class Do>
    void guarded(Do act) const {
        if (closed_) {
            return;
        }
        try {
            act();
        } catch (const cv::Exception&) {
            closed_ = true;
        }
    }

    static constexpr int patience = 50;  // looks at the window's size: some seconds

    std::string title_;
    WindowSize size_{640, 480};  // that was asked for
    WindowSize fitted_ = size_;  // that of the window when it does not fill the screen
    mutable int unsettled_ = patience;
    WindowSize shown_size_{1, 1};  // of the picture that is shown
    bool shown_ = false;
    mutable bool closed_ = false;
    std::deque<MouseEvent> mouse_;
};

constexpr int font = cv::FONT_HERSHEY_SIMPLEX;
constexpr double usual_scale = 0.5;
constexpr double rows_per_scale = 1600;  // larger on a large screen
constexpr double darker = 0.3;
// At a scale of 1 a line takes 34 rows, the letters themselves 22 of them.
constexpr double line_rows = 34;
constexpr double letter_rows = 24;

void HighguiWindow::write_text(const BgrView& picture, const std::string& lines) const {
    std::vector<std::string> split;
    for (std::string_view rest = lines; !rest.empty();) {
        const std::size_t end = rest.find('\n');
        split.emplace_back(rest.substr(0, end));
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    if (split.empty()) {
        return;
    }
    const auto widest = [&](double scale) {
        int width = 0;
        for (const std::string& line : split) {
            width = std::max(width, cv::getTextSize(line, font, scale, 1, nullptr).width);
        }
        return width;
    };
    const auto count = static_cast<double>(split.size());
    double scale = std::max(usual_scale, picture.height / rows_per_scale);
    scale = std::min({scale, scale * picture.width / (widest(scale) + line_rows * scale),
                      picture.height / ((count + 1) * line_rows)});
    const int margin = cvRound(scale * line_rows / 2);

    cv::Mat whole = matrix(picture);
    const cv::Rect ground(0, 0, widest(scale) + 2 * margin, cvRound((count + 0.7) * line_rows * scale));
    cv::Mat part = whole(ground & cv::Rect(0, 0, picture.width, picture.height));
    part *= darker;
    double y = margin / 1.5;
    for (const std::string& line : split) {
        cv::putText(whole, line, {margin, cvRound(y + letter_rows * scale)}, font, scale, {255, 255, 255}, 1,
                    cv::LINE_AA);
        y += line_rows * scale;
    }
}

void HighguiWindow::write_label(const BgrView& picture, int x, int y, const std::string& line) const {
    const double scale = std::max(usual_scale, picture.height / rows_per_scale);
    const int margin = cvRound(scale * line_rows / 4);
    const int width = cv::getTextSize(line, font, scale, 1, nullptr).width + 2 * margin;
    const int height = cvRound(scale * line_rows);
    const int left = std::clamp(x, 0, std::max(0, picture.width - width));
    const int top = std::clamp(y, 0, std::max(0, picture.height - height));
    cv::Mat whole = matrix(picture);
    cv::Mat part = whole(cv::Rect(left, top, width, height) & cv::Rect(0, 0, picture.width, picture.height));
    part *= darker;
    cv::putText(whole, line, {left + margin, top + cvRound(letter_rows * scale)}, font, scale, {255, 255, 255}, 1,
                cv::LINE_AA);
}

}  // namespace

}  // namespace vfilter

extern "C" {

__attribute__((visibility("default"))) extern const char vfilter_preview_version[] = VFILTER_VERSION;

__attribute__((visibility("default"))) vfilter::PreviewWindow* vfilter_preview_open(const char* title) {
    try {
        return new vfilter::HighguiWindow(title);
    } catch (const cv::Exception& error) {
        throw vfilter::Error(vfilter::ExitCode::usage, error.err);
    }
}
}
