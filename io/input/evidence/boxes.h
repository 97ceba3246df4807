#pragma once
// Boxes, of which files of the ISO base media family (ISO/IEC 14496-12) consist: MP4, QuickTime, HEIF, JPEG 2000.

#include <cstddef>
#include <cstdint>
#include <functional>

#include "io/bitstream/bytes.h"

namespace vfilter {

/// The beginning of a box.
struct BoxHead {
    static constexpr std::size_t most = 16;  ///< the most bytes that it has
    std::uint32_t type = 0;
    std::uint64_t size = 0;  ///< of the whole box; 0: to the end of what contains it
    std::size_t length = 0;  ///< of the head itself

    static BoxHead read(Bytes bytes, std::size_t at = 0);
    /// Whether the size is possible for a box. A box of type 0 never reaches to the end: those are zeros.
    [[nodiscard]] bool possible() const { return size == 0 ? type != 0 : size >= length; }
};

/// Calls with each box's type, payload and the payload's position in `bytes`. False if one extends beyond the end.
bool each_box(Bytes bytes, const std::function<void(std::uint32_t type, Bytes payload, std::size_t at)>& use);

/// A box at its place in a file.
struct FileBox {
    std::int64_t at = 0;
    BoxHead head;
    [[nodiscard]] std::int64_t payload() const { return at + static_cast<std::int64_t>(head.length); }
    /// Its end; for one that reaches to the end, the largest possible number.
    [[nodiscard]] std::int64_t end() const;
};

/// The first 4096 boxes of a file from `at` on (fragmented movies have some more), until one is impossible, or reaches
/// to the end, or `use` returns false. Returns the end of the last one for which it returned true.
std::int64_t each_file_box(const ReadBytes& read, std::int64_t at, const std::function<bool(const FileBox&)>& use);

}  // namespace vfilter
