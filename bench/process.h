#pragma once
// Other programs, as a user runs them.

#include <string>
#include <vector>

namespace vfilter::bench {

using Words = std::vector<std::string>;

/// Runs a program with its arguments, with nothing on its standard streams. Throws std::runtime_error if it fails.
void run(const Words& command);

/// Whether a program of this name, or at this path, can be started.
bool is_there(const std::string& program);

/// A folder that goes with this object, and all that is in it.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

}  // namespace vfilter::bench
