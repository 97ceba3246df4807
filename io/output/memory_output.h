#pragma once
// An output whose bytes stay in memory. What a muxer takes, and what it writes, often stands in no table of FFmpeg's:
// it is found out by letting one try.

#include <cstdint>
#include <vector>

#include "io/handles.h"

namespace vfilter {

/// One thread. The container is one that writes to a file (no AVFMT_NOFILE).
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
    /// Whether the muxer begins with these streams, without writing a header.
    bool begins();
    /// Whether it writes a header for them. `settings` as for avformat_write_header(), may be null.
    bool writes_header(AVDictionary** settings = nullptr);
    /// Everything that was written; nothing more can be written then.
    std::vector<std::uint8_t> take();

private:
    OutputContextPtr context_;
};

}  // namespace vfilter
