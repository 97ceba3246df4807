#pragma once
// Boxes, of which files of the family of ISO base media (ISO/IEC 14496-12) are made: MP4, QuickTime, HEIF, JPEG 2000.

#include <cstddef>
#include <cstdint>
#include <functional>

#include "io/bitstream/bytes.h"

namespace vfilter {

/// What a box begins with.
struct BoxHead {
    static constexpr std::size_t most = 16;  ///< bytes of it
    std::uint32_t type = 0;
    std::uint64_t size = 0;  ///< of the whole box; 0: to the end of what it is in
    std::size_t length = 0;  ///< of the head itself

    static BoxHead read(Bytes bytes, std::size_t at = 0);
    /// Whether the size is one that a box can have. None of type 0 reaches to the end: those are zeroes.
    [[nodiscard]] bool possible() const { return size == 0 ? type != 0 : size >= length; }
};

/// Calls with each box's type, payload and place of that in `bytes`. False where one runs over the end.
bool each_box(Bytes bytes, const std::function<void(std::uint32_t type, Bytes payload, std::size_t at)>& use);

/// A box where it lies in a file.
struct FileBox {
    std::int64_t at = 0;
    BoxHead head;
    [[nodiscard]] std::int64_t payload() const { return at + static_cast<std::int64_t>(head.length); }
    /// Behind it; of one that reaches to the end the largest number that there is.
    [[nodiscard]] std::int64_t end() const;
};

/// The first 4096 boxes of a file from `at` on (movies in fragments have some more), until one cannot be, or reaches to
/// the end, or `use` says false. Returns the end of the last one that it said true to.
std::int64_t each_file_box(const ReadBytes& read, std::int64_t at, const std::function<bool(const FileBox&)>& use);

}  // namespace vfilter
