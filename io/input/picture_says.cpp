#include "io/input/picture_says.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "io/bitstream/bytes.h"
#include "io/demuxers.h"
#include "io/input/jpeg_parts.h"
#include "io/input/picture_sections.h"
#include "io/input/tiff_entries.h"

namespace vfilter {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view png_mark = "\x89PNG\r\n\x1A\n"sv;

bool is_webp(Bytes file) {
    return text(file).starts_with("RIFF"sv) && text(file, 8, 4) == "WEBP";
}

// `is_file`: it has the picture itself, so that only what points elsewhere is a text.
void read_directory(Bytes tiff, bool is_file, PictureSays& says) {
    constexpr std::size_t orientation = 0x112;
    constexpr std::size_t xmp = 0x2BC;
    constexpr std::size_t iptc = 0x83BB;
    constexpr std::size_t exif = 0x8769;
    constexpr std::size_t places = 0x8825;
    constexpr std::size_t more_samples = 0x152;
    each_tiff_entry(tiff, [&](const TiffNumbers& numbers, std::size_t tag, std::size_t value) {
        if (tag == orientation) {
            says.orientation = numbers.at(value, 2);
        } else if (is_file && tag == more_samples && numbers.at(value, 2) == 1) {
            says.add("that its colours are multiplied by alpha");
        } else if (!is_file || tag == exif) {
            says.add("EXIF");
        } else if (tag == xmp || tag == iptc || tag == places) {
            says.add(tag == xmp ? "XMP" : tag == iptc ? "IPTC" : "GPS");
        }
    });
}

constexpr std::string_view exif_head = "Exif\0\0"sv;

// TIFF 6.0, section 8. Without a unit it is a shape alone.
Density density_of_tiff(Bytes tiff) {
    constexpr std::size_t across_tag = 0x11A;
    constexpr std::size_t down_tag = 0x11B;
    constexpr std::size_t unit_tag = 0x128;
    Density density;
    std::size_t unit = 2;
    each_tiff_entry(tiff, [&](const TiffNumbers& numbers, std::size_t tag, std::size_t value) {
        if (tag == across_tag || tag == down_tag) {
            const std::size_t at = numbers.at(value, 4);
            (tag == across_tag ? density.across : density.down) =
                static_cast<double>(numbers.at(at, 4)) / static_cast<double>(numbers.at(at + 4, 4));
        } else if (tag == unit_tag) {
            unit = numbers.at(value, 2);
        }
    });
    const double metre = unit == 2 ? 1 / 0.0254 : unit == 3 ? 100 : 0;
    return {density.across * metre, density.down * metre};
}

void read_exif(Bytes exif, PictureSays& says) {
    const Bytes tiff = text(exif).starts_with(exif_head) ? part(exif, exif_head.size()) : exif;
    read_directory(tiff, false, says);
    says.density = density_of_tiff(tiff);
}

// Of the texts those that its decoder does not give: iTXt.
void read_png(Bytes file, PictureSays& says) {
    for (std::size_t at = 8; part(file, at).size() >= 12;) {
        const auto size = static_cast<std::size_t>(big_endian(file, at, 4));
        const Bytes data = part(file, at + 8, size);
        const std::string_view type = text(file, at + 4, 4);
        if (type == "eXIf") {
            const Density own = says.density;
            read_exif(data, says);
            says.density = own;
        } else if (type == "pHYs" && big_endian(data, 8, 1) == 1) {
            says.density = {static_cast<double>(big_endian(data, 0, 4)), static_cast<double>(big_endian(data, 4, 4))};
        } else if (type == "iTXt") {
            const std::string_view key = text(data).substr(0, std::min<std::size_t>(text(data).find('\0'), 79));
            says.add(key == "XML:com.adobe.xmp" ? "XMP" : std::string(key));
        }
        at += 12 + size;
    }
}

// Its decoder takes EXIF for broken that begins as in JPEG, which some programs write and most read.
void mend_webp_exif(AVPacket& packet) {
    const Bytes file(packet.data, static_cast<std::size_t>(packet.size));
    std::size_t at = 12;
    while (part(file, at).size() >= 8 && text(file, at, 4) != "EXIF") {
        const auto size = static_cast<std::size_t>(little_endian(file, at + 4, 4));
        at += 8 + size + size % 2;
    }
    const std::uint64_t size = little_endian(file, at + 4, 4);
    const std::uint64_t riff = little_endian(file, 4, 4);
    const std::size_t head = exif_head.size();
    if (!text(file, at + 8, static_cast<std::size_t>(size)).starts_with(exif_head) || riff < head ||
        size > part(file, at + 8).size()) {
        return;
    }
    if (av_packet_make_writable(&packet) < 0) {
        throw std::bad_alloc();
    }
    const auto write = [&](std::size_t place, std::uint64_t number) {
        for (std::size_t i = 0; i < 4; ++i) {
            packet.data[place + i] = static_cast<std::uint8_t>(number >> (8 * i) & 0xFFU);
        }
    };
    write(4, riff - head);
    write(at + 4, size - head);
    std::memmove(packet.data + at + 8, packet.data + at + 8 + head,
                 static_cast<std::size_t>(packet.size) - at - 8 - head);
    av_shrink_packet(&packet, packet.size - static_cast<int>(head));
}

// Its decoder gives EXIF, but turns nothing.
void read_webp(Bytes file, PictureSays& says) {
    for (std::size_t at = 12; part(file, at).size() >= 8;) {
        const auto size = static_cast<std::size_t>(little_endian(file, at + 4, 4));
        const std::string_view type = text(file, at, 4);
        if (type == "EXIF") {
            PictureSays exif;
            read_exif(part(file, at + 8, size), exif);
            says.orientation = exif.orientation;
            says.density = exif.density;
        } else if (type == "XMP ") {
            says.add("XMP");
        }
        at += 8 + size + size % 2;
    }
}

// Its decoder gives EXIF and what that asks for.
void read_jpeg(Bytes file, PictureSays& says) {
    const double units[] = {0, 1 / 0.0254, 100};  // of JFIF
    each_jpeg_segment(file, [&](std::uint8_t marker, Bytes segment) {
        const auto unit = static_cast<std::size_t>(big_endian(segment, 7, 1));
        if (marker == 0xE0 && text(segment).starts_with("JFIF\0"sv) && (unit == 1 || unit == 2)) {
            says.density = {static_cast<double>(big_endian(segment, 8, 2)) * units[unit],
                            static_cast<double>(big_endian(segment, 10, 2)) * units[unit]};
        } else if (marker == 0xE1 && text(segment).starts_with(exif_head) && density_text(says.density).empty()) {
            says.density = density_of_tiff(part(segment, exif_head.size()));
        } else if (marker == 0xE1 && text(segment).starts_with("http://ns.adobe.com/xap/1.0/"sv)) {
            says.add("XMP");
        } else if (marker == 0xED && text(segment).starts_with("Photoshop 3.0"sv)) {
            says.add("IPTC");
        }
        return true;
    });
}

// The matrix of libavutil, of which a point's place is shown at a x + c y, b x + d y.
struct Matrix {
    std::int32_t a, b, c, d;
};
constexpr std::array<Matrix, 7> matrices{
    {{-1, 0, 0, 1}, {-1, 0, 0, -1}, {1, 0, 0, -1}, {0, 1, 1, 0}, {0, 1, -1, 0}, {0, -1, -1, 0}, {0, -1, 1, 0}}};

void add_side_data_of(AVPacket& packet, AVPacketSideDataType type, const void* data, std::size_t size) {
    std::uint8_t* const room = av_packet_new_side_data(&packet, type, size);
    if (room == nullptr) {
        throw std::bad_alloc();
    }
    std::memcpy(room, data, size);
}

struct PngChunk {
    std::size_t at = 0;  // of its type
    std::string_view type;
    Bytes data;
    std::uint64_t sum = 0;  // as it has to be
    bool right = false;     // as it is
};

// Those that are whole, as far as anybody writes so many, up to the first of the last type.
std::vector<PngChunk> chunks_of(Bytes file, std::string_view last = {}) {
    constexpr std::size_t most = 100'000;
    std::vector<PngChunk> chunks;
    for (std::size_t at = 12;;) {
        const auto size = static_cast<std::size_t>(big_endian(file, at - 4, 4));
        const Bytes summed = part(file, at, 4 + size);
        if (part(file, at + 4).size() < size + 4 || chunks.size() == most ||
            (!chunks.empty() && chunks.back().type == last)) {
            return chunks;
        }
        const std::uint64_t sum = crc32(0, summed.data(), static_cast<uInt>(summed.size()));
        chunks.push_back({at, text(summed, 0, 4), part(summed, 4), sum, sum == big_endian(file, at + 4 + size, 4)});
        at += 12 + size;
    }
}

// The decoder of PNG knows no metadata but the texts of the file, of the other kind: so they get one each, behind
// the header, which need not come first.
void add_png_texts(AVPacket& packet, const std::vector<std::string>& texts) {
    std::string chunks;
    const auto add_number = [&](std::uint64_t number) {
        for (int shift = 24; shift >= 0; shift -= 8) {
            chunks += static_cast<char>(number >> shift & 0xFFU);
        }
    };
    for (const std::string& name_and_value : texts) {
        const std::string chunk = "tEXt" + name_and_value;
        add_number(chunk.size() - 4);
        chunks += chunk;
        add_number(crc32(0, reinterpret_cast<const Bytef*>(chunk.data()), static_cast<uInt>(chunk.size())));
    }
    const auto size = static_cast<std::size_t>(packet.size);
    const std::vector<PngChunk> there = chunks_of(Bytes(packet.data, size), "IHDR");
    if (there.empty() || there.back().type != "IHDR") {
        return;
    }
    const std::size_t place = there.back().at + 4 + there.back().data.size() + 4;
    if (av_grow_packet(&packet, static_cast<int>(chunks.size())) < 0) {
        throw std::bad_alloc();
    }
    std::memmove(packet.data + place + chunks.size(), packet.data + place, size - place);
    std::memcpy(packet.data + place, chunks.data(), chunks.size());
}

// Whether decoders get through the samples, whatever the sums of chunks say: where zlib fails they give up the picture,
// and without the chunk they keep what came before.
bool inflates(const std::vector<PngChunk>& chunks) {
    constexpr std::uint64_t most = 1ULL << 30;
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) {
        throw std::bad_alloc();
    }
    std::vector<std::uint8_t> room(1U << 16);
    int state = Z_OK;
    for (const PngChunk& chunk : chunks) {
        stream.next_in = const_cast<Bytef*>(chunk.data.data());  // zlib reads it
        stream.avail_in = chunk.type == "IDAT" ? static_cast<uInt>(chunk.data.size()) : 0;
        while (state == Z_OK && stream.avail_in > 0 && stream.total_out < most) {
            stream.next_out = room.data();
            stream.avail_out = static_cast<uInt>(room.size());
            state = inflate(&stream, Z_NO_FLUSH);
        }
    }
    inflateEnd(&stream);
    return state == Z_OK || state == Z_STREAM_END;
}

