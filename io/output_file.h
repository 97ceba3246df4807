#pragma once
// A file that exists under its name only when it is whole.

#include <memory>
#include <string>

#include "config/io_options.h"
#include "io/compat.h"

namespace vfilter {

/// A regular file is written as `.NAME.vfilter-XXXX.part` beside the target and renamed by commit(), every write and
/// the sync checked. Devices and pipes are written directly. One thread at a time.
class OutputFile {
public:
    /// `path` may be "-" for stdout. Throws Error(output) if it cannot be created, or exists and may not be replaced.
    /// With Overwrite::ask an existing target is refused: who can ask has asked before.
    OutputFile(std::string path, Overwrite overwrite);
    /// Removes the .part if nothing was written to it, else leaves it.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    [[nodiscard]] AVIOContext* context() const { return context_; }
    [[nodiscard]] bool seekable() const { return seekable_; }
    /// Throws Error(output) if a write has failed so far.
    void check() const;
    /// What was written so far is on the disk when this returns. Throws Error(output).
    void sync();
    /// Flushes, syncs, closes and renames. Throws Error(output).
    void commit();
    /// Says that nothing in it is worth keeping: the .part goes with this object.
    void discard() { bytes_ = 0; }
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }
    /// Where the bytes are now: the .part, or the target.
    [[nodiscard]] const std::string& written_path() const { return part_.empty() ? path_ : part_; }
    /// Whether anything is left behind for the user if commit() is never called.
    [[nodiscard]] bool keeps_part() const { return !part_.empty() && bytes_ > 0; }

private:
    static int write(void* self, WriteBuffer buffer, int size);
    static std::int64_t seek(void* self, std::int64_t offset, int whence);
    void open_part();

    std::string path_;
    std::string part_;  // "" if the target itself is written, or once renamed
    int descriptor_ = -1;
    bool seekable_ = false;
    std::int64_t bytes_ = 0;
    int first_error_ = 0;  // errno
    AVIOContext* context_ = nullptr;
};

/// Whether two paths name one existing file, through links, too.
bool same_file(const std::string& a, const std::string& b);

}  // namespace vfilter
