#pragma once
// An output whose bytes stay in memory. What a muxer accepts, and what it writes, is often not in any table of
// FFmpeg's: it is determined by trying.

#include <cstdint>
#include <vector>

#include "io/handles.h"

namespace vfilter {

/// One thread. The container must be one that writes to a file (no AVFMT_NOFILE).
class MemoryOutput {
public:
    /// Throws std::bad_alloc.
    explicit MemoryOutput(const AVOutputFormat& container);
    ~MemoryOutput();
    MemoryOutput(const MemoryOutput&) = delete;
    MemoryOutput& operator=(const MemoryOutput&) = delete;

    [[nodiscard]] AVFormatContext& context() { return *context_; }
    /// Adds a stream like `from`, without the tag that its codec has in another container. Throws std::bad_alloc.
    AVStream& add_copy(const AVStream& from);
    /// Whether the muxer accepts these streams, without writing a header.
    bool begins();
    /// Whether it writes a header for them. `settings` as for avformat_write_header(), may be null.
    bool writes_header(AVDictionary** settings = nullptr);
    /// Everything that was written; nothing more can be written afterwards.
    std::vector<std::uint8_t> take();

private:
    OutputContextPtr context_;
};

}  // namespace vfilter
