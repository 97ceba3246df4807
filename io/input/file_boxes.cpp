#include "io/input/file_boxes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "io/bitstream/bytes.h"
#include "io/compat.h"
#include "io/handles.h"
#include "io/input/evidence/boxes.h"
#include "io/input/evidence/heif_items.h"
#include "io/input/evidence/mp4_unread.h"

namespace vfilter {

namespace {

std::vector<std::uint8_t> payload_of(const ReadBytes& read, const FileBox& box, std::uint64_t most) {
    const bool to_the_end = box.head.size == 0;
    const std::uint64_t size = to_the_end ? most : box.head.size - box.head.length;
    std::vector<std::uint8_t> bytes(size <= most ? static_cast<std::size_t>(size) : 0);
    bytes.resize(read(box.payload(), bytes));
    return bytes;
}

std::uint32_t brand_of(const ReadBytes& read, const FileBox& box) {
    std::array<std::uint8_t, 4> brand{};
    read(box.payload(), brand);
    return static_cast<std::uint32_t>(big_endian(brand, 0, 4));
}

// Of a file of this brand. Nothing of movies, which FFmpeg reads.
std::optional<HeifItems> items_of_file(const ReadBytes& read, std::uint32_t& brand) {
    constexpr std::uint64_t most_tables = 4U << 20;
    std::optional<HeifItems> items;
    each_file_box(read, 0, [&](const FileBox& box) {
        const std::uint32_t type = box.head.type;
        if (brand == 0 && type == mark("ftyp")) {
            brand = brand_of(read, box);
        } else if (brand == 0 || type == mark("moov") || type == mark("moof")) {
            items.reset();
            return false;
        } else if (type == mark("meta")) {
            items = HeifItems::read(payload_of(read, box, most_tables));
        }
        return reads_plain_avif_alone;
    });
    return items;
}

}  // namespace

std::string unread_heif(const ReadBytes& read) {
    std::uint32_t brand = 0;
    const std::optional<HeifItems> items = items_of_file(read, brand);
    return items ? items->beyond_plain_avif(brand) : "";
}

std::optional<HeifItems::Said> said_in_heif(const ReadBytes& read) {
    std::uint32_t brand = 0;
    const std::optional<HeifItems> items = items_of_file(read, brand);
    return items && !reads_every_heif_item ? std::optional(items->said()) : std::nullopt;
}

std::set<int> auxiliary_tracks(const ReadBytes& read) {
    constexpr std::uint64_t most_tables = 64U << 20;
    std::vector<std::uint8_t> movie;
    each_file_box(read, 0, [&](const FileBox& box) {
        const bool found = box.head.type == mark("moov");
        movie = found ? payload_of(read, box, most_tables) : std::move(movie);
        return !found;
    });
    std::set<int> tracks;
    each_box(movie, [&](std::uint32_t of_movie, Bytes track, std::size_t) {
        int number = 0;
        bool auxiliary = false;
        each_box(of_movie == mark("trak") ? track : Bytes{}, [&](std::uint32_t type, Bytes box, std::size_t) {
            if (type == mark("tkhd")) {
                number = static_cast<int>(big_endian(box, big_endian(box, 0, 1) == 1 ? 20 : 12, 4));
            }
            each_box(type == mark("mdia") ? box : Bytes{}, [&](std::uint32_t of_media, Bytes handler, std::size_t) {
                auxiliary = auxiliary || (of_media == mark("hdlr") && big_endian(handler, 8, 4) == mark("auxv"));
            });
        });
        if (auxiliary) {
            tracks.insert(number);
        }
    });
    return tracks;
}

UnreadLabels unread_of_movie(const AVFormatContext& format, const ReadBytes& read) {
    const UnreadInMovie movie = unread_in_movie(read);
    UnreadLabels labels;
    labels.more = movie.more;
    if (movie.xmp) {
        labels.others.push_back({.what = "XMP", .words = true});
    }
    for (const std::string& name : movie.utf16) {
        labels.others.push_back({.what = fmt::format("the tag {} in UTF-16", name), .words = true});
    }
    for (const AVStream* const stream : std::span(format.streams, format.nb_streams)) {
        const auto track = std::ranges::find(movie.tracks, stream->id, &UnreadInMovie::Track::number);
        if (track == movie.tracks.end()) {
            continue;
        }
        const auto add = [&](std::string what) { labels.others.push_back({std::move(what), stream->index}); };
        if (track->volume != 1 && stream->codecpar->codec_type == AVMEDIA_TYPE_AUDIO) {
            add(fmt::format("volume {:.4g}", track->volume));
        }
        for (const double rate : track->rates) {
            add(fmt::format("an edit at rate {:.4g}", rate));
        }
        if (track->ambisonic && stream->codecpar->ch_layout.order != AV_CHANNEL_ORDER_AMBISONIC) {
            add("ambisonic channels (SA3D)");
        }
        if (const bool disabled = movie.is_disabled(*track); disabled || !track->language.empty()) {
            UnreadTrack& told = labels.tracks.emplace_back();
            told.stream = stream->index;
            told.language = track->language;
            told.only_that = track->only_that;
            told.disabled = disabled;
        }
    }
    return labels;
}

}  // namespace vfilter
