#pragma once
// What a batch has finished in a folder, kept there: who goes on after a killed run knows by it what is done.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io/file_facts.h"

namespace vfilter {

/// What one line tells of an output.
struct JournalEntry {
    std::string output;  ///< its name in the folder
    int code = -1;       ///< exit code with which it got its name; -1 while it is not finished
    FileFacts file{};    ///< of what was checked, right before it got its name
    FileFacts input{};
    std::string options{};  ///< a hash of all that decides what becomes of the input
    std::int64_t frames = 0;
    std::string place{};      ///< of the input, seen from the folder; "" where nobody noted it
    std::uint64_t inode = 0;  ///< of the input
    bool replaces = false;    ///< what stood under the names of its pictures may be written over
};

/// The file `.vfilter-batch` of a folder, a line of JSON for each entry. All of them count: what was begun anew, or
/// checked and not named yet, leaves the file before it under the name. One batch has it at a time: processes that are
/// forked share it. A line that was cut off by a kill is left out.
class Journal {
public:
    static constexpr const char* file_name = ".vfilter-batch";

    /// Opens it, or makes it. Throws Error(output), also where another batch is at work in the folder.
    explicit Journal(const std::string& folder);
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    /// The latest, null if nothing is known of it. What was added by another process is not seen. Good until the next
    /// add().
    [[nodiscard]] const JournalEntry* find(const std::string& output) const;
    /// The latest that was checked as this file; null if it is not known.
    [[nodiscard]] const JournalEntry* find(const std::string& output, const FileFacts& file) const;
    /// On the disk when this returns. Throws Error(output), also where the file of that name is another one by now.
    void add(const JournalEntry& entry);
    [[nodiscard]] const std::string& folder() const { return folder_; }

private:
    void read();
    [[nodiscard]] bool has_its_name() const;

    std::string folder_;
    std::string path_;
    int file_ = -1;
    bool knows_itself_ = false;  // by the number that the file system gives it, under its name and opened
    bool torn_ = false;          // the last line has no end
    std::map<std::string, std::vector<JournalEntry>> entries_;
};

}  // namespace vfilter
