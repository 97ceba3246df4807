// AVI: RIFF chunks, with the pictures and the sound in lists 'movi'.

#include <array>

#include "io/bitstream/bytes.h"
#include "io/input/evidence/avi_chunks.h"
#include "io/input/evidence/behind_end.h"
#include "io/input/evidence/scans.h"
#include "io/input/evidence/stepping_scan.h"

namespace vfilter {

namespace {

constexpr std::int64_t max_headers = 16 << 20;
constexpr std::int64_t max_index = 64 << 20;
constexpr std::size_t avi_header_room = 12;
constexpr std::uint64_t max_chunk = 0x1000000;  // of what is found by its name alone
constexpr std::size_t max_avi_streams = 100;    // their numbers have two digits
constexpr std::uint32_t avi_elements[] = {mark("RIFF"), mark("LIST"), mark("JUNK"),
                                          mark("idx1"), mark("movi"), mark("indx")};

class AviScan final : public SteppingScan<AviScan> {
public:
    AviScan() : SteppingScan(&AviScan::chunk, avi_header_room) {}
    void end(std::int64_t size) override;

private:
    void chunk(Bytes bytes);
    void outside_chunk(std::uint32_t type, bool empty, std::int64_t after);
    void inside_chunk(std::uint32_t type, std::int64_t end, std::int64_t after);
    void file_part(std::uint32_t form, std::int64_t end);
    void count(std::uint32_t type, bool holds);
    void list(std::uint32_t kind, std::int64_t end);
    void headers(Bytes bytes);
    void stream_header(Bytes bytes);
    void index(Bytes bytes);
    void search(Bytes bytes);
    void behind(Bytes bytes);
    [[nodiscard]] bool begins_packet(Bytes bytes, std::size_t at) const;
    [[nodiscard]] bool belongs(std::uint32_t type) const;
    void lose_chunk(const std::string& what) {
        mistrusted_ = false;
        lose(what, &AviScan::search);
    }

