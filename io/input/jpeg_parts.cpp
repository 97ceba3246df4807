#include "io/input/jpeg_parts.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "io/input/tiff_entries.h"

namespace vfilter {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view jpeg_start = "\xFF\xD8\xFF"sv;

// 0 where no frame is found.
std::uint32_t size_of_jpeg(Bytes jpeg) {
    std::uint32_t size = 0;
    each_jpeg_segment(jpeg, [&](std::uint8_t marker, Bytes segment) {
        const bool frame = marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
        size = frame ? static_cast<std::uint32_t>(big_endian(segment, 3, 2) << 16 | big_endian(segment, 1, 2)) : 0;
        return !frame;
    });
    return size;
}

// Behind its last marker (ITU-T T.81, annex B), or all where that is not found.
std::size_t end_of_jpeg(Bytes jpeg) {
    for (std::size_t at = text(jpeg).find('\xFF', 2); at < jpeg.size(); at = text(jpeg).find('\xFF', at)) {
        const std::uint64_t marker = big_endian(jpeg, at + 1, 1);
        if (marker == 0xD9) {
            return at + 2;
        }
        const bool alone = marker < 0xC0 || (marker >= 0xD0 && marker <= 0xD8);
        at += marker == 0xFF ? 1 : alone ? 2 : 2 + static_cast<std::size_t>(big_endian(jpeg, at + 2, 2));
    }
    return jpeg.size();
}

// By its first box, which is small.
std::size_t find_movie(Bytes behind) {
    constexpr std::size_t smallest = 16;
    constexpr std::size_t largest = 128;
    const std::string_view bytes = text(behind);
    for (std::size_t at = bytes.find("ftyp", 4); at != std::string_view::npos; at = bytes.find("ftyp", at + 1)) {
        const std::uint64_t size = big_endian(behind, at - 4, 4);
        if (size >= smallest && size <= largest && size % 4 == 0) {
            return at - 4;
        }
    }
    return std::string_view::npos;
}

// The end of the boxes from there on, which may lie behind the bytes.
std::size_t end_of_boxes(Bytes bytes, std::size_t at) {
    constexpr std::size_t to_the_end = std::numeric_limits<std::int64_t>::max() / 4;
    while (part(bytes, at).size() >= 8 && !text(bytes, at).starts_with(jpeg_start)) {
        const std::uint64_t told = big_endian(bytes, at, 4);
        const std::uint64_t size = told == 1 ? big_endian(bytes, at + 8, 8) : told;
        if (!printable(static_cast<std::uint32_t>(big_endian(bytes, at + 4, 4))) || (size > 0 && size < 8)) {
            return at;
        }
        at = size == 0 || size > to_the_end - at ? to_the_end : at + static_cast<std::size_t>(size);
    }
    return at;
}

bool is_smaller(std::uint32_t size, std::uint32_t photograph) {
    return size != 0 && size != photograph && size >> 16 <= photograph >> 16 &&
           (size & 0xFFFF) <= (photograph & 0xFFFF);
}

// What Ultra HDR and ISO 21496-1 say in it, which may be as large as the picture.
bool is_gain_map(Bytes jpeg) {
    bool is = false;
    each_jpeg_segment(jpeg, [&](std::uint8_t, Bytes segment) {
        is = text(segment).find("hdrgm:GainMapM") != std::string_view::npos ||
             text(segment).starts_with("urn:iso:std:iso:ts:21496:-1"sv);
        return !is;
    });
    return is;
}

}  // namespace

void each_jpeg_segment(Bytes jpeg, const std::function<bool(std::uint8_t marker, Bytes segment)>& use) {
    constexpr std::uint8_t scan = 0xDA;
    for (std::size_t at = 2; part(jpeg, at).size() >= 4 && jpeg[at] == 0xFF && jpeg[at + 1] != scan;) {
        if (jpeg[at + 1] == 0xFF) {
            ++at;
            continue;
        }
        const std::size_t size = std::max<std::size_t>(2, static_cast<std::size_t>(big_endian(jpeg, at + 2, 2)));
        if (!use(jpeg[at + 1], part(jpeg, at + 4, size - 2))) {
            return;
        }
        at += 2 + size;
    }
}

