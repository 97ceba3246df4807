#pragma once
// What an audit asks of a run beside its outcome: who ran what, where, when, on which bytes.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vfilter {

/// Pictures to which a region was applied.
struct RegionCount {
    std::string region;  ///< as it was given; a track's name where it moves
    std::int64_t pictures = 0;
};

struct Audit {
    std::string command_line;  ///< as it was typed, without passwords
    std::string host;
    std::string started;                       ///< UTC, 2026-11-22T17:58:18.123Z
    std::string ended;                         ///< "" while it runs
    std::string input_sha256;                  ///< of all bytes, "" where they were not all read
    std::vector<std::string> added_sha256;     ///< the same of each added file
    std::vector<std::string> appended_sha256;  ///< and of each appended one that was read to its end
    std::string output_sha256;                 ///< "" where nothing was finished
    std::vector<RegionCount> regions;
};

/// Before the run. Arguments are those after the program's name.
Audit begin_audit(std::span<const char* const> arguments);

/// After it: `audit`, what came of the run, with what was asked of it, and the time at which it ended.
void complete_audit(Audit asked, Audit& audit);

/// Now, in UTC.
std::string utc_time();

/// The arguments as a command line for a shell, addresses without users, passwords and queries, and without the values
/// of options of the input that hold secrets.
std::string shown_command_line(std::span<const char* const> arguments);

}  // namespace vfilter
