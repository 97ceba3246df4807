#include "io/output/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <string_view>
#include <vector>

#include "config/shell_word.h"
#include "io/descriptor.h"
#include "io/folder_names.h"
#include "io/output/file_rights.h"
#include "io/output/part_index.h"
#include "io/output/part_name.h"
#include "io/seek_bytes.h"

namespace vfilter {

namespace {

constexpr int buffer_size = 256 * 1024;
constexpr int poll_ms = 50;

[[noreturn]] void fail(const std::string& path, int error) {
    throw Error(ExitCode::output, fmt::format("{}: {}", path, std::strerror(error)));
}

}  // namespace

bool same_file(const std::string& a, const std::string& b) {
    struct stat first {};
    struct stat second {};
    return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

bool is_locked(const std::string& part) {
    const int file = open(part.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    const bool free = file >= 0 && flock(file, LOCK_SH | LOCK_NB) == 0;
    if (file >= 0) {
        close(file);
    }
    return !free;
}

void check_folder_of(const std::string& path) {
    std::string folder = std::filesystem::path(followed(path)).parent_path().string();
    folder = folder.empty() ? "." : folder;
    // The dot has what is no folder fail as one.
    if (access((folder + "/.").c_str(), W_OK | X_OK) != 0) {
        throw Error(ExitCode::output, fmt::format("{}: the folder {}: {}", path, folder, std::strerror(errno)));
    }
}

OutputFile::OutputFile(std::string path, Overwrite overwrite, std::function<bool()> given_up, Leftovers leftovers)
    : path_(std::move(path)), given_up_(std::move(given_up)) {
    const bool is_stream = path_ == "-";
    open_target(overwrite, leftovers);
    struct stat status {};
    if (fstat(descriptor_, &status) != 0) {
        const int error = errno;
        close(descriptor_);
        leave_part();
        fail(path_, error);
    }
    seekable_ = !polled_ && S_ISREG(status.st_mode) && !is_stream;
    auto* const buffer = static_cast<std::uint8_t*>(av_malloc(buffer_size));
    context_ = buffer != nullptr ? avio_alloc_context(buffer, buffer_size, 1, this, nullptr, &OutputFile::write,
                                                      seekable_ ? &OutputFile::seek : nullptr)
                                 : nullptr;
    if (context_ == nullptr) {
        av_free(buffer);
        close(descriptor_);
        leave_part();
        throw std::bad_alloc();
    }
}

void OutputFile::open_target(Overwrite overwrite, Leftovers leftovers) {
    struct stat status {};
    replaces_ = overwrite == Overwrite::yes;
    if (path_ == "-") {
        path_ = "standard output";
        open_stream(STDOUT_FILENO);
        return;
    }
    const bool exists = stat(path_.c_str(), &status) == 0;
    if (!exists && errno == EACCES) {  // nobody can say what is there
        check_folder_of(path_);
        fail(path_, EACCES);
    }
    if (exists && S_ISDIR(status.st_mode)) {
        throw Error(ExitCode::output, fmt::format("{}: is a folder; the output is a file", path_));
    }
    if (exists && S_ISFIFO(status.st_mode)) {
        // Without a reader its opening fails at once: it is waited for here, where a signal is heard.
        while ((descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK)) < 0 && errno == ENXIO) {
            if (given_up_ && given_up_()) {
                throw Error(ExitCode::output, fmt::format("{}: nobody has opened it for reading", path_));
            }
            poll(nullptr, 0, poll_ms);
        }
        polled_ = true;
    } else if (exists && !S_ISREG(status.st_mode)) {
        descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    } else {
        if (exists && overwrite != Overwrite::yes) {
            throw Error(ExitCode::output, fmt::format("{}: exists; -y replaces it", path_));
        }
        open_part();
        if (leftovers == Leftovers::told) {
            tell_leftovers();
        }
    }
    if (descriptor_ < 0) {
        fail(path_, errno);
    }
}

// A pipe is opened once more, so that it can be non-blocking for us and as it was for whoever shares it.
void OutputFile::open_stream(int descriptor) {
    struct stat status {};
    if (fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode)) {
        descriptor_ =
            open(fmt::format("/proc/self/fd/{}", descriptor).c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        polled_ = descriptor_ >= 0;
    }
    if (descriptor_ < 0) {
        descriptor_ = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    }
    if (descriptor_ < 0) {
        fail(path_, errno);
    }
}

void OutputFile::open_part() {
    // The file that a link names is made or replaced, and not the link.
    path_ = followed(path_);
    const std::filesystem::path target(path_);
    const std::string name = target.filename().string();
    if (name.empty() || name == "." || name == "..") {
        throw Error(ExitCode::output, fmt::format("{}: is not a file's name", path_));
    }
    if (name.size() > max_file_name) {
        fail(path_, ENAMETOOLONG);
    }
    descriptor_ = make_part(target.parent_path().string(), name, part_);
    if (descriptor_ < 0) {
        const int error = errno;
        part_.clear();
        check_folder_of(path_);
        fail(path_, error);
    }
    flock(descriptor_, LOCK_EX | LOCK_NB);  // whoever sees the file knows by it that somebody is at work
    set_rights(descriptor_, path_);
}

// What earlier runs to this target have left, which somebody may still want, and which takes room.
void OutputFile::tell_leftovers() const {
    const std::filesystem::path target(part_);
    const std::string own = target.filename().string();
    const std::filesystem::path folder = target.parent_path().empty() ? "." : target.parent_path();
    for_each_name(folder.string(), [&](const std::string& name) {
        if (name == own || output_of_part(name) != output_of_part(own)) {
            return;
        }
        const std::string left_part = (folder / name).string();
        struct stat status {};
        if (!is_locked(left_part) && stat(left_part.c_str(), &status) == 0) {
            spdlog::warn("an unfinished file of an earlier run is still here: {} ({:.1f} MB){}", left_part,
                         1e-6 * static_cast<double>(status.st_size),
                         has_index(left_part)
                             ? fmt::format("; vfilter --mend {} {} makes it playable", shell_word(left_part),
                                           shell_word("NEW" + std::filesystem::path(path_).extension().string()))
                             : "");
        }
    });
}

OutputFile::~OutputFile() {
    av_freep(&context_->buffer);
    avio_context_free(&context_);
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
    leave_part();
}

void OutputFile::leave_part() const {
    if (part_.empty() || bytes() > 0) {
        return;
    }
    unlink(index_of(part_).c_str());
    if (unlink(part_.c_str()) != 0 && errno != ENOENT) {
        spdlog::warn("{}: not removed: {}", part_, std::strerror(errno));
    }
}

// False if nobody is to wait any longer.
bool OutputFile::wait_for_room() {
    for (;;) {
        if (given_up_ && given_up_()) {
            return false;
        }
        pollfd waiting{descriptor_, POLLOUT, 0};
        if (poll(&waiting, 1, poll_ms) != 0) {
            return true;  // or an error, of which writing tells
        }
    }
}

bool OutputFile::keeps_part() const {
    struct stat status {};
    return !part_.empty() && bytes() > 0 && (stat(part_.c_str(), &status) == 0 || errno != ENOENT);
}

// Somebody may have moved the folder, or tidied up.
void OutputFile::check_place() const {
    struct stat status {};
    if (stat(part_.c_str(), &status) != 0 && errno == ENOENT) {
        throw Error(ExitCode::output,
                    fmt::format("{}: is no longer there: it, or its folder, was moved or removed meanwhile", part_));
    }
}

// Writes at position_. The first error is kept in first_error_.
void OutputFile::put(std::span<const std::uint8_t> bytes) {
    while (!bytes.empty() && first_error_ == 0) {
        const ssize_t wrote = uninterrupted([&] {
            return seekable_ ? pwrite(descriptor_, bytes.data(), bytes.size(), position_)
                             : ::write(descriptor_, bytes.data(), bytes.size());
        });
        if (wrote < 0 && errno == EAGAIN) {
            first_error_ = wait_for_room() ? 0 : ECANCELED;
            continue;
        }
        if (wrote <= 0) {
            first_error_ = wrote == 0 ? EIO : errno;
            return;
        }
        if (sha256_ && !seekable_) {
            sha256_->add(bytes.first(static_cast<std::size_t>(wrote)));
        }
        bytes = bytes.subspan(static_cast<std::size_t>(wrote));
        position_ += wrote;
        bytes_ += wrote;
    }
}

int OutputFile::write(void* self, WriteBuffer buffer, int size) {
    auto& file = *static_cast<OutputFile*>(self);
    const std::span<const std::uint8_t> bytes(buffer, static_cast<std::size_t>(size));
    try {
        // What is replaced no longer counts: headers are written twice.
        const std::int64_t replaced = std::clamp<std::int64_t>(file.end_ - file.position_, 0, size);
        if (file.seekable_ && replaced > 0 && file.first_error_ == 0) {
            file.sum_.take_away(file.position_, file.read(file.position_, replaced));
        }
        file.keep_front(bytes);
    } catch (const Error&) {
        file.first_error_ = EIO;
    } catch (const std::bad_alloc&) {
        file.first_error_ = ENOMEM;
    }
    if (file.seekable_) {
        file.sum_.add(file.position_, bytes);
    }
    file.put(bytes);
    file.end_ = std::max(file.end_, file.position_);
    return file.first_error_ != 0 ? AVERROR(file.first_error_) : size;
}

std::int64_t OutputFile::seek(void* self, std::int64_t offset, int whence) {
    auto& file = *static_cast<OutputFile*>(self);
    return seek_bytes(file.position_, offset, whence, [&file] { return file.end_; });
}

void OutputFile::check() const {
    if (first_error_ == ECANCELED) {
        throw Error(ExitCode::output, fmt::format("{}: the reader takes nothing more", path_));
    }
    if (first_error_ != 0) {
        fail(written_path(), first_error_);
    }
}

void OutputFile::flush() {
    avio_flush(context_);
    check();
}

void OutputFile::sync() {
    flush();
    if (!part_.empty() && fdatasync(descriptor_) != 0) {
        fail(part_, errno);
    }
}

std::string OutputFile::sha256() {
    return sha256_ && (verified_ || !seekable_) ? sha256_->hex() : "";
}

void OutputFile::commit() {
    avio_flush(context_);
    check();
    if (context_->error < 0) {
        throw Error(ExitCode::output, fmt::format("{}: {}", written_path(), av_message(context_->error)));
    }
    struct stat status {};
    if (seekable_ && fstat(descriptor_, &status) == 0) {
        bytes_ = status.st_size;  // a header that was written twice counts once
    }
    if (!part_.empty() && fsync(descriptor_) != 0) {
        fail(part_, errno);
    }
    const int closed = close(descriptor_);
    descriptor_ = -1;
    if (closed != 0 && errno != EINTR) {  // which says nothing of the bytes, and they are on the disk by now
        fail(written_path(), errno);
    }
    if (!part_.empty()) {
        name_part();
    }
    worthless_ = false;
}

void OutputFile::name_part() {
    check_place();
    if ((replaces_ ? rename(part_.c_str(), path_.c_str()) : rename_to_new(part_.c_str(), path_.c_str())) != 0) {
        if (errno == EEXIST) {
            throw Error(ExitCode::output,
                        fmt::format("{}: has come to exist since the run began, and -y was not given", path_));
        }
        throw Error(ExitCode::output, fmt::format("{}: {}{}", path_, std::strerror(errno),
                                                  worthless_ ? "" : "; the finished file is " + part_));
    }
    part_.clear();
    sync_folder_of(path_);
}

}  // namespace vfilter
