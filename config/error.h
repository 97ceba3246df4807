#pragma once
// What went wrong, and the exit code that says so to a script.

#include <stdexcept>
#include <string>

namespace vfilter {

/// The program's exit codes, as docs/cli.md promises them.
enum class ExitCode {
    finished = 0,
    internal = 1,
    usage = 2,
    input = 3,
    output = 4,
    damaged = 5,
    device = 6,
    device_lost = 7,
    encoder = 8,
    hung_up = 129,
    interrupted = 130,
    terminated = 143,
};

/// Whether a signal has ended the run, with the file up to there in place.
constexpr bool is_stop(ExitCode code) {
    return code == ExitCode::hung_up || code == ExitCode::interrupted || code == ExitCode::terminated;
}

/// An error with the sentence that the user reads, one line, no full stop.
class Error : public std::runtime_error {
public:
    Error(ExitCode code, const std::string& what) : std::runtime_error(what), code_(code) {}
    [[nodiscard]] ExitCode code() const { return code_; }

private:
    ExitCode code_;
};

}  // namespace vfilter