// Decoders leave out a chunk whose sum is wrong, and with it the whole picture, where it may be the sum alone.
std::string mend_png_sums(AVPacket& packet) {
    constexpr std::array needed{"IHDR"sv, "PLTE"sv, "tRNS"sv, "IDAT"sv};
    const auto is_wrong = [&](const PngChunk& chunk) {
        return !chunk.right && std::ranges::find(needed, chunk.type) != needed.end();
    };
    std::vector<PngChunk> chunks = chunks_of(Bytes(packet.data, static_cast<std::size_t>(packet.size)));
    if (std::ranges::none_of(chunks, is_wrong)) {
        return "";
    }
    const bool samples = inflates(chunks);
    std::erase_if(chunks,
                  [&](const PngChunk& chunk) { return !is_wrong(chunk) || (chunk.type == "IDAT" && !samples); });
    std::string wrong = chunks.empty() ? "" : "a wrong checksum of " + std::string(chunks.front().type);
    // From here on what chunks point to may be gone.
    if (av_packet_make_writable(&packet) < 0) {
        throw std::bad_alloc();
    }
    for (const PngChunk& chunk : chunks) {
        for (std::size_t i = 0; i < 4; ++i) {
            packet.data[chunk.at + 4 + chunk.data.size() + i] =
                static_cast<std::uint8_t>(chunk.sum >> (24 - 8 * i) & 0xFFU);
        }
    }
    return wrong;
}

