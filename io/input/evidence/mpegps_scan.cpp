// MPEG program streams: packs, each with a header and packets of streams, all of which say how long they are.

#include <bitset>

#include "io/bitstream/bytes.h"
#include "io/input/evidence/behind_end.h"
#include "io/input/evidence/scans.h"
#include "io/input/evidence/stepping_scan.h"

namespace vfilter {

namespace {

constexpr std::uint8_t end_code = 0xB9;
constexpr std::uint8_t pack_code = 0xBA;
constexpr std::uint8_t first_video = 0xE0;
constexpr std::uint8_t last_video = 0xEF;
constexpr std::uint32_t pack_start[] = {0x100U + pack_code};
constexpr std::size_t unit_room = 14;  // a pack's header without what stuffs it
constexpr std::size_t code_size = 4;
constexpr std::size_t packet_head = 6;               // code and length
constexpr std::int64_t max_lead = 1 << 20;           // before the first pack
constexpr std::int64_t harmless_without_mark = 256;  // behind a file that has no mark of its end

class MpegpsScan final : public SteppingScan<MpegpsScan> {
public:
    MpegpsScan() : SteppingScan(&MpegpsScan::unit, unit_room) { ask(0, search_window, &MpegpsScan::lead); }
    void end(std::int64_t size) override;

private:
    void lead(Bytes bytes);
    void search(Bytes bytes);
    void unit(Bytes bytes);
    void packet(std::uint8_t stream, std::uint64_t length);
    void zeroes(Bytes bytes);
    void lose_packet(const std::string& what);

    bool unbounded_ = false;    // a stream's packets end where others begin
    bool after_end_ = false;    // the last unit was the mark of the end
    std::bitset<256> bounded_;  // streams of which a packet has a length
    std::int64_t lost_at_ = -1;
    std::string lost_;
    BehindEnd behind_;
};

bool is_mpeg2_pack(std::uint64_t kind) {
    return (kind & 0xC0) == 0x40;
}

bool is_mpeg1_pack(std::uint64_t kind) {
    return (kind & 0xF0) == 0x20;
}

std::optional<std::size_t> find_pack(Bytes bytes) {
    for (std::size_t from = 0;;) {
        const std::optional<std::size_t> found = find_mark(part(bytes, from), pack_start);
        const std::size_t place = from + found.value_or(0);
        if (!found || place + code_size >= bytes.size()) {
            return std::nullopt;
        }
        if (const std::uint8_t kind = bytes[place + code_size]; is_mpeg2_pack(kind) || is_mpeg1_pack(kind)) {
            return place;
        }
        from = place + 1;
    }
}

// What follows is nothing of a program stream. Whether that is damage is known when packs follow, or the end.
void MpegpsScan::lose_packet(const std::string& what) {
    lost_at_ = here();
    lost_ = what;
    behind_ = {};
    behind_.begin(here());
    ask(here(), search_window, &MpegpsScan::search);
}

void MpegpsScan::search(Bytes bytes) {
    if (const std::optional<std::size_t> found = find_pack(bytes)) {
        fault(lost_at_, lost_);
        lost_at_ = -1;
        return move_to(here() + signed_value(*found));
    }
    behind_.read(here(), bytes);
    search_on(bytes, code_size);
}

// What lies before the first pack is not judged: the file may begin in the middle of one.
void MpegpsScan::lead(Bytes bytes) {
    if (here() == 0 && text(bytes).starts_with("RIFF")) {
        return stop();  // sectors of a CD, with heads of their own
    }
    if (const std::optional<std::size_t> found = find_pack(bytes)) {
        return move_to(here() + signed_value(*found));
    }
    if (here() > max_lead) {
        return stop();
    }
    search_on(bytes, code_size);
}

void MpegpsScan::unit(Bytes bytes) {
    if (bytes.size() < code_size) {
        return stop();  // nothing of a packet that matters
    }
    const std::uint64_t code = big_endian(bytes, 0, code_size);
    const auto stream = static_cast<std::uint8_t>(code & 0xFF);
    if (code >> 16 == 0 && (code >> 8 & 0xFF) == 0) {
        return ask(here(), search_window, &MpegpsScan::zeroes);
    }
    if (code >> 8 != 1 || stream < end_code) {
        return lose_packet("no packet where one should begin");
    }
    after_end_ = stream == end_code;
    if (after_end_) {
        return move_to(here() + signed_value(code_size));
    }
    if (stream != pack_code) {
        if (bytes.size() < packet_head) {
            fault(here(), "the file ends inside of a packet");
            return stop();
        }
        return packet(stream, big_endian(bytes, code_size, 2));
    }
    const std::uint64_t kind = big_endian(bytes, code_size, 1);
    if (is_mpeg2_pack(kind)) {
        return move_to(here() + signed_value(unit_room + (big_endian(bytes, unit_room - 1, 1) & 7)));
    }
    if (is_mpeg1_pack(kind)) {
        return move_to(here() + 12);
    }
    lose_packet("no pack where one should begin");
}

void MpegpsScan::packet(std::uint8_t stream, std::uint64_t length) {
    if (length == 0 && stream >= first_video && stream <= last_video) {
        if (bounded_[stream]) {
            return lose_packet("a packet without a length");
        }
        unbounded_ = true;
        return stop();
    }
    bounded_[stream] = true;
    move_to(here() + signed_value(packet_head + length));
}

// Between packets there may be as many as one likes.
void MpegpsScan::zeroes(Bytes bytes) {
    const auto other = std::ranges::find_if(bytes, [](std::uint8_t byte) { return byte != 0; });
    const std::ptrdiff_t count = other - bytes.begin();
    if (other == bytes.end()) {
        return search_on(bytes, 3);
    }
    if (*other == 1 && count >= 2) {
        return move_to(here() + count - 2);
    }
    lose_packet("no packet where one should begin");
}

void MpegpsScan::end(std::int64_t size) {
    if (lost_at_ >= 0 && (after_end_ ? behind_.matters() : size - lost_at_ > harmless_without_mark)) {
        fault(lost_at_, after_end_ ? std::string(unread_behind) : lost_);
    } else if (here() > size && !unbounded_) {
        fault(size, "the file ends inside of a packet");
    }
}

}  // namespace

std::unique_ptr<ContainerScan> make_mpegps_scan() {
    return std::make_unique<MpegpsScan>();
}

}  // namespace vfilter
