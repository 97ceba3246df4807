// Matroska and WebM: elements in elements, each with its id and size.

#include <algorithm>
#include <map>
#include <utility>

#include "io/bitstream/bytes.h"
#include "io/input/evidence/behind_end.h"
#include "io/input/evidence/matroska_elements.h"
#include "io/input/evidence/matroska_headers.h"
#include "io/input/evidence/scans.h"
#include "io/input/evidence/stepping_scan.h"

namespace vfilter {

namespace {

constexpr std::int64_t max_payload = 64 << 20;    // of what is read whole
constexpr std::int64_t max_cluster = 16 << 20;    // of a cluster whose checksum is looked at
constexpr std::size_t matroska_header_room = 24;  // id, size, and what a block begins with
constexpr int max_wrong = 100;                    // checksums after which clusters are not read whole any more
constexpr int max_nested = 100;                   // and clusters in others, whose bytes were read with those

class MatroskaScan final : public SteppingScan<MatroskaScan> {
public:
    MatroskaScan() : SteppingScan(&MatroskaScan::unit, matroska_header_room) {}
    void end(std::int64_t size) override;

private:
    void unit(Bytes bytes);
    void search(Bytes bytes);
    void behind(Bytes bytes);
    void payload(Bytes bytes);
    void walk_cluster(Bytes bytes, std::int64_t begin);
    void use_payload(Bytes payload);
    void meet_tracks();
    void lose_element(const std::string& what);
    [[nodiscard]] std::span<const std::uint32_t> allowed_here() const;
    void meet_unknown(const ebml::Element& element, std::int64_t after);
    void leave();
    void enter_child(const ebml::Element& element, Bytes bytes);
    void ask_whole(const ebml::Element& element, std::int64_t data) {
        whole_ = element.id;
        ask(data, static_cast<std::size_t>(element.size), &MatroskaScan::payload);
    }
    void count_block(Bytes bytes, std::int64_t size);

    // Each ends at a byte of the file, at unknown, or has not begun.
    struct Level {
        bool open = false;
        std::int64_t end = ebml::unknown;
    };