bool has_more_behind(Bytes jpeg) {
    const Bytes behind = part(jpeg, text(jpeg).starts_with(jpeg_start) ? end_of_jpeg(jpeg) : jpeg.size());
    return text(behind).find(jpeg_start) != std::string_view::npos || find_movie(behind) != std::string_view::npos;
}

// A directory as TIFF has it, of which one entry has 16 bytes for each picture.
void JpegParts::read_index(Bytes jpeg) {
    constexpr std::size_t pictures = 0xB002;
    constexpr std::size_t picture_size = 16;
    each_jpeg_segment(jpeg, [&](std::uint8_t marker, Bytes segment) {
        if (marker != 0xE2 || !text(segment).starts_with("MPF\0"sv)) {
            return true;
        }
        const Bytes index = part(segment, 4);
        const std::int64_t origin = place_ + (segment.data() - jpeg.data()) + 4;
        index_.clear();
        each_tiff_entry(index, [&](const TiffNumbers& numbers, std::size_t tag, std::size_t value) {
            const std::size_t begin = numbers.at(value, 4);
            const std::size_t size = tag == pictures ? part(index, begin, numbers.at(value - 4, 4)).size() : 0;
            for (std::size_t at = begin; at + picture_size <= begin + size; at += picture_size) {
                index_.push_back({origin + static_cast<std::int64_t>(numbers.at(at + 8, 4)), numbers.at(at + 4, 4),
                                  static_cast<std::uint32_t>(numbers.at(at, 4) >> 16 & 0xFF)});
            }
        });
        return false;
    });
}

// Indices may be older than what lies behind the picture now.
bool JpegParts::is_part(Bytes jpeg, std::size_t end) const {
    constexpr std::uint32_t large_preview = 1;
    constexpr std::uint32_t by_itself = 2;  // of two cameras, of several angles, of a panorama
    const auto named = std::ranges::find_if(index_, [&](const Entry& entry) {
        return entry.place == place_ && entry.size >= end && entry.size <= jpeg.size();
    });
    const std::uint32_t type = named == index_.end() ? 0 : named->type;
    if (type == by_itself) {
        return false;
    }
    return type == large_preview || is_smaller(size_of_jpeg(jpeg), photograph_) ||
           (named != index_.end() && is_gain_map(jpeg));
}

JpegParts::Judgement JpegParts::judge(Bytes packet) {
    Judgement judged;
    std::size_t end = packet.size();
    if (place_ < movie_end_) {
        judged.picture = false;
        end = static_cast<std::size_t>(std::min(movie_end_ - place_, static_cast<std::int64_t>(end)));
    } else if (text(packet).starts_with(jpeg_start)) {
        end = end_of_jpeg(packet);
        judged.preview = is_part(packet, end);
        judged.picture = !judged.preview;
        if (judged.picture) {
            read_index(packet);
            photograph_ = photograph_ == 0 ? size_of_jpeg(packet) : photograph_;
        }
        const std::size_t movie = find_movie(part(packet, end));
        judged.movie = movie != std::string_view::npos;
        end += judged.movie ? movie : 0;
    }
    if (judged.movie || movie_end_ > place_) {
        const std::size_t movie_end = end_of_boxes(packet, end);
        movie_end_ = std::max(movie_end_, place_ + static_cast<std::int64_t>(movie_end));
        end = std::min(movie_end, packet.size());
    }
    judged.size = text(packet, end).starts_with(jpeg_start) ? end : packet.size();
    place_ += static_cast<std::int64_t>(judged.size);
    return judged;
}

}  // namespace vfilter
