// ASF: a header, then packets of one size.

#include <algorithm>
#include <array>

#include "io/bitstream/bytes.h"
#include "io/input/evidence/behind_end.h"
#include "io/input/evidence/scans.h"

namespace vfilter {

namespace {

using namespace std::string_view_literals;
constexpr std::string_view header_object = "\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c"sv;
constexpr std::string_view data_object = "\x36\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c"sv;
// Simple index, index, index of media objects, of timecodes.
constexpr std::array indexes{"\x90\x08\x00\x33\xb1\xe5\xcf\x11\x89\xf4\x00\xa0\xc9\x03\x49\xcb"sv,
                             "\xd3\x29\xe2\xd6\xda\x35\xd1\x11\x90\x34\x00\xa0\xc9\x03\x49\xbe"sv,
                             "\xf8\x03\xb1\xfe\xad\x12\x64\x4c\x84\x0f\x2a\x1d\x2f\x7a\xd4\x8c"sv,
                             "\xd0\x3f\xb7\x3c\x4a\x0c\x03\x48\x95\x3d\xed\xf7\xb6\x22\x8f\x0c"sv};
constexpr std::string_view properties = "\xa1\xdc\xab\x8c\x47\xa9\xcf\x11\x8e\xe4\x00\xc0\x0c\x20\x53\x65"sv;
constexpr std::int64_t max_header = 16 << 20;
constexpr std::size_t object_room = 50;
constexpr std::size_t object_head = 24;  // its kind and size
constexpr std::uint8_t usual_begin = 0x82;

class AsfScan final : public ContainerScan {
public:
    [[nodiscard]] Wish wish() const override { return {at_, want_}; }
    void take(Bytes bytes) override;
    void end(std::int64_t size) override;

private:
    void object(Bytes bytes);
    void header(Bytes bytes);
    void packet(std::uint8_t begin);
    void behind_data(Bytes bytes);
    void look_after_data();

    std::int64_t at_ = 0;
    std::size_t want_ = object_room;
    bool in_header_ = false;
    bool after_data_ = false;
    bool after_objects_ = false;
    BehindEnd behind_;
    bool live_ = false;
    std::uint64_t packet_ = 0;   // bytes; 0 where packets differ
    std::uint64_t packets_ = 0;  // that the header tells of
    std::int64_t data_end_ = 0;
    std::uint64_t left_ = 0;             // packets to look at
    std::optional<std::uint8_t> begin_;  // with which every packet begins
};

void AsfScan::look_after_data() {
    after_data_ = true;
    at_ = std::max(at_, data_end_);
    want_ = object_head;
}

void AsfScan::take(Bytes bytes) {
    if (after_data_) {
        behind_data(bytes);
    } else if (left_ > 0) {
        packet(bytes[0]);
    } else if (in_header_) {
        header(bytes);
    } else {
        object(bytes);
    }
}

// Indexes, up to the end. Of what follows them nothing is read.
void AsfScan::behind_data(Bytes bytes) {
    if (after_objects_) {
        want_ = behind_.read(at_, bytes) && bytes.size() == want_ ? search_window : 0;
        at_ += signed_value(bytes.size());
        return;
    }
    const std::uint64_t size = bytes.size() < want_ ? 0 : little_endian(bytes, 16, 8);
    const std::string_view begin = text(bytes);
    if (begin.starts_with(header_object)) {
        fault(at_, another_file);
        want_ = 0;
    } else if (size >= want_ && size < INT64_MAX / 4 &&
               std::ranges::any_of(indexes, [&](std::string_view index) { return begin.starts_with(index); })) {
        at_ += signed_value(size);
    } else {
        after_objects_ = true;
        behind_.begin(at_);
        want_ = search_window;
    }
}

void AsfScan::packet(std::uint8_t begin) {
    // The flags of error correction, which nearly all writers set, and then always.
    begin_ = begin_.value_or(begin);
    if (*begin_ == usual_begin && begin != usual_begin) {
        fault(at_, "no packet where one should begin");
    }
    at_ += signed_value(packet_);
    if (--left_ == 0 || *begin_ != usual_begin) {
        look_after_data();
    }
}

void AsfScan::header(Bytes bytes) {
    in_header_ = false;
    const std::size_t place = text(bytes).find(properties);
    if (bytes.size() == want_ && place != std::string_view::npos) {
        const Bytes fields = part(bytes, place);
        packets_ = little_endian(fields, 56, 8);
        live_ = (little_endian(fields, 88, 4) & 1) != 0;
        const std::uint64_t least = little_endian(fields, 92, 4);
        packet_ = least == little_endian(fields, 96, 4) ? least : 0;
    }
    at_ += signed_value(want_);
    want_ = object_room;
}

void AsfScan::object(Bytes bytes) {
    const std::uint64_t size = little_endian(bytes, 16, 8);
    if (bytes.size() < object_head) {
        want_ = 0;
        return;
    }
    if (text(bytes).starts_with(header_object) && size > object_head && size <= max_header) {
        at_ += signed_value(object_head);
        want_ = static_cast<std::size_t>(size) - object_head;
        in_header_ = true;
        return;
    }
    want_ = 0;
    if (text(bytes).starts_with(data_object) && !live_) {
        const std::uint64_t told = little_endian(bytes, 40, 8);
        if (size >= object_room && size < INT64_MAX / 4) {
            data_end_ = at_ + signed_value(size);
        }
        if (packet_ > 0 && told > 0 && told == packets_ && told < INT64_MAX / 4 / packet_) {
            data_end_ = std::max(data_end_, at_ + signed_value(object_room + told * packet_));
            at_ += signed_value(object_room);
            left_ = told;
            want_ = 1;
        } else if (data_end_ > 0) {
            look_after_data();
        }
    }
}

void AsfScan::end(std::int64_t size) {
    if (data_end_ > size) {
        fault(size, "the file ends before its packets do");
    }
    if (behind_.matters()) {
        fault(behind_.at(), unread_behind);
    }
}

}  // namespace

std::unique_ptr<ContainerScan> make_asf_scan() {
    return std::make_unique<AsfScan>();
}

}  // namespace vfilter
