#pragma once
// A file that exists under its name only when it is complete.

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/io_options.h"
#include "io/compat.h"
#include "io/output/content_sum.h"
#include "io/sha256.h"

namespace vfilter {

/// A regular file is written as `.NAME.vfilter-XXXX.part` next to the target and renamed by commit(), with every write
/// and the sync checked, and its content read again. Devices and pipes are written directly; a slow reader is waited
/// for in a poll. One thread at a time, unless stated otherwise.
class OutputFile {
public:
    enum class Leftovers { told, unseen };

    /// `path` may be "-" for stdout. Throws Error(output) if it cannot be created, or exists and may not be replaced.
    /// With Overwrite::ask an existing target is refused: a caller that can ask has done so before. `given_up` is
    /// called a few times a second while nothing can be written; if it returns true, the wait ends with an error. May
    /// be empty. Leftovers of earlier runs with this target are reported, unless it is to be `unseen`.
    OutputFile(std::string path, Overwrite overwrite, std::function<bool()> given_up = {},
               Leftovers leftovers = Leftovers::told);
    /// Removes the .part if nothing was written to it, otherwise leaves it.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    [[nodiscard]] AVIOContext* context() const { return context_; }
    [[nodiscard]] bool seekable() const { return seekable_; }
    /// Throws Error(output) if a write has failed so far.
    void check() const;
    /// What was written so far is on the disk when this returns. Throws Error(output).
    void sync();
    /// Passes all that was written to the system. Throws Error(output).
    void flush();
    /// Where what was written ends.
    [[nodiscard]] std::int64_t end() const { return end_; }
    /// Bytes that were written and flushed. Throws Error(output) if they cannot be read.
    [[nodiscard]] std::vector<std::uint8_t> read(std::int64_t offset, std::int64_t size) const;
    /// The first megabytes of what went into a pipe or a device.
    [[nodiscard]] std::span<const std::uint8_t> front() const { return front_; }
    static constexpr std::size_t most_of_front = std::size_t{4} << 20;
    /// Overwrites existing bytes, and flushes. Throws Error(output).
    void put_at(std::int64_t offset, std::span<const std::uint8_t> bytes);
    /// After flush(): cuts off the end. Throws Error(output).
    void truncate(std::int64_t size);
    /// After flush(), for a .part: its content becomes `front`, followed by what is from `begin` to `end`. It is
    /// written to a second file that takes its place when it is complete, right before which `replaces` is called.
    /// `go_on` is called for each megabyte. False if that returns false, or if it cannot be done: then everything is
    /// unchanged.
    bool rewrite(std::span<const std::uint8_t> front, std::int64_t begin, std::int64_t end,
                 const std::function<bool()>& go_on, const std::function<void()>& replaces);
    /// After flush(): syncs, and reads everything again: what a disk has lost or changed is an Error(output). Does
    /// nothing for pipes and devices. Others may read the file in the meantime. Once `stop` is true the rest is left
    /// unread.
    void verify(const std::function<bool()>& stop);
    /// Call before anything is written if sha256() will be called.
    void sum() { sha256_ = std::make_unique<Sha256Thread>(); }
    /// After commit(): 64 hexadecimal digits for all bytes; "" without sum(), and for a file that was not verified to
    /// its end. Once.
    std::string sha256();
    /// Flushes, syncs, closes and renames. Throws Error(output).
    void commit();
    /// Declares that nothing in it is worth keeping, nor anything that is still to come: unless commit() is called, the
    /// .part is removed with this object.
    void discard() { worthless_ = true; }
    /// For a process that ends without destroying this: does what the destructor does to the .part. Any thread.
    void leave_part() const;
    /// Number of bytes that are worth keeping. Any thread.
    [[nodiscard]] std::int64_t bytes() const { return worthless_ ? 0 : bytes_.load(); }
    /// Where the bytes are now: the .part, or the target.
    [[nodiscard]] const std::string& written_path() const { return part_.empty() ? path_ : part_; }
    /// Whether it is written as a .part, which is renamed later.
    [[nodiscard]] bool keeps_place() const { return !part_.empty(); }
    /// Whether everything has been written, so that only the renaming can fail.
    [[nodiscard]] bool closed() const { return descriptor_ < 0; }
    /// Whether anything is left for the user if commit() is never called. Any thread.
    [[nodiscard]] bool keeps_part() const;

private:
    static int write(void* self, WriteBuffer buffer, int size);
    static std::int64_t seek(void* self, std::int64_t offset, int whence);
    void open_target(Overwrite overwrite, Leftovers leftovers);
    void open_stream(int descriptor);
    void open_part();
    void tell_leftovers() const;
    void check_place() const;
    void name_part();
    void keep_front(std::span<const std::uint8_t> bytes);
    void put(std::span<const std::uint8_t> bytes);
    [[nodiscard]] bool wait_for_room();

    std::string path_;
    std::string part_;  // "" if the target itself is written, or once renamed
    std::function<bool()> given_up_;
    int descriptor_ = -1;
    bool replaces_ = false;  // whatever has the name by then
    bool seekable_ = false;
    bool polled_ = false;
    std::atomic<bool> worthless_{false};
    std::atomic<std::int64_t> bytes_{0};
    std::int64_t position_ = 0;
    std::int64_t end_ = 0;  // of what was written
    std::vector<std::uint8_t> front_;
    ContentSum sum_;
    std::unique_ptr<Sha256Thread> sha256_;  // null if not needed
    bool verified_ = false;
    int first_error_ = 0;  // errno
    AVIOContext* context_ = nullptr;
};

/// Whether two paths refer to one existing file, including through links.
bool same_file(const std::string& a, const std::string& b);

/// Whether a .part is in use; also true for one that cannot be opened.
bool is_locked(const std::string& part);

/// The file to which a name leads, through links, even if that does not exist yet. Throws Error(output) for links that
/// form a circle.
std::string followed(const std::string& path);
/// Throws Error(output) if no file can be created in the folder of that one.
void check_folder_of(const std::string& path);

}  // namespace vfilter
