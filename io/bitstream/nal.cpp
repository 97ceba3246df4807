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

unsigned nal_type(AVCodecID codec, const Nal& nal) {
    return codec == AV_CODEC_ID_HEVC ? nal.data[0] >> 1U & 0x3FU : nal.data[0] & 0x1FU;
}

std::size_t nal_header_size(AVCodecID codec) {
    return codec == AV_CODEC_ID_HEVC ? 2 : 1;
}

std::vector<Nal> nals_of(std::span<const std::uint8_t> bytes, std::size_t length_size) {
    std::vector<Nal> nals;
    const std::uint8_t* at = bytes.data();
    const std::uint8_t* const end = at + bytes.size();
    if (length_size > 0) {
        while (end - at >= static_cast<std::ptrdiff_t>(length_size)) {
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

std::vector<Nal> nals_of(const AVPacket& packet, std::size_t length_size) {
    return nals_of(std::span(packet.data, static_cast<std::size_t>(packet.size)), length_size);
}

Nal without_zeros(Nal nal) {
    while (nal.size > 0 && nal.data[nal.size - 1] == 0) {
        --nal.size;
    }
    return nal;
}

namespace {

// Units behind two bytes of their length each, as records have them; as much of them as there is.
class RecordUnits {
public:
    explicit RecordUnits(std::span<const std::uint8_t> record) : left_(record) {}

    void skip(std::size_t count) { left_ = left_.subspan(std::min(count, left_.size())); }
    [[nodiscard]] bool any() const { return !left_.empty(); }
    unsigned byte() {
        const unsigned value = left_.empty() ? 0 : left_.front();
        skip(1);
        return value;
    }
    unsigned two_bytes() {
        const unsigned high = byte();
        return high << 8U | byte();
    }
    void take(unsigned count, std::vector<Nal>& to) {
        for (; count > 0 && left_.size() > 2; --count) {
            const std::size_t length = two_bytes();
            if (const auto unit = left_.first(std::min(length, left_.size())); !unit.empty()) {
                to.push_back({unit.data(), unit.size()});
            }
            skip(length);
        }
    }

private:
    std::span<const std::uint8_t> left_;
};

}  // namespace

std::vector<Nal> nals_of_header(AVCodecID codec, std::span<const std::uint8_t> header) {
    if (nal_length_size(codec, header.data(), header.size()) == 0) {
        std::vector<Nal> nals = nals_of(header, 0);
        std::ranges::transform(nals, nals.begin(), without_zeros);
        std::erase_if(nals, [](const Nal& nal) { return nal.size == 0; });
        return nals;
    }
    std::vector<Nal> nals;
    RecordUnits record(header);
    if (codec == AV_CODEC_ID_H264) {
        constexpr std::size_t before_sets = 5;
        constexpr unsigned sequence_sets = 0x1F;
        record.skip(before_sets);
        record.take(record.byte() & sequence_sets, nals);
        record.take(record.byte(), nals);
        return nals;
    }
    constexpr std::size_t before_arrays = 23;
    record.skip(before_arrays);
    while (record.any()) {
        record.skip(1);
        record.take(record.two_bytes(), nals);
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

bool is_sei(AVCodecID codec, const Nal& nal) {
    if (nal.size <= nal_header_size(codec)) {
        return false;
    }
    const unsigned type = nal_type(codec, nal);
    return codec == AV_CODEC_ID_HEVC ? type == hevc::sei || type == hevc::suffix_sei : type == avc::sei;
}

Sei read_sei(AVCodecID codec, const Nal& nal) {
    const Nal unit = without_zeros(nal);
    Sei sei;
    if (unit.size <= nal_header_size(codec)) {
        return sei;
    }
    sei.plain = unescaped(std::span(unit.data, unit.size).subspan(nal_header_size(codec)));
    std::span<const std::uint8_t> left = sei.plain;
    // A number of bytes 255 and one below.
    const auto number = [&] {
        std::size_t sum = 0;
        for (; !left.empty() && left.front() == 0xFF; left = left.subspan(1)) {
            sum += 0xFF;
        }
        if (left.empty()) {
            sei.whole = false;
            return sum;
        }
        sum += left.front();
        left = left.subspan(1);
        return sum;
    };
    // The last byte has the bit that ends them.
    while (left.size() > 1) {
        const std::span<const std::uint8_t> from = left;
        const std::size_t type = number();
        const std::size_t size = number();
        sei.whole = sei.whole && size <= left.size();
        if (!sei.whole) {
            break;
        }
        sei.messages.push_back({type, from.first(from.size() - left.size() + size), left.first(size)});
        left = left.subspan(size);
    }
    return sei;
}

std::optional<RecoveryPoint> recovery_point_of(const Nal& sei) {
    constexpr std::size_t recovery_point = 6;
    const Sei read = read_sei(AV_CODEC_ID_H264, sei);
    const auto found = std::ranges::find(read.messages, recovery_point, &SeiMessage::type);
    if (found == read.messages.end()) {
        return std::nullopt;
    }
    NalBits bits(found->payload);
    RecoveryPoint point;
    point.pictures = bits.golomb();
    point.exact = bits.bit() != 0;
    point.broken_link = bits.bit() != 0;
    return point;
}

NalBits::NalBits(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t max_bytes = 65536;
    bytes_ = unescaped({data, std::min(size, max_bytes)});
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
