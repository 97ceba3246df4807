#pragma once
// Matroska elements: an id, a size, and a payload that may contain further elements.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "io/bitstream/bytes.h"

namespace vfilter::ebml {

/// Elements that matter here.
enum Id : std::uint32_t {
    head = 0x1A45DFA3,
    segment = 0x18538067,
    seek_head = 0x114D9B74,
    info = 0x1549A966,
    cluster = 0x1F43B675,
    tracks_of = 0x1654AE6B,
    cues = 0x1C53BB6B,
    attachments = 0x1941A469,
    chapters = 0x1043A770,
    tags = 0x1254C367,
    nothing = 0xEC,
    checksum = 0xBF,
    timestamp = 0xE7,
    position = 0xA7,
    previous_size = 0xAB,
    simple_block = 0xA3,
    block_group = 0xA0,
    block = 0xA1,
    // Of SeekHead and Info.
    seek = 0x4DBB,
    seek_id = 0x53AB,
    seek_position = 0x53AC,
    timestamp_scale = 0x2AD7B1,
    muxing_app = 0x4D80,
    writing_app = 0x5741,
    title = 0x7BA9,
    previous_uid = 0x3CB923,
    next_uid = 0x3EB923,
    previous_filename = 0x3C83AB,
    next_filename = 0x3E83BB,
    // Of Tracks.
    track_entry = 0xAE,
    track_number = 0xD7,
    track_uid = 0x73C5,
    track_type = 0x83,
    flag_enabled = 0xB9,
    codec_id = 0x86,
    language = 0x22B59C,
    language_bcp47 = 0x22B59D,
    content_encodings = 0x6D80,
    content_encoding = 0x6240,
    content_encoding_type = 0x5033,
    // Of Cues.
    cue_point = 0xBB,
    cue_track_positions = 0xB7,
    cue_cluster_position = 0xF1,
    // Of Chapters.
    edition_entry = 0x45B9,
    edition_flag_ordered = 0x45DD,
    chapter_atom = 0xB6,
    chapter_uid = 0x73C4,
    chapter_time_start = 0x91,
    chapter_time_end = 0x92,
    chapter_flag_hidden = 0x98,
    chapter_flag_enabled = 0x4598,
    chapter_display = 0x80,
    chap_string = 0x85,
    chap_language = 0x437C,
    chap_language_bcp47 = 0x437D,
    // Of Tags.
    tag = 0x7373,
    targets = 0x63C0,
    target_type_value = 0x68CA,
    target_type = 0x63CA,
    tag_track_uid = 0x63C5,
    tag_chapter_uid = 0x63C4,
    tag_attachment_uid = 0x63C6,
    simple_tag = 0x67C8,
    tag_name = 0x45A3,
    tag_language = 0x447A,
    tag_string = 0x4487,
    tag_binary = 0x4485,
};

/// What may occur at the top level, in a segment, in a cluster and in a group of blocks.
inline constexpr std::uint32_t top_ids[] = {head, segment, nothing, checksum};
inline constexpr std::uint32_t segment_ids[] = {seek_head,   info,     cluster, tracks_of, cues,
                                                attachments, chapters, tags,    nothing,   checksum};
// Besides the named ones: SilentTracks, EncryptedBlock.
inline constexpr std::uint32_t cluster_ids[] = {timestamp, simple_block,  block_group, nothing, checksum,
                                                position,  previous_size, 0x5854,      0xAF};
// BlockDuration, ReferenceBlock, CodecState, DiscardPadding, BlockAdditions, ReferencePriority, Slices, BlockVirtual,
// ReferenceVirtual, ReferenceFrame, EncryptedBlock.
inline constexpr std::uint32_t group_ids[] = {block,  nothing, checksum, 0x9B, 0xFB, 0xA4, 0x75A2,
                                              0x75A1, 0xFA,    0x8E,     0xA2, 0xFD, 0xC8, 0xAF};

/// A search continues at the next one of these.
inline constexpr std::uint32_t matroska_landmarks[] = {cluster, cues, tags, attachments, chapters};

inline bool among(std::span<const std::uint32_t> ids, std::uint32_t id) {
    return std::ranges::find(ids, id) != ids.end();
}

/// Size of an element that ends where something else begins.
constexpr std::int64_t unknown = -1;

/// The most clusters or cues that are remembered.
constexpr std::size_t max_positions = 1 << 20;

struct Element {
    std::uint32_t id = 0;
    std::size_t header = 0;  ///< bytes of id and size; 0 if they are incomplete, or invalid
    std::int64_t size = 0;
};

/// A number of 1 to 8 bytes that indicates its own length. Its length is 0 if it is incomplete.
struct Number {
    std::uint64_t value = 0;
    std::size_t length = 0;
};

Number number_at(Bytes bytes, std::size_t at, bool with_marker);
Element element_at(Bytes bytes, std::size_t at);

/// "0x1F43B675"
std::string shown_id(std::uint32_t id);

/// Whether the checksum at its beginning, if there is one, matches the rest.
bool checksum_is_right(Bytes payload);

/// The payload as a number.
inline std::uint64_t number_of(Bytes payload) {
    return big_endian(payload, 0, std::min<std::size_t>(payload.size(), 8));
}

/// The payload as text, as far as that matters.
inline std::string words_of(Bytes payload) {
    const std::string_view all = text(payload, 0, 1024);
    return std::string(all.substr(0, all.find('\0')));
}

/// Calls with each element's id and payload. False if one extends beyond the end.
template <typename Use>
bool each_element(Bytes bytes, Use&& use) {
    std::size_t at = 0;
    while (at < bytes.size()) {
        const Element element = element_at(bytes, at);
        if (element.header == 0 || element.size < 0 ||
            static_cast<std::uint64_t>(element.size) > bytes.size() - at - element.header) {
            return false;
        }
        const auto size = static_cast<std::size_t>(element.size);
        use(element.id, bytes.subspan(at + element.header, size));
        at += element.header + size;
    }
    return true;
}

/// Calls with the payload of each element with that id. False if one with any id extends beyond the end.
template <typename Use>
bool each_of(Bytes bytes, std::uint32_t wanted, Use&& use) {
    return each_element(bytes, [&](std::uint32_t id, Bytes payload) {
        if (id == wanted) {
            use(payload);
        }
    });
}

/// Where to store the value of an element: a number, nanoseconds as seconds, text, or that it exists.
struct Field {
    std::uint32_t id;
    std::variant<std::uint64_t*, double*, std::string*, bool*> to;
};

/// Reads fields; those that are absent stay unchanged. If several have the same id, the last one counts. False if an
/// element extends beyond the end.
bool read_fields(Bytes bytes, std::initializer_list<Field> fields);

}  // namespace vfilter::ebml
