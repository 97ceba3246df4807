#pragma once
// Programs run as a user runs them: a line for the shell, a limit of time, and what came of it.

#include <sys/types.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/folder.h"

namespace vfilter::test {

/// How a command ended.
struct Result {
    std::string line;
    int code = -1;           ///< exit code; 128 + its number where a signal ended it; -1 past the limit
    bool signalled = false;  ///< a signal ended it, and not the program itself with a code that looks like that
    std::string out;
    std::string err;
};

/// The command, its exit code and what it said, for messages of tests.
std::ostream& operator<<(std::ostream& stream, const Result& result);

std::vector<std::string> lines_of(std::string_view text);
/// Whether its stderr has that text.
bool says(const Result& result, std::string_view text);
/// The lines of stderr but the one that says why the CPU filters, which --device auto promises where no GPU works.
std::vector<std::string> complaints(const Result& result);

/// A running line of bash, with an empty stdin. What is still running at its end is killed, with its children.
class Command {
public:
    /// Begin `line` with `exec` to have signal() reach the program itself.
    Command(std::string line, const std::filesystem::path& folder);
    ~Command();
    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;

    /// False if it had ended before.
    bool signal(int number);
    [[nodiscard]] bool running();
    /// Until the program has its handlers of signals, or has ended: before that any signal kills it.
    void wait_until_it_hears();
    /// Its end, or its killing when the limit is over; once.
    Result wait(std::chrono::milliseconds limit);

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    using Capture = std::unique_ptr<std::FILE, Close>;

    Result result_;
    Capture out_;
    Capture err_;
    pid_t process_ = -1;
    bool ended_ = false;
    bool waited_ = false;
};

/// Runs a line of bash to its end.
Result run_command(const std::string& line, const std::filesystem::path& folder,
                   std::chrono::milliseconds limit = std::chrono::seconds(60));

}  // namespace vfilter::test
