#include "io/input/evidence/matroska_elements.h"

extern "C" {
#include <libavutil/crc.h>
}

#include <bit>

namespace vfilter::ebml {

Number number_at(Bytes bytes, std::size_t at, bool with_marker) {
    if (at >= bytes.size() || bytes[at] == 0) {
        return {};
    }
    const auto length = static_cast<std::size_t>(std::countl_zero(bytes[at])) + 1;
    if (length > bytes.size() - at) {
        return {};
    }
    const std::uint64_t value = big_endian(bytes, at, length);
    return {with_marker ? value : value & ~(std::uint64_t{1} << (7 * length)), length};
}

Element element_at(Bytes bytes, std::size_t at) {
    const Number id = number_at(bytes, at, true);
    if (id.length == 0 || id.length > 4) {
        return {};
    }
    const Number size = number_at(bytes, at + id.length, false);
    if (size.length == 0) {
        return {static_cast<std::uint32_t>(id.value), 0, 0};
    }
    const bool open = size.value == (std::uint64_t{1} << (7 * size.length)) - 1;
    return {static_cast<std::uint32_t>(id.value), id.length + size.length, open ? unknown : signed_value(size.value)};
}

bool read_fields(Bytes bytes, std::initializer_list<Field> fields) {
    constexpr double nanoseconds = 1e-9;
    return each_element(bytes, [&](std::uint32_t id, Bytes payload) {
        const auto* const field = std::ranges::find(fields, id, &Field::id);
        if (field == fields.end()) {
            return;
        }
        if (auto* const* const number = std::get_if<std::uint64_t*>(&field->to)) {
            **number = number_of(payload);
        } else if (auto* const* const seconds = std::get_if<double*>(&field->to)) {
            **seconds = static_cast<double>(number_of(payload)) * nanoseconds;
        } else if (auto* const* const words = std::get_if<std::string*>(&field->to)) {
            **words = words_of(payload);
        } else {
            *std::get<bool*>(field->to) = true;
        }
    });
}

std::string shown_id(std::uint32_t id) {
    std::string shown = "0x";
    for (int shift = (id > 0xFFFFFF ? 28 : id > 0xFFFF ? 20 : id > 0xFF ? 12 : 4); shift >= 0; shift -= 4) {
        shown += "0123456789ABCDEF"[id >> shift & 0xF];
    }
    return shown;
}

bool checksum_is_right(Bytes payload) {
    const Element first = element_at(payload, 0);
    if (first.id != checksum || first.header == 0 || first.size != 4 || payload.size() < first.header + 4) {
        return true;
    }
    const Bytes checked = part(payload, first.header + 4);
    const std::uint32_t sum = ~av_crc(av_crc_get_table(AV_CRC_32_IEEE_LE), UINT32_MAX, checked.data(), checked.size());
    return sum == little_endian(payload, first.header, 4);
}

}  // namespace vfilter::ebml
