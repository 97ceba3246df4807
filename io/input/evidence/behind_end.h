#pragma once
// What follows the end of a container: an older and longer file whose beginning was overwritten by a new one, as a disk
// that lost its order leaves it, or what programs put there for their own use.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "io/bitstream/bytes.h"

namespace vfilter {

/// For demuxers that continue reading after the end.
constexpr std::string_view read_behind = "packets behind the end, which are read all the same, begin";
/// For those that do not.
constexpr std::string_view unread_behind = "bytes behind the end, which are not read, begin";

/// Examines the bytes after the end. Zeros, tags of several kinds and short texts also occur in undamaged files.
class BehindEnd {
public:
    void begin(std::int64_t at) { at_ = at; }
    [[nodiscard]] std::int64_t at() const { return at_; }
    /// The next bytes, which may be given twice. False if nothing that follows matters any more.
    bool read(std::int64_t offset, Bytes bytes) {
        for (const std::uint8_t& byte : bytes) {
            if (byte != 0) {
                const std::int64_t place = offset + (&byte - bytes.data());
                if (first_ < 0) {
                    first_ = place;
                    is_tag_ = std::ranges::any_of(tags, [&](std::string_view tag) {
                        return text(bytes, static_cast<std::size_t>(place - offset)).starts_with(tag);
                    });
                }
                last_ = place;
            }
        }
        return !is_tag_ && !matters();
    }
    /// Whether there is more than undamaged files have there.
    [[nodiscard]] bool matters() const { return !is_tag_ && first_ >= 0 && last_ - first_ >= harmless; }

private:
    static constexpr std::int64_t harmless = 4096;
    static constexpr std::array<std::string_view, 3> tags{"ID3", "APETAGEX", "LYRICSBEGIN"};

    std::int64_t at_ = 0;
    std::int64_t first_ = -1;  // that is not zero
    std::int64_t last_ = -1;
    bool is_tag_ = false;
};

}  // namespace vfilter
