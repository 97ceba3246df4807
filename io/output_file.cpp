#include "io/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>
#include <vector>

namespace vfilter {

namespace {

constexpr int buffer_size = 256 * 1024;
constexpr std::size_t longest_name = 255;  // NAME_MAX

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

OutputFile::OutputFile(std::string path, Overwrite overwrite) : path_(std::move(path)) {
    struct stat status {};
    if (path_ == "-") {
        path_ = "standard output";
        descriptor_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
        if (descriptor_ < 0) {
            fail(path_, errno);
        }
    } else if (stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
        descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor_ < 0) {
            fail(path_, errno);
        }
    } else {
        if (S_ISREG(status.st_mode) && overwrite != Overwrite::yes) {
            throw Error(ExitCode::output, fmt::format("{}: exists; -y replaces it", path_));
        }
        open_part();
    }
    seekable_ = fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode) && path_ != "standard output";
    auto* const buffer = static_cast<std::uint8_t*>(av_malloc(buffer_size));
    context_ = buffer != nullptr ? avio_alloc_context(buffer, buffer_size, 1, this, nullptr, &OutputFile::write,
                                                      seekable_ ? &OutputFile::seek : nullptr)
                                 : nullptr;
    if (context_ == nullptr) {
        av_free(buffer);
        close(descriptor_);
        throw std::bad_alloc();
    }
}

void OutputFile::open_part() {
    // A link is followed, so that the file that it names is replaced and not the link.
    std::error_code error;
    if (std::filesystem::is_symlink(path_, error)) {
        const auto target = std::filesystem::canonical(path_, error);
        path_ = error ? path_ : target.string();
    }
    const std::filesystem::path target(path_);
    std::string name = target.filename().string();
    if (name.empty() || name == "." || name == "..") {
        throw Error(ExitCode::output, fmt::format("{}: is not a file's name", path_));
    }
    const std::string decoration = "..vfilter-XXXXXX.part";
    if (name.size() + decoration.size() > longest_name) {
        if (name.size() > longest_name) {
            fail(path_, ENAMETOOLONG);
        }
        name.resize(longest_name - decoration.size());
    }
    const std::filesystem::path part = target.parent_path() / ("." + name + ".vfilter-XXXXXX.part");
    std::string text = part.string();
    descriptor_ = mkostemps(text.data(), static_cast<int>(std::strlen(".part")), O_CLOEXEC);
    if (descriptor_ < 0) {
        fail(path_, errno);
    }
    part_ = text;
    const mode_t mask = umask(0);
    umask(mask);
    struct stat existing {};
    const bool replaces = stat(path_.c_str(), &existing) == 0;
    // mkostemps makes files for the owner alone; the result is to have what any new file, or the replaced one, has.
    if (fchmod(descriptor_, replaces ? existing.st_mode & 07777 : 0666 & ~mask) != 0) {
        spdlog::debug("{}: mode not set: {}", part_, std::strerror(errno));
    }
}

OutputFile::~OutputFile() {
    av_freep(&context_->buffer);
    avio_context_free(&context_);
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
    if (!part_.empty() && bytes_ == 0 && unlink(part_.c_str()) != 0) {
        spdlog::warn("{}: not removed: {}", part_, std::strerror(errno));
    }
}

int OutputFile::write(void* self, WriteBuffer buffer, int size) {
    auto* const file = static_cast<OutputFile*>(self);
    int done = 0;
    while (done < size && file->first_error_ == 0) {
        const ssize_t wrote = ::write(file->descriptor_, buffer + done, static_cast<std::size_t>(size - done));
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote <= 0) {
            file->first_error_ = wrote == 0 ? EIO : errno;
            break;
        }
        done += static_cast<int>(wrote);
        file->bytes_ += wrote;
    }
    return file->first_error_ != 0 ? AVERROR(file->first_error_) : size;
}

std::int64_t OutputFile::seek(void* self, std::int64_t offset, int whence) {
    const auto* const file = static_cast<OutputFile*>(self);
    if (whence == AVSEEK_SIZE) {
        struct stat status {};
        return fstat(file->descriptor_, &status) == 0 ? status.st_size : AVERROR(errno);
    }
    const off_t at = lseek(file->descriptor_, offset, whence & ~AVSEEK_FORCE);
    return at < 0 ? AVERROR(errno) : at;
}

void OutputFile::check() const {
    if (first_error_ != 0) {
        fail(written_path(), first_error_);
    }
}

void OutputFile::sync() {
    avio_flush(context_);
    check();
    if (!part_.empty() && fdatasync(descriptor_) != 0) {
        fail(part_, errno);
    }
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
    if (closed != 0) {
        fail(written_path(), errno);
    }
    if (part_.empty()) {
        return;
    }
    if (rename(part_.c_str(), path_.c_str()) != 0) {
        throw Error(ExitCode::output,
                    fmt::format("{}: {}; the finished file is {}", path_, std::strerror(errno), part_));
    }
    part_.clear();
    // The new name is safe when the folder is; file systems that cannot sync one keep it safe themselves.
    const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
    const int directory = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
        fsync(directory);
        close(directory);
    }
}

}  // namespace vfilter
