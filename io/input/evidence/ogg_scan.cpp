// Ogg: pages, each with a number and a checksum.

extern "C" {
#include <libavutil/bswap.h>
#include <libavutil/crc.h>
}

#include <array>
#include <map>
#include <numeric>

#include "io/bitstream/bytes.h"
#include "io/input/evidence/scans.h"
#include "io/input/evidence/stepping_scan.h"

namespace vfilter {

namespace {

constexpr std::size_t ogg_header_room = 27 + 255;
constexpr std::uint32_t ogg_landmarks[] = {mark("OggS")};

struct Codec {
    std::string_view begins;  // the first packet
    TrackEvidence::Kind kind;
    std::int64_t headers;  // packets before the first that is data; -1: as many as it likes
};

using namespace std::string_view_literals;
constexpr Codec known_codecs[] = {{"\x80theora"sv, TrackEvidence::Kind::video, 3},
                                  {"OVP80"sv, TrackEvidence::Kind::video, 2},
                                  {"BBCD"sv, TrackEvidence::Kind::video, -1},
                                  {"\x01video"sv, TrackEvidence::Kind::video, -1},
                                  {"\x01vorbis"sv, TrackEvidence::Kind::audio, 3},
                                  {"OpusHead"sv, TrackEvidence::Kind::audio, 2},
                                  {"\x7f"
                                   "FLAC"sv,
                                   TrackEvidence::Kind::audio, -1},
                                  {"Speex   "sv, TrackEvidence::Kind::audio, -1},
                                  {"\x01"
                                   "audio"sv,
                                   TrackEvidence::Kind::audio, -1}};

// A page's own checksum counts as zeroes.
bool has_its_sum(Bytes page) {
    const AVCRC* const table = av_crc_get_table(AV_CRC_32_IEEE);
    constexpr std::array<std::uint8_t, 4> zeroes{};
    std::uint32_t sum = av_crc(table, 0, page.data(), 22);
    sum = av_crc(table, sum, zeroes.data(), zeroes.size());
    sum = av_crc(table, sum, page.data() + 26, page.size() - 26);
    return av_bswap32(sum) == little_endian(page, 22, 4);
}

class OggScan final : public SteppingScan<OggScan> {
public:
    OggScan() : SteppingScan(&OggScan::header, ogg_header_room) {}
    void end(std::int64_t size) override;

private:
    struct Stream {
        std::uint32_t number = 0;  // of the last page
        bool ended = false;
        std::int64_t skip = 0;  // packets that are headers
    };

    void header(Bytes bytes);
    void page(Bytes bytes);
    void begin(Stream& stream, std::uint32_t serial, std::string_view first);
    static void count(Stream& stream, Bytes segments, bool inside, TrackEvidence& to);
    void search(Bytes bytes);
    void stop_inside_page() {
        fault(here(), "the file ends inside of a page");
        stop();
    }

    std::map<std::uint32_t, Stream> streams_;  // by serial
};

void OggScan::header(Bytes bytes) {
    if (!text(bytes).starts_with("OggS")) {
        return lose("no page where one should begin", &OggScan::search);
    }
    const std::size_t segments = bytes.size() < 27 ? SIZE_MAX : bytes[26];
    if (segments > bytes.size() || bytes.size() < 27 + segments) {
        return stop_inside_page();
    }
    const Bytes sizes = part(bytes, 27, segments);
    ask(here(), std::accumulate(sizes.begin(), sizes.end(), 27 + segments), &OggScan::page);
}

void OggScan::page(Bytes bytes) {
    if (is_short(bytes)) {
        return stop_inside_page();
    }
    if (!has_its_sum(bytes)) {
        return lose("wrong checksum of a page", &OggScan::search);  // its size may be what is wrong
    }
    const auto serial = static_cast<std::uint32_t>(little_endian(bytes, 14, 4));
    const auto number = static_cast<std::uint32_t>(little_endian(bytes, 18, 4));
    const bool begins = (bytes[5] & 2) != 0;
    const std::size_t segments = bytes[26];
    if (streams_.size() >= max_tracks && !streams_.contains(serial)) {
        return stop();
    }
    const auto [place, fresh] = streams_.try_emplace(serial);
    Stream& stream = place->second;
    if (begins) {
        begin(stream, serial, text(bytes, 27 + segments));
    } else if (!fresh && number != stream.number + 1) {
        fault(here(), "pages are missing before this one");
    }
    stream.number = number;
    stream.ended = (bytes[5] & 4) != 0;
    if (TrackEvidence* const to = track(serial)) {
        count(stream, part(bytes, 27, segments), (bytes[5] & 1) != 0, *to);
    }
    move_to(here() + signed_value(bytes.size()));
}

// By its first packet.
void OggScan::begin(Stream& stream, std::uint32_t serial, std::string_view first) {
    TrackEvidence* const to = track_of(TrackEvidence::Kind::other, serial);
    stream.skip = -1;
    for (const Codec& codec : known_codecs) {
        if (first.starts_with(codec.begins)) {
            stream.skip = codec.headers;
            if (to != nullptr) {
                to->kind = codec.kind;
            }
        }
    }
}

// The packets that end in a page. `inside`: it begins in one that has begun before.
void OggScan::count(Stream& stream, Bytes segments, bool inside, TrackEvidence& to) {
    std::int64_t packets = 0;
    std::int64_t empty = 0;
    for (const std::uint8_t size : segments) {
        packets += size < 255 ? 1 : 0;
        empty += size == 0 && !inside ? 1 : 0;
        inside = size == 255;
    }
    if (to.kind == TrackEvidence::Kind::video && stream.skip >= 0) {
        to.empty = to.empty.value_or(0) + empty;
    }
    const std::int64_t skipped = std::min(std::max<std::int64_t>(stream.skip, 0), packets);
    stream.skip -= skipped;
    to.found += packets - skipped;
}

void OggScan::search(Bytes bytes) {
    if (const auto found = find_mark(bytes, ogg_landmarks)) {
        move_to(here() + signed_value(*found));
    } else {
        search_on(bytes, 3);
    }
}

void OggScan::end(std::int64_t size) {
    for (const auto& [serial, stream] : streams_) {
        if (!stream.ended) {
            fault(size, "no end of stream " + std::to_string(serial));
        }
    }
}

}  // namespace

std::unique_ptr<ContainerScan> make_ogg_scan() {
    return std::make_unique<OggScan>();
}

}  // namespace vfilter
