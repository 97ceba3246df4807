// TIFF 6.0: directories, one for each page, each of which says where the next one is. What of the first page FFmpeg
// does not decode it leaves black, or takes for something else, in silence.

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "io/bitstream/bytes.h"
#include "io/input/evidence/scans.h"
#include "io/input/evidence/stepping_scan.h"

namespace vfilter {

namespace {

constexpr std::size_t tiff_header = 8;
constexpr std::size_t tiff_count = 2;  // of a directory's entries, which stands before them
constexpr std::size_t tiff_entry = 12;
constexpr std::size_t tiff_next = 4;              // where the next directory is
constexpr std::size_t most_at_once = 64U << 20U;  // behind these bytes only directories are looked at
constexpr std::size_t most_entries = 1'000'000;   // of all directories
constexpr std::uint64_t most_strips = 1'000'000;

enum TiffTag : std::uint64_t {
    new_subfile_type = 254,
    subfile_type = 255,
    image_width = 256,
    image_length = 257,
    bits_per_sample = 258,
    compression = 259,
    photometric = 262,
    fill_order = 266,
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
    TiffPage(Bytes file, bool big, std::size_t at) : file_(file), big_(big), at_(at), size_(number(at, tiff_count)) {}

    [[nodiscard]] std::size_t size() const { return size_; }  // entries
    [[nodiscard]] bool whole() const { return next_at() + tiff_next <= file_.size(); }
    [[nodiscard]] std::size_t next() const { return number(next_at(), tiff_next); }
    // Where the entry of a tag is; 0 without one.
    [[nodiscard]] std::size_t entry(TiffTag tag) const {
        for (std::size_t at = at_ + tiff_count; at < next_at(); at += tiff_entry) {
            if (number(at, 2) == tag) {
                return at;
            }
        }
        return 0;
    }
    [[nodiscard]] std::uint64_t count(std::size_t entry) const { return entry != 0 ? number(entry + 4, 4) : 0; }
    // A value of an entry, `missing` where it has none there.
    [[nodiscard]] std::uint64_t value(std::size_t entry, std::uint64_t missing, std::uint64_t index = 0) const {
        constexpr std::size_t in_place = 4;
        if (index >= count(entry)) {
            return missing;
        }
        const std::uint64_t type = number(entry + 2, 2);
        const std::size_t size = type == 3 ? 2 : type == 4 ? 4 : 1;  // SHORT, LONG, BYTE
        const std::uint64_t from = count(entry) * size <= in_place ? entry + 8 : number(entry + 8, 4);
        return from + (index + 1) * size <= file_.size() ? number(from + index * size, size) : missing;
    }
    [[nodiscard]] bool has(TiffTag tag) const { return entry(tag) != 0; }
    [[nodiscard]] std::uint64_t value_of(TiffTag tag, std::uint64_t missing) const {
        return value(entry(tag), missing);
    }

private:
    [[nodiscard]] std::uint64_t number(std::size_t at, std::size_t size) const {
        return big_ ? big_endian(file_, at, size) : little_endian(file_, at, size);
    }
    [[nodiscard]] std::size_t next_at() const { return at_ + tiff_count + size_ * tiff_entry; }

    Bytes file_;
    bool big_;
    std::size_t at_;
    std::size_t size_;
};

// Not a smaller form of another picture, nor a mask of one.
bool is_picture(const TiffPage& page) {
    constexpr std::uint64_t reduced_or_mask = 5;
    constexpr std::uint64_t old_reduced = 2;
    return page.has(image_width) && (page.value_of(new_subfile_type, 0) & reduced_or_mask) == 0 &&
           page.value_of(subfile_type, 0) != old_reduced;
}

class TiffScan final : public SteppingScan<TiffScan> {
public:
    TiffScan() : SteppingScan(&TiffScan::directory, tiff_count) { ask(0, most_at_once, &TiffScan::beginning); }
    void end(std::int64_t /*size*/) override;

private:
    void beginning(Bytes bytes);
    void directory(Bytes bytes);
    void count(const TiffPage& page, std::int64_t at);
    void follow(std::size_t next);
    void judge_pixels(const TiffPage& page, std::int64_t at);
    void judge_strips(const TiffPage& page, std::int64_t at);

