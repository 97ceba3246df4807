// ASF: a header, then packets of one size.

#include <algorithm>
#include <array>

#include "io/bitstream/bytes.h"
#include "io/input/evidence/behind_end.h"
#include "io/input/evidence/scans.h"
#include "io/input/evidence/stepping_scan.h"

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

class AsfScan final : public SteppingScan<AsfScan> {
public:
    AsfScan() : SteppingScan(&AsfScan::object, object_room) {}
    void end(std::int64_t size) override;

private:
    void object(Bytes bytes);
    void header(Bytes bytes);
    void packet(Bytes bytes);
    void index(Bytes bytes);
    void behind(Bytes bytes) { look_behind(behind_, bytes); }
    void leave_data() { ask(std::max(here(), data_end_), object_head, &AsfScan::index); }

    BehindEnd behind_;
    bool live_ = false;
    std::uint64_t packet_ = 0;   // bytes; 0 where packets differ
    std::uint64_t packets_ = 0;  // that the header tells of
    std::int64_t data_end_ = 0;
    std::uint64_t left_ = 0;             // packets to look at
    std::optional<std::uint8_t> begin_;  // with which every packet begins
};

// Behind the data, up to the end. Of what follows indexes nothing is read.
void AsfScan::index(Bytes bytes) {
    const std::uint64_t size = is_short(bytes) ? 0 : little_endian(bytes, 16, 8);
    const std::string_view begin = text(bytes);
    if (begin.starts_with(header_object)) {
        fault(here(), another_file);
        stop();
    } else if (size >= object_head && size < INT64_MAX / 4 &&
               std::ranges::any_of(indexes, [&](std::string_view index) { return begin.starts_with(index); })) {
        ask(here() + signed_value(size), object_head, &AsfScan::index);
    } else {
        behind_.begin(here());
        ask(here(), search_window, &AsfScan::behind);
    }
}

void AsfScan::packet(Bytes bytes) {
    const std::uint8_t begin = bytes[0];
    // The flags of error correction, which nearly all writers set, and then always.
    begin_ = begin_.value_or(begin);
    if (*begin_ == usual_begin && begin != usual_begin) {
        fault(here(), "no packet where one should begin");
    }
    ask(here() + signed_value(packet_), 1, &AsfScan::packet);
    if (--left_ == 0 || *begin_ != usual_begin) {
        leave_data();
    }
}

void AsfScan::header(Bytes bytes) {
    const std::size_t place = text(bytes).find(properties);
    if (!is_short(bytes) && place != std::string_view::npos) {
        const Bytes fields = part(bytes, place);
        packets_ = little_endian(fields, 56, 8);
        live_ = (little_endian(fields, 88, 4) & 1) != 0;
        const std::uint64_t least = little_endian(fields, 92, 4);
        packet_ = least == little_endian(fields, 96, 4) ? least : 0;
    }
    move_to(here() + signed_value(wanted()));
}

void AsfScan::object(Bytes bytes) {
    const std::uint64_t size = little_endian(bytes, 16, 8);
    if (bytes.size() < object_head) {
        return stop();
    }
    if (text(bytes).starts_with(header_object) && size > object_head && size <= max_header) {
        return ask(here() + signed_value(object_head), static_cast<std::size_t>(size) - object_head, &AsfScan::header);
    }
    if (!text(bytes).starts_with(data_object) || live_) {
        return stop();
    }
    const std::uint64_t told = little_endian(bytes, 40, 8);
    if (size >= object_room && size < INT64_MAX / 4) {
        data_end_ = here() + signed_value(size);
    }
    if (packet_ > 0 && told > 0 && told == packets_ && told < INT64_MAX / 4 / packet_) {
        data_end_ = std::max(data_end_, here() + signed_value(object_room + told * packet_));
        left_ = told;
        ask(here() + signed_value(object_room), 1, &AsfScan::packet);
    } else if (data_end_ > 0) {
        leave_data();
    } else {
        stop();
    }
}

void AsfScan::end(std::int64_t size) {
    if (data_end_ > size) {
        fault(size, "the file ends before its packets do");
    }
    fault_behind(behind_, unread_behind);
}

}  // namespace

std::unique_ptr<ContainerScan> make_asf_scan() {
    return std::make_unique<AsfScan>();
}

}  // namespace vfilter
