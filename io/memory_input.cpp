#include "io/memory_input.h"

#include <algorithm>
#include <cerrno>
#include <new>

#include "io/seek_bytes.h"

namespace vfilter {

MemoryInput::MemoryInput(std::span<const std::uint8_t> bytes) : bytes_(bytes) {
    constexpr int room = 4096;
    auto* const buffer = static_cast<std::uint8_t*>(av_malloc(room));
    context_ = buffer != nullptr
                   ? avio_alloc_context(buffer, room, 0, this, &MemoryInput::read, nullptr, &MemoryInput::seek)
                   : nullptr;
    if (context_ == nullptr) {
        av_free(buffer);
        throw std::bad_alloc();
    }
}

MemoryInput::~MemoryInput() {
    av_freep(&context_->buffer);
    avio_context_free(&context_);
}

int MemoryInput::read(void* self, std::uint8_t* to, int size) {
    auto& input = *static_cast<MemoryInput*>(self);
    const std::size_t count = std::min(static_cast<std::size_t>(size), input.bytes_.size() - input.at_);
    std::copy_n(input.bytes_.data() + input.at_, count, to);
    input.at_ += count;
    return count > 0 ? static_cast<int>(count) : AVERROR_EOF;
}

std::int64_t MemoryInput::seek(void* self, std::int64_t offset, int whence) {
    auto& input = *static_cast<MemoryInput*>(self);
    const auto size = static_cast<std::int64_t>(input.bytes_.size());
    auto at = static_cast<std::int64_t>(input.at_);
    const std::int64_t place = seek_bytes(at, offset, whence, [size] { return size; });
    if (at > size) {
        return AVERROR(EINVAL);
    }
    input.at_ = static_cast<std::size_t>(at);
    return place;
}

InputContextPtr open_memory(const MemoryInput& bytes, const AVInputFormat* demuxer, int* error) {
    Dictionary settings;
    settings.set("protocol_whitelist", "none");
    AVFormatContext* opened = make_description().release();
    opened->pb = bytes.context();
    opened->flags |= AVFMT_FLAG_CUSTOM_IO;
    const int result = avformat_open_input(&opened, "", demuxer, settings.get());  // frees it where it fails
    if (error != nullptr) {
        *error = result;
    }
    return InputContextPtr(result < 0 ? nullptr : opened);
}

}  // namespace vfilter
