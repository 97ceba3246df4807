#include "tests/support/terminal.h"

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>

namespace vfilter::test {

Terminal::Terminal(const std::string& line, const std::filesystem::path& folder) {
    winsize size{.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
    const std::string place = folder.string();
    process_ = forkpty(&master_, nullptr, nullptr, &size);
    if (process_ < 0) {
        throw std::runtime_error("forkpty");
    }
    if (process_ == 0) {
        setenv("TERM", "xterm", 1);
        if (chdir(place.c_str()) == 0) {
            execl("/bin/bash", "bash", "-c", line.c_str(), nullptr);
        }
        _exit(127);
    }
}

Terminal::~Terminal() {
    kill(-process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    close(master_);
}

void Terminal::type(const std::string& keys) const {
    if (write(master_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size())) {
        throw std::runtime_error("the terminal takes no keys");
    }
}

bool Terminal::wait_for(const std::string& text, std::chrono::milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    for (;;) {
        if (const std::size_t found = shown_.find(text, seen_); found != std::string::npos) {
            seen_ = found + text.size();
            return true;
        }
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        pollfd waiting{master_, POLLIN, 0};
        std::array<char, 4096> block{};
        if (left.count() <= 0 || poll(&waiting, 1, static_cast<int>(left.count())) <= 0) {
            return false;
        }
        const ssize_t got = read(master_, block.data(), block.size());
        if (got <= 0) {
            return false;
        }
        shown_.append(block.data(), static_cast<std::size_t>(got));
    }
}

}  // namespace vfilter::test
