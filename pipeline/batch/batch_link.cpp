#include "pipeline/batch/batch_link.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "io/descriptor.h"

namespace vfilter {

namespace {

constexpr char progress_message = 'p';
constexpr char report_message = 'r';
constexpr std::size_t header_size = 1 + sizeof(std::uint64_t);

}  // namespace

void BatchSender::send(char kind, const void* data, std::size_t size) const {
    std::string message(header_size + size, kind);
    const std::uint64_t length = size;
    std::memcpy(message.data() + 1, &length, sizeof(length));
    std::memcpy(message.data() + header_size, data, size);
    write_whole(descriptor_, message);  // unless nobody is there to hear it
}

void BatchSender::progress(const BatchProgress& progress) const {
    send(progress_message, &progress, sizeof(progress));
}

void BatchSender::report(const std::string& json) const {
    send(report_message, json.data(), json.size());
}

BatchReceiver::~BatchReceiver() {
    close(descriptor_);
}

bool BatchReceiver::receive() {
    std::array<char, 65536> block{};
    for (;;) {
        const ssize_t got = uninterrupted([&] { return read(descriptor_, block.data(), block.size()); });
        if (got <= 0) {
            return got < 0 && errno == EAGAIN;
        }
        waiting_.append(block.data(), static_cast<std::size_t>(got));
        take_messages();
    }
}

void BatchReceiver::take_messages() {
    while (waiting_.size() >= header_size) {
        std::uint64_t length = 0;
        std::memcpy(&length, waiting_.data() + 1, sizeof(length));
        if (waiting_.size() - header_size < length) {
            return;
        }
        const char* const data = waiting_.data() + header_size;
        if (waiting_.front() == progress_message && length == sizeof(progress_)) {
            std::memcpy(&progress_, data, sizeof(progress_));
        } else if (waiting_.front() == report_message) {
            report_.assign(data, length);
        }
        waiting_.erase(0, header_size + length);
    }
}

}  // namespace vfilter
