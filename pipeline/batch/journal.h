#pragma once
// A record, kept in the output folder, of what a batch has finished, so that a killed run can be continued.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io/file_facts.h"

namespace vfilter {

/// What one line says about an output.
struct JournalEntry {
    std::string output;  ///< its name in the folder
    int code = -1;       ///< exit code of the run that made it; -1 while it is not finished
    FileFacts file{};    ///< of what was checked, right before it got its name
    FileFacts input{};
    std::string options{};  ///< a hash of everything that determines what the input becomes
    std::int64_t frames = 0;
    std::string place{};      ///< of the input, relative to the folder; "" if not recorded
    std::uint64_t inode = 0;  ///< of the input
    bool replaces = false;    ///< existing files under the names of its pictures may be overwritten
};

/// The file `.vfilter-batch` of a folder, one line of JSON per entry. All entries count: for outputs that were started
/// again, or were checked but not named yet, the previous file still has the name. Only one batch uses it at a time;
/// its forked processes share it. A line that was cut off by a kill is ignored.
class Journal {
public:
    static constexpr const char* file_name = ".vfilter-batch";

    /// Opens or creates it. Throws Error(output), also if another batch is using the folder.
    explicit Journal(const std::string& folder);
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    /// The latest entry, null if there is none. Entries added by another process are not seen. Valid until the next
    /// add().
    [[nodiscard]] const JournalEntry* find(const std::string& output) const;
    /// The latest entry that was checked as this file; null if there is none.
    [[nodiscard]] const JournalEntry* find(const std::string& output, const FileFacts& file) const;
    /// The entry is on the disk when this returns. Throws Error(output), also if the file of that name has been
    /// replaced.
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
