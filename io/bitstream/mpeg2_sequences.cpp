#include "io/bitstream/mpeg2_sequences.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <new>
#include <span>

#include "io/bitstream/bytes.h"
#include "io/bitstream/nal.h"

namespace vfilter {

namespace {

constexpr std::uint8_t picture_start = 0x00;
constexpr std::uint8_t sequence_start = 0xB3;
constexpr std::uint8_t extension_start = 0xB5;
constexpr unsigned sequence_extension = 1;
constexpr unsigned display_extension = 2;

// Behind which pictures may still come that are shown before: a picture that is held back, and fields that are packets.
constexpr std::int64_t reordered = 16;

// The place of the next start code's last byte, or the end.
std::size_t next_code(Bytes bytes, std::size_t from) {
    constexpr std::array<std::uint8_t, 3> prefix{0, 0, 1};
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(from);
    const auto found = std::search(begin, bytes.end(), prefix.begin(), prefix.end());
    return bytes.end() - found > 3 ? static_cast<std::size_t>(found - bytes.begin()) + 3 : bytes.size();
}

// `at`: of the byte behind its start code.
void read_extension(Mpeg2Sequences::Header& header, Bytes bytes, std::size_t at) {
    NalBits bits(bytes.data() + at, std::min<std::size_t>(bytes.size() - at, 16));
    const unsigned kind = bits.bits(4);
    if (kind == sequence_extension) {
        header.extended = true;
        bits.skip_bits(8);                // profile and level
        header.extension = bits.bits(7);  // progressive_sequence, chroma_format, upper bits of both sizes
    } else if (kind == display_extension) {
        bits.skip_bits(3);
        const bool has_colours = bits.bit() != 0;
        bits.skip_bytes(has_colours ? 3 : 0);
        header.display_width = bits.bits(14);
        bits.skip_bits(1);
        header.display_height = bits.bits(14);
        header.display_at = 8 * at + 8 + (has_colours ? 24 : 0);
    }
}

void write_bits(std::span<std::uint8_t> bytes, std::size_t at, int count, unsigned value) {
    for (int bit = count - 1; bit >= 0; --bit, ++at) {
        const auto mask = static_cast<std::uint8_t>(0x80U >> at % 8);
        std::uint8_t& byte = bytes[at / 8];
        byte = static_cast<std::uint8_t>((value >> static_cast<unsigned>(bit) & 1U) != 0 ? byte | mask : byte & ~mask);
    }
}

Bytes bytes_of(const AVPacket& packet) {
    return {packet.data, static_cast<std::size_t>(std::max(packet.size, 0))};
}

}  // namespace

AVRational Mpeg2Sequences::Header::shape() const {
    constexpr std::array<AVRational, 5> of_picture{AVRational{0, 1}, {1, 1}, {4, 3}, {16, 9}, {221, 100}};
    if (aspect == 0 || aspect >= of_picture.size()) {
        return {0, 1};
    }
    if (aspect == 1) {
        return {1, 1};
    }
    const auto over = [&](unsigned across, unsigned down) {
        return av_div_q(of_picture.at(aspect), {static_cast<int>(across), static_cast<int>(down)});
    };
    if (display_width != 0 && display_height != 0) {
        const AVRational pixel = over(display_width, display_height);
        const AVRational whole = av_mul_q(pixel, {static_cast<int>(width), static_cast<int>(height)});
        if (av_cmp_q(whole, {4, 3}) == 0 || av_cmp_q(whole, {16, 9}) == 0) {
            return pixel;
        }
    }
    return over(width, height);
}

bool Mpeg2Sequences::Header::is_like(const Header& other) const {
    return width == other.width && height == other.height && extended == other.extended && extension == other.extension;
}

std::optional<Mpeg2Sequences::Header> Mpeg2Sequences::header_of(Bytes bytes) {
    std::optional<Header> header;
    for (std::size_t at = next_code(bytes, 0); at < bytes.size(); at = next_code(bytes, at)) {
        const std::uint8_t code = bytes[at];
        const Bytes behind = bytes.subspan(at + 1);
        if (code == sequence_start && behind.size() > 3) {
            header = Header{.width = static_cast<unsigned>(behind[0]) << 4U | static_cast<unsigned>(behind[1]) >> 4U,
                            .height = (behind[1] & 0xFU) << 8U | behind[2],
                            .aspect = static_cast<unsigned>(behind[3]) >> 4U,
                            .aspect_at = 8 * (at + 4)};
        } else if (code == extension_start && header) {
            read_extension(*header, bytes, at + 1);
        } else if (code == picture_start) {
            break;
        }
    }
    const bool cut_off = header && header->display_at != 0 && header->display_at / 8 + 4 > bytes.size();
    if (header && (header->width == 0 || header->height == 0 || cut_off)) {
        header.reset();
    }
    return header;
}

bool Mpeg2Sequences::ends_before(const AVPacket& packet) const {
    if (!given_) {
        return false;
    }
    const std::optional<Header> header = header_of(bytes_of(packet));
    return header && (!header->is_like(*given_) || (!header->extended && header->aspect != given_->aspect));
}

PacketPtr Mpeg2Sequences::send(const AVPacket& packet, std::int64_t number) {
    std::optional<Header> header = header_of(bytes_of(packet));
    if (!header) {
        return nullptr;
    }
    const std::optional<Header> before = latest_ ? latest_ : given_;
    if (before && header->display_at == 0) {  // libavcodec keeps it likewise
        header->display_width = before->display_width;
        header->display_height = before->display_height;
    }
    latest_ = header;
    if (before && av_cmp_q(header->shape(), before->shape()) != 0) {
        if (shapes_.empty()) {
            shapes_.push_back({.from = 0, .pixel = before->shape()});
        }
        shapes_.push_back({.from = number, .pixel = header->shape()});
    }
    if (!given_ || !header->is_like(*given_)) {
        given_ = header;
        return nullptr;
    }
    const bool displayed = header->display_at == 0 || (header->display_width == given_->display_width &&
                                                       header->display_height == given_->display_height);
    if (!header->extended || (header->aspect == given_->aspect && displayed)) {
        return nullptr;
    }
    PacketPtr as_before(av_packet_clone(&packet));
    if (!as_before || av_packet_make_writable(as_before.get()) < 0) {
        throw std::bad_alloc();
    }
    const std::span<std::uint8_t> bytes(as_before->data, static_cast<std::size_t>(as_before->size));
    write_bits(bytes, header->aspect_at, 4, given_->aspect);
    if (header->display_at != 0) {
        write_bits(bytes, header->display_at, 14, given_->display_width);
        write_bits(bytes, header->display_at + 15, 14, given_->display_height);
    }
    return as_before;
}

void Mpeg2Sequences::begin_anew() {
    given_.reset();
}

void Mpeg2Sequences::came_out(AVFrame& picture, std::int64_t number) {
    while (shapes_.size() > 1 && shapes_[1].from + reordered < number) {
        shapes_.pop_front();
    }
    const auto behind = std::ranges::find_if(shapes_, [&](const Shape& shape) { return shape.from > number; });
    if (behind != shapes_.begin()) {
        picture.sample_aspect_ratio = std::prev(behind)->pixel;
    }
}

}  // namespace vfilter
