#pragma once
// What an audit needs besides a run's outcome: who ran what, where, when, on which bytes.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vfilter {

/// Pictures to which a region was applied.
struct RegionCount {
    std::string region;  ///< as given by the user; a track's name if it moves
    std::int64_t pictures = 0;
};

struct Audit {
    std::string command_line;  ///< as it was typed, without passwords
    std::string host;
    std::string started;                       ///< UTC, 2026-11-22T17:58:18.123Z
    std::string ended;                         ///< "" while the run continues
    std::string input_sha256;                  ///< of all bytes, "" if not all were read
    std::vector<std::string> added_sha256;     ///< the same of each added file
    std::vector<std::string> appended_sha256;  ///< and of each appended one that was read to its end
    std::string output_sha256;                 ///< "" if nothing was finished
    std::vector<RegionCount> regions;
};

/// Before the run. `arguments` are those after the program's name.
Audit begin_audit(std::span<const char* const> arguments);

/// After the run: completes `audit`, which has what the run produced, with what was recorded before it and the time at
/// which it ended.
void complete_audit(Audit asked, Audit& audit);

/// The current time, in UTC.
std::string utc_time();

/// The arguments as a shell command line, with addresses stripped of users, passwords and queries, and without the
/// values of input options that hold secrets.
std::string shown_command_line(std::span<const char* const> arguments);

}  // namespace vfilter