// By its type and bits. FFmpeg takes 16 of them for three colours of five each.
std::string misread_targa(Bytes file) {
    constexpr std::size_t gray = 3;  // 8 more where it is packed
    const bool other = big_endian(file, 16, 1) == 16 && (big_endian(file, 2, 1) & 7) == gray;
    return other ? "gray with alpha, which is taken for colours" : "";
}

// A name and a value each, with a zero between them.
std::vector<std::string> texts_of(const PictureSays& says) {
    std::vector<std::string> texts;
    for (const std::string& name : says.texts) {
        texts.push_back(name + '\0' + "there");
    }
    if (!says.further.empty()) {
        texts.push_back(further_texts_name + ('\0' + std::to_string(says.further.size())));
    }
    if (const std::string density = density_text(says.density); !density.empty()) {
        texts.push_back(density_name + ('\0' + density));
    }
    return texts;
}

void add_turn_and_profile(AVPacket& packet, const PictureSays& says) {
    if (says.orientation > 1 && says.orientation < 2 + matrices.size()) {
        constexpr std::int32_t one = 1 << 16;
        const Matrix& m = matrices[static_cast<std::size_t>(says.orientation) - 2];
        const std::int32_t matrix[9] = {m.a * one, m.b * one, 0, m.c * one, m.d * one, 0, 0, 0, 1 << 30};
        add_side_data_of(packet, AV_PKT_DATA_DISPLAYMATRIX, matrix, sizeof(matrix));
    }
    if (!says.profile.empty()) {
        add_side_data_of(packet, AV_PKT_DATA_ICC_PROFILE, says.profile.data(), says.profile.size());
    }
}

}  // namespace

