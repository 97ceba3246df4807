// The boxes of ISO/IEC 23008-12 and 14496-12 that tell of items.

#include "io/input/evidence/heif_items.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "io/compat.h"

namespace vfilter {

namespace {

constexpr std::size_t full_box = 4;  // version and flags, with which most of these boxes begin
constexpr std::size_t max_items = 4096;
constexpr int max_extents = 65536;
// Coded pictures, and those that are put together of others.
constexpr std::array picture_items{mark("av01"), mark("hvc1"), mark("avc1"), mark("jpeg"),
                                   mark("grid"), mark("iden"), mark("iovl")};

// Whether numbers of items have four bytes.
bool is_wide(Bytes box) {
    return big_endian(box, 0, 1) > 0;
}

}  // namespace

// Takes numbers one after the other.
struct HeifItems::NumberReader {
    Bytes bytes;
    std::size_t at = 0;
    std::uint64_t take(std::size_t size) {
        const std::uint64_t value = big_endian(bytes, at, size);
        at += size;
        return value;
    }
    [[nodiscard]] bool over() const { return at >= bytes.size(); }
};

std::optional<HeifItems> HeifItems::read(Bytes meta) {
    struct Row {
        std::uint32_t box;
        void (HeifItems::*read)(Bytes box);
    };
    constexpr std::array rows{
        Row{mark("hdlr"), &HeifItems::read_handler},    Row{mark("pitm"), &HeifItems::read_primary},
        Row{mark("iloc"), &HeifItems::read_places},     Row{mark("iinf"), &HeifItems::read_entries},
        Row{mark("iref"), &HeifItems::read_references}, Row{mark("iprp"), &HeifItems::read_properties}};
    HeifItems items;
    items.whole_ = each_box(part(meta, full_box), [&](std::uint32_t type, Bytes box, std::size_t) {
        if (const auto* const row = std::ranges::find(rows, type, &Row::box); row != rows.end()) {
            (items.*row->read)(box);
        }
    });
    return items.pictures_ ? std::optional(std::move(items)) : std::nullopt;
}

void HeifItems::read_handler(Bytes hdlr) {
    pictures_ = pictures_ || big_endian(hdlr, 8, 4) == mark("pict");
}

void HeifItems::read_primary(Bytes pitm) {
    primary_ = big_endian(pitm, full_box, is_wide(pitm) ? 4 : 2);
}

void HeifItems::read_properties(Bytes iprp) {
    describes_alpha_ = text(iprp).find(":auxiliary:alpha") != std::string_view::npos ||
                       text(iprp).find("auxid:1") != std::string_view::npos;
    std::vector<Property> described;
    each_box(iprp, [&](std::uint32_t type, Bytes list, std::size_t) {
        if (type == mark("ipco")) {
            each_box(list, [&](std::uint32_t kind, Bytes box, std::size_t) { described.push_back({kind, box}); });
        } else if (type == mark("ipma")) {
            read_associations(list, described);
        }
    });
    // One of the whole picture is none.
    said_.part = shown_ && ((*shown_)[0] != size_[0] * (*shown_)[1] || (*shown_)[2] != size_[1] * (*shown_)[3]);
}

// Which item has which properties: those of the primary one, by its first entry, of which there is one.
void HeifItems::read_associations(Bytes ipma, const std::vector<Property>& described) {
    NumberReader numbers{ipma};
    const std::size_t id_size = numbers.take(1) > 0 ? 4 : 2;
    const std::size_t index_size = (numbers.take(3) & 1) != 0 ? 2 : 1;
    bool shown = false;
    for (std::uint64_t items = numbers.take(4); items > 0 && !shown && !numbers.over(); --items) {
        shown = numbers.take(id_size) == primary_;
        for (std::uint64_t left = numbers.take(1); left > 0 && !numbers.over(); --left) {
            const std::size_t number = numbers.take(index_size) & (index_size == 2 ? 0x7FFFU : 0x7FU);
            if (shown && number > 0 && number <= described.size()) {
                read_property(described[number - 1]);
            }
        }
    }
}

// They are to be followed in the order in which the picture has them.
void HeifItems::read_property(const Property& property) {
    const Bytes box = property.box;
    switch (property.kind) {
        case mark("irot"):
            for (std::uint64_t quarters = big_endian(box, 0, 1) & 3; quarters > 0; --quarters) {
                turn(0);
            }
            break;
        case mark("imir"):
            turn(1 + (big_endian(box, 0, 1) & 1));
            break;
        case mark("ispe"):
            size_ = {big_endian(box, 4, 4), big_endian(box, 8, 4)};
            break;
        case mark("clap"):
            shown_ = {big_endian(box, 0, 4), big_endian(box, 4, 4), big_endian(box, 8, 4), big_endian(box, 12, 4)};
            break;
        case mark("colr"):
            if (said_.profile.empty() && (text(box).starts_with("prof") || text(box).starts_with("rICC"))) {
                const Bytes profile = part(box, 4);
                said_.profile.assign(profile.begin(), profile.end());
            }
            break;
        default:
            break;
    }
}

void HeifItems::turn(std::size_t how) {
    // By EXIF's orientations: the next one after a quarter to the left, after the exchange of top and bottom, and
    // after that of left and right.
    constexpr std::array<std::array<std::uint64_t, 3>, 8> next{
        {{8, 4, 2}, {5, 3, 1}, {6, 2, 4}, {7, 1, 3}, {4, 8, 6}, {1, 7, 5}, {2, 6, 8}, {3, 5, 7}}};
    said_.orientation = next[static_cast<std::size_t>(said_.orientation) - 1][how];
}

HeifItems::Item& HeifItems::item(std::uint64_t id) {
    if (const auto found = places_.find(id); found != places_.end()) {
        return items_[found->second];
    }
    if (items_.size() >= max_items) {
        return items_.back();
    }
    places_.emplace(id, items_.size());
    return items_.emplace_back(Item{.id = id});
}

void HeifItems::read_places(Bytes iloc) {
    places_first_ = primary_ == 0;
    NumberReader numbers{iloc};
    PlaceSizes sizes;
    sizes.version = numbers.take(1);
    numbers.take(3);
    const std::uint64_t told = numbers.take(2);
    sizes.offset = told >> 12 & 15;
    sizes.length = told >> 8 & 15;
    sizes.base = told >> 4 & 15;
    sizes.index = sizes.version > 0 ? told & 15 : 0;
    if (sizes.version > 2 || sizes.length == 0 || std::max({sizes.offset, sizes.length, sizes.base, sizes.index}) > 8) {
        return;
    }
    const std::size_t id_size = sizes.version < 2 ? 2 : 4;
    for (std::uint64_t left = numbers.take(id_size); left > 0 && !numbers.over(); --left) {
        if (!read_place(numbers, item(numbers.take(id_size)).extents, sizes)) {
            return;
        }
    }
}

// Of one item. False where there are too many of all.
bool HeifItems::read_place(NumberReader& numbers, Extents& extents, const PlaceSizes& sizes) {
    constexpr std::uint64_t limit = INT64_MAX / 2;
    // Others lie in the box itself, or in another file.
    const bool in_file = (sizes.version == 0 || (numbers.take(2) & 15) == 0);
    const bool in_this_file = numbers.take(2) == 0 && in_file;
    const std::uint64_t base = numbers.take(sizes.base);
    for (std::uint64_t left = numbers.take(2); left > 0 && !numbers.over(); --left) {
        numbers.take(sizes.index);
        const std::uint64_t from = std::min(base + numbers.take(sizes.offset), limit);
        const std::uint64_t length = std::min(numbers.take(sizes.length), limit);
        if (!in_this_file) {
            continue;
        }
        if (++extents_ > max_extents) {
            return false;
        }
        extents.emplace_back(signed_value(from), signed_value(from + length));
    }
    return true;
}

void HeifItems::read_entries(Bytes iinf) {
    each_box(part(iinf, full_box + (is_wide(iinf) ? 4 : 2)), [&](std::uint32_t type, Bytes box, std::size_t) {
        if (type == mark("infe")) {
            read_entry(box);
        }
    });
}

void HeifItems::read_entry(Bytes infe) {
    const std::uint64_t version = big_endian(infe, 0, 1);
    if (version < 2) {
        return;  // an older form, which no picture has
    }
    const bool hidden = (big_endian(infe, 1, 3) & 1) != 0;
    const std::size_t id_size = version == 2 ? 2 : 4;
    const auto kind = static_cast<std::uint32_t>(big_endian(infe, full_box + id_size + 2, 4));
    Item& entry = item(big_endian(infe, full_box, id_size));
    entry.kind = kind;
    entry.picture = !hidden && std::ranges::find(picture_items, kind) != picture_items.end();
    said_.exif = said_.exif || kind == mark("Exif");
    said_.xmp = said_.xmp || (kind == mark("mime") && text(infe).find("rdf+xml") != std::string_view::npos);
}

// Of thumbnails and auxiliary pictures the reference goes to the picture that they are about, of what is put together
// to its parts.
void HeifItems::read_references(Bytes iref) {
    const std::size_t id_size = is_wide(iref) ? 4 : 2;
    each_box(part(iref, full_box), [&](std::uint32_t type, Bytes box, std::size_t) {
        NumberReader numbers{box};
        Item& from = item(numbers.take(id_size));
        const bool derived = type == mark("auxl") || type == mark("thmb");
        if (derived) {
            from.part = true;
        } else if (type != mark("dimg")) {
            return;
        }
        for (std::uint64_t left = numbers.take(2); left > 0 && !numbers.over(); --left) {
            const std::uint64_t to = numbers.take(id_size);
            if (!derived) {
                item(to).part = true;
            } else if (type == mark("auxl")) {
                from.about = to;
            }
        }
    });
}

void HeifItems::judge_extents(const Item& item, std::int64_t at, std::int64_t file_size,
                              const std::vector<std::pair<std::int64_t, std::int64_t>>& gaps,
                              const TellFault& tell) const {
    // Not by names of their own: a lambda cannot capture those in clang 14.
    for (const auto& extent : item.extents) {
        const auto in_gap = [&](const auto& gap) { return extent.first < gap.second && extent.second > gap.first; };
        if (extent.second > file_size) {
            tell(at, "data of a picture outside of the file");
        } else if (std::ranges::any_of(gaps, in_gap)) {
            tell(at, "data of a picture where the file has no boxes");
        }
    }
}

void HeifItems::judge(std::int64_t at, std::int64_t file_size,
                      const std::vector<std::pair<std::int64_t, std::int64_t>>& gaps, const TellFault& tell) const {
    const auto primary = std::ranges::find(items_, primary_, &Item::id);
    if (!whole_ || primary == items_.end()) {
        tell(at, "a table of pictures that cannot be read");
        return;
    }
    if (reads_every_heif_item && !reads_heif_rotation && said_.orientation != 1) {
        tell(at, "a rotation, which is not read,");
    }
    if (!reads_every_heif_item && said_.part) {
        tell(at, "a part that is to be shown, of which all is read,");
    }
    for (const Item& item : items_) {
        judge_extents(item, at, file_size, gaps, tell);
        if (reads_every_heif_item || item.id == primary_ || item.extents.empty()) {
            continue;
        }
        if (item.about == primary_ && describes_alpha_) {
            tell(item.extents.front().first, "alpha, which is not read,");
        } else if (item.picture && !item.part) {
            tell(item.extents.front().first, another_picture);
        }
    }
}

std::string HeifItems::beyond_plain_avif(std::uint32_t brand) const {
    const auto primary = std::ranges::find(items_, primary_, &Item::id);
    const bool listed = primary_ != 0 && primary != items_.end();
    if (listed && primary->kind == mark("grid")) {
        return "the picture is in tiles, which are not put together";
    }
    const auto is_split = [](const Item& one) { return one.extents.size() > 1; };
    const std::string kind = listed && primary->kind != mark("av01") ? shown_mark(primary->kind) : "";
    const std::string unread = brand != mark("avif")                   ? "of the brand " + shown_mark(brand)
                               : !listed                               ? "of which no picture is the one to show (pitm)"
                               : !kind.empty()                         ? "whose picture is of the kind " + kind
                               : places_first_                         ? "with its tables in another order (iloc, pitm)"
                               : primary->extents.empty()              ? "with the picture in a table (idat)"
                               : std::ranges::any_of(items_, is_split) ? "with a picture in pieces"
                                                                       : "";
    return unread.empty() ? "" : fmt::format("HEIF {}, which this FFmpeg does not read", unread);
}

}  // namespace vfilter
