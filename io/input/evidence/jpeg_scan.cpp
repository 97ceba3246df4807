// JPEG (ITU-T T.81, annex B): segments, of which scans have coded data behind them. Decoders take the end of the file
// for that of the picture, and make up what a table that is missing would have said.

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "io/bitstream/bytes.h"
#include "io/input/evidence/scans.h"

namespace vfilter {

namespace {

constexpr std::size_t largest_jpeg = 64U << 20U;  // nothing is said of a larger one; a pipe may bring many

enum JpegMarker : std::uint8_t {
    jpeg_stuffing = 0x00,
    jpeg_marks = 0x80,  // from here on in coded data of JPEG-LS, where others are stuffed with a bit
    jpeg_first_restart = 0xD0,
    jpeg_begin = 0xD8,
    jpeg_end = 0xD9,
    jpeg_scan = 0xDA,
    jpeg_quantisation = 0xDB,
    jpeg_first_frame = 0xC0,
    jpeg_lossless_frame = 0xC3,
    jpeg_huffman = 0xC4,
    jpeg_extension = 0xC8,
    jpeg_jfif = 0xE0,
    jpeg_adobe = 0xEE,
    jpeg_arithmetic = 0xCC,
    jpeg_last_frame = 0xCF,
    jpeg_ls_frame = 0xF7,
};

class JpegScan final : public ContainerScan {
public:
    JpegScan() { wish_for(0, largest_jpeg); }
    void take(Bytes file) override;
    void end(std::int64_t /*size*/) override {}

private:
    void read_tables(Bytes segment);
    void read_frame(std::uint8_t marker, Bytes segment);
    void judge_colours(std::int64_t at, Bytes frame);
    [[nodiscard]] bool has_tables(Bytes scan) const;

    std::array<bool, 16> tables_{};               // for quantising, by number
    std::map<std::uint8_t, std::size_t> wanted_;  // by component, in a frame that has any
    enum { unsaid, of_jfif, of_adobe_rgb, of_adobe } colours_ = unsaid;
};

// What follows each other: segments, coded data, or such data of JPEG-LS (ITU-T T.87).
enum class JpegPart { segments, coded, coded_ls };

// Where the next marker's second byte is, behind bytes that belong to no segment; the end if there is none. In coded
// data what is stuffed and restarts are no markers.
std::size_t next_marker(Bytes file, std::size_t at, JpegPart in) {
    while (at < file.size()) {
        const void* const found = std::memchr(file.data() + at, 0xFF, file.size() - at);
        if (found == nullptr) {
            return file.size();
        }
        at = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - file.data()) + 1;
        if (at < file.size() && file[at] != 0xFF && file[at] != jpeg_stuffing &&
            !(in != JpegPart::segments && file[at] >= jpeg_first_restart && file[at] < jpeg_begin) &&
            !(in == JpegPart::coded_ls && file[at] < jpeg_marks)) {
            return at;
        }
    }
    return file.size();
}

void JpegScan::read_tables(Bytes segment) {
    constexpr std::size_t values = 64;
    for (std::size_t at = 0; at < segment.size();) {
        tables_[segment[at] & 15] = true;
        at += 1 + values * (segment[at] >> 4 != 0 ? 2 : 1);
    }
}

void JpegScan::read_frame(std::uint8_t marker, Bytes segment) {
    constexpr std::size_t components = 6;
    constexpr std::size_t component = 3;
    wanted_.clear();
    const bool lossless = (marker & 3) == (jpeg_lossless_frame & 3);
    for (std::size_t at = components; at + component <= segment.size() && !lossless; at += component) {
        wanted_[segment[at]] = segment[at + 2] & 15;
    }
}

// As libjpeg goes by it: JFIF has YCbCr alone, Adobe says, and else the components' names do. FFmpeg takes RGB for
// YCbCr where the three have not the same size.
void JpegScan::judge_colours(std::int64_t at, Bytes frame) {
    constexpr std::size_t first = 6;
    constexpr std::size_t component = 3;
    if (big_endian(frame, first - 1, 1) != 3 || frame.size() < first + 3 * component) {
        return;
    }
    const auto number = [&](std::size_t i) { return frame[first + i * component]; };
    const auto size = [&](std::size_t i) { return frame[first + i * component + 1]; };
    const bool named = number(0) == 'R' && number(1) == 'G' && number(2) == 'B';
    if ((colours_ == of_adobe_rgb || (colours_ == unsaid && named)) && (size(0) != size(1) || size(0) != size(2))) {
        fault(at, "RGB with fewer samples of some colours, which is taken for YCbCr,");
    }
}

// Of the scan's own components; others may have theirs later.
bool JpegScan::has_tables(Bytes scan) const {
    const std::size_t components = scan.empty() ? 0 : scan[0];
    for (std::size_t i = 0; i < components && 1 + 2 * i < scan.size(); ++i) {
        const auto component = wanted_.find(scan[1 + 2 * i]);
        if (component != wanted_.end() && !tables_[component->second]) {
            return false;
        }
    }
    return true;
}

void JpegScan::take(Bytes file) {
    stop();
    if (file.size() == largest_jpeg || big_endian(file, 0, 2) != 0xFFD8) {
        return;
    }
    bool told = false;
    bool ls = false;
    JpegPart in = JpegPart::segments;
    for (std::size_t at = next_marker(file, 2, in); at < file.size(); at = next_marker(file, at, in)) {
        const std::uint8_t marker = file[at];
        const std::size_t size = big_endian(file, at + 1, 2);
        if (marker == jpeg_end) {
            return;
        }
        const bool coded = marker == jpeg_scan;
        ls = ls || marker == jpeg_ls_frame;
        in = !coded ? JpegPart::segments : ls ? JpegPart::coded_ls : JpegPart::coded;
        if ((marker >= jpeg_first_restart && marker <= jpeg_begin) || size < 2) {
            continue;
        }
        const Bytes segment = part(file, at + 3).first(std::min(size - 2, file.size() - std::min(file.size(), at + 3)));
        if (marker == jpeg_quantisation) {
            read_tables(segment);
        } else if (marker >= jpeg_first_frame && marker <= jpeg_last_frame && marker != jpeg_huffman &&
                   marker != jpeg_extension && marker != jpeg_arithmetic) {
            read_frame(marker, segment);
            judge_colours(signed_value(at - 1), segment);
        } else if (marker == jpeg_jfif && text(segment).starts_with("JFIF")) {
            colours_ = of_jfif;
        } else if (marker == jpeg_adobe && text(segment).starts_with("Adobe") && colours_ != of_jfif) {
            colours_ = big_endian(segment, 11, 1) == 0 ? of_adobe_rgb : of_adobe;
        } else if (coded && !told && !has_tables(segment)) {
            told = true;
            fault(signed_value(at - 1), "a scan without its table for quantising");
        }
        at += 1 + size;
    }
    fault(signed_value(file.size()), "a picture that has no end");
}

}  // namespace

std::unique_ptr<ContainerScan> make_jpeg_scan() {
    return std::make_unique<JpegScan>();
}

}  // namespace vfilter