void add_said(AVPacket& packet, const PictureSays& says) {
    add_turn_and_profile(packet, says);
    std::string strings;
    for (const std::string& name_and_value : texts_of(says)) {
        strings += name_and_value + '\0';
    }
    if (!strings.empty()) {
        add_side_data_of(packet, AV_PKT_DATA_STRINGS_METADATA, strings.data(), strings.size());
    }
}

bool holds_picture_files(const AVFormatContext& format, const AVStream& stream) {
    constexpr std::array codecs{AV_CODEC_ID_PNG, AV_CODEC_ID_WEBP, AV_CODEC_ID_TIFF,     AV_CODEC_ID_MJPEG,
                                AV_CODEC_ID_BMP, AV_CODEC_ID_PSD,  AV_CODEC_ID_JPEG2000, AV_CODEC_ID_TARGA};
    return demuxer_facts(*format.iformat).has(input_fact::pictures) &&
           std::ranges::find(codecs, stream.codecpar->codec_id) != codecs.end();
}

std::string add_what_picture_says(AVPacket& packet, AVCodecID codec) {
    if (codec == AV_CODEC_ID_TARGA) {
        return misread_targa(Bytes(packet.data, static_cast<std::size_t>(packet.size)));
    }
    std::string wrong;
    if (text(Bytes(packet.data, static_cast<std::size_t>(packet.size))).starts_with(png_mark)) {
        wrong = mend_png_sums(packet);
    } else if (is_webp(Bytes(packet.data, static_cast<std::size_t>(packet.size)))) {
        mend_webp_exif(packet);
    }
    const Bytes file(packet.data, static_cast<std::size_t>(packet.size));
    PictureSays says;
    const bool png = text(file).starts_with(png_mark);
    if (text(file).starts_with("\xFF\xD8"sv)) {
        read_jpeg(file, says);
    } else if (png) {
        read_png(file, says);
    } else if (is_webp(file)) {
        read_webp(file, says);
    } else if (text(file).starts_with("BM"sv)) {
        read_bmp(file, says);
    } else if (text(file).starts_with("8BPS"sv)) {
        read_psd(file, says);
    } else if (text(file, 4, 4) == "jP  ") {
        read_jpeg_2000(file, says);
    } else {
        read_directory(file, true, says);
        says.density = density_of_tiff(file);
    }
    if (!png) {
        add_said(packet, says);
        return wrong;
    }
    add_turn_and_profile(packet, says);
    if (const std::vector<std::string> texts = texts_of(says); !texts.empty()) {
        add_png_texts(packet, texts);
    }
    return wrong;
}

}  // namespace vfilter
