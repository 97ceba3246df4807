#include "io/bitstream/png_texts.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <new>
#include <string_view>

#include "io/bitstream/bytes.h"
#include "io/demuxers.h"

namespace vfilter {

namespace {

constexpr std::uint64_t most_inflated = std::uint64_t{64} << 20;
constexpr std::size_t block_size = 16384;
constexpr std::string_view whole_png_signature = "\x89PNG\r\n\x1a\n";
constexpr std::size_t chunk_head = 8;  // length and type
constexpr std::size_t chunk_sum = 4;

// Where the deflated bytes begin: behind a name that ends with a zero, and more in iTXt. Nowhere if they are not
// deflated.
std::size_t find_deflated(std::uint32_t type, Bytes beginning) {
    constexpr std::size_t nowhere = SIZE_MAX;
    const auto behind_zero = [&](std::size_t from) {
        const std::string_view rest = text(beginning, from);
        const std::size_t zero = rest.find('\0');
        return zero == std::string_view::npos ? beginning.size() : from + zero + 1;
    };
    const std::size_t name_end = behind_zero(0);
    if (type != mark("iTXt")) {
        return name_end + 1;  // the method
    }
    const bool deflated = big_endian(beginning, name_end, 1) != 0;
    return deflated ? behind_zero(behind_zero(name_end + 2)) : nowhere;
}

// Length of the bytes of a chunk once they are inflated, or more than `most`.
std::uint64_t inflated_length(const ReadBytes& read, std::int64_t at, std::int64_t length, std::uint64_t most) {
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) {
        throw std::bad_alloc();
    }
    std::array<std::uint8_t, block_size> in{};
    std::array<std::uint8_t, block_size> out{};
    std::uint64_t sum = 0;
    for (int state = Z_OK; state == Z_OK && sum <= most;) {
        if (stream.avail_in == 0) {
            const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(length, block_size));
            const std::size_t got = read(at, std::span(in).first(wanted));
            at += static_cast<std::int64_t>(got);
            length -= static_cast<std::int64_t>(got);
            stream.next_in = in.data();
            stream.avail_in = static_cast<unsigned>(got);
        }
        stream.next_out = out.data();
        stream.avail_out = block_size;
        state = inflate(&stream, Z_NO_FLUSH);
        sum += block_size - stream.avail_out;
    }
    inflateEnd(&stream);
    return sum;
}

}  // namespace

std::string excess_of_png(const ReadBytes& read) {
    std::array<std::uint8_t, whole_png_signature.size()> first{};
    if (read(0, first) < first.size() || text(first) != whole_png_signature) {
        return "";
    }
    std::uint64_t inflated = 0;
    std::array<std::uint8_t, chunk_head> head{};
    auto at = static_cast<std::int64_t>(whole_png_signature.size());
    while (read(at, head) == head.size()) {
        const auto length = static_cast<std::int64_t>(big_endian(head, 0, 4));
        const auto type = static_cast<std::uint32_t>(big_endian(head, 4, 4));
        at += chunk_head;
        if (type == mark("iCCP") || type == mark("zTXt") || type == mark("iTXt")) {
            std::array<std::uint8_t, 1024> beginning{};
            const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(length, std::ssize(beginning)));
            const std::size_t got = read(at, std::span(beginning).first(wanted));
            const std::size_t deflated = find_deflated(type, std::span(beginning).first(got));
            if (deflated < got) {
                const auto skipped = static_cast<std::int64_t>(deflated);
                inflated += inflated_length(read, at + skipped, length - skipped, most_inflated - inflated);
            }
        }
        if (inflated > most_inflated) {
            return fmt::format("its {} chunk makes more than {} MiB of profiles and texts, which is the limit",
                               text(head, 4), most_inflated >> 20);
        }
        at += length + static_cast<std::int64_t>(chunk_sum);
    }
    return "";
}

std::string excess_of_png(std::span<const std::uint8_t> picture) {
    return excess_of_png([picture](std::int64_t offset, std::span<std::uint8_t> to) {
        const Bytes there = part(picture, static_cast<std::size_t>(offset), to.size());
        std::ranges::copy(there, to.begin());
        return there.size();
    });
}

bool is_png(const AVStream& stream) {
    return stream.codecpar->codec_id == AV_CODEC_ID_PNG || stream.codecpar->codec_id == AV_CODEC_ID_APNG;
}

PngLimit::PngLimit(const AVFormatContext& format, bool seen)
    : limits_(!(seen && demuxer_facts(*format.iformat).has(input_fact::png)) &&
              std::any_of(format.streams, format.streams + format.nb_streams,
                          [](const AVStream* stream) { return is_png(*stream); })) {
    if (limits_) {
        av_max_alloc(std::size_t{512} << 20);
    }
}

PngLimit::~PngLimit() {
    if (limits_) {
        av_max_alloc(INT_MAX);
    }
}

}  // namespace vfilter
