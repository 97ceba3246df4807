#include "tests/support/command.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

namespace vfilter::test {

namespace {

constexpr std::chrono::milliseconds look_interval{2};

std::FILE* open_capture() {
    std::FILE* const file = std::tmpfile();
    if (file == nullptr) {
        throw std::system_error(errno, std::generic_category(), "tmpfile");
    }
    return file;
}

// By position: the descriptor's own is shared with the program that writes.
std::string content_of(std::FILE* file) {
    std::string text;
    std::array<char, 1 << 16> block{};
    for (;;) {
        const ssize_t got = pread(fileno(file), block.data(), block.size(), static_cast<off_t>(text.size()));
        if (got <= 0) {
            return text;
        }
        text.append(block.data(), static_cast<std::size_t>(got));
    }
}

// Where programs are kept started, they are called there: see tests/witness/server.c. $VFILTER is started
// each time, $VFILTER_KEPT is not.
void find_witnesses() {
#ifdef VFILTER_WITNESS_SOCKETS
    if (std::filesystem::exists(VFILTER_WITNESS_SOCKETS) && std::getenv("VFILTER_WITNESSES") == nullptr) {
        setenv("VFILTER_WITNESSES", VFILTER_WITNESS_SOCKETS, 1);
        setenv("VFILTER_KEPT", VFILTER_WITNESS_PROGRAMS "/vfilter", 1);
        const char* const path = std::getenv("PATH");
        setenv("PATH", (VFILTER_WITNESS_PROGRAMS ":" + std::string(path != nullptr ? path : "")).c_str(), 1);
    }
#endif
}

// In the child, between fork and exec: system calls only.
[[noreturn]] void become_shell(const char* line, const char* folder, int out, int err) {
    setpgid(0, 0);
    std::signal(SIGPIPE, SIG_DFL);
    std::signal(SIGINT, SIG_DFL);
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0 && chdir(folder) == 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
        dup2(err, STDERR_FILENO) >= 0) {
        execlp("bash", "bash", "-c", line, static_cast<char*>(nullptr));
    }
    _exit(127);
}

}  // namespace

std::ostream& operator<<(std::ostream& stream, const Result& result) {
    constexpr std::size_t longest = 4000;
    stream << "$ " << result.line << "\nexit code " << result.code << (result.signalled ? ", by a signal\n" : "\n");
    for (const std::string_view text : {std::string_view(result.err), std::string_view(result.out)}) {
        stream << text.substr(0, longest) << (text.size() > longest ? " ...\n" : "");
    }
    return stream;
}

bool says(const Result& result, std::string_view text) {
    return result.err.find(text) != std::string::npos;
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

std::vector<std::string> complaints(const Result& result) {
    std::vector<std::string> lines = lines_of(result.err);
    std::erase_if(lines, [](const std::string& line) { return line.starts_with("vfilter: filtering on the CPU: "); });
    return lines;
}

Command::Command(std::string line, const std::filesystem::path& folder) : out_(open_capture()), err_(open_capture()) {
    find_witnesses();
    result_.line = std::move(line);
    const std::string place = folder.string();
    process_ = fork();
    if (process_ == 0) {
        become_shell(result_.line.c_str(), place.c_str(), fileno(out_.get()), fileno(err_.get()));
    }
    if (process_ < 0) {
        throw std::system_error(errno, std::generic_category(), "fork");
    }
    setpgid(process_, process_);  // here too: whoever comes first
}

Command::~Command() {
    if (!waited_) {
        wait(std::chrono::milliseconds(0));
    }
}

bool Command::signal(int number) {
    return running() && kill(process_, number) == 0;
}

bool Command::running() {
    int status = 0;
    if (!ended_ && waitpid(process_, &status, WNOHANG) == process_) {
        ended_ = true;
        constexpr int of_a_signal = 128;
        result_.signalled = WIFSIGNALED(status);
        result_.code = result_.signalled ? of_a_signal + WTERMSIG(status) : WEXITSTATUS(status);
    }
    return !ended_;
}

void Command::wait_until_it_hears() {
    // SIGALRM is the last one of which vfilter's main() tells the system. exec takes the handlers of bash away.
    constexpr std::uint64_t alarm = std::uint64_t{1} << (SIGALRM - 1);
    constexpr std::string_view caught = "SigCgt:";
    constexpr std::chrono::seconds patience{40};
    const auto end = std::chrono::steady_clock::now() + patience;
    while (running() && std::chrono::steady_clock::now() < end) {
        std::ifstream status("/proc/" + std::to_string(process_) + "/status");
        for (std::string line; std::getline(status, line);) {
            if (line.starts_with(caught) && (std::stoull(line.substr(caught.size()), nullptr, 16) & alarm) != 0) {
                return;
            }
        }
        std::this_thread::sleep_for(look_interval);
    }
}

Result Command::wait(std::chrono::milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (running() && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(look_interval);
    }
    waited_ = true;
    kill(-process_, SIGKILL);  // the command if it is late, and what it has left behind
    if (!ended_) {
        waitpid(process_, nullptr, 0);
        ended_ = true;
    }
    result_.out = content_of(out_.get());
    result_.err = content_of(err_.get());
    return result_;
}

Result run_command(const std::string& line, const std::filesystem::path& folder, std::chrono::milliseconds limit) {
    return Command(line, folder).wait(limit);
}

}  // namespace vfilter::test
