#include "io/bitstream/encoder_notes.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <new>
#include <optional>

#include "io/bitstream/nal.h"

namespace vfilter {

namespace {

using NalBytes = std::vector<std::uint8_t>;
using NalView = std::span<const std::uint8_t>;

constexpr int user_data_unregistered = 5;

// H.264 7.3.1 and HEVC 7.3.1.2: the header's size, and whether the unit is one of SEI.
std::size_t nal_header_size(AVCodecID codec) {
    return codec == AV_CODEC_ID_HEVC ? 2 : 1;
}

bool is_sei(AVCodecID codec, NalView unit) {
    constexpr unsigned h264_sei = 6;
    constexpr unsigned hevc_prefix_sei = 39;
    constexpr unsigned hevc_suffix_sei = 40;
    if (unit.size() <= nal_header_size(codec)) {
        return false;
    }
    const unsigned type = codec == AV_CODEC_ID_HEVC ? (unit[0] >> 1U) & 0x3FU : unit[0] & 0x1FU;
    return codec == AV_CODEC_ID_HEVC ? type == hevc_prefix_sei || type == hevc_suffix_sei : type == h264_sei;
}

// A number of bytes 255 and one below.
std::optional<std::size_t> take_number(NalView& bytes) {
    std::size_t sum = 0;
    while (!bytes.empty()) {
        const std::uint8_t byte = bytes.front();
        bytes = bytes.subspan(1);
        sum += byte;
        if (byte != 0xFF) {
            return sum;
        }
    }
    return std::nullopt;
}

// The unit without its messages of that type: as it was where it has none, empty where it has no others.
NalBytes filtered_unit(AVCodecID codec, NalView unit) {
    NalBytes same(unit.begin(), unit.end());
    const NalBytes plain = unescaped(unit.subspan(nal_header_size(codec)));
    NalView rest = plain;
    NalBytes kept;
    bool removed = false;
    // At least one message, and the bit that ends them.
    while (rest.size() > 1) {
        const NalView message = rest;
        const auto type = take_number(rest);
        const auto size = type ? take_number(rest) : std::nullopt;
        if (!size || *size > rest.size()) {
            return same;  // not as the standard has it: nothing is known of it
        }
        rest = rest.subspan(*size);
        if (*type == user_data_unregistered) {
            removed = true;
        } else {
            kept.insert(kept.end(), message.begin(), message.end() - static_cast<std::ptrdiff_t>(rest.size()));
        }
    }
    if (!removed) {
        return same;
    }
    if (kept.empty()) {
        return {};
    }
    kept.push_back(0x80);
    NalBytes unit_left(unit.begin(), unit.begin() + static_cast<std::ptrdiff_t>(nal_header_size(codec)));
    append_escaped(unit_left, kept);
    return unit_left;
}

constexpr std::uint8_t start_code[] = {0, 0, 1};

// Of the unit that begins at `from`: where the next start code is, or the end.
std::size_t next_start(NalView bytes, std::size_t from) {
    const auto found = std::search(bytes.begin() + static_cast<std::ptrdiff_t>(from), bytes.end(),
                                   std::begin(start_code), std::end(start_code));
    return static_cast<std::size_t>(found - bytes.begin());
}

NalBytes without_notes_annex_b(AVCodecID codec, NalView bytes) {
    NalBytes left;
    bool changed = false;
    std::size_t at = next_start(bytes, 0);
    left.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
    while (at < bytes.size()) {
        const std::size_t begin = at + std::size(start_code);
        const std::size_t next = next_start(bytes, begin);
        // A zero before the next start code belongs to that.
        std::size_t end = next;
        while (next < bytes.size() && end > begin && bytes[end - 1] == 0) {
            --end;
        }
        const NalView unit = bytes.subspan(begin, end - begin);
        const NalBytes now = is_sei(codec, unit) ? filtered_unit(codec, unit) : NalBytes(unit.begin(), unit.end());
        changed = changed || now.size() != unit.size();
        if (!now.empty()) {
            left.insert(left.end(), std::begin(start_code), std::end(start_code));
            left.insert(left.end(), now.begin(), now.end());
            left.insert(left.end(), next - end, 0);
        }
        at = next;
    }
    return changed ? left : NalBytes{};
}

NalBytes without_notes_of_length(NalForm form, NalView bytes) {
    const auto width = static_cast<std::size_t>(form.length_size);
    NalBytes left;
    bool changed = false;
    while (bytes.size() >= width) {
        std::size_t size = 0;
        for (std::size_t i = 0; i < width; ++i) {
            size = size << 8U | bytes[i];
        }
        if (size > bytes.size() - width) {
            return {};  // damaged
        }
        const NalView unit = bytes.subspan(width, size);
        const NalBytes now =
            is_sei(form.codec, unit) ? filtered_unit(form.codec, unit) : NalBytes(unit.begin(), unit.end());
        changed = changed || now.size() != unit.size();
        if (!now.empty()) {
            for (std::size_t i = width; i > 0; --i) {
                left.push_back(static_cast<std::uint8_t>(now.size() >> 8U * (i - 1)));
            }
            left.insert(left.end(), now.begin(), now.end());
        }
        bytes = bytes.subspan(width + size);
    }
    return changed && !left.empty() ? left : NalBytes{};
}

}  // namespace

bool may_hold_notes(AVCodecID codec) {
    return codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_HEVC;
}

NalForm nal_form(const AVCodecParameters& codec) {
    // avcC and hvcC begin with 1; a start code, or nothing, with 0.
    const std::size_t place = codec.codec_id == AV_CODEC_ID_HEVC ? 21 : 4;
    const bool lengths =
        codec.extradata != nullptr && codec.extradata_size > static_cast<int>(place) && codec.extradata[0] == 1;
    return {codec.codec_id, lengths ? (codec.extradata[place] & 3) + 1 : 0};
}

std::vector<std::uint8_t> without_notes(NalForm form, std::span<const std::uint8_t> bytes) {
    if (!may_hold_notes(form.codec)) {
        return {};
    }
    return form.length_size == 0 ? without_notes_annex_b(form.codec, bytes) : without_notes_of_length(form, bytes);
}

void remove_notes(NalForm form, AVPacket& packet) {
    const NalBytes left = without_notes(form, {packet.data, static_cast<std::size_t>(packet.size)});
    if (left.empty()) {
        return;
    }
    if (av_packet_make_writable(&packet) < 0) {
        throw std::bad_alloc();
    }
    std::ranges::copy(left, packet.data);
    av_shrink_packet(&packet, static_cast<int>(left.size()));
}

void remove_notes(AVCodecContext& encoder) {
    const std::vector<std::uint8_t> left =
        without_notes({encoder.codec_id}, {encoder.extradata, static_cast<std::size_t>(encoder.extradata_size)});
    if (!left.empty()) {
        std::ranges::copy(left, encoder.extradata);
        encoder.extradata_size = static_cast<int>(left.size());
    }
}

}  // namespace vfilter
