// MP4 and QuickTime: boxes that tile the file. mp4_tables.cpp looks into the movie box, and mp4_fragments.cpp at what
// fragments say of their neighbours.

#include <algorithm>
#include <utility>

#include "io/bitstream/bytes.h"
#include "io/input/evidence/boxes.h"
#include "io/input/evidence/heif_items.h"
#include "io/input/evidence/mp4_parts.h"
#include "io/input/evidence/scans.h"
#include "io/input/evidence/stepping_scan.h"

namespace vfilter {

namespace {

constexpr std::int64_t max_movie = 64 << 20;
constexpr std::int64_t max_small = 16 << 20;  // of a fragment's header or an index
constexpr std::int64_t max_items_box = 4 << 20;
constexpr std::size_t max_gaps = 64;
constexpr std::int64_t max_mp4_zeroes = 64 * 1024;  // after the last fragment

constexpr std::uint32_t known_boxes[] = {
    mark("ftyp"), mark("moov"), mark("mdat"), mark("free"), mark("skip"), mark("wide"), mark("uuid"), mark("moof"),
    mark("mfra"), mark("sidx"), mark("ssix"), mark("styp"), mark("emsg"), mark("prft"), mark("pdin"), mark("meta"),
    mark("pnot"), mark("udta"), mark("junk"), mark("PICT"), mark("pict"), mark("frea"), mark("sefd"), mark("mpvd"),
    mark("thum"), mark("beam"), mark("camm"), mark("meco"), mark("mere"), mark("imda"), mark("bloc")};
constexpr std::uint32_t mp4_landmarks[] = {mark("moof"), mark("mdat"), mark("moov"), mark("mfra")};

bool nearly_known(std::uint32_t type) {
    return std::ranges::find(known_boxes, type) == std::end(known_boxes) &&
           std::ranges::any_of(known_boxes, [type](std::uint32_t other) { return one_byte_apart(type, other); });
}

class Mp4Scan final : public SteppingScan<Mp4Scan> {
public:
    Mp4Scan()
        : SteppingScan(&Mp4Scan::box, BoxHead::most),
          fragments_([this](std::int64_t at, std::string_view what) { fault(at, what); }) {}
    void end(std::int64_t size) override;

private:
    void box(Bytes bytes);
    void enter_box(const BoxHead& head, bool holds_header);
    void last_box(std::uint32_t type);
    void ask_payload(std::uint32_t type, std::int64_t data, std::int64_t size);
    void payload(Bytes bytes);
    void read_movie(Bytes bytes);
    void read_fragment(Bytes bytes);
    void zeroes(Bytes bytes);
    void search(Bytes bytes);
    void lose_box(const std::string& what, Step step = &Mp4Scan::search);
    [[nodiscard]] bool fragmented() const { return fragments_.count() > 0; }

