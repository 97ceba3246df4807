#include "io/output/webp_animation.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/bitstream/bytes.h"

namespace vfilter {

namespace {

// RFC 9649, 2.3 to 2.7.1.1.
constexpr std::int64_t file_head = 12;  // RIFF, size, WEBP
constexpr std::int64_t chunk_head = 8;
constexpr std::int64_t flags_place = chunk_head + 15;  // of ANMF: behind place, size and duration of the picture
constexpr std::uint8_t do_not_blend = 0x02;

}  // namespace

void replace_pictures(OutputFile& file) {
    file.flush();
    for (std::int64_t at = file_head; at + flags_place < file.end();) {
        const std::vector<std::uint8_t> head = file.read(at, flags_place + 1);
        if (text(head, 0, 4) == "ANMF") {
            const std::array flags{static_cast<std::uint8_t>(head.back() | do_not_blend)};
            file.put_at(at + flags_place, flags);
        }
        const auto size = static_cast<std::int64_t>(little_endian(head, 4, 4));
        at += chunk_head + size + size % 2;
    }
}

}  // namespace vfilter
