#pragma once
// Continues after holes in fragmented mp4, which FFmpeg takes for one box that reaches to the file's end.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "io/input/evidence/boxes.h"

namespace vfilter {

/// Follows the boxes at the file's top level as they are read. Where there is no valid box, in a movie with fragments,
/// what is read becomes the head of a box that ends where the next fragment begins. One thread.
class LostFragments {
public:
    /// `read` returns bytes at any position of a file of that size. The search for a fragment ends if `stop` is true.
    LostFragments(ReadBytes read, std::int64_t size, std::function<bool()> stop);

    /// Bytes from `offset` on, as they are in the file, on their way to FFmpeg.
    void bridge(std::int64_t offset, std::span<std::uint8_t> bytes);

private:
    struct Bridge {
        std::int64_t at;
        std::vector<std::uint8_t> head;
    };

    [[nodiscard]] bool is_whole(const FileBox& box) const;
    [[nodiscard]] FileBox box_at(std::int64_t at) const;
    void step();
    [[nodiscard]] std::int64_t next_fragment(std::int64_t from) const;

    ReadBytes read_;
    std::int64_t size_;
    std::function<bool()> stop_;
    std::int64_t next_ = 0;  // box; the largest number behind the last one
    bool fragmented_ = false;
    std::vector<Bridge> bridges_;
};

}  // namespace vfilter