    std::int64_t box_at_ = 0;  // of the payload that is wished for
    std::uint32_t type_ = 0;
    std::int64_t lost_at_ = 0;  // where what is no box begins
    std::string lost_;
    std::vector<std::pair<std::int64_t, std::int64_t>> gaps_;  // from, to: no boxes
    bool open_ended_ = false;                                  // the last box reaches to the end, however far that is
    bool movie_ = false;
    bool met_brand_ = false;
    std::optional<std::int64_t> another_at_;
    Mp4Tables tables_;
    Mp4Fragments fragments_;
    std::optional<HeifItems> items_;  // of a file of pictures
    std::int64_t items_at_ = 0;
};

// What follows is no box. Whether that is damage is known when boxes follow, or the end.
void Mp4Scan::lose_box(const std::string& what, Step step) {
    lost_at_ = here();
    lost_ = what;
    ask(here(), search_window, step);
}

void Mp4Scan::box(Bytes bytes) {
    const BoxHead head = BoxHead::read(bytes);
    const std::uint32_t type = head.type;
    if (bytes.size() < 8) {
        if (fragmented() && !all_zero(bytes)) {
            fault(here(), "the file ends inside of a box");
        }
        open_ended_ = true;
        return stop();
    }
    if (all_zero(part(bytes, 0, 8))) {
        return lose_box("zeroes where a box should be", &Mp4Scan::zeroes);
    }
    if (!printable(type)) {
        return lose_box("no box where one should begin");
    }
    if (head.size == 0) {
        return last_box(type);
    }
    if (!head.possible() || head.size > INT64_MAX / 4 || here() > INT64_MAX / 4) {
        return lose_box("a box of an impossible size");
    }
    enter_box(head, big_endian(bytes, 12, 4) == mark("mfhd"));
}

void Mp4Scan::enter_box(const BoxHead& head, bool holds_header) {
    const std::uint32_t type = head.type;
    // A fragment by what it begins with.
    const bool fragment = head.length == 8 && head.size >= 16 && holds_header;
    if (nearly_known(type) || (fragment && type != mark("moof"))) {
        fault(here(), "unknown box " + shown_mark(type));
    }
    fragments_.met_box(here(), type);
    if ((type == mark("ftyp") && met_brand_) || (type == mark("moov") && movie_)) {
        another_at_ = another_at_.value_or(here());
    }
    met_brand_ = met_brand_ || type == mark("ftyp");
    const std::int64_t data = here() + signed_value(head.length);
    const std::int64_t after = here() + signed_value(head.size);
    const bool movie = type == mark("moov") && !movie_;
    const bool items = type == mark("meta") && !items_;
    const bool small = type == mark("moof") || type == mark("sidx") || type == mark("mfra");
    const std::int64_t limit = movie ? max_movie : small ? max_small : items ? max_items_box : 0;
    if (after > data && after - data <= limit) {
        return ask_payload(type, data, after - data);
    }
    movie_ = movie_ || type == mark("moov");
    if (type == mark("mdat")) {
        fragments_.met_data(after - data);
    }
    move_to(after);
}

// It reaches to the end, and tells no size.
void Mp4Scan::last_box(std::uint32_t type) {
    const bool movie = type == mark("moov") && !movie_;
    const bool items = type == mark("meta") && !items_;
    open_ended_ = true;
    if (!movie && !items) {
        fragments_.met_data(INT64_MAX / 2);
        return stop();
    }
    ask_payload(type, here() + 8, movie ? max_movie : max_items_box);
}

void Mp4Scan::ask_payload(std::uint32_t type, std::int64_t data, std::int64_t size) {
    box_at_ = here();
    type_ = type;
    ask(data, static_cast<std::size_t>(size), &Mp4Scan::payload);
}

void Mp4Scan::payload(Bytes bytes) {
    const std::int64_t after = here() + signed_value(open_ended_ ? bytes.size() : wanted());
    if (open_ended_ ? bytes.size() == wanted() : is_short(bytes)) {
        movie_ = movie_ || (open_ended_ && type_ == mark("moov"));  // of which this is too much
        return stop_at(after);
    }
    switch (type_) {
        case mark("moov"):
            read_movie(bytes);
            break;
        case mark("moof"):
            read_fragment(bytes);
            break;
        case mark("sidx"):
            fragments_.read_index(bytes, box_at_, after);
            break;
        case mark("meta"):
            items_ = HeifItems::read(bytes);
            items_at_ = box_at_;
            break;
        default:
            fragments_.read_random_access(bytes);
            break;
    }
    open_ended_ ? stop_at(after) : move_to(after);
}

void Mp4Scan::read_movie(Bytes bytes) {
    movie_ = true;
    tables_.read(bytes, here(), [this](std::int64_t at, std::string_view what) { fault(at, what); });
    for (const Mp4Track& found : tables_.tracks()) {
        TrackEvidence* const to = add_track(found.kind, found.id);
        if (to == nullptr) {
            break;
        }
        if (found.count > 0 && found.counts_packets) {
            to->promised = found.count - found.empty;
            to->source = "sample table";
            to->shows_all = found.shows_all;
        }
        to->seconds = found.seconds;
    }
    fragments_.use(tables_.defaults());
}

void Mp4Scan::read_fragment(Bytes bytes) {
    for (const auto& [id, count] : fragments_.read_fragment(bytes, box_at_, here())) {
        TrackEvidence* const to = track(id);
        if (to != nullptr) {
            to->found += count;
            to->promised.reset();  // the table told of the beginning only
            to->source.clear();
        } else if (movie_ && tables_.understood()) {
            fault(box_at_, "a fragment of track " + std::to_string(id) + ", which does not exist");
        }
    }
}

void Mp4Scan::zeroes(Bytes bytes) {
    const auto other = std::ranges::find_if(bytes, [](std::uint8_t byte) { return byte != 0; });
    if (other == bytes.end()) {
        return search_on(bytes, 0);
    }
    // The size of the next box may begin with zeroes.
    const auto skipped = std::max<std::ptrdiff_t>(other - bytes.begin() - 16, 0);
    ask(here() + skipped, search_window, &Mp4Scan::search);
}

void Mp4Scan::search(Bytes bytes) {
    for (std::size_t from = 0;;) {
        const std::optional<std::size_t> found = find_mark(part(bytes, from + 4), mp4_landmarks);
        if (!found) {
            break;
        }
        const std::size_t box = from + *found;  // its size, and then the mark
        from = box + 1;
        const std::uint64_t size = big_endian(bytes, box, 4);
        if (size == 1 || (size >= 8 && size < 0x40000000)) {
            const std::int64_t to = here() + signed_value(box);
            fault(lost_at_, lost_);
            if (gaps_.size() < max_gaps) {
                gaps_.emplace_back(lost_at_, to);
            }
            fragments_.lost();
            lost_.clear();
            return move_to(to);
        }
    }
    search_on(bytes, 8);
}

void Mp4Scan::end(std::int64_t size) {
    if (!lost_.empty()) {
        // What is appended to a movie with an index does no harm, unless samples lie in it.
        if (fragmented() && (!is_next(&Mp4Scan::zeroes) || size - lost_at_ > max_mp4_zeroes)) {
            fault(lost_at_, lost_);
        }
        gaps_.emplace_back(lost_at_, size);
    } else if (here() > size && !open_ended_) {
        fault(size, "the file ends inside of a box");
    }
    if (another_at_ && tables_.understood() && (!fragmented() || fragments_.began_again())) {
        fault(*another_at_, fragmented() ? "another file begins, which is not read as a whole," : another_file);
    }
    const auto tell = [this](std::int64_t at, std::string_view what) { fault(at, what); };
    if (!movie_ && items_) {
        items_->judge(items_at_, size, gaps_, tell);
    } else if (!movie_ && fault_count() == 0) {
        fault(size, "no movie box");
    }
    tables_.judge_places(size, gaps_, tell);
    for (const Mp4Track& found : tables_.tracks()) {
        TrackEvidence* const to = track(found.id);
        if (to != nullptr) {
            to->found += found.whole;
        }
    }
    fragments_.end(size);
}

}  // namespace

std::unique_ptr<ContainerScan> make_mp4_scan() {
    return std::make_unique<Mp4Scan>();
}

}  // namespace vfilter
