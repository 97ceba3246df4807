#pragma once
// Memory for pictures: recycled, not freed while pictures have the same properties, and allocated by whoever supplies
// the allocator, so that an engine can have the decoder write where the engine reads.

#include <functional>
#include <list>
#include <mutex>
#include <tuple>
#include <utility>

#include "io/handles.h"

namespace vfilter {

/// Allocates one buffer of at least `size` bytes, aligned to 64; null if there is no memory. Called from any thread.
/// The buffer's own free function releases it. This is how page-locked memory for a GPU is used.
using PictureAllocator = std::function<AVBufferRef*(std::size_t size)>;

/// Ordinary memory.
AVBufferRef* allocate_picture(std::size_t size);

/// Hands out pictures of any format; a picture returns by itself when its last reference goes, even after the pool has
/// been destroyed. Thread-safe.
class FramePool {
public:
    explicit FramePool(PictureAllocator allocator) : allocator_(std::move(allocator)) {}

    /// Gives `frame` buffers for its format and for storage of `width` x `height`, at least the frame's own size. Rows
    /// and planes are aligned to 64 bytes; 64 bytes after each plane may be overwritten. Throws std::bad_alloc, or
    /// Error(input) for a format that has no planes in memory.
    void fill(AVFrame& frame, int width, int height);
    /// A copy of the picture in the pool's memory, the right way up. Throws as fill().
    FramePtr copy_of(const AVFrame& picture);

    /// Pictures allocated so far: constant once the pipeline is warm.
    [[nodiscard]] std::int64_t allocations() const;

private:
    struct Layout {
        BufferPoolPtr pool;
        std::size_t offsets[AV_NUM_DATA_POINTERS] = {};
        int linesize[AV_NUM_DATA_POINTERS] = {};
        int planes = 0;
    };
    using Key = std::tuple<int, int, int>;  // format, width, height

    Layout& layout(const Key& key);
    static AVBufferRef* allocate(void* self, std::size_t size);
    static AVBufferRef* allocate_cleared(void* self, std::size_t size);

    PictureAllocator allocator_;
    mutable std::mutex mutex_;
    std::list<std::pair<Key, Layout>> layouts_;  // the most recently requested ones, latest first
    std::int64_t allocations_ = 0;
};

}  // namespace vfilter
