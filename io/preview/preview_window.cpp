#include "io/preview/preview_window.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "config/error.h"
#include "io/preview/window_thread.h"

namespace vfilter {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view beginning = "--preview: ";
constexpr const char* module_name = "vfilter_preview.so";
// Where the module is, seen from the program's folder: installed (and from a test's folder), and where it was built.
// In the build tree, which has the folder in any case; what lies beside that may be anybody's. Installed, beside bin.
constexpr std::array module_folders{"lib/vfilter", "../lib/vfilter"};
// A toolkit that starts on a slow machine takes seconds.
constexpr std::chrono::seconds trial_limit{30};
constexpr int look_interval = 20;  // milliseconds

[[noreturn]] void refuse(const std::string& why) {
    throw Error(ExitCode::usage, std::string(beginning) + why);
}

fs::path find_module() {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const char* const folder : module_folders) {
        const fs::path path = (program / folder).lexically_normal();
        if (program.empty() || !fs::is_directory(path, error)) {
            continue;
        }
        if (fs::exists(path / module_name, error)) {
            return path / module_name;
        }
        break;
    }
    refuse(
        fmt::format("{} is not there: it is the package vfilter-preview, and is built where OpenCV's highgui "
                    "(libopencv-highgui-dev) is installed",
                    module_name));
}

// Never unloaded: the toolkits leave threads and handlers running.
OpenPreviewWindow load(const std::string& path) {
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        refuse(dlerror());  // which names the library that is missing
    }
    const auto* const version = static_cast<const char*>(dlsym(library, preview_version_symbol));
    if (version == nullptr || std::string_view(version) != VFILTER_VERSION) {
        refuse(fmt::format("{} is of another version than this program", path));
    }
    return reinterpret_cast<OpenPreviewWindow>(dlsym(library, preview_open_symbol));
}

std::string display_text() {
    for (const char* const name : {"WAYLAND_DISPLAY", "DISPLAY"}) {
        if (const char* const value = std::getenv(name); value != nullptr && *value != '\0') {
            return fmt::format("no window can be opened on the display {}={}", name, value);
        }
    }
    return "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set";
}

// In the child: all that is said goes to `out`.
[[noreturn]] void try_window(const std::string& path, int out) {
    // Qt aborts without a display; that is an answer and no crash.
    for (const int signal : {SIGABRT, SIGSEGV}) {
        std::signal(signal, [](int) { _exit(1); });
    }
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    try {
        load(path)("vfilter");
        _exit(0);
    } catch (const std::exception& error) {
        std::fputs(error.what(), stderr);
    }
    _exit(1);
}

struct Trial {
    bool opened = false;
    std::string said;
};

void read_what_is_there(int descriptor, std::string& text) {
    std::array<char, 512> block{};
    for (ssize_t got = 0; (got = read(descriptor, block.data(), block.size())) > 0;) {
        text.append(block.data(), static_cast<std::size_t>(got));
    }
}

// What the child has started may live on and keep the pipe open: its own end counts.
Trial try_in_child(const std::string& path) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        refuse(fmt::format("pipe: {}", std::generic_category().message(errno)));
    }
    const pid_t child = fork();
    if (child == 0) {
        try_window(path, ends[1]);
    }
    close(ends[1]);
    Trial trial;
    const auto end = std::chrono::steady_clock::now() + trial_limit;
    int status = 0;
    for (pid_t ended = child < 0 ? child : 0; ended == 0;) {
        pollfd wanted{ends[0], POLLIN, 0};
        poll(&wanted, 1, look_interval);
        read_what_is_there(ends[0], trial.said);
        if (std::chrono::steady_clock::now() > end) {
            kill(child, SIGKILL);
        }
        ended = waitpid(child, &status, WNOHANG);
        trial.opened = ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    read_what_is_there(ends[0], trial.said);
    close(ends[0]);
    return trial;
}

}  // namespace

std::unique_ptr<PreviewWindow> open_preview_window(const std::string& title) {
    const std::string path = find_module().string();
    const Trial trial = try_in_child(path);
    if (!trial.opened) {
        if (const std::size_t ours = trial.said.rfind(beginning); ours != std::string::npos) {
            throw Error(ExitCode::usage, trial.said.substr(ours));
        }
        // A toolkit's own messages fill a page.
        spdlog::debug("{}", trial.said);
        refuse(display_text());
    }
    // Qt's messages about the desktop's settings help nobody here.
    setenv("QT_LOGGING_RULES", "*=false", 0);
    return std::make_unique<WindowThread>([&] { return std::unique_ptr<PreviewWindow>(load(path)(title.c_str())); });
}

}  // namespace vfilter
