// TIFF 6.0: directories, one for each page, each of which says where the next one is. What of the first page FFmpeg
// does not decode it leaves black, or takes for something else, in silence.

#include <algorithm>
#include <optional>
#include <set>

#include "io/input/evidence/bytes.h"
#include "io/input/evidence/scans.h"

namespace vfilter {

namespace {

constexpr std::size_t tiff_header = 8;
constexpr std::size_t tiff_count = 2;  // of a directory's entries, which stands before them
constexpr std::size_t tiff_entry = 12;
constexpr std::size_t tiff_next = 4;               // where the next directory is
constexpr std::size_t largest_tiff = 1ULL << 30U;  // nothing is said of a larger one
constexpr std::size_t most_pages = 100'000;

enum TiffTag : std::uint64_t {
    new_subfile_type = 254,
    subfile_type = 255,
    image_width = 256,
    image_length = 257,
    bits_per_sample = 258,
    compression = 259,
    photometric = 262,
    strip_offsets = 273,
    samples_per_pixel = 277,
    rows_per_strip = 278,
    strip_byte_counts = 279,
    planar_configuration = 284,
    tile_width = 322,
    sample_format = 339,
    dng_version = 50706,
};

// A directory, in a file that is there as a whole.
class TiffPage {
public:
    TiffPage(Bytes file, bool big, std::size_t at)
        : file_(file), big_(big), at_(at), entries_(number(at, tiff_count)) {}

    [[nodiscard]] bool whole() const { return next_at() + tiff_next <= file_.size(); }
    [[nodiscard]] std::size_t next() const { return number(next_at(), tiff_next); }
    [[nodiscard]] bool has(TiffTag tag) const { return entry(tag).has_value(); }
    [[nodiscard]] std::uint64_t count(TiffTag tag) const {
        const auto found = entry(tag);
        return found ? number(*found + 4, 4) : 0;
    }
    /// A value of a field, `missing` where it has none there.
    [[nodiscard]] std::uint64_t value(TiffTag tag, std::uint64_t missing, std::uint64_t index = 0) const {
        constexpr std::size_t in_place = 4;
        const auto found = entry(tag);
        if (!found || index >= number(*found + 4, 4)) {
            return missing;
        }
        const std::uint64_t type = number(*found + 2, 2);
        const std::size_t size = type == 3 ? 2 : type == 4 ? 4 : 1;  // SHORT, LONG, BYTE
        const bool here = number(*found + 4, 4) * size <= in_place;
        const std::uint64_t from = here ? *found + 8 : number(*found + 8, 4);
        return from + (index + 1) * size <= file_.size() ? number(from + index * size, size) : missing;
    }

private:
    [[nodiscard]] std::uint64_t number(std::size_t at, std::size_t size) const {
        return big_ ? big_endian(file_, at, size) : little_endian(file_, at, size);
    }
    [[nodiscard]] std::size_t next_at() const { return at_ + tiff_count + entries_ * tiff_entry; }
    [[nodiscard]] std::optional<std::size_t> entry(TiffTag tag) const {
        for (std::size_t at = at_ + tiff_count; at < next_at(); at += tiff_entry) {
            if (number(at, 2) == tag) {
                return at;
            }
        }
        return std::nullopt;
    }

    Bytes file_;
    bool big_;
    std::size_t at_;
    std::size_t entries_;
};

// Not a smaller form of another picture, nor a mask of one.
bool is_picture(const TiffPage& page) {
    constexpr std::uint64_t reduced_or_mask = 5;
    constexpr std::uint64_t old_reduced = 2;
    return page.has(image_width) && (page.value(new_subfile_type, 0) & reduced_or_mask) == 0 &&
           page.value(subfile_type, 0) != old_reduced;
}

class TiffScan final : public ContainerScan {
public:
    [[nodiscard]] Wish wish() const override { return {0, want_}; }
    void take(Bytes file) override;
    void end(std::int64_t /*size*/) override {}

private:
    void judge_pixels(const TiffPage& page, std::int64_t at);
    void judge_strips(const TiffPage& page, std::int64_t at);

