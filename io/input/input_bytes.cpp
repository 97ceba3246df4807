#include "io/input/input_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "io/descriptor.h"
#include "io/seek_bytes.h"

namespace vfilter {

namespace {

constexpr int bytes_at_once = 64 * 1024;
constexpr int stop_poll_ms = 100;             // how late a stop may be seen
constexpr std::size_t max_early = 16U << 20;  // more than FFmpeg looks at to tell a format

std::int64_t time_of_change(const struct stat& status) {
    constexpr std::int64_t nanoseconds = 1'000'000'000;
    return status.st_mtim.tv_sec * nanoseconds + status.st_mtim.tv_nsec;
}

[[noreturn]] void fail_reading(const std::string& path, int error) {
    throw Error(ExitCode::input, fmt::format("{}: {}", path, av_message(AVERROR(error))));
}

}  // namespace

InputBytes::InputBytes(const std::string& path, Stop stop) : stop_(std::move(stop)) {
    // Non-blocking, as the opening of a FIFO would wait for a writer, and no signal would end that.
    descriptor_ = path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                              : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor_ < 0) {
        fail_reading(path == "-" ? "standard input" : path, errno);
    }
    struct stat status {};
    const bool known = fstat(descriptor_, &status) == 0;
    if (known && S_ISDIR(status.st_mode)) {
        close(descriptor_);
        throw Error(ExitCode::input, fmt::format("{}: is a folder", path));
    }
    // A file on standard input may have been read in part: then it is taken from there on, as a pipe is.
    seekable_ = known && S_ISREG(status.st_mode) && (path != "-" || lseek(descriptor_, 0, SEEK_CUR) == 0);
    opened_size_ = smallest_ = status.st_size;
    changed_ = time_of_change(status);
    auto* const buffer = static_cast<std::uint8_t*>(av_malloc(bytes_at_once));
    context_ = buffer != nullptr
                   ? avio_alloc_context(buffer, bytes_at_once, 0, this, &InputBytes::read, nullptr, &InputBytes::seek)
                   : nullptr;
    if (context_ == nullptr) {
        av_free(buffer);
        close(descriptor_);
        throw std::bad_alloc();
    }
    context_->seekable = seekable_ ? AVIO_SEEKABLE_NORMAL : 0;
}

InputBytes::~InputBytes() {
    av_freep(&context_->buffer);
    avio_context_free(&context_);
    sum_.reset();
    close(descriptor_);
}

void InputBytes::sum() {
    sum_ = std::make_unique<InputSum>(descriptor_, seekable_);
}

std::int64_t InputBytes::size() const {
    struct stat status {};
    if (!seekable_) {
        return position_;
    }
    return fstat(descriptor_, &status) == 0 ? status.st_size : opened_size_;
}

std::int64_t InputBytes::lost_bytes() const {
    return seekable_ ? std::max<std::int64_t>(opened_size_ - std::min(smallest_, size()), 0) : 0;
}

bool InputBytes::was_changed() const {
    struct stat status {};
    return seekable_ && fstat(descriptor_, &status) == 0 && time_of_change(status) != changed_;
}

std::string InputBytes::sha256(const std::function<bool()>& stop) {
    std::string hex = sum_ ? sum_->hex(stop) : "";
    return was_changed() ? "" : hex;
}

void InputBytes::show(Reader reader) {
    reader_ = std::move(reader);
    if (reader_ && !early_.empty()) {
        reader_(0, early_);
    }
    keeps_early_ = most_early_ > 0;
    if (!keeps_early_) {
        early_ = {};
    }
}

std::size_t InputBytes::read_at(std::int64_t offset, std::span<std::uint8_t> to) const {
    return seekable_ ? read_whole(descriptor_, offset, to) : 0;
}

// Waits until something is there, or the reader gives up: then FFmpeg's error.
int InputBytes::wait() const {
    for (;;) {
        if (const int error = stop_(); error != 0) {
            return error;
        }
        pollfd waiting{descriptor_, POLLIN, 0};
        // A FIFO that nobody has opened for writing yet is silent here, while a read would take it for its end.
        const int ready = seekable_ ? 1 : poll(&waiting, 1, stop_poll_ms);
        if (ready > 0 || (ready < 0 && errno != EINTR)) {
            return 0;  // or an error, of which reading tells
        }
    }
}

// No exception passes FFmpeg's C.
int InputBytes::read(void* self, std::uint8_t* buffer, int size) {
    try {
        return static_cast<InputBytes*>(self)->fill({buffer, static_cast<std::size_t>(size)});
    } catch (const std::bad_alloc&) {
        return AVERROR(ENOMEM);
    }
}

int InputBytes::fill(std::span<std::uint8_t> to) {
    if (const int again = repeat(to); again > 0) {
        return again;
    }
    for (;;) {
        if (const int error = wait(); error != 0) {
            return error;
        }
        const ssize_t got =
            seekable_ ? pread(descriptor_, to.data(), to.size(), position_) : ::read(descriptor_, to.data(), to.size());
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
            continue;
        }
        if (got == 0) {
            smallest_ = std::min(smallest_, size());
            if (sum_) {
                sum_->see_end();
            }
        }
        if (got <= 0) {
            return got == 0 ? AVERROR_EOF : AVERROR(errno);
        }
        const std::span read = to.first(static_cast<std::size_t>(got));
        if (sum_) {
            sum_->see(position_, read);
        }
        if (reader_) {
            reader_(position_, read);
        }
        if (keeps_early_ && position_ == static_cast<std::int64_t>(early_.size()) &&
            early_.size() < std::max(max_early, most_early_)) {
            early_.insert(early_.end(), read.begin(), read.end());
        }
        if (changer_) {
            changer_(position_, read);
        }
        position_ += got;
        return static_cast<int>(got);
    }
}

// What a pipe has given before.
int InputBytes::repeat(std::span<std::uint8_t> to) {
    const auto at = static_cast<std::size_t>(position_);
    if (seekable_ || at >= early_.size()) {
        return 0;
    }
    const std::size_t count = std::min(to.size(), early_.size() - at);
    std::copy_n(early_.begin() + static_cast<std::ptrdiff_t>(at), count, to.begin());
    position_ += static_cast<std::int64_t>(count);
    return static_cast<int>(count);
}

std::int64_t InputBytes::go_back(std::int64_t offset, int whence) {
    const auto kept = static_cast<std::int64_t>(early_.size());
    if (whence != SEEK_SET || offset < 0 || offset > kept || position_ > kept) {
        return AVERROR(EPIPE);
    }
    return position_ = offset;
}

std::int64_t InputBytes::seek(void* self, std::int64_t offset, int whence) {
    auto& bytes = *static_cast<InputBytes*>(self);
    if (!bytes.seekable_) {
        return bytes.go_back(offset, whence & ~AVSEEK_FORCE);
    }
    return seek_bytes(bytes.position_, offset, whence, [&bytes] { return bytes.size(); });
}

}  // namespace vfilter
