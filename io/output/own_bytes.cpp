#include "io/output/own_bytes.h"

#include <algorithm>
#include <memory>
#include <new>
#include <string_view>

#include "config/error.h"
#include "io/output/output_file.h"
#include "io/seek_bytes.h"

namespace vfilter {

namespace {

constexpr int own_buffer_size = 1 << 16;

struct OwnBytes {
    const OutputFile& file;
    std::int64_t position = 0;
};

int read_own(void* opaque, std::uint8_t* to, int size) {
    auto& own = *static_cast<OwnBytes*>(opaque);
    const std::int64_t left = std::min<std::int64_t>(size, own.file.end() - own.position);
    if (left <= 0) {
        return AVERROR_EOF;
    }
    try {
        std::ranges::copy(own.file.read(own.position, left), to);
    } catch (const std::bad_alloc&) {
        return AVERROR(ENOMEM);
    } catch (const Error&) {
        return AVERROR(EIO);
    }
    own.position += left;
    return static_cast<int>(left);
}

std::int64_t seek_own(void* opaque, std::int64_t offset, int whence) {
    auto& own = *static_cast<OwnBytes*>(opaque);
    return seek_bytes(own.position, offset, whence, [&own] { return own.file.end(); });
}

std::string_view name_in(const char* url) {
    return url != nullptr ? url : "";
}

int open_own(AVFormatContext* format, AVIOContext** opened, const char* url, int flags, AVDictionary** /*options*/) {
    const bool own = flags == AVIO_FLAG_READ && format->opaque != nullptr && name_in(url) == name_in(format->url);
    if (!own) {
        return AVERROR(EPERM);
    }
    auto bytes =
        std::unique_ptr<OwnBytes>(new (std::nothrow) OwnBytes{.file = *static_cast<const OutputFile*>(format->opaque)});
    auto* const buffer = static_cast<unsigned char*>(av_malloc(own_buffer_size));
    *opened = bytes && buffer != nullptr
                  ? avio_alloc_context(buffer, own_buffer_size, 0, bytes.get(), &read_own, nullptr, &seek_own)
                  : nullptr;
    if (*opened == nullptr) {
        av_free(buffer);
        return AVERROR(ENOMEM);
    }
    static_cast<void>(bytes.release());
    return 0;
}

int close_own(AVFormatContext* /*format*/, AVIOContext* opened) {
    delete static_cast<OwnBytes*>(opened->opaque);
    av_freep(&opened->buffer);
    avio_context_free(&opened);
    return 0;
}

}  // namespace

void give_own_bytes(AVFormatContext& format, const OutputFile* file) {
    format.opaque = const_cast<OutputFile*>(file);
    format.io_open = &open_own;
    format.io_close2 = &close_own;
}

}  // namespace vfilter
