#include "io/input/shown_subtitles.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "io/bitstream/bytes.h"
#include "io/packet_times.h"

namespace vfilter {

namespace {

Bytes subtitle_bytes(const AVPacket& packet) {
    return {packet.data, static_cast<std::size_t>(std::max(packet.size, 0))};
}

// The composition of a page of DVB subtitles (ETSI EN 300 743, 7.2.2).
struct DvbPage {
    std::size_t timeout_at;  // a byte: the seconds after which it is shown no more
    bool whole;              // needs none before it
    bool empty;
};

constexpr std::size_t dvb_header = 6;  // of a segment

std::optional<DvbPage> dvb_page(Bytes bytes) {
    constexpr std::uint8_t sync = 0x0f;
    constexpr std::uint8_t page_composition = 0x10;
    constexpr std::size_t fixed = 2;  // timeout, version and state
    constexpr std::uint8_t state = 0x0c;
    const bool wrapped = bytes.size() > 2 && bytes[0] == 0x20 && bytes[1] == 0;  // as in a PES packet
    for (std::size_t at = wrapped ? 2 : 0; at + dvb_header + fixed <= bytes.size() && bytes[at] == sync;
         at += dvb_header + big_endian(bytes, at + 4, 2)) {
        if (bytes[at + 1] == page_composition) {
            return DvbPage{at + dvb_header, (bytes[at + dvb_header + 1] & state) != 0,
                           big_endian(bytes, at + 4, 2) <= fixed};
        }
    }
    return std::nullopt;
}

constexpr std::int64_t dvd_tick = std::int64_t{1024} * AV_TIME_BASE / 90000;

// The commands of a DVD's subtitle stand in blocks, each of which begins with its date, in ticks after the subtitle has
// come: two bytes.
struct DvdDates {
    std::vector<std::size_t> at;      // up to the one in which it goes
    std::optional<std::size_t> stop;  // the last of them; nothing where it does not say
};

DvdDates dvd_dates(Bytes bytes) {
    constexpr std::uint8_t stop = 2;
    constexpr std::uint8_t end = 0xff;
    constexpr std::size_t sizes[] = {1, 1, 1, 3, 3, 7, 5};  // of the commands, with their numbers
    DvdDates dates;
    auto block = static_cast<std::size_t>(big_endian(bytes, 2, 2));
    for (int i = 0; i < 100 && block + 4 < bytes.size(); ++i) {
        dates.at.push_back(block);
        for (std::size_t at = block + 4; at < bytes.size() && bytes[at] != end;) {
            if (bytes[at] == stop) {
                dates.stop = block;
                return dates;
            }
            at += bytes[at] < std::size(sizes) ? sizes[bytes[at]]
                                               : std::max<std::size_t>(1, 1 + big_endian(bytes, at + 1, 2));
        }
        const std::size_t next = big_endian(bytes, block + 2, 2);
        if (next <= block) {
            break;
        }
        block = next;
    }
    return dates;
}

std::int64_t date_at(Bytes bytes, std::size_t at) {
    return static_cast<std::int64_t>(big_endian(bytes, at, 2));
}

// Where a subtitle itself says how long it is shown, it says how much of that is left.
void shorten(AVPacket& packet, AVCodecID codec, std::int64_t left) {
    const auto units = [&](std::int64_t unit) { return (left + unit - 1) / unit; };
    if (left <= 0) {
        return;
    }
    if (codec == AV_CODEC_ID_DVB_SUBTITLE) {
        const auto page = dvb_page(subtitle_bytes(packet));
        if (const std::int64_t seconds = units(AV_TIME_BASE); page && seconds <= UINT8_MAX) {
            av_check(av_packet_make_writable(&packet), "av_packet_make_writable");
            packet.data[page->timeout_at] = static_cast<std::uint8_t>(seconds);
        }
    } else if (codec == AV_CODEC_ID_DVD_SUBTITLE) {
        const DvdDates dates = dvd_dates(subtitle_bytes(packet));
        const std::int64_t gone = dates.stop ? date_at(subtitle_bytes(packet), *dates.stop) - units(dvd_tick) : 0;
        if (gone > 0) {
            av_check(av_packet_make_writable(&packet), "av_packet_make_writable");
        }
        for (const std::size_t at : gone > 0 ? dates.at : std::vector<std::size_t>{}) {
            const auto date =
                static_cast<unsigned>(std::max<std::int64_t>(0, date_at(subtitle_bytes(packet), at) - gone));
            packet.data[at] = static_cast<std::uint8_t>(date >> 8U);
            packet.data[at + 1] = static_cast<std::uint8_t>(date);
        }
    }
}

// When a subtitle is shown no more, in microseconds after it began; nothing where that is not said.
std::optional<std::int64_t> shown_for(const AVPacket& packet, const AVStream& stream) {
    constexpr std::int64_t longest =
        4'000'000 * std::int64_t{AV_TIME_BASE};  // so FFmpeg's readers say that none is told
    const std::int64_t told = microseconds(packet.duration, stream.time_base);
    if (told > 0 && told <= longest) {
        return told;
    }
    if (stream.codecpar->codec_id == AV_CODEC_ID_DVD_SUBTITLE) {
        if (const auto stop = dvd_dates(subtitle_bytes(packet)).stop) {
            return date_at(subtitle_bytes(packet), *stop) * dvd_tick;
        }
    }
    return std::nullopt;
}

// Segments of PGS, behind those of the same picture.
void append(AVPacket& to, const AVPacket& more) {
    constexpr int most = 1 << 22;  // bytes, far beyond a decoder's buffers
    const int size = to.size;
    if (more.size > most - size) {
        return;
    }
    av_check(av_grow_packet(&to, more.size), "av_grow_packet");
    std::copy_n(more.data, more.size, to.data + size);
}

PacketPtr packet_of(Bytes bytes) {
    PacketPtr packet = make_packet();
    if (av_new_packet(packet.get(), static_cast<int>(bytes.size())) < 0) {
        throw std::bad_alloc();
    }
    std::ranges::copy(bytes, packet->data);
    packet->flags |= AV_PKT_FLAG_KEY;
    return packet;
}

// A page of DVB without regions, with the number of another one and the version after its: decoders leave out a page of
// the version that they have.
PacketPtr empty_page(const AVPacket& page) {
    constexpr std::uint8_t end_of_display_set = 0x80;
    const Bytes bytes = subtitle_bytes(page);
    const DvbPage known = *dvb_page(bytes);
    if (known.empty) {
        return reference_to(page);
    }
    const std::uint8_t* const fixed = &bytes[known.timeout_at];
    const std::uint8_t* const header = fixed - dvb_header;
    const bool wrapped = bytes[0] != header[0];
    const auto version = static_cast<std::uint8_t>(fixed[1] + 0x10);
    std::vector<std::uint8_t> made;
    if (wrapped) {
        made = {bytes[0], bytes[1]};
    }
    made.insert(made.end(), {header[0], header[1], header[2], header[3], 0, 2, fixed[0], version});
    made.insert(made.end(), {header[0], end_of_display_set, header[2], header[3], 0, 0});
    if (wrapped) {
        made.push_back(0xff);
    }
    return packet_of(made);
}

}  // namespace

bool is_picture_subtitle(AVCodecID codec) {
    const AVCodecDescriptor* const facts = avcodec_descriptor_get(codec);
    return facts != nullptr && (facts->props & AV_CODEC_PROP_BITMAP_SUB) != 0;
}

bool ShownSubtitles::take(AVPacket& packet, const AVStream& stream, std::int64_t moment) {
    const AVCodecID codec = stream.codecpar->codec_id;
    if (codec == AV_CODEC_ID_HDMV_PGS_SUBTITLE) {
        return take_segments(packet, stream, moment);
    }
    const std::int64_t time = decoding_time(packet);
    const std::int64_t begin = microseconds(time, stream.time_base);
    if (stream.codecpar->codec_type != AVMEDIA_TYPE_SUBTITLE || codec == AV_CODEC_ID_DVB_TELETEXT ||
        time == AV_NOPTS_VALUE || begin >= moment) {
        return false;
    }
    const auto told = shown_for(packet, stream);
    if (told && !is_picture_subtitle(codec)) {
        streams_.erase(stream.index);
        return false;
    }
    Stream& of = streams_[stream.index];
    of.moment = moment;
    const std::int64_t until = told ? begin + *told : INT64_MAX;
    PacketPtr taken = make_packet();
    av_packet_move_ref(taken.get(), &packet);
    if (codec == AV_CODEC_ID_DVB_SUBTITLE) {
        take_page(of, std::move(taken), begin, until);
    } else {
        of.until = until;
        of.packets.clear();
        of.packets.push_back(std::move(taken));
    }
    return true;
}

// Those of one picture may have times on both sides of the moment. Who was sought may find some without their
// beginning: they have been seen before, or are of no use.
bool ShownSubtitles::take_segments(AVPacket& packet, const AVStream& stream, std::int64_t moment) {
    const std::int64_t time = decoding_time(packet);
    const std::int64_t begin = time == AV_NOPTS_VALUE ? INT64_MAX : microseconds(time, stream.time_base);
    Stream& of = streams_[stream.index];
    if (PgsScreen::begins(subtitle_bytes(packet))) {
        of.moment = moment;
        begin_set(of, packet, stream, begin);
    } else if (of.set == Set::now && begin >= of.set_begin) {
        of.pgs.add(subtitle_bytes(packet));
    } else if (of.set == Set::later && begin >= of.set_begin) {
        append(*of.incoming, packet);
    } else if (of.set != Set::passed) {
        return begin < moment;
    }
    const bool passed = of.set == Set::passed;
    if (passed && begin < moment) {
        packet.pts = packet.dts = of.passed_at;
    }
    if (PgsScreen::ends(subtitle_bytes(packet))) {
        end_set(of);
    }
    if (!passed) {
        av_packet_unref(&packet);
    }
    return !passed;
}

void ShownSubtitles::begin_set(Stream& of, const AVPacket& packet, const AVStream& stream, std::int64_t begin) {
    constexpr std::size_t most_later = 64;
    const std::int64_t shown = microseconds(presentation_time(packet), stream.time_base);
    // Who does not tell when segments are decoded may give later ones an earlier time.
    of.set_begin = decoding_time(packet) < presentation_time(packet) ? begin : INT64_MIN;
    if (begin >= of.moment || of.later.size() >= most_later) {
        of.set = Set::passed;
        of.passed_at = begin >= of.moment ? decoding_time(packet) : presentation_time(packet);
    } else if (shown < of.moment) {
        of.set = Set::now;
        const auto told = shown_for(packet, stream);
        of.until = told ? shown + *told : INT64_MAX;
        of.pgs.add(subtitle_bytes(packet));
    } else {
        of.set = Set::later;
        of.incoming = make_packet();
        av_check(av_packet_ref(of.incoming.get(), &packet), "av_packet_ref");
    }
}

void ShownSubtitles::end_set(Stream& of) {
    if (of.set == Set::now) {
        of.drawn = true;
    } else if (of.set == Set::later) {
        std::erase_if(of.later, [&](const PacketPtr& known) { return known->pts == of.incoming->pts; });
        of.later.push_back(std::move(of.incoming));
    }
    of.set = Set::none;
}

void ShownSubtitles::take_page(Stream& stream, PacketPtr packet, std::int64_t begin, std::int64_t until) {
    constexpr std::size_t most = 64;  // packets: senders begin anew every few seconds
    if (const auto page = dvb_page(subtitle_bytes(*packet))) {
        if (page->whole || page->empty) {
            stream.packets.clear();
        }
        stream.until =
            page->empty ? begin : std::min(until, begin + packet->data[page->timeout_at] * std::int64_t{AV_TIME_BASE});
    }
    stream.packets.push_back(std::move(packet));
    if (stream.packets.size() > most) {
        stream.packets.pop_front();
    }
}

bool ShownSubtitles::any() const {
    return std::ranges::any_of(streams_, [](const auto& stream) {
        return stream.second.drawn || !stream.second.later.empty() || !stream.second.packets.empty();
    });
}

// What the pictures before the moment have drawn, or, where they were given earlier, that they are gone.
void ShownSubtitles::draw(Stream& stream) {
    if (!std::exchange(stream.drawn, false)) {
        return;
    }
    std::vector<std::uint8_t> bytes = stream.until > stream.moment ? stream.pgs.picture() : std::vector<std::uint8_t>{};
    const bool any = !bytes.empty();
    if (!any && stream.given) {
        bytes = stream.pgs.nothing();
        stream.until = INT64_MAX;
    }
    stream.given = any;
    if (!bytes.empty()) {
        stream.packets.push_back(packet_of(bytes));
    }
}

// What is over by the moment is not given, but ends what was given earlier. Nothing but the next one ends a DVD's: it
// is shown for the shortest time.
void ShownSubtitles::end_over(Stream& stream, AVCodecID codec, std::int64_t at) {
    if (stream.packets.empty() || stream.until > stream.moment) {
        stream.given = stream.given || !stream.packets.empty();
        return;
    }
    const std::deque<PacketPtr> over = std::exchange(stream.packets, {});
    if (!std::exchange(stream.given, false)) {
        return;
    }
    const bool paged = codec == AV_CODEC_ID_DVB_SUBTITLE;
    const auto page = std::find_if(over.rbegin(), over.rend(), [&](const PacketPtr& packet) {
        return !paged || dvb_page(subtitle_bytes(*packet));
    });
    if (page != over.rend()) {
        stream.until = paged ? INT64_MAX : at + dvd_tick;
        stream.packets.push_back(paged ? empty_page(**page) : reference_to(**page));
    }
}

std::deque<PacketPtr> ShownSubtitles::give(std::int64_t time, const AVFormatContext& format) {
    std::deque<PacketPtr> shown;
    for (auto& [index, stream] : streams_) {
        const AVStream& of = *format.streams[index];
        const std::int64_t at = av_rescale_q_rnd(time, microseconds_base, of.time_base, AV_ROUND_UP);
        const AVCodecID codec = of.codecpar->codec_id;
        if (codec == AV_CODEC_ID_HDMV_PGS_SUBTITLE) {
            draw(stream);
        } else {
            end_over(stream, codec, time);
        }
        const std::int64_t left = stream.until == INT64_MAX ? 0 : stream.until - time;
        for (PacketPtr& packet : std::exchange(stream.packets, {})) {
            shorten(*packet, codec, left);
            if (codec != AV_CODEC_ID_DVB_SUBTITLE || packet->duration > 0) {
                packet->duration = av_rescale_q(left, microseconds_base, of.time_base);
            }
            packet->stream_index = index;
            packet->pts = packet->dts = at;
            shown.push_back(std::move(packet));
        }
        for (PacketPtr& packet : std::exchange(stream.later, {})) {
            packet->dts = at;
            packet->pts = std::max(packet->pts, at);
            shown.push_back(std::move(packet));
        }
    }
    return shown;
}

}  // namespace vfilter
