// MXF: partitions of elements, each with a key and a length (SMPTE ST 377-1). Metadata say how many pictures there are.

#include <array>
#include <set>

#include "io/bitstream/bytes.h"
#include "io/input/evidence/scans.h"
#include "io/input/evidence/stepping_scan.h"

namespace vfilter {

namespace {

constexpr std::size_t key_size = 16;
constexpr std::size_t key_room = key_size + 9;  // with the longest length
constexpr std::uint64_t max_set = 64 * 1024;
constexpr std::array<std::uint32_t, 1> key_label = {0x060E2B34};  // every key begins with it
// What follows the label, up to where kinds differ.
constexpr std::uint64_t pack = 0x020501010D010201;
constexpr std::uint64_t metadata_set = 0x025301010D010101;
constexpr std::uint64_t essence_element = 0x010201000D010301;
constexpr std::uint64_t any_version = 0xFFFFFF00FFFFFFFF;
// What metadata say of a component, by the tags of their properties.
constexpr std::uint64_t data_definition = 0x0201;
constexpr std::uint64_t component_length = 0x0202;
constexpr std::uint64_t picture_track = 0x0103020201000000;  // the end of the definition's label

class MxfScan final : public SteppingScan<MxfScan> {
public:
    MxfScan() : SteppingScan(&MxfScan::key, key_room) {}
    void end(std::int64_t size) override;

private:
    void key(Bytes bytes);
    void value(Bytes bytes);
    void look_at_key(Bytes key);
    void look_at_partition(Bytes fields);
    void look_at_sequence(Bytes set);
    void search(Bytes bytes);

    std::size_t value_at_ = 0;  // from the key on
    bool begun_ = false;        // the first partition was met
    bool ended_ = false;        // the list of partitions was met, which is a file's end
    std::int64_t begin_ = 0;    // of it; some files have other things before
    std::int64_t lost_at_ = 0;
    std::set<std::int64_t> durations_;  // of this partition's tracks of pictures
    std::int64_t promised_ = 0;
};

// Kinds differ in their last bytes. Registries have changed the version within the label.
bool is_of(std::uint64_t kind, Bytes key) {
    return big_endian(key, 0, 4) == key_label[0] && (big_endian(key, 4, 8) & any_version) == (kind & any_version);
}

bool is_picture(Bytes key) {
    constexpr std::uint64_t in_content_package = 0x05;
    constexpr std::uint64_t in_generic_container = 0x15;
    const std::uint64_t item = big_endian(key, 12, 1);
    return is_of(essence_element, key) && (item == in_content_package || item == in_generic_container);
}

// Of a header, a body or a footer.
bool is_partition(Bytes key) {
    const std::uint64_t which = big_endian(key, 13, 1);
    return is_of(pack, key) && which >= 2 && which <= 4;
}

bool is_partition_list(Bytes key) {
    return is_of(pack, key) && big_endian(key, 13, 1) == 0x11;
}

bool is_sequence(Bytes key) {
    return is_of(metadata_set, key) && big_endian(key, 12, 4) == 0x01010F00;
}

void MxfScan::look_at_key(Bytes key) {
    if (is_picture(key)) {
        const auto id = signed_value(big_endian(key, 12, 4));
        if (TrackEvidence* const video = track_of(TrackEvidence::Kind::video, id)) {
            // One element may hold all pictures, or one of two fields.
            video->counts_empty = false;
            ++video->found;
        }
    }
}

void MxfScan::look_at_partition(Bytes fields) {
    constexpr std::size_t this_partition = 8;
    const auto told = signed_value(big_endian(fields, this_partition, 8));
    if (!begun_) {
        begun_ = true;
        begin_ = here();
    } else if (told == 0) {
        begin_ = here();
        fault(here(), "another file begins");
    } else if (told != here() - begin_) {
        fault(here(), "a partition that is not where it says");
    }
    durations_.clear();
}

void MxfScan::look_at_sequence(Bytes set) {
    std::int64_t length = 0;
    bool pictures = false;
    for (std::size_t at = 0; at + 4 <= set.size();) {
        const auto size = static_cast<std::size_t>(big_endian(set, at + 2, 2));
        const std::uint64_t tag = big_endian(set, at, 2);
        const Bytes value = part(set, at + 4, size);
        if (tag == component_length) {
            length = signed_value(big_endian(value, 0, 8));
        } else if (tag == data_definition) {
            pictures = big_endian(value, 8, 8) == picture_track;
        }
        at += 4 + size;
    }
    if (pictures) {
        durations_.insert(length);
        // A clip may play a part of what is there; where all say the same it is all.
        promised_ = durations_.size() == 1 ? std::max(promised_, length) : 0;
    }
}

// Where the structure goes on after something that is no key.
void MxfScan::search(Bytes bytes) {
    constexpr std::int64_t most_before = 64 * 1024;  // SMPTE ST 377-1: what may stand before the first partition
    if (!begun_ && here() > 2 * most_before) {
        return stop();
    }
    const std::optional<std::size_t> place = find_mark(bytes, key_label);
    if (place) {
        if (begun_) {
            fault(lost_at_, "no key where one should begin");
        }
        return move_to(here() + signed_value(*place));
    }
    if (is_short(bytes) && !all_zero(bytes)) {
        fault(lost_at_, "no key where one should begin");
    }
    search_on(bytes, 3);
}

void MxfScan::value(Bytes bytes) {
    if (is_sequence(bytes)) {
        look_at_sequence(part(bytes, value_at_));
    } else {
        look_at_partition(part(bytes, value_at_));
    }
    is_short(bytes) ? stop() : move_to(here() + signed_value(bytes.size()));
}

void MxfScan::key(Bytes bytes) {
    if (bytes.size() <= key_size || (ended_ && big_endian(bytes, 0, 4) != key_label[0])) {
        return stop();
    }
    ended_ = is_partition_list(bytes);
    const std::uint64_t first = bytes[key_size];
    const std::size_t width = first < 0x80 ? 0 : first & 0x7F;
    if (big_endian(bytes, 0, 4) != key_label[0] || first == 0x80 || width > 8) {
        lost_at_ = here();
        const bool same = !begun_ && big_endian(bytes, 0, 4) != key_label[0];
        return ask(here() + (same ? 0 : 1), search_window, &MxfScan::search);
    }
    const std::uint64_t length = width == 0 ? first : big_endian(bytes, key_size + 1, width);
    value_at_ = key_size + 1 + width;
    look_at_key(bytes);
    if ((is_partition(bytes) || is_sequence(bytes)) && length <= max_set) {
        return ask(here(), value_at_ + static_cast<std::size_t>(length), &MxfScan::value);
    }
    move_to(length > INT64_MAX / 2 ? INT64_MAX / 2 : here() + signed_value(value_at_ + length));
}

void MxfScan::end(std::int64_t size) {
    if (here() > size) {
        fault(size, "the file ends inside of an element");
    }
    if (evidence().empty() && promised_ > 0) {
        add_track(TrackEvidence::Kind::video, 0);
        evidence().front().counts_empty = false;
    }
    if (evidence().size() == 1 && promised_ > 0) {
        TrackEvidence& video = evidence().front();
        video.promised = promised_;
        video.source = "metadata";
        if (video.found == 1 && fault_count() == 0) {
            video.found = promised_;  // in one element, which is whole
        }
    }
}

}  // namespace

std::unique_ptr<ContainerScan> make_mxf_scan() {
    return std::make_unique<MxfScan>();
}

}  // namespace vfilter
