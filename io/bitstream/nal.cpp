#include "io/bitstream/nal.h"

#include <algorithm>
#include <cstring>

namespace vfilter {

namespace {

constexpr std::ptrdiff_t code_size = 3;

// The next start code, 0 0 1, or `end`. Ones are rarer than zeros, and memchr() is many times as fast as std::search().
const std::uint8_t* find_start(const std::uint8_t* at, const std::uint8_t* end) {
    while (end - at >= code_size) {
        const auto* const one =
            static_cast<const std::uint8_t*>(std::memchr(at + 2, 1, static_cast<std::size_t>(end - at - 2)));
        if (one == nullptr) {
            return end;
        }
        if (one[-1] == 0 && one[-2] == 0) {
            return one - 2;
        }
        at = one - 1;
    }
    return end;
}

}  // namespace

std::size_t nal_length_size(AVCodecID codec, const std::uint8_t* extradata, std::size_t size) {
    const std::size_t place = codec == AV_CODEC_ID_H264 ? 4 : 21;
    const bool prefixed = extradata != nullptr && size > place &&
                          (extradata[0] == 1 || (extradata[0] == 0 && extradata[1] == 0 && extradata[2] > 1));
    return prefixed ? (extradata[place] & 3U) + 1U : 0;
}

std::vector<Nal> nals_of(const AVPacket& packet, std::size_t length_size) {
    std::vector<Nal> nals;
    const std::uint8_t* at = packet.data;
    const std::uint8_t* const end = packet.data + packet.size;
    if (length_size > 0) {
        while (end - at > static_cast<std::ptrdiff_t>(length_size)) {
            std::size_t length = 0;
            for (std::size_t i = 0; i < length_size; ++i) {
                length = length << 8 | *at++;
            }
            if (length > static_cast<std::size_t>(end - at)) {
                break;  // damaged; the decoder tells it
            }
            nals.push_back({at, length});
            at += length;
        }
        return nals;
    }
    at = find_start(at, end);
    while (at != end) {
        at += code_size;
        const std::uint8_t* const next = find_start(at, end);
        nals.push_back({at, static_cast<std::size_t>(next - at)});
        at = next;
    }
    return nals;
}

void append_unit(std::vector<std::uint8_t>& to, std::span<const std::uint8_t> unit, std::size_t length_size) {
    if (length_size == 0) {
        to.insert(to.end(), {0, 0, 0, 1});
    }
    for (std::size_t i = length_size; i > 0; --i) {
        to.push_back(static_cast<std::uint8_t>(unit.size() >> 8 * (i - 1)));
    }
    to.insert(to.end(), unit.begin(), unit.end());
}

PacketPtr with_front(const AVPacket& packet, std::span<const std::uint8_t> front) {
    if (front.empty()) {
        return reference_to(packet);
    }
    PacketPtr whole = make_packet();
    av_check(av_new_packet(whole.get(), static_cast<int>(front.size()) + packet.size), "av_new_packet");
    std::ranges::copy(front, whole->data);
    std::copy_n(packet.data, packet.size, whole->data + front.size());
    av_check(av_packet_copy_props(whole.get(), &packet), "av_packet_copy_props");
    return whole;
}

std::vector<std::uint8_t> unescaped(std::span<const std::uint8_t> bytes) {
    std::vector<std::uint8_t> plain;
    int zeros = 0;
    for (const std::uint8_t byte : bytes) {
        if (zeros >= 2 && byte == 3) {
            zeros = 0;
            continue;
        }
        zeros = byte == 0 ? zeros + 1 : 0;
        plain.push_back(byte);
    }
    return plain;
}

void append_escaped(std::vector<std::uint8_t>& to, std::span<const std::uint8_t> plain) {
    int zeros = 0;
    for (const std::uint8_t byte : plain) {
        if (zeros >= 2 && byte <= 3) {
            to.push_back(3);
            zeros = 0;
        }
        zeros = byte == 0 ? zeros + 1 : 0;
        to.push_back(byte);
    }
}

NalBits::NalBits(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t max_bytes = 65536;
    int zeros = 0;
    for (std::size_t i = 0; i < std::min(size, max_bytes); ++i) {
        if (zeros >= 2 && data[i] == 3) {
            zeros = 0;
            continue;
        }
        zeros = data[i] == 0 ? zeros + 1 : 0;
        bytes_.push_back(data[i]);
    }
}

unsigned NalBits::bit() {
    const std::size_t byte = at_ / 8;
    const unsigned value = byte < bytes_.size() ? bytes_[byte] >> (7 - at_ % 8) & 1U : 0;
    ++at_;
    return value;
}

unsigned NalBits::bits(int count) {
    unsigned value = 0;
    for (int i = 0; i < count; ++i) {
        value = value << 1 | bit();
    }
    return value;
}

unsigned NalBits::golomb() {
    int zeros = 0;
    while (zeros < 31 && bit() == 0) {
        ++zeros;
    }
    return (1U << zeros | bits(zeros)) - 1;
}

}  // namespace vfilter
