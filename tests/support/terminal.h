#pragma once
// A program on a terminal of its own, as a person types into it.

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>

namespace vfilter::test {

/// A line of bash whose standard streams are a terminal of 80 columns. Killed at the end.
class Terminal {
public:
    Terminal(const std::string& line, const std::filesystem::path& folder);
    ~Terminal();
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    void type(const std::string& keys) const;
    /// Reads until the text has come since the last call; false where it does not come in time.
    bool wait_for(const std::string& text, std::chrono::milliseconds limit = std::chrono::seconds(30));
    /// All that has come so far.
    [[nodiscard]] const std::string& shown() const { return shown_; }

private:
    int master_ = -1;
    pid_t process_ = -1;
    std::string shown_;
    std::size_t seen_ = 0;  // of it, by wait_for
};

}  // namespace vfilter::test
