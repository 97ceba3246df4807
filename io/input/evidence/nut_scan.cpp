// NUT: packets that begin with a startcode and say their size, and frames between them, whose first byte stands for a
// row of the table in the main header.

#include <algorithm>
#include <array>
#include <vector>

#include "io/bitstream/bytes.h"
#include "io/input/evidence/scans.h"
#include "io/input/evidence/stepping_scan.h"

namespace vfilter {

namespace {

constexpr std::string_view nut_file_id("nut/multimedia container\0", 25);
constexpr std::uint64_t nut_main = 0x4E4D7A561F5F04AD;
constexpr std::uint64_t nut_stream = 0x4E5311405BF2F9DB;
constexpr std::uint64_t nut_syncpoint = 0x4E4BE4ADEECA4569;
constexpr std::uint64_t nut_info = 0x4E49AB68B596BA78;
constexpr std::uint64_t nut_index = 0x4E58DD672F23E64E;
constexpr std::array nut_startcodes{nut_main, nut_stream, nut_syncpoint, nut_info, nut_index};

constexpr std::size_t nut_header_room = 64;    // a frame's header, or a packet's
constexpr std::size_t max_nut_body = 1 << 20;  // of a packet that is read
constexpr std::uint64_t checked_size = 4096;   // packets above have a checksum in their header as well
constexpr std::size_t max_syncpoints = 1 << 20;

enum NutFlag : std::uint64_t {
    nut_eor = 1U << 1,
    nut_coded_pts = 1U << 3,
    nut_stream_id = 1U << 4,
    nut_size_msb = 1U << 5,
    nut_checksum = 1U << 6,
    nut_reserved = 1U << 7,
    nut_header_idx = 1U << 10,
    nut_match_time = 1U << 11,
    nut_coded = 1U << 12,
    nut_invalid = 1U << 13,
};
constexpr std::uint64_t nut_pipe_mode = 1U << 1;  // of the main header: neither syncpoints nor an index

// Numbers of any length, seven bits in a byte.
class NutReader {
public:
    explicit NutReader(Bytes bytes) : bytes_(bytes) {}

    std::uint64_t v() {
        std::uint64_t value = 0;
        while (at_ < bytes_.size()) {
            const std::uint8_t byte = bytes_[at_++];
            value = value << 7 | (byte & 0x7F);
            if ((byte & 0x80) == 0) {
                return value;
            }
        }
        over_ = true;
        return 0;
    }
    void skip(std::uint64_t count) {
        over_ = over_ || count > bytes_.size() - at_;
        at_ += over_ ? 0 : static_cast<std::size_t>(count);
    }
    [[nodiscard]] std::size_t at() const { return at_; }
    /// More was asked for than there is.
    [[nodiscard]] bool over() const { return over_; }

private:
    Bytes bytes_;
    std::size_t at_ = 0;
    bool over_ = false;
};

struct FrameCode {
    std::uint64_t flags = nut_invalid;
    std::uint64_t stream = 0;
    std::uint64_t multiple = 1;
    std::uint64_t size = 0;
    std::uint64_t reserved = 0;
    std::uint64_t elision = 0;
};

class NutScan final : public SteppingScan<NutScan> {
public:
    NutScan() : SteppingScan(&NutScan::unit, nut_header_room) { ask(0, nut_file_id.size(), &NutScan::file_id); }
    void end(std::int64_t size) override;

private:
    void file_id(Bytes bytes) { move_to(text(bytes) == nut_file_id ? signed_value(nut_file_id.size()) : 0); }
    void unit(Bytes bytes) { bytes[0] == 'N' ? packet(bytes) : frame(bytes); }
    void packet(Bytes bytes);
    void frame(Bytes bytes);
    void body(Bytes bytes);
    void main_header(Bytes bytes);
    void frame_codes(NutReader& header);
    void stream_header(Bytes bytes);
    void check_syncpoint(Bytes bytes);
    void search(Bytes bytes);
    void lose_way();

