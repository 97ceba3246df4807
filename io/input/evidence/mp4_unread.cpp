#include "io/input/evidence/mp4_unread.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "io/input/evidence/boxes.h"

namespace vfilter {

namespace {

constexpr std::uint64_t most_payload = 1U << 20;  // bytes: a text, or a description
constexpr std::size_t most_told = 1000;
constexpr int most_walked = 1 << 16;   // boxes, all together: a thousand tracks have less than half of that
constexpr std::uint32_t in_utf16 = 2;  // "well-known types" of QuickTime

class MovieWalk {
public:
    explicit MovieWalk(const ReadBytes& read) : read_(read) {}
    UnreadInMovie walk();

private:
    // Calls with each box inside of another one, whose own fields are so long.
    void each_inside(const FileBox& outer, const std::function<void(const FileBox&)>& use) const;
    [[nodiscard]] std::vector<std::uint8_t> payload(const FileBox& box) const;
    void look_at_movie(const FileBox& movie);
    void look_at_track(const FileBox& box);
    void look_at_media(const FileBox& media, UnreadInMovie::Track& track) const;
    void look_at_tags(Bytes user_data);

    void look_at_descriptions(const FileBox& information, UnreadInMovie::Track& track) const;

    const ReadBytes& read_;
    mutable int walked_ = 0;
    UnreadInMovie found_;
};

void MovieWalk::each_inside(const FileBox& outer, const std::function<void(const FileBox&)>& use) const {
    each_file_box(read_, outer.payload(), [&](const FileBox& box) {
        const bool inside = box.at < outer.end() && box.end() <= outer.end() && ++walked_ < most_walked;
        if (inside) {
            use(box);
        }
        return inside;
    });
}

std::vector<std::uint8_t> MovieWalk::payload(const FileBox& box) const {
    const std::uint64_t size = box.head.size < box.head.length ? 0 : box.head.size - box.head.length;
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(std::min(size, most_payload)));
    bytes.resize(read_(box.payload(), bytes));
    return bytes;
}

void read_header(Bytes header, UnreadInMovie::Track& track) {
    const bool wide = big_endian(header, 0, 1) == 1;
    constexpr std::size_t number_at = 12;
    constexpr std::size_t volume_at = 36;
    constexpr double whole = 256;
    track.enabled = (big_endian(header, 3, 1) & 1U) != 0;
    track.number = static_cast<int>(big_endian(header, wide ? number_at + 8 : number_at, 4));
    const auto volume = static_cast<double>(big_endian(header, wide ? volume_at + 12 : volume_at, 2));
    track.volume = volume > 0 ? volume / whole : 1;
}

// A rate of 0 shows a picture for a while; of a single edit it is what some programs write of all.
void read_edits(Bytes list, UnreadInMovie::Track& track) {
    const bool wide = big_endian(list, 0, 1) == 1;
    const std::size_t entry = wide ? 20 : 12;
    constexpr std::size_t entries_at = 8;
    constexpr double whole = 65536;
    const std::uint64_t count = std::min<std::uint64_t>(big_endian(list, 4, 4), most_told);
    for (std::size_t i = 0; i < count && entries_at + (i + 1) * entry <= list.size(); ++i) {
        const Bytes edit = part(list, entries_at + i * entry, entry);
        const bool empty = wide ? big_endian(edit, 8, 8) == UINT64_MAX : big_endian(edit, 4, 4) == UINT32_MAX;
        const double rate = static_cast<double>(big_endian(edit, entry - 4, 4)) / whole;
        if (!empty && rate != 1 && (rate > 0 || count > 1)) {
            track.rates.push_back(rate);
        }
    }
}

void MovieWalk::look_at_descriptions(const FileBox& information, UnreadInMovie::Track& track) const {
    each_inside(information, [&](const FileBox& table) {
        if (table.head.type != mark("stbl")) {
            return;
        }
        each_inside(table, [&](const FileBox& described) {
            constexpr std::array<std::uint32_t, 1> spatial{mark("SA3D")};
            track.ambisonic = track.ambisonic || (described.head.type == mark("stsd") &&
                                                  find_mark(payload(described), spatial).has_value());
        });
    });
}

void MovieWalk::look_at_media(const FileBox& media, UnreadInMovie::Track& track) const {
    bool told = true;
    each_inside(media, [&](const FileBox& box) {
        if (box.head.type == mark("mdhd")) {
            const std::vector<std::uint8_t> header = payload(box);
            constexpr std::uint64_t undetermined = 0x55c4;
            constexpr std::uint64_t unspecified = 0x7fff;
            const std::uint64_t language = big_endian(header, big_endian(header, 0, 1) == 1 ? 32 : 20, 2);
            told = language != undetermined && language != unspecified;
        } else if (box.head.type == mark("elng")) {
            const std::vector<std::uint8_t> bytes = payload(box);
            const std::string_view words = text(bytes, 4);
            track.language = words.substr(0, words.find('\0'));
        } else if (box.head.type == mark("hdlr")) {
            track.type = static_cast<std::uint32_t>(big_endian(payload(box), 8, 4));
        } else if (box.head.type == mark("minf")) {
            look_at_descriptions(box, track);
        }
    });
    track.only_that = !told && !track.language.empty();
}

void MovieWalk::look_at_track(const FileBox& box) {
    UnreadInMovie::Track track;
    each_inside(box, [&](const FileBox& inside) {
        if (inside.head.type == mark("tkhd")) {
            read_header(payload(inside), track);
        } else if (inside.head.type == mark("mdia")) {
            look_at_media(inside, track);
        } else if (inside.head.type == mark("edts")) {
            each_inside(inside, [&](const FileBox& list) {
                if (list.head.type == mark("elst")) {
                    const std::vector<std::uint8_t> edits = payload(list);
                    read_edits(edits, track);
                    found_.more = found_.more || big_endian(edits, 4, 4) > most_told;
                }
            });
        }
    });
    if (found_.tracks.size() < most_told) {
        found_.tracks.push_back(std::move(track));
    }
}

std::string name_of_tag(std::uint32_t type) {
    constexpr std::uint32_t copyright = 0xa9;
    std::string name = type >> 24U == copyright ? "\u00a9" : "";
    for (int shift = name.empty() ? 24 : 16; shift >= 0; shift -= 8) {
        name += static_cast<char>(type >> static_cast<unsigned>(shift) & 0xffU);
    }
    return name;
}

// Of iTunes: meta, ilst, a box for each tag, and in it its data.
void MovieWalk::look_at_tags(Bytes user_data) {
    each_box(user_data, [&](std::uint32_t type, Bytes value, std::size_t) {
        found_.xmp = found_.xmp || type == mark("XMP_");
        const Bytes meta = type == mark("meta") ? part(value, 4) : Bytes{};
        each_box(meta, [&](std::uint32_t of_meta, Bytes list, std::size_t) {
            each_box(of_meta == mark("ilst") ? list : Bytes{}, [&](std::uint32_t tag, Bytes item, std::size_t) {
                each_box(item, [&](std::uint32_t of_item, Bytes data, std::size_t) {
                    const bool wide = of_item == mark("data") && big_endian(data, 0, 4) == in_utf16;
                    if (wide && found_.utf16.size() < most_told) {
                        found_.utf16.push_back(name_of_tag(tag));
                    }
                });
            });
        });
    });
}

void MovieWalk::look_at_movie(const FileBox& movie) {
    each_inside(movie, [&](const FileBox& box) {
        if (box.head.type == mark("trak")) {
            look_at_track(box);
        } else if (box.head.type == mark("udta")) {
            look_at_tags(payload(box));
        }
    });
}

UnreadInMovie MovieWalk::walk() {
    constexpr std::array<std::uint8_t, 16> adobes{0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8,
                                                  0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac};
    each_file_box(read_, 0, [&](const FileBox& box) {
        if (box.head.type == mark("moov")) {
            look_at_movie(box);
        } else if (box.head.type == mark("uuid")) {
            std::array<std::uint8_t, adobes.size()> id{};
            read_(box.payload(), id);
            found_.xmp = found_.xmp || id == adobes;
        }
        return box.head.type != mark("moof");  // there may be thousands
    });
    found_.more =
        found_.more || found_.utf16.size() == most_told || found_.tracks.size() == most_told || walked_ >= most_walked;
    return std::move(found_);
}

}  // namespace

bool UnreadInMovie::is_disabled(const Track& track) const {
    const bool played = track.type == mark("soun") || track.type == mark("vide");
    return played &&
           std::ranges::none_of(tracks, [&](const Track& other) { return other.type == track.type && other.enabled; });
}

UnreadInMovie unread_in_movie(const ReadBytes& read) {
    return MovieWalk(read).walk();
}

}  // namespace vfilter