    Level segment_, cluster_, group_;
    MatroskaHeaders headers_;
    std::size_t met_ = 0;  // tracks of the headers
    int wrong_checksums_ = 0;
    int nested_ = 0;            // clusters that begin before the end of one that was read whole
    std::int64_t read_to_ = 0;  // that end
    bool of_another_ = false;   // behind the segment, what the headers of another file tell
    BehindEnd behind_;
    bool in_memory_ = false;         // a whole cluster is walked through
    bool mistrusted_ = false;        // the last element was an unknown one
    std::uint32_t whole_ = 0;        // the element whose payload is read
    std::int64_t segment_data_ = 0;  // where positions are counted from
    struct Stranger {
        std::int64_t at = 0;
        std::int64_t packets = 0;
    };
    std::map<std::uint64_t, Stranger> strangers_;  // blocks of tracks that were not told of, or not yet
    std::vector<std::int64_t> clusters_;           // where they begin
};

void MatroskaScan::leave() {
    if (group_.open && group_.end != ebml::unknown && here() >= group_.end) {
        group_.open = false;
    }
    if (cluster_.open && cluster_.end != ebml::unknown && here() >= cluster_.end) {
        cluster_.open = false;
        group_.open = false;
    }
    if (segment_.open && segment_.end != ebml::unknown && here() >= segment_.end) {
        segment_.open = cluster_.open = group_.open = false;
        behind_.begin(here());
        ask(here(), search_window, &MatroskaScan::behind);
    }
}

void MatroskaScan::search(Bytes bytes) {
    const std::optional<std::size_t> found = find_mark(bytes, ebml::matroska_landmarks);
    if (found) {
        move_to(here() + signed_value(*found));
    } else {
        search_on(bytes, 3);
    }
}

// The demuxer goes on to the end of the file, and takes every cluster. Another file is read as well; what else others
// append (signatures) is short.
void MatroskaScan::behind(Bytes bytes) {
    constexpr std::uint32_t marks[] = {ebml::cluster, ebml::head};
    const std::uint32_t next = ebml::element_at(bytes, 0).id;
    const bool first = here() == behind_.at();
    const std::optional<std::size_t> found = find_mark(bytes, marks);
    const bool other = found && big_endian(bytes, *found, 4) == ebml::head;
    if (first && (next == ebml::segment || next == ebml::head)) {
        return stop();
    }
    if (const bool goes_on = first && next > 0xFFFFFF && ebml::among(ebml::segment_ids, next);
        goes_on || (found && !other)) {
        if (!goes_on) {
            fault(behind_.at(), read_behind);
        }
        of_another_ = !goes_on;
        segment_ = {true, ebml::unknown};
        return move_to(goes_on ? here() : here() + signed_value(*found));
    }
    behind_.read(here(), part(bytes, 0, found.value_or(bytes.size())));
    if (found) {
        return stop();
    }
    search_on(bytes, 3);
}

void MatroskaScan::payload(Bytes bytes) {
    const std::int64_t begin = here();
    const std::int64_t end = begin + signed_value(wanted());
    if (is_short(bytes)) {
        return stop_at(end);
    }
    use_payload(bytes);
    if (whole_ == ebml::cluster) {
        return walk_cluster(bytes, begin);
    }
    move_to(end);
    leave();
}

// Through one that is there as a whole, up to its end or where it has to be left.
void MatroskaScan::walk_cluster(Bytes bytes, std::int64_t begin) {
    const std::int64_t end = begin + signed_value(bytes.size());
    move_to(begin);
    in_memory_ = true;
    while (wanted() > 0 && is_next(&MatroskaScan::unit) && cluster_.open && here() < end) {
        unit(part(bytes, static_cast<std::size_t>(here() - begin)));
    }
    in_memory_ = false;
}

void MatroskaScan::lose_element(const std::string& what) {
    lose(what, &MatroskaScan::search);
    mistrusted_ = cluster_.open = group_.open = false;
    if (!segment_.open) {
        stop();
    }
}

std::span<const std::uint32_t> MatroskaScan::allowed_here() const {
    if (group_.open) {
        return ebml::group_ids;
    }
    if (cluster_.open) {
        return ebml::cluster_ids;
    }
    return segment_.open ? std::span<const std::uint32_t>(ebml::segment_ids) : ebml::top_ids;
}

// An element that has no place here.
void MatroskaScan::meet_unknown(const ebml::Element& element, std::int64_t after) {
    if (segment_.open && !cluster_.open && (element.id == ebml::head || element.id == ebml::segment)) {
        return stop();  // another file was appended to a live one
    }
    const std::string what = "unknown element " + ebml::shown_id(element.id);
    const std::int64_t limit = group_.open ? group_.end : cluster_.end;
    if (!cluster_.open || mistrusted_ || after == ebml::unknown || (limit != ebml::unknown && after > limit) ||
        element.size > max_cluster) {
        return lose_element(what);
    }
    // One flipped bit in an id: what follows is in its place.
    fault(here(), what);
    mistrusted_ = true;
    move_to(after);
    leave();
}

void MatroskaScan::unit(Bytes bytes) {
    const ebml::Element element = ebml::element_at(bytes, 0);
    const std::int64_t data = here() + signed_value(element.header);
    const std::int64_t after = element.size == ebml::unknown ? ebml::unknown : data + element.size;
    if (element.header == 0) {
        if (bytes.size() < matroska_header_room && !in_memory_) {
            fault(here(), "the file ends inside of an element");
            return stop();
        }
        return lose_element("no element where one should begin");
    }
    if (cluster_.open && element.id > 0xFFFFFF &&
        (ebml::among(ebml::segment_ids, element.id) || ebml::among(ebml::top_ids, element.id))) {
        if (cluster_.end != ebml::unknown) {
            fault(here(), "an element of the segment inside of a cluster");
        }
        cluster_.open = group_.open = false;
    }
    if (!ebml::among(allowed_here(), element.id)) {
        return meet_unknown(element, after);
    }
    if (!segment_.open && element.id == ebml::segment) {
        segment_ = {true, after};
        segment_data_ = data;
        move_to(data);
        return leave();
    }
    const bool number =
        element.id == ebml::timestamp || element.id == ebml::position || element.id == ebml::previous_size;
    if (cluster_.open && number && element.size > 8) {
        return lose_element("element " + ebml::shown_id(element.id) + " is too long");
    }
    mistrusted_ = false;
    const Level& parent = group_.open ? group_ : cluster_.open ? cluster_ : segment_;
    if (parent.open && parent.end != ebml::unknown && after != ebml::unknown && after > parent.end) {
        return lose_element("element " + ebml::shown_id(element.id) + " runs over its parent's end");
    }
    if (after == ebml::unknown && element.id != ebml::cluster) {
        if (element.id <= 0xFFFF) {
            return lose_element("element " + ebml::shown_id(element.id) + " has no size");
        }
        return stop();
    }
    enter_child(element, part(bytes, element.header));
}

void MatroskaScan::enter_child(const ebml::Element& element, Bytes bytes) {
    const std::int64_t data = here() + signed_value(element.header);
    switch (element.id) {
        case ebml::cluster: {
            if (clusters_.size() < ebml::max_positions) {
                clusters_.push_back(here());
            }
            cluster_ = {true, element.size == ebml::unknown ? ebml::unknown : data + element.size};
            group_.open = false;
            const ebml::Element first = ebml::element_at(bytes, 0);
            move_to(data);
            if (wrong_checksums_ < max_wrong && first.id == ebml::checksum && first.size == 4 && element.size > 0 &&
                element.size <= max_cluster && (data >= read_to_ || ++nested_ <= max_nested)) {
                read_to_ = std::max(read_to_, data + element.size);
                ask_whole(element, data);
            }
            return leave();
        }
        case ebml::info:
        case ebml::tracks_of:
        case ebml::cues:
        case ebml::tags:
            if (element.size > 0 && element.size <= max_payload && !of_another_) {
                return ask_whole(element, data);
            }
            break;
        case ebml::block_group:
            group_ = {true, data + element.size};
            move_to(data);
            return leave();
        case ebml::simple_block:
        case ebml::block:
            count_block(part(bytes, 0, static_cast<std::size_t>(element.size)), element.size);
            break;
        default:
            break;
    }
    move_to(data + element.size);
    leave();
}

void MatroskaScan::count_block(Bytes bytes, std::int64_t size) {
    const ebml::Number number = ebml::number_at(bytes, 0, false);
    if (number.length == 0 || bytes.size() < number.length + 3) {
        fault(here(), "a block without a header");
        return;
    }
    TrackEvidence* const to = track(signed_value(number.value));
    const bool laced = (bytes[number.length + 2] & 0x06) != 0;
    const std::int64_t packets = 1 + (laced ? signed_value(big_endian(bytes, number.length + 3, 1)) : 0);
    if (to != nullptr) {
        to->found += packets;
        if (laced) {
            to->empty.reset();  // its frames may be empty, too
        } else if (to->empty && size == signed_value(number.length + 3)) {
            ++*to->empty;
        }
    } else if (strangers_.size() < 1000 || strangers_.contains(number.value)) {
        Stranger& stranger = strangers_.try_emplace(number.value, Stranger{here(), 0}).first->second;
        stranger.packets += packets;
    }
}

void MatroskaScan::use_payload(Bytes payload) {
    if (!ebml::checksum_is_right(payload)) {
        fault(here(), "wrong checksum of element " + ebml::shown_id(whole_));
        ++wrong_checksums_;
    }
    bool whole = true;
    switch (whole_) {
        case ebml::info:
            whole = headers_.read_info(payload);
            break;
        case ebml::tracks_of:
            whole = headers_.read_tracks(payload);
            meet_tracks();
            break;
        case ebml::cues:
            whole = headers_.read_cues(payload, segment_data_);
            break;
        case ebml::tags:
            whole = headers_.read_tags(payload);
            break;
        default:
            break;
    }
    if (!whole) {
        fault(here(), "element " + ebml::shown_id(whole_) + " contradicts itself");
    }
}

// Blocks may come before the list of tracks.
void MatroskaScan::meet_tracks() {
    for (; met_ < headers_.tracks().size(); ++met_) {
        const MatroskaHeaders::Track& listed = headers_.tracks()[met_];
        TrackEvidence* const added = add_track(listed.kind, listed.number);
        const auto met = strangers_.find(static_cast<std::uint64_t>(listed.number));
        if (added != nullptr && met == strangers_.end() && listed.kind == TrackEvidence::Kind::video &&
            !listed.repacked) {
            added->empty = 0;
        }
        if (added != nullptr && met != strangers_.end()) {
            added->found = met->second.packets;
            strangers_.erase(met);
        }
    }
}

void MatroskaScan::end(std::int64_t size) {
    if (!segment_.open && clusters_.empty() && segment_data_ == 0) {
        fault(0, "no segment");
    } else if (segment_.end != ebml::unknown && segment_.end > size) {
        fault(size, "the file ends before its segment does");
    } else if (here() > size) {
        fault(size, "the file ends inside of an element");
    }
    fault_behind(behind_, unread_behind);
    for (const auto& [number, stranger] : strangers_) {
        if (headers_.tracks_known()) {
            fault(stranger.at, "blocks of track " + std::to_string(number) + ", which does not exist");
        }
    }
    if (clusters_.size() < ebml::max_positions) {
        for (const std::int64_t place : headers_.missing(clusters_)) {
            fault(place, "no cluster where the index has one");
        }
    }
    for (TrackEvidence& track : evidence()) {
        headers_.promise(track);
    }
}

}  // namespace

std::unique_ptr<ContainerScan> make_matroska_scan() {
    return std::make_unique<MatroskaScan>();
}

}  // namespace vfilter
