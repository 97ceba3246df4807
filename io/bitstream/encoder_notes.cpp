#include "io/bitstream/encoder_notes.h"

#include <algorithm>
#include <iterator>
#include <new>

namespace vfilter {

namespace {

using NalBytes = std::vector<std::uint8_t>;

// The unit without its messages of user data: as it was where it has none, or is not as the standard has it; empty
// where it has no others.
NalBytes filtered_unit(AVCodecID codec, const Nal& unit) {
    constexpr std::size_t user_data_unregistered = 5;
    NalBytes same(unit.data, unit.data + unit.size);
    if (!is_sei(codec, unit)) {
        return same;
    }
    const Sei sei = read_sei(codec, unit);
    NalBytes kept;
    bool removed = false;
    for (const SeiMessage& message : sei.messages) {
        removed = removed || message.type == user_data_unregistered;
        if (message.type != user_data_unregistered) {
            kept.insert(kept.end(), message.whole.begin(), message.whole.end());
        }
    }
    if (!removed || !sei.whole) {
        return same;
    }
    if (kept.empty()) {
        return {};
    }
    kept.push_back(0x80);  // rbsp_trailing_bits()
    NalBytes left(unit.data, unit.data + nal_header_size(codec));
    append_escaped(left, kept);
    return left;
}

}  // namespace

bool may_hold_notes(AVCodecID codec) {
    return codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_HEVC;
}

NalForm nal_form(const AVCodecParameters& codec) {
    const auto size = static_cast<std::size_t>(std::max(0, codec.extradata_size));
    return {codec.codec_id, nal_length_size(codec.codec_id, codec.extradata, size)};
}

std::vector<std::uint8_t> without_notes(NalForm form, std::span<const std::uint8_t> bytes) {
    const std::vector<Nal> nals = may_hold_notes(form.codec) ? nals_of(bytes, form.length_size) : std::vector<Nal>{};
    if (nals.empty() || nals.back().data + nals.back().size != bytes.data() + bytes.size()) {
        return {};  // without units, or damaged
    }
    const bool codes = form.length_size == 0;
    constexpr std::uint8_t start_code[] = {0, 0, 1};
    NalBytes left;
    if (codes) {
        left.assign(bytes.data(), nals.front().data - std::size(start_code));
    }
    bool changed = false;
    for (const Nal& nal : nals) {
        // Zeros before the next start code are none of the unit's.
        const Nal unit = codes && &nal != &nals.back() ? without_zeros(nal) : nal;
        const NalBytes now = filtered_unit(form.codec, unit);
        changed = changed || now.size() != unit.size;
        if (now.empty()) {
            continue;
        }
        if (codes) {
            left.insert(left.end(), std::begin(start_code), std::end(start_code));
            left.insert(left.end(), now.begin(), now.end());
            left.insert(left.end(), nal.size - unit.size, 0);
        } else {
            append_unit(left, now, form.length_size);
        }
    }
    return changed ? left : NalBytes{};
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
