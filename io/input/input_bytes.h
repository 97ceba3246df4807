#pragma once
// The bytes of a file, a pipe or a FIFO. Every wait for them can be interrupted.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/handles.h"
#include "io/input/input_sum.h"

namespace vfilter {

/// An opened file descriptor as an AVIOContext. One thread at a time. A regular file can seek; anything else is polled,
/// also while a FIFO waits for its writer.
class InputBytes {
public:
    /// What was read, and its position in the input.
    using Reader = std::function<void(std::int64_t offset, std::span<const std::uint8_t> bytes)>;
    /// Changes what was read before FFmpeg gets it.
    using Changer = std::function<void(std::int64_t offset, std::span<std::uint8_t> bytes)>;
    /// Called a few times a second while nothing arrives and before each read: 0 to continue, otherwise the FFmpeg
    /// error with which reading ends.
    using Stop = std::function<int()>;

    /// `path` may be "-" for standard input. Throws Error(input) if it cannot be opened or is a folder.
    InputBytes(const std::string& path, Stop stop);
    ~InputBytes();
    InputBytes(const InputBytes&) = delete;
    InputBytes& operator=(const InputBytes&) = delete;

    [[nodiscard]] AVIOContext* context() const { return context_; }
    [[nodiscard]] bool seekable() const { return seekable_; }
    /// The current size of a regular file; otherwise what has been read.
    [[nodiscard]] std::int64_t size() const;
    /// By how many bytes a regular file is shorter than when it was opened, or than at an end that was read.
    [[nodiscard]] std::int64_t lost_bytes() const;
    /// Whether a regular file has another modification time than when it was opened.
    [[nodiscard]] bool was_changed() const;
    /// What was read before show(), from which the format was determined.
    [[nodiscard]] std::span<const std::uint8_t> beginning() const { return early_; }
    /// `reader` sees all bytes from the first one on, as they are read; null for none.
    void show(Reader reader);
    /// For a regular file; readers and sums get what is in it.
    void change(Changer changer) { changer_ = std::move(changer); }
    /// Before show(), for a pipe whose demuxer seeks back to the beginning: keeps up to `most` bytes for that.
    void keep(std::size_t most) { most_early_ = most; }
    /// Whether more arrived than was to be kept.
    [[nodiscard]] bool outgrew() const {
        return !seekable_ && most_early_ > 0 && position_ > static_cast<std::int64_t>(early_.size());
    }
    /// Call before anything is read if sha256() will be called.
    void sum();
    /// See InputSum::hex(); "" without sum(), and for a file that was changed in the meantime: the bytes read may
    /// differ from those summed.
    std::string sha256(const std::function<bool()>& stop);
    /// Bytes at any position of a regular file, without moving the demuxer's; fewer at its end. 0 if it is not a file.
    std::size_t read_at(std::int64_t offset, std::span<std::uint8_t> to) const;

private:
    static int read(void* self, std::uint8_t* buffer, int size);
    static std::int64_t seek(void* self, std::int64_t offset, int whence);
    [[nodiscard]] int fill(std::span<std::uint8_t> to);
    [[nodiscard]] int wait() const;
    [[nodiscard]] int repeat(std::span<std::uint8_t> to);
    [[nodiscard]] std::int64_t go_back(std::int64_t offset, int whence);

    Stop stop_;
    Reader reader_;
    Changer changer_;
    bool keeps_early_ = true;          // the container is not known yet
    std::vector<std::uint8_t> early_;  // what was read until then, or is being kept
    std::size_t most_early_ = 0;       // 0: nothing is kept any more
    int descriptor_ = -1;
    bool seekable_ = false;
    std::int64_t position_ = 0;
    std::int64_t opened_size_ = 0;  // of a regular file, and the smallest that was seen at an end
    std::int64_t smallest_ = 0;
    std::int64_t changed_ = 0;  // its modification time, nanoseconds
    AVIOContext* context_ = nullptr;
    std::unique_ptr<InputSum> sum_;  // null if not needed
};

}  // namespace vfilter
