#pragma once
// Memory that calls need and that is kept for the next ones.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "library/fork.h"

namespace vfilter {

/// Thread-safe. It holds as many buffers as were in use at once, as large as was needed.
class Buffers {
public:
    /// A buffer until it is destroyed, which has to be before the Buffers are.
    class Buffer {
    public:
        Buffer(Buffers& owner, std::size_t size) : owner_(owner), bytes_(owner.take(size)) {}
        ~Buffer() { owner_.give_back(std::move(bytes_)); }
        Buffer(const Buffer&) = delete;
        Buffer& operator=(const Buffer&) = delete;
        [[nodiscard]] unsigned char* data() { return bytes_.data.get(); }
        [[nodiscard]] std::size_t size() const { return bytes_.size; }

    private:
        friend class Buffers;
        Buffers& owner_;
        struct Bytes {
            std::unique_ptr<unsigned char[]> data;
            std::size_t size = 0;
        } bytes_;
    };

private:
    Buffer::Bytes take(std::size_t size) {
        Buffer::Bytes bytes;
        {
            const CacheMutex::Lock lock(mutex_);
            if (lock && !free_.empty()) {
                // One that is large enough, so that a small one does not grow beside it.
                auto found = std::ranges::find_if(free_, [size](const auto& one) { return one.size >= size; });
                found = found == free_.end() ? found - 1 : found;
                std::swap(*found, free_.back());
                bytes = std::move(free_.back());
                free_.pop_back();
            }
        }
        if (bytes.size < size) {
            bytes.data.reset();
            bytes = {std::make_unique_for_overwrite<unsigned char[]>(size), size};
        }
        return bytes;
    }
    void give_back(Buffer::Bytes bytes) noexcept {
        const CacheMutex::Lock lock(mutex_);
        if (!lock) {
            return;
        }
        try {
            free_.push_back(std::move(bytes));
        } catch (...) {  // then it is not kept
        }
    }

    CacheMutex mutex_;
    std::vector<Buffer::Bytes> free_;
};

}  // namespace vfilter
