#include "io/input/file_boxes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "io/handles.h"
#include "io/input/evidence/bytes.h"
#include "io/input/evidence/heif_items.h"
#include "io/input/evidence/mp4_parts.h"

namespace vfilter {

namespace {

// AVIF, whose one picture lies in one piece, behind its number.
constexpr bool reads_plain_avif_alone = LIBAVFORMAT_VERSION_MAJOR < 60;

struct FileBox {
    std::uint32_t type = 0;
    std::uint32_t brand = 0;  // of the first one
    std::int64_t payload = 0;
    std::uint64_t size = 0;  // of the payload; of one that reaches to the end all that there may be
    bool to_the_end = false;
};

// Until one has no header that can be, or reaches to the end, or `use` says false.
template <typename Use>
void each_file_box(const ReadBytes& read, const Use& use) {
    constexpr int most_boxes = 4096;  // of which movies in fragments have some
    std::int64_t at = 0;
    for (int i = 0; i < most_boxes; ++i) {
        std::array<std::uint8_t, 20> head{};
        if (read(at, head) < 8) {
            return;
        }
        const std::uint64_t told = big_endian(head, 0, 4);
        const auto type = static_cast<std::uint32_t>(big_endian(head, 4, 4));
        const auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() - at);
        const bool to_the_end = told == 0 && type != 0;
        const std::uint64_t size = to_the_end ? most : told == 1 ? big_endian(head, 8, 8) : told;
        const std::size_t header = told == 1 ? 16 : 8;
        if (size < header || size > most) {
            return;
        }
        const FileBox box{type, static_cast<std::uint32_t>(big_endian(head, header, 4)),
                          at + static_cast<std::int64_t>(header), size - header, to_the_end};
        if (!use(box) || to_the_end) {
            return;
        }
        at += static_cast<std::int64_t>(size);
    }
}

std::vector<std::uint8_t> payload_of(const ReadBytes& read, const FileBox& box, std::uint64_t most) {
    const bool fits = box.size <= most || box.to_the_end;
    std::vector<std::uint8_t> bytes(fits ? static_cast<std::size_t>(std::min(box.size, most)) : 0);
    bytes.resize(read(box.payload, bytes));
    return bytes;
}

}  // namespace

std::string unread_heif(const ReadBytes& read) {
    constexpr std::uint64_t most_tables = 1U << 20;
    std::uint32_t brand = 0;
    std::string unread;
    each_file_box(read, [&](const FileBox& box) {
        if (brand == 0 && box.type == mark("ftyp")) {
            brand = box.brand;
        } else if (brand == 0 || box.type == mark("moov") || box.type == mark("moof")) {
            unread.clear();  // a movie, which FFmpeg reads
            return false;
        } else if (box.type == mark("meta")) {
            if (const auto items = HeifItems::read(payload_of(read, box, most_tables))) {
                unread = items->beyond_plain_avif(brand);
            }
        }
        return reads_plain_avif_alone;
    });
    return unread;
}

std::set<int> auxiliary_tracks(const ReadBytes& read) {
    constexpr std::uint64_t most_tables = 64U << 20;
    std::vector<std::uint8_t> movie;
    each_file_box(read, [&](const FileBox& box) {
        movie = box.type == mark("moov") ? payload_of(read, box, most_tables) : std::move(movie);
        return box.type != mark("moov");
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

}  // namespace vfilter
