// TIFF: directories, one for each page, each of which says where the next one is.

#include "io/input/evidence/bytes.h"
#include "io/input/evidence/scans.h"

namespace vfilter {

namespace {

constexpr std::size_t tiff_header = 8;
constexpr std::size_t tiff_count = 2;  // of a directory's entries, which stands before them
constexpr std::size_t tiff_entry = 12;
constexpr std::size_t tiff_next = 4;  // where the next directory is

class TiffScan final : public ContainerScan {
public:
    [[nodiscard]] Wish wish() const override { return {at_, want_}; }
    void take(Bytes bytes) override;
    void end(std::int64_t /*size*/) override {
        if (pages_ > 1) {
            fault(second_at_, pages_ == 2 ? std::string(another_picture)
                                          : std::to_string(pages_ - 1) + " more pictures begin, which are not read,");
        }
    }

private:
    enum class State { header, count, entries };

    [[nodiscard]] std::uint64_t number(Bytes bytes, std::size_t at, std::size_t size) const {
        return big_ ? big_endian(bytes, at, size) : little_endian(bytes, at, size);
    }
    [[nodiscard]] bool is_page(Bytes entries) const;
    void move_to(std::uint64_t directory);

    std::int64_t at_ = 0;
    std::size_t want_ = tiff_header;
    State state_ = State::header;
    bool big_ = false;
    std::int64_t pages_ = 0;
    std::int64_t second_at_ = 0;
};

// Not a smaller form of another picture, nor a mask of one.
bool TiffScan::is_page(Bytes entries) const {
    constexpr std::uint64_t new_subfile_type = 254;
    constexpr std::uint64_t subfile_type = 255;
    constexpr std::uint64_t image_width = 256;
    constexpr std::uint64_t reduced_or_mask = 5;
    constexpr std::uint64_t old_reduced = 2;
    bool picture = false;
    for (std::size_t at = 0; at + tiff_entry + tiff_next <= entries.size(); at += tiff_entry) {
        const std::uint64_t tag = number(entries, at, 2);
        picture = picture || tag == image_width;
        if ((tag == new_subfile_type && (number(entries, at + 8, 4) & reduced_or_mask) != 0) ||
            (tag == subfile_type && number(entries, at + 8, 2) == old_reduced)) {
            return false;
        }
    }
    return picture;
}

// One that lies before what was read is not looked at.
void TiffScan::move_to(std::uint64_t directory) {
    state_ = State::count;
    want_ = directory != 0 && signed_value(directory) >= at_ ? tiff_count : 0;
    at_ = want_ != 0 ? signed_value(directory) : at_;
}

void TiffScan::take(Bytes bytes) {
    if (bytes.size() < want_) {
        want_ = 0;
        return;
    }
    switch (state_) {
        case State::header:
            big_ = bytes[0] == 'M';
            at_ = tiff_header;
            return move_to(number(bytes, 4, 4));
        case State::count:
            at_ += tiff_count;
            want_ = static_cast<std::size_t>(number(bytes, 0, tiff_count)) * tiff_entry + tiff_next;
            state_ = State::entries;
            return;
        case State::entries:
            // The first one is what is decoded, whatever it is.
            if (pages_ == 0 || is_page(bytes)) {
                second_at_ = ++pages_ == 2 ? at_ - signed_value(tiff_count) : second_at_;
            }
            at_ += signed_value(bytes.size());
            return move_to(number(bytes, bytes.size() - tiff_next, tiff_next));
    }
}

}  // namespace

std::unique_ptr<ContainerScan> make_tiff_scan() {
    return std::make_unique<TiffScan>();
}

}  // namespace vfilter