    std::uint64_t startcode_ = 0;  // of the packet whose body is read
    std::int64_t next_ = 0;        // where it ends
    std::int64_t packet_at_ = 0;
    std::array<FrameCode, 256> codes_{};
    std::vector<std::uint64_t> elisions_{0};  // bytes that a frame leaves out
    std::uint64_t streams_ = 0;
    std::uint64_t main_flags_ = 0;
    std::vector<std::int64_t> syncpoints_;
    bool whole_ = true;  // so far: no place was looked for after damage
    bool by_ffmpeg_ = false;
    bool closed_ = false;  // an index came last
};

void NutScan::packet(Bytes bytes) {
    startcode_ = big_endian(bytes, 0, 8);
    NutReader header(part(bytes, 8));
    const std::uint64_t size = header.v();
    if (is_short(bytes) && header.over()) {
        fault(here(), "the file ends inside of a header");
        return stop();
    }
    if (std::ranges::find(nut_startcodes, startcode_) == nut_startcodes.end() || header.over() || size < 4 ||
        size > INT64_MAX / 2) {
        return lose_way();
    }
    closed_ = startcode_ == nut_index;
    packet_at_ = here();
    const std::int64_t data = here() + signed_value(8 + header.at() + (size > checked_size ? 4 : 0));
    next_ = data + signed_value(size);
    if (startcode_ == nut_index || size > max_nut_body) {
        return move_to(next_);
    }
    ask(data, static_cast<std::size_t>(size), &NutScan::body);
}

void NutScan::body(Bytes bytes) {
    if (is_short(bytes)) {
        return stop_at(next_);
    }
    if (startcode_ == nut_main) {
        main_header(bytes);
    } else if (startcode_ == nut_stream) {
        stream_header(bytes);
    } else if (startcode_ == nut_syncpoint) {
        check_syncpoint(bytes);
    } else {
        const std::size_t encoder = text(bytes).find("ncoder");
        by_ffmpeg_ = by_ffmpeg_ || (encoder != std::string_view::npos &&
                                    text(bytes, encoder, 16).find("Lavf") != std::string_view::npos);
    }
    move_to(next_);
}

// The table that a frame's first byte goes by: each entry stands for some rows, and tells what has changed.
void NutScan::frame_codes(NutReader& header) {
    FrameCode row;
    for (std::size_t i = 0; i < codes_.size() && !header.over();) {
        row.flags = header.v();
        const std::uint64_t fields = header.v();
        if (fields > 0) {
            header.v();  // time
        }
        row.multiple = fields > 1 ? header.v() : row.multiple;
        row.stream = fields > 2 ? header.v() : row.stream;
        row.size = fields > 3 ? header.v() : 0;
        row.reserved = fields > 4 ? header.v() : 0;
        std::uint64_t count = fields > 5 ? header.v() : row.multiple - row.size;
        if (fields > 6) {
            header.v();  // time to match
        }
        row.elision = fields > 7 ? header.v() : row.elision;
        for (std::uint64_t more = 8; more < fields && !header.over(); ++more) {
            header.v();
        }
        for (; count > 0 && i < codes_.size(); ++i) {
            if (i == 'N') {
                codes_[i] = {};
                continue;
            }
            codes_[i] = row;
            ++row.size;
            --count;
        }
    }
}

void NutScan::main_header(Bytes bytes) {
    NutReader header(bytes);
    const std::uint64_t version = header.v();
    if (version > 3) {
        header.v();  // minor version
    }
    streams_ = header.v();
    header.v();  // the largest distance of syncpoints
    for (std::uint64_t bases = header.v(); bases > 0 && !header.over(); --bases) {
        header.v();
        header.v();
    }
    frame_codes(header);
    elisions_ = {0};
    for (std::uint64_t left = header.v(); left > 0 && !header.over(); --left) {
        elisions_.push_back(header.v());
        header.skip(elisions_.back());
    }
    main_flags_ = version > 3 ? header.v() : 0;
    if (header.over()) {
        fault(packet_at_, "a main header that is too short");
    }
}

// Headers come again.
void NutScan::stream_header(Bytes bytes) {
    NutReader header(bytes);
    const std::int64_t id = signed_value(header.v());
    const std::uint64_t kind = header.v();
    if (!header.over()) {
        using Kind = TrackEvidence::Kind;
        track_of(kind == 0 ? Kind::video : kind == 1 ? Kind::audio : Kind::other, id);
    }
}

// It points back to another one, to which sixteen bytes more or less: where bytes were lost between them, to none.
void NutScan::check_syncpoint(Bytes bytes) {
    NutReader header(bytes);
    header.v();  // time
    const std::int64_t back = signed_value(std::min<std::uint64_t>(header.v(), INT64_MAX / 32));
    const std::int64_t latest = packet_at_ - 16 * back;
    const auto found = std::ranges::lower_bound(syncpoints_, latest - 15);
    if (whole_ && back > 0 && (found == syncpoints_.end() || *found > latest)) {
        fault(packet_at_, "a syncpoint that points to none");
    }
    if (syncpoints_.size() < max_syncpoints) {
        syncpoints_.push_back(packet_at_);
    } else {
        whole_ = false;  // what is behind is no longer held against them
    }
}

void NutScan::frame(Bytes bytes) {
    const FrameCode& code = codes_[bytes[0]];
    NutReader header(part(bytes, 1));
    std::uint64_t flags = code.flags;
    if ((flags & nut_invalid) == 0 && (flags & nut_coded) != 0) {
        flags ^= header.v();
    }
    const std::uint64_t stream = (flags & nut_stream_id) != 0 ? header.v() : code.stream;
    if ((flags & nut_coded_pts) != 0) {
        header.v();
    }
    std::uint64_t size = code.size + ((flags & nut_size_msb) != 0 ? code.multiple * header.v() : 0);
    if ((flags & nut_match_time) != 0) {
        header.v();
    }
    std::uint64_t elision = (flags & nut_header_idx) != 0 ? header.v() : code.elision;
    for (std::uint64_t more = (flags & nut_reserved) != 0 ? header.v() : code.reserved; more > 0 && !header.over();
         --more) {
        header.v();
    }
    if ((flags & nut_checksum) != 0) {
        header.skip(4);
    }
    if ((flags & nut_invalid) == 0 && header.over() && is_short(bytes)) {
        fault(here(), "the file ends inside of a frame");
        return stop();
    }
    elision = size > checked_size ? 0 : elision;
    TrackEvidence* const to = stream < streams_ ? track(signed_value(stream)) : nullptr;
    if ((flags & nut_invalid) != 0 || header.over() || to == nullptr || elision >= elisions_.size() ||
        size < elisions_[elision] || size > INT64_MAX / 2) {
        return lose_way();
    }
    closed_ = false;
    if ((flags & nut_eor) == 0) {
        ++to->found;
        if (to->kind == TrackEvidence::Kind::video) {
            to->empty = to->empty.value_or(0) + (size == 0 ? 1 : 0);
        }
    }
    move_to(here() + signed_value(1 + header.at() + size - elisions_[elision]));
}

void NutScan::lose_way() {
    whole_ = false;
    closed_ = false;
    lose("neither a frame nor a packet", &NutScan::search);
}

void NutScan::search(Bytes bytes) {
    for (std::size_t i = 0; i + 8 <= bytes.size(); ++i) {
        if (bytes[i] == 'N' && std::ranges::find(nut_startcodes, big_endian(bytes, i, 8)) != nut_startcodes.end()) {
            return move_to(here() + signed_value(i));
        }
    }
    search_on(bytes, 7);
}

void NutScan::end(std::int64_t size) {
    if (std::max(here(), next_) > size) {
        fault(size, "the file ends inside of a frame or packet");
    } else if (by_ffmpeg_ && !closed_ && !syncpoints_.empty() && (main_flags_ & nut_pipe_mode) == 0) {
        fault(size, "the file ends without the index that FFmpeg writes last");
    }
}

}  // namespace

std::unique_ptr<ContainerScan> make_nut_scan() {
    return std::make_unique<NutScan>();
}

}  // namespace vfilter
