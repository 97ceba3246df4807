#include "io/input/dv_codes.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <new>

#include "io/bitstream/bytes.h"

namespace vfilter {

void put_dv_time_code(AVPacket& packet) {
    constexpr std::size_t pack_at = 80 + 3 + 3;  // behind the header, and the beginnings of a block and a subcode
    constexpr std::uint8_t is_time_code = 0x13;
    const Bytes bytes(packet.data, static_cast<std::size_t>(packet.size));
    const auto code = static_cast<std::uint32_t>(big_endian(bytes, pack_at + 1, 4));
    if (big_endian(bytes, pack_at, 1) != is_time_code || code == UINT32_MAX) {
        return;
    }
    const std::array<std::uint32_t, 4> count_and_codes{1, code};
    std::uint8_t* const data = av_packet_new_side_data(&packet, AV_PKT_DATA_S12M_TIMECODE, sizeof(count_and_codes));
    if (data == nullptr) {
        throw std::bad_alloc();
    }
    std::memcpy(data, count_and_codes.data(), sizeof(count_and_codes));
}

}  // namespace vfilter