    std::int64_t riff_end_ = 0;
    std::int64_t movi_end_ = 0;  // 0 outside of it, INT64_MAX where nobody wrote its size
    int riffs_ = 0;
    bool mistrusted_ = false;  // the last chunk was an unknown one
    std::array<std::int64_t, max_avi_streams> indexed_{};
    std::array<std::int64_t, max_avi_streams> empty_{};  // chunks that hold nothing: pictures that are shown again
    bool unfinished_ = false;                            // its writer never came back to write sizes
    bool has_index_ = false;
    bool goes_on_behind_ = false;  // of the end, where an index may be of another file
    std::int64_t file_end_ = 0;    // that the sizes tell
    BehindEnd behind_;
};

bool AviScan::belongs(std::uint32_t type) const {
    std::uint32_t kind = 0;
    const int stream = avi_stream_of(type, kind);
    return stream >= 0 && static_cast<std::size_t>(stream) < tracks().size() && is_avi_packet(kind);
}

void AviScan::chunk(Bytes bytes) {
    if (movi_end_ > 0 && here() >= movi_end_) {
        movi_end_ = 0;
    }
    const bool behind = movi_end_ == 0 && riffs_ > 0 && riff_end_ > 0 && here() >= riff_end_;
    if (behind && begins_packet(bytes, 0)) {
        movi_end_ = INT64_MAX;  // sizes that are too small, or bytes were put in
    }
    const bool inside = movi_end_ > 0;
    if (bytes.size() < 8) {
        if (inside && (movi_end_ != INT64_MAX || !all_zero(bytes))) {
            fault(here(), "the file ends inside of a chunk");
        }
        return stop();
    }
    const auto type = static_cast<std::uint32_t>(big_endian(bytes, 0, 4));
    const std::uint64_t told = little_endian(bytes, 4, 4);
    const bool list_begins = type == mark("RIFF") || type == mark("LIST");
    const std::uint64_t size = list_begins && told == UINT32_MAX ? 0 : told;  // nobody came back to write it
    const std::int64_t data = here() + 8;
    const std::int64_t after = data + signed_value(size + (size & 1));
    const auto form = static_cast<std::uint32_t>(big_endian(bytes, 8, 4));
    if (type == mark("RIFF")) {
        return file_part(form, size == 0 ? 0 : data + signed_value(size));
    }
    if (behind && !inside && type != mark("idx1")) {
        behind_.begin(here());
        return ask(here(), search_window, &AviScan::behind);
    }
    if (list_begins) {
        mistrusted_ = false;
        return list(form, size == 0 ? 0 : after);
    }
    if (type == mark("idx1")) {
        movi_end_ = 0;
        if (signed_value(size) <= max_index && size > 0) {
            return ask(data, static_cast<std::size_t>(size), &AviScan::index);
        }
        return move_to(after);
    }
    inside ? inside_chunk(type, data + signed_value(size), after) : outside_chunk(type, size == 0, after);
}

// One of no list, or of one that is none of packets.
void AviScan::outside_chunk(std::uint32_t type, bool empty, std::int64_t after) {
    const bool near =
        std::ranges::any_of(avi_elements, [&](std::uint32_t other) { return one_byte_apart(type, other); });
    const bool nothing = type == 0 && empty;
    if (riffs_ == 0 || ((!printable(type) || near) && !nothing)) {
        return lose_chunk("unknown chunk " + shown_mark(type));
    }
    file_end_ = std::max(file_end_, after - 1);
    move_to(after);
}

// One of a list of packets.
void AviScan::inside_chunk(std::uint32_t type, std::int64_t end, std::int64_t after) {
    const std::int64_t data = here() + 8;
    const bool nothing = type == 0 && end == data;
    if (belongs(type)) {
        count(type, end > data);
        mistrusted_ = false;
    } else if (type == mark("JUNK") || type >> 16 == avi_kind('i', 'x') || type >> 16 == avi_kind('I', 'X') ||
               type == mark("junk") || nothing) {
        mistrusted_ = false;
    } else {
        if (mistrusted_ || (movi_end_ != INT64_MAX && after > movi_end_ + 1)) {
            return lose_chunk("unknown chunk " + shown_mark(type));
        }
        fault(here(), "unknown chunk " + shown_mark(type));
        mistrusted_ = true;
    }
    if (movi_end_ != INT64_MAX && after > movi_end_ + 1) {
        return lose_chunk("a chunk runs over the end of its list");
    }
    file_end_ = std::max(file_end_, end);
    move_to(after);
}

// The whole file, or a further part of a long one.
void AviScan::file_part(std::uint32_t form, std::int64_t end) {
    // Another file was appended, or one whose chunks have no numbers of streams, and whose sizes are 0.
    if ((riffs_ > 0 && form != mark("AVIX")) || form == mark("AMV ")) {
        return stop();
    }
    ++riffs_;
    movi_end_ = 0;
    riff_end_ = end;
    file_end_ = std::max(file_end_, riff_end_);
    move_to(here() + 12);
}

// A chunk that belongs to a stream.
void AviScan::count(std::uint32_t type, bool holds) {
    std::uint32_t kind = 0;
    const auto stream = static_cast<std::size_t>(avi_stream_of(type, kind));
    using Kind = TrackEvidence::Kind;
    const Kind of = evidence()[stream].kind;
    const bool sound = kind == avi_kind('w', 'b');
    const bool words = kind == avi_kind('s', 'b') || kind == avi_kind('t', 'x');
    const bool either = kind == avi_kind('_', '_') || kind == avi_kind('i', 'x');
    if ((of == Kind::audio && !sound && !either) || (of == Kind::video && (sound || words))) {
        fault(here(), "a chunk " + shown_mark(type) + " in a stream of another kind");
    }
    const bool packet = kind != avi_palette && kind != avi_kind('i', 'x');
    (holds ? evidence()[stream].found : empty_[stream]) += packet ? 1 : 0;
}

void AviScan::list(std::uint32_t kind, std::int64_t end) {
    if (kind == mark("movi")) {
        movi_end_ = end == 0 ? INT64_MAX : end;
        unfinished_ = unfinished_ || end == 0;
        file_end_ = std::max(file_end_, end - 1);
        return move_to(here() + 12);
    }
    if (kind == mark("rec ")) {
        return move_to(here() + 12);
    }
    if (kind == mark("hdrl") && end - here() - 12 > 0 && end - here() - 12 <= max_headers) {
        return ask(here() + 12, static_cast<std::size_t>(end - here() - 12), &AviScan::headers);
    }
    const bool near = one_byte_apart(kind, mark("movi")) || one_byte_apart(kind, mark("hdrl"));
    if (near || !printable(kind)) {
        return lose_chunk("unknown list " + shown_mark(kind));
    }
    move_to(std::max(end, here() + 12));
}

void AviScan::headers(Bytes bytes) {
    const std::int64_t after = here() + signed_value(wanted());
    if (is_short(bytes)) {
        file_end_ = std::max(file_end_, after);
        return stop();
    }
    std::int64_t frames = 0;  // by OpenDML's header
    for (std::size_t at = 0; at + 12 <= bytes.size();) {
        const std::uint64_t type = big_endian(bytes, at, 4);
        const auto size = static_cast<std::size_t>(little_endian(bytes, at + 4, 4));
        const bool streams = type == mark("LIST") && big_endian(bytes, at + 8, 4) == mark("strl");
        if (type == mark("strh")) {
            stream_header(part(bytes, at + 8, size));
        }
        if (type == mark("dmlh")) {
            frames = signed_value(little_endian(bytes, at + 8, 4));
        }
        const bool enter = streams || (type == mark("LIST") && big_endian(bytes, at + 8, 4) == mark("odml"));
        if (!enter && size > bytes.size() - at - 8) {
            fault(here() + signed_value(at), "a chunk runs over the end of its list");
            break;
        }
        at += enter ? 12 : 8 + size + (size & 1);
    }
    for (TrackEvidence& found : evidence()) {
        if (frames > 0 && found.kind == TrackEvidence::Kind::video && !found.promised) {
            found.promised = frames;
            found.source = "OpenDML header";
        }
    }
    move_to(after);
}

void AviScan::stream_header(Bytes bytes) {
    const std::uint64_t type = big_endian(bytes, 0, 4);
    using Kind = TrackEvidence::Kind;
    if (tracks().size() >= max_avi_streams) {
        return;
    }
    // DivX calls its subtitles videos.
    const std::uint64_t handler = big_endian(bytes, 4, 4);
    const bool words = handler == mark("DXSB") || handler == mark("DXSA");
    TrackEvidence* const added = add_track(type == mark("vids") && !words ? Kind::video
                                           : type == mark("auds")         ? Kind::audio
                                                                          : Kind::other,
                                           signed_value(tracks().size()));
    const std::uint64_t scale = little_endian(bytes, 20, 4);
    const std::uint64_t rate = little_endian(bytes, 24, 4);
    const std::uint64_t length = little_endian(bytes, 32, 4);
    const std::uint64_t sample = little_endian(bytes, 44, 4);
    if (added == nullptr) {
        return;
    }
    added->counts_empty = false;
    if (length == 0) {
        return;
    }
    if (scale > 0 && rate > 0) {
        added->seconds = static_cast<double>(length) * static_cast<double>(scale) / static_cast<double>(rate);
    }
    if (added->kind == Kind::video && sample == 0) {
        added->promised = signed_value(length);
        added->source = "stream header";
    }
}

void AviScan::index(Bytes bytes) {
    const std::int64_t after = here() + signed_value(wanted() + (wanted() & 1));
    if (is_short(bytes)) {
        file_end_ = std::max(file_end_, here() + signed_value(wanted()));
    }
    for (std::size_t at = 0; at + 16 <= bytes.size(); at += 16) {
        std::uint32_t kind = 0;
        const auto type = static_cast<std::uint32_t>(big_endian(bytes, at, 4));
        const int stream = avi_stream_of(type, kind);
        if (stream >= 0 && little_endian(bytes, at + 12, 4) > 0 && kind != avi_palette && kind != avi_kind('i', 'x')) {
            ++indexed_[static_cast<std::size_t>(stream)];
        }
    }
    has_index_ = has_index_ || !is_short(bytes);
    move_to(after);
}

// The next chunk of a stream, or of the file.
void AviScan::search(Bytes bytes) {
    for (std::size_t i = 0; i + 8 <= bytes.size(); ++i) {
        const auto type = static_cast<std::uint32_t>(big_endian(bytes, i, 4));
        const std::uint64_t size = little_endian(bytes, i + 4, 4);
        if ((movi_end_ > 0 && belongs(type) && size < max_chunk) || type == mark("idx1") || type == mark("LIST") ||
            (type == mark("RIFF") && big_endian(bytes, i + 8, 4) == mark("AVIX"))) {
            return move_to(here() + signed_value(i));
        }
    }
    search_on(bytes, avi_header_room - 1);
}

// The demuxer goes on to the end of the file, and takes whatever looks like a packet.
void AviScan::behind(Bytes bytes) {
    for (std::size_t i = 0; i + avi_header_room <= bytes.size(); ++i) {
        const std::uint64_t form = big_endian(bytes, i + 8, 4);
        if (big_endian(bytes, i, 4) == mark("RIFF") && (form == mark("AVI ") || form == mark("AVIX"))) {
            behind_.read(here(), part(bytes, 0, i));
            return move_to(here() + signed_value(i));
        }
        if (begins_packet(bytes, i)) {
            fault(behind_.at(), read_behind);
            goes_on_behind_ = true;
            move_to(here() + signed_value(i));
            movi_end_ = INT64_MAX;
            return;
        }
    }
    behind_.read(here(), bytes);
    search_on(bytes, avi_header_room - 1);
}

bool AviScan::begins_packet(Bytes bytes, std::size_t at) const {
    const std::uint64_t size = little_endian(bytes, at + 4, 4);
    return belongs(static_cast<std::uint32_t>(big_endian(bytes, at, 4))) && size > 0 && size < max_chunk;
}

void AviScan::end(std::int64_t size) {
    if (file_end_ > size) {
        fault(size, "the file ends before its chunks do");
    }
    fault_behind(behind_, unread_behind);
    for (std::size_t i = 0; i < tracks().size(); ++i) {
        TrackEvidence& found = evidence()[i];
        if (unfinished_ || goes_on_behind_) {
            found.promised.reset();
            found.seconds.reset();
        } else if (found.promised) {
            found.promised = std::max<std::int64_t>(0, *found.promised - empty_[i]);
        }
        // The old index tells of the first part only, and some of nothing at all.
        if (has_index_ && !goes_on_behind_ && riffs_ == 1 && indexed_[i] > 0 && indexed_[i] >= found.found) {
            found.promised = indexed_[i];
            found.source = "index";
        }
        found.source = found.promised ? found.source : std::string();
    }
}

}  // namespace

std::unique_ptr<ContainerScan> make_avi_scan() {
    return std::make_unique<AviScan>();
}

}  // namespace vfilter