    bool big_ = false;
    std::int64_t pages_ = 0;
    std::int64_t second_at_ = 0;
    std::size_t entries_ = 0;  // of the directories so far, which may share their bytes
};

void TiffScan::judge_pixels(const TiffPage& page, std::int64_t at) {
    constexpr std::uint64_t old_jpeg = 6;
    constexpr std::uint64_t jpeg = 7;
    constexpr std::uint64_t integers = 1;
    constexpr std::uint64_t anything = 4;
    constexpr std::uint64_t separated = 5;
    constexpr std::uint64_t by_planes = 2;
    const std::uint64_t packed = page.value_of(compression, 1);
    if (page.has(tile_width)) {
        fault(at, "tiles, which are not decoded,");
    } else if (packed == old_jpeg || packed == jpeg) {
        fault(at, "samples in JPEG, which are not decoded,");
    } else {
        judge_strips(page, at);
    }
    // Of 32 bits they are read as they are, or refused.
    constexpr std::uint64_t deep = 32;
    const std::uint64_t format = page.value_of(sample_format, integers);
    if (format != integers && format != anything && page.value_of(bits_per_sample, 1) < deep) {
        fault(at, "samples below zero or floating, which are taken for whole numbers,");
    }
    constexpr std::uint64_t last_bit_first = 2;
    constexpr std::array<std::uint64_t, 3> of_facsimile{2, 3, 4};
    const std::uint64_t bits = page.value_of(bits_per_sample, 1);
    if (page.value_of(fill_order, 1) == last_bit_first && (bits == 2 || bits == 4) &&
        std::ranges::find(of_facsimile, packed) == of_facsimile.end()) {
        fault(at, "bits in the other order, which are taken as they are,");
    }
    if (page.value_of(photometric, 0) == separated &&
        (page.value_of(bits_per_sample, 8) != 8 || page.value_of(planar_configuration, 1) == by_planes)) {
        fault(at, "CMYK, which is taken for RGB with alpha,");
    }
}

void TiffScan::judge_strips(const TiffPage& page, std::int64_t at) {
    constexpr std::uint64_t ycbcr = 6;
    constexpr std::uint64_t by_planes = 2;
    const std::uint64_t height = page.value_of(image_length, 0);
    const std::uint64_t told_rows = page.value_of(rows_per_strip, 0);
    const std::uint64_t rows = std::max<std::uint64_t>(told_rows == 0 ? height : std::min(told_rows, height), 1);
    const bool planes = page.value_of(planar_configuration, 1) == by_planes;
    const std::uint64_t samples = page.value_of(samples_per_pixel, 1);
    const std::uint64_t of_plane = (height + rows - 1) / rows;
    const std::uint64_t strips = of_plane * (planes ? samples : 1);
    if (page.count(page.entry(strip_offsets)) < strips) {
        fault(at, "fewer strips than the picture has,");
        return;
    }
    const std::uint64_t row_bits =
        page.value_of(image_width, 0) * (planes ? 1 : samples) * page.value_of(bits_per_sample, 1);
    if (page.value_of(compression, 1) != 1 || page.value_of(photometric, 0) == ycbcr) {
        return;
    }
    const std::size_t byte_counts = page.entry(strip_byte_counts);
    for (std::uint64_t i = 0; i < std::min(strips, most_strips); ++i) {
        const std::uint64_t own_rows = std::min(rows, height - i % of_plane * rows);
        const std::uint64_t size = page.value(byte_counts, 0, i);
        if (size > 0 && size < (row_bits + 7) / 8 * own_rows) {  // 0 where a program left them out
            fault(at, "a strip that is too short,");
            return;
        }
    }
}

void TiffScan::count(const TiffPage& page, std::int64_t at) {
    // The first one is what is decoded, whatever it is.
    if (pages_ == 0 || is_picture(page)) {
        second_at_ = ++pages_ == 2 ? at : second_at_;
    }
}

// One that lies before what was read is not looked at.
void TiffScan::follow(std::size_t next) {
    signed_value(next) > here() ? move_to(signed_value(next)) : stop();
}

void TiffScan::beginning(Bytes bytes) {
    stop();
    if (bytes.size() < tiff_header) {
        return;
    }
    big_ = bytes[0] == 'M';
    std::set<std::size_t> seen;
    std::size_t at = big_ ? big_endian(bytes, 4, 4) : little_endian(bytes, 4, 4);
    while (at != 0 && entries_ < most_entries && seen.insert(at).second) {
        const TiffPage page(bytes, big_, at);
        if (at + tiff_count > bytes.size() || !page.whole()) {
            return bytes.size() == most_at_once ? follow(at) : stop();
        }
        entries_ += page.size() + 1;
        if (pages_ == 0 && !page.has(dng_version)) {
            judge_pixels(page, signed_value(at));
        }
        count(page, signed_value(at));
        at = page.next();
    }
}

// Asked for once more where it is longer than what is there of it.
void TiffScan::directory(Bytes bytes) {
    if (is_short(bytes)) {
        return stop();
    }
    const TiffPage page(bytes, big_, 0);
    if (!page.whole()) {
        return wish_for(here(), tiff_count + page.size() * tiff_entry + tiff_next);
    }
    entries_ += page.size() + 1;
    count(page, here());
    entries_ < most_entries ? follow(page.next()) : stop();
}

void TiffScan::end(std::int64_t /*size*/) {
    if (pages_ > 1) {
        fault(second_at_, pages_ == 2 ? std::string(another_picture)
                                      : std::to_string(pages_ - 1) + " more pictures begin, which are not read,");
    }
}

}  // namespace

std::unique_ptr<ContainerScan> make_tiff_scan() {
    return std::make_unique<TiffScan>();
}

}  // namespace vfilter
