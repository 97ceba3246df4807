// What is done to a file once it has been written: read, written over, cut, made anew, checked.

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "io/descriptor.h"
#include "io/output/file_rights.h"
#include "io/output/output_file.h"
#include "io/output/part_name.h"

namespace vfilter {

namespace {

constexpr std::int64_t copy_block = std::int64_t{1} << 20;

}  // namespace

std::vector<std::uint8_t> OutputFile::read(std::int64_t offset, std::int64_t size) const {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
    if (read_whole(descriptor_, offset, bytes) < bytes.size()) {
        throw Error(ExitCode::output, fmt::format("{}: what was written cannot be read: {}", written_path(),
                                                  errno == 0 ? "it ends too early" : std::strerror(errno)));
    }
    return bytes;
}

void OutputFile::put_at(std::int64_t offset, std::span<const std::uint8_t> bytes) {
    avio_seek(context_, offset, SEEK_SET);
    avio_write(context_, bytes.data(), static_cast<int>(bytes.size()));
    flush();
}

void OutputFile::truncate(std::int64_t size) {
    for (std::int64_t at = size; at < end_; at += copy_block) {
        sum_.take_away(at, read(at, std::min(copy_block, end_ - at)));
    }
    if (ftruncate(descriptor_, size) != 0) {
        throw Error(ExitCode::output, fmt::format("{}: {}", written_path(), std::strerror(errno)));
    }
    end_ = size;
}

bool OutputFile::rewrite(std::span<const std::uint8_t> front, std::int64_t begin, std::int64_t end,
                         const std::function<bool()>& go_on, const std::function<void()>& replaces) {
    const std::filesystem::path target(path_);
    std::string copy;
    const int descriptor = make_part(target.parent_path().string(), target.filename().string(), copy);
    if (descriptor < 0) {
        return false;
    }
    flock(descriptor, LOCK_EX | LOCK_NB);
    set_rights(descriptor, part_);
    bool good = write_whole(descriptor, front) == front.size();
    ContentSum sum;
    sum.add(0, front);
    auto place = static_cast<std::int64_t>(front.size());
    for (std::int64_t at = begin; good && at < end; at += copy_block) {
        good = go_on();
        if (!good) {
            errno = EINTR;
            break;
        }
        std::vector<std::uint8_t> block(static_cast<std::size_t>(std::min(copy_block, end - at)));
        good = read_whole(descriptor_, at, block) == block.size() && write_whole(descriptor, block) == block.size();
        sum.add(place, block);
        place += static_cast<std::int64_t>(block.size());
    }
    good = good && fsync(descriptor) == 0;
    if (good) {
        replaces();
        good = rename(copy.c_str(), part_.c_str()) == 0;
    }
    if (!good) {
        spdlog::debug("{}: {}", copy, std::strerror(errno));
        unlink(copy.c_str());
        close(descriptor);
        return false;
    }
    close(descriptor_);
    descriptor_ = descriptor;
    sum_ = sum;
    end_ = position_ = place;
    bytes_ = place;
    return true;
}

void OutputFile::verify(const std::function<bool()>& stop) {
    const auto fail = [&] { throw Error(ExitCode::output, fmt::format("{}: {}", part_, std::strerror(errno))); };
    if (part_.empty()) {
        return;
    }
    check_place();
    if (fsync(descriptor_) != 0) {
        fail();
    }
    // From the disk, as far as the kernel lets go of what it still has in memory.
    posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED);
    posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
    ContentSum read;
    std::vector<std::uint8_t> block(std::size_t{1} << 20);
    std::int64_t at = 0;
    for (;;) {
        if (stop()) {
            return;
        }
        const ssize_t got = uninterrupted([&] { return pread(descriptor_, block.data(), block.size(), at); });
        if (got < 0) {
            fail();
        }
        if (got == 0) {
            break;
        }
        const std::span<const std::uint8_t> bytes = std::span(block).first(static_cast<std::size_t>(got));
        read.add(at, bytes);
        if (sha256_) {
            sha256_->add(bytes);
        }
        at += got;
    }
    if (at != end_ || read != sum_) {
        throw Error(ExitCode::output,
                    fmt::format("{}: what can be read of it is not what was written: {}", part_,
                                at != end_ ? fmt::format("{} bytes instead of {}", at, end_) : "other content"));
    }
    verified_ = true;
}

void OutputFile::keep_front(std::span<const std::uint8_t> bytes) {
    if (!seekable_) {
        const std::span<const std::uint8_t> kept = bytes.first(std::min(bytes.size(), most_of_front - front_.size()));
        front_.insert(front_.end(), kept.begin(), kept.end());
    }
}

}  // namespace vfilter
