#include "io/input/pgs_screen.h"

#include <algorithm>

#include "io/bitstream/bytes.h"

namespace vfilter {

namespace {

// Segments, by their types.
constexpr std::uint8_t palette_segment = 0x14;
constexpr std::uint8_t object_segment = 0x15;
constexpr std::uint8_t composition_segment = 0x16;
constexpr std::uint8_t window_segment = 0x17;
constexpr std::uint8_t end_segment = 0x80;

constexpr std::size_t segment_header = 3;  // type and size

// Of a composition.
constexpr std::size_t state_at = 7;
constexpr std::size_t palette_update_at = 8;
constexpr std::size_t objects_at = 10;
constexpr std::size_t composition_header = 11;
constexpr std::uint8_t epoch_start = 0x80;
constexpr std::uint8_t acquisition_point = 0x40;

constexpr std::size_t object_header = 4;  // number, version, which piece
constexpr std::uint8_t first_piece = 0x80;
constexpr std::size_t palette_header = 2;
constexpr std::size_t colour_size = 5;
constexpr std::size_t most_object_bytes = std::size_t{1} << 20U;  // a decoder's buffer for all of an epoch

void append_segment(std::vector<std::uint8_t>& to, std::uint8_t type, std::span<const std::uint8_t> body) {
    to.push_back(type);
    to.push_back(static_cast<std::uint8_t>(body.size() >> 8U));
    to.push_back(static_cast<std::uint8_t>(body.size()));
    to.insert(to.end(), body.begin(), body.end());
}

template <typename Visit>
void for_each_segment(std::span<const std::uint8_t> segments, const Visit& visit) {
    while (segments.size() >= segment_header) {
        const std::size_t size = std::min<std::size_t>(big_endian(segments, 1, 2), segments.size() - segment_header);
        visit(segments[0], segments.subspan(segment_header, size));
        segments = segments.subspan(segment_header + size);
    }
}

bool has_segment(std::span<const std::uint8_t> segments, std::uint8_t wanted) {
    bool found = false;
    for_each_segment(segments, [&](std::uint8_t type, auto) { found = found || type == wanted; });
    return found;
}

}  // namespace

bool PgsScreen::begins(std::span<const std::uint8_t> segments) {
    return has_segment(segments, composition_segment);
}

bool PgsScreen::ends(std::span<const std::uint8_t> segments) {
    return has_segment(segments, end_segment);
}

void PgsScreen::add(std::span<const std::uint8_t> segments) {
    for_each_segment(segments, [this](std::uint8_t type, auto body) { add_segment(type, body); });
}

void PgsScreen::add_segment(std::uint8_t type, std::span<const std::uint8_t> body) {
    if (type == composition_segment && body.size() >= composition_header) {
        if ((body[state_at] & (epoch_start | acquisition_point)) != 0) {
            palettes_.clear();
            objects_.clear();
            held_ = 0;
            windows_.clear();
        }
        composing_.assign(body.begin(), body.end());
    } else if (type == window_segment) {
        windows_.assign(body.begin(), body.end());
    } else if (type == palette_segment && body.size() >= palette_header) {
        Colours& colours = palettes_[body[0]];
        for (std::size_t at = palette_header; at + colour_size <= body.size(); at += colour_size) {
            std::copy_n(&body[at + 1], colour_size - 1, colours[body[at]].begin());
        }
    } else if (type == object_segment && body.size() >= object_header) {
        add_object(body);
    } else if (type == end_segment && !composing_.empty()) {
        composition_ = composing_;
    }
}

// A piece of one, which is of no use without the first.
void PgsScreen::add_object(std::span<const std::uint8_t> body) {
    const auto number = static_cast<std::uint16_t>(big_endian(body, 0, 2));
    auto object = objects_.find(number);
    if ((body[object_header - 1] & first_piece) != 0) {
        object = objects_.try_emplace(number).first;
        held_ -= object->second.size();
        object->second.clear();
    }
    if (object == objects_.end()) {
        return;
    }
    const std::size_t size = segment_header + body.size();
    if (held_ + size > most_object_bytes) {
        held_ -= object->second.size();
        objects_.erase(object);
        return;
    }
    append_segment(object->second, object_segment, body);
    held_ += size;
}

bool PgsScreen::has_all_objects() const {
    constexpr std::size_t placed = 8;  // bytes
    constexpr std::size_t cropped = 16;
    constexpr std::uint8_t crops = 0x80;
    std::size_t at = composition_header;
    for (int i = 0; i < composition_[objects_at]; ++i) {
        if (at + placed > composition_.size() ||
            !objects_.contains(static_cast<std::uint16_t>(big_endian(composition_, at, 2)))) {
            return false;
        }
        at += (composition_[at + 3] & crops) != 0 ? cropped : placed;
    }
    return true;
}

std::vector<std::uint8_t> PgsScreen::picture() const {
    Bytes made;
    if (composition_.empty() || composition_[objects_at] == 0 || !has_all_objects()) {
        return made;
    }
    Bytes composition = composition_;
    composition[state_at] = epoch_start;
    composition[palette_update_at] = 0;
    append_segment(made, composition_segment, composition);
    append_segment(made, window_segment, windows_);
    for (const auto& [number, colours] : palettes_) {
        Bytes palette{number, 0};
        for (const auto& [index, colour] : colours) {
            palette.push_back(index);
            palette.insert(palette.end(), colour.begin(), colour.end());
        }
        append_segment(made, palette_segment, palette);
    }
    for (const auto& [number, segments] : objects_) {
        made.insert(made.end(), segments.begin(), segments.end());
    }
    append_segment(made, end_segment, {});
    return made;
}

std::vector<std::uint8_t> PgsScreen::nothing() const {
    Bytes made;
    if (composition_.empty()) {
        return made;
    }
    Bytes composition(composition_.begin(), composition_.begin() + composition_header);
    composition[state_at] = epoch_start;
    composition[palette_update_at] = 0;
    composition[objects_at] = 0;
    append_segment(made, composition_segment, composition);
    append_segment(made, window_segment, windows_);
    append_segment(made, end_segment, {});
    return made;
}

}  // namespace vfilter