    std::size_t want_ = largest_tiff;
};

void TiffScan::judge_pixels(const TiffPage& page, std::int64_t at) {
    constexpr std::uint64_t old_jpeg = 6;
    constexpr std::uint64_t jpeg = 7;
    constexpr std::uint64_t integers = 1;
    constexpr std::uint64_t anything = 4;
    constexpr std::uint64_t separated = 5;
    constexpr std::uint64_t by_planes = 2;
    const std::uint64_t packed = page.value(compression, 1);
    if (page.has(tile_width)) {
        fault(at, "tiles, which are not decoded,");
    } else if (packed == old_jpeg || packed == jpeg) {
        fault(at, "samples in JPEG, which are not decoded,");
    } else {
        judge_strips(page, at);
    }
    const std::uint64_t format = page.value(sample_format, integers);
    if (format != integers && format != anything) {
        fault(at, "samples below zero or floating, which are taken for whole numbers,");
    }
    if (page.value(photometric, 0) == separated &&
        (page.value(bits_per_sample, 8) != 8 || page.value(planar_configuration, 1) == by_planes)) {
        fault(at, "CMYK, which is taken for RGB with alpha,");
    }
}

void TiffScan::judge_strips(const TiffPage& page, std::int64_t at) {
    constexpr std::uint64_t ycbcr = 6;
    constexpr std::uint64_t by_planes = 2;
    const std::uint64_t height = page.value(image_length, 0);
    const std::uint64_t rows = std::clamp<std::uint64_t>(page.value(rows_per_strip, height), 1, std::max(height, 1UL));
    const bool planes = page.value(planar_configuration, 1) == by_planes;
    const std::uint64_t samples = page.value(samples_per_pixel, 1);
    const std::uint64_t of_plane = (height + rows - 1) / rows;
    const std::uint64_t strips = of_plane * (planes ? samples : 1);
    if (page.count(strip_offsets) < strips) {
        fault(at, "fewer strips than the picture has,");
        return;
    }
    const std::uint64_t row_bits = page.value(image_width, 0) * (planes ? 1 : samples) * page.value(bits_per_sample, 1);
    if (page.value(compression, 1) != 1 || page.value(photometric, 0) == ycbcr) {
        return;
    }
    for (std::uint64_t i = 0; i < strips; ++i) {
        const std::uint64_t own_rows = std::min(rows, height - i % of_plane * rows);
        const std::uint64_t size = page.value(strip_byte_counts, 0, i);
        if (size > 0 && size < (row_bits + 7) / 8 * own_rows) {  // 0 where a program left them out
            fault(at, "a strip that is too short,");
            return;
        }
    }
}

void TiffScan::take(Bytes file) {
    want_ = 0;
    if (file.size() < tiff_header || file.size() == largest_tiff) {
        return;
    }
    const bool big = file[0] == 'M';
    std::set<std::size_t> seen;
    std::int64_t pages = 0;
    std::int64_t second_at = 0;
    std::size_t at = big ? big_endian(file, 4, 4) : little_endian(file, 4, 4);
    while (at != 0 && at + tiff_count <= file.size() && seen.size() < most_pages && seen.insert(at).second) {
        const TiffPage page(file, big, at);
        if (!page.whole()) {
            break;
        }
        // The first one is what is decoded, whatever it is.
        if (pages == 0 && !page.has(dng_version)) {
            judge_pixels(page, signed_value(at));
        }
        if (pages == 0 || is_picture(page)) {
            second_at = ++pages == 2 ? signed_value(at) : second_at;
        }
        at = page.next();
    }
    if (pages > 1) {
        fault(second_at, pages == 2 ? std::string(another_picture)
                                    : std::to_string(pages - 1) + " more pictures begin, which are not read,");
    }
}

}  // namespace

std::unique_ptr<ContainerScan> make_tiff_scan() {
    return std::make_unique<TiffScan>();
}

}  // namespace vfilter
