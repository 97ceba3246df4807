// Pictures whose decoders take the end of the file for that of the picture, and leave the rest of it as it was.

#include <algorithm>
#include <string_view>

#include "io/bitstream/bytes.h"
#include "io/input/evidence/scans.h"

namespace vfilter {

namespace {

constexpr std::size_t largest_still = 64U << 20U;  // nothing is said of a larger one
constexpr std::string_view endless = "a picture that has no end";

// Of one picture, or in a pipe several.
class StillScan final : public ContainerScan {
public:
    // Where the first picture of these bytes ends, past them where it goes on; 0 where they are none.
    using End = std::size_t (*)(Bytes bytes);

    explicit StillScan(End end_of) : end_of_(end_of) { wish_for(0, largest_still); }
    void take(Bytes file) override {
        stop();
        if (file.size() == largest_still) {
            return;
        }
        for (std::size_t at = 0; at < file.size();) {
            const std::size_t size = end_of_(part(file, at));
            if (size > file.size() - at) {
                fault(signed_value(file.size()), endless);
            }
            at += size == 0 ? file.size() : size;
        }
    }
    void end(std::int64_t /*size*/) override {}

private:
    End end_of_;
};

// QOI: pieces of one to five bytes until all pixels are there, and a mark.
std::size_t end_of_qoi(Bytes bytes) {
    constexpr std::size_t header = 14;
    constexpr std::size_t mark_bytes = 8;
    if (text(bytes, 0, 4) != "qoif") {
        return 0;
    }
    std::size_t at = header;
    for (std::uint64_t pixels = big_endian(bytes, 4, 4) * big_endian(bytes, 8, 4); pixels > 0 && at < bytes.size();) {
        const unsigned piece = bytes[at];
        const bool runs = piece >= 0xC0 && piece < 0xFE;
        const std::uint64_t count = runs ? piece - 0xC0 + 1 : 1;
        at += piece == 0xFF ? 5 : piece == 0xFE ? 4 : piece >> 6 == 2 ? 2 : 1;
        pixels -= std::min(pixels, count);
    }
    return at + mark_bytes;
}

// Sun's raster files, of which old ones do not tell how long their samples are.
std::size_t end_of_sun_raster(Bytes bytes) {
    constexpr std::size_t header = 32;
    if (big_endian(bytes, 0, 4) != 0x59A66A95) {
        return 0;
    }
    const std::uint64_t row = (big_endian(bytes, 4, 4) * big_endian(bytes, 12, 4) + 15) / 16 * 2;
    const std::uint64_t told = big_endian(bytes, 16, 4);
    const bool packed = big_endian(bytes, 20, 4) == 2;
    const std::uint64_t samples = packed ? told : row * big_endian(bytes, 8, 4);
    return static_cast<std::size_t>(header + big_endian(bytes, 28, 4) + samples);
}

// PCX: rows of planes, whose bytes may be packed into a count and a byte.
std::size_t end_of_pcx(Bytes bytes) {
    constexpr std::size_t header = 128;
    const std::uint64_t first = little_endian(bytes, 6, 2);
    const std::uint64_t last = little_endian(bytes, 10, 2);
    const bool known = big_endian(bytes, 0, 1) == 10 && big_endian(bytes, 1, 1) <= 5 && big_endian(bytes, 2, 1) <= 1;
    if (!known || bytes.size() < header || last < first) {
        return 0;
    }
    std::uint64_t rest = (last - first + 1) * big_endian(bytes, 65, 1) * little_endian(bytes, 66, 2);
    if (big_endian(bytes, 2, 1) == 0) {
        return static_cast<std::size_t>(header + rest);
    }
    std::size_t at = header;
    while (rest > 0 && at < bytes.size()) {
        const bool packed = bytes[at] >= 0xC0;
        const std::uint64_t count = packed ? bytes[at] & 0x3FU : 1;
        at += packed ? 2 : 1;
        rest -= std::min(rest, count);
    }
    return at + (rest > 0 ? 1 : 0);
}

}  // namespace

std::unique_ptr<ContainerScan> make_pcx_scan() {
    return std::make_unique<StillScan>(end_of_pcx);
}

std::unique_ptr<ContainerScan> make_qoi_scan() {
    return std::make_unique<StillScan>(end_of_qoi);
}

std::unique_ptr<ContainerScan> make_sun_raster_scan() {
    return std::make_unique<StillScan>(end_of_sun_raster);
}

}  // namespace vfilter
