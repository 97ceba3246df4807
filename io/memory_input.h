#pragma once
// Bytes in memory as an FFmpeg input.

#include <cstdint>
#include <span>

#include "io/handles.h"

namespace vfilter {

/// One thread. The bytes must outlive it, and it must outlive whoever reads from context().
class MemoryInput {
public:
    explicit MemoryInput(std::span<const std::uint8_t> bytes);
    ~MemoryInput();
    MemoryInput(const MemoryInput&) = delete;
    MemoryInput& operator=(const MemoryInput&) = delete;

    [[nodiscard]] AVIOContext* context() const { return context_; }

private:
    static int read(void* self, std::uint8_t* to, int size);
    static std::int64_t seek(void* self, std::int64_t offset, int whence);

    std::span<const std::uint8_t> bytes_;
    std::size_t at_ = 0;
    AVIOContext* context_ = nullptr;
};

/// Opens them with `demuxer` or, if that is null, with any that recognizes them; it may open nothing else. Null on
/// failure, with FFmpeg's code in `error`. Throws std::bad_alloc.
InputContextPtr open_memory(const MemoryInput& bytes, const AVInputFormat* demuxer, int* error = nullptr);

}  // namespace vfilter
