#include "io/codec/subtitles.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "io/western_words.h"

namespace vfilter {

namespace {

constexpr int max_subtitle_size = 1 << 20;
// mov_text tells the length of a text in 16 bits (3GPP TS 26.245, 5.17).
constexpr std::size_t max_words = 60'000;
constexpr std::size_t most_open = 500;  // at one time, without a duration

struct Row {
    AVCodecID from;
    AVCodecID to;
    bool keeps_layout;
};
// The first one that the container has. SubRip's and mov_text's tags are bold, italic and colours, and few of them are
// lost; WebVTT has places on the screen.
constexpr Row conversions[] = {
    {AV_CODEC_ID_SUBRIP, AV_CODEC_ID_MOV_TEXT, true},  {AV_CODEC_ID_TEXT, AV_CODEC_ID_MOV_TEXT, true},
    {AV_CODEC_ID_MOV_TEXT, AV_CODEC_ID_SUBRIP, true},  {AV_CODEC_ID_ASS, AV_CODEC_ID_MOV_TEXT, false},
    {AV_CODEC_ID_WEBVTT, AV_CODEC_ID_MOV_TEXT, false}, {AV_CODEC_ID_SUBRIP, AV_CODEC_ID_WEBVTT, true},
    {AV_CODEC_ID_TEXT, AV_CODEC_ID_WEBVTT, true},      {AV_CODEC_ID_MOV_TEXT, AV_CODEC_ID_WEBVTT, true},
    {AV_CODEC_ID_ASS, AV_CODEC_ID_WEBVTT, false},
};

constexpr std::string_view line_end = "\\N";  // of ASS

struct OwnedSubtitle {
    AVSubtitle subtitle{};
    OwnedSubtitle() = default;
    OwnedSubtitle(const OwnedSubtitle&) = delete;
    OwnedSubtitle& operator=(const OwnedSubtitle&) = delete;
    ~OwnedSubtitle() { avsubtitle_free(&subtitle); }
};

// A copy whose words are UTF-8, as decoders want them; null where they are. mov_text tells the length of its words, and
// places in them, behind which more may stand.
PacketPtr in_utf8(const AVPacket& packet, AVCodecID codec) {
    const std::string_view text =
        without_filling({reinterpret_cast<const char*>(packet.data), static_cast<std::size_t>(packet.size)});
    if (codec == AV_CODEC_ID_MOV_TEXT || is_utf8(text)) {
        return nullptr;
    }
    const std::string words = utf8_of_western(text);
    PacketPtr made = make_packet();
    av_check(av_new_packet(made.get(), static_cast<int>(words.size())), "av_new_packet", ExitCode::output);
    std::memcpy(made->data, words.data(), words.size());
    av_check(av_packet_copy_props(made.get(), &packet), "av_packet_copy_props", ExitCode::output);
    return made;
}

// What libavcodec's events say of where and how words are shown, and its encoders of mov_text and WebVTT do not write;
// \\an2, below in the middle, is what is meant where nothing is said.
std::vector<const char*> unwritten_layout(std::string_view event) {
    const auto has = [&](std::string_view tag) { return event.find(tag) != std::string_view::npos; };
    const std::size_t place = event.find("\\an");
    constexpr std::size_t tag_size = 3;
    const bool placed = place != std::string_view::npos && place + tag_size < event.size() &&
                        event[place + tag_size] != '2' && event[place + tag_size] != '}';
    std::vector<const char*> lost;
    if (placed || has("\\pos(") || has("\\move(")) {
        lost.push_back("places on the screen");
    }
    if (has("\\c&") || has("\\1c&")) {
        lost.push_back("colours");
    }
    if (has("\\fn") || has("\\fs")) {
        lost.push_back("fonts");
    }
    return lost;
}

// What is shown for no time there is not shown, as notes are kept in ASS. Of others it is not known how long.
bool has_always_an_end(AVCodecID codec) {
    return codec == AV_CODEC_ID_ASS || codec == AV_CODEC_ID_SSA;
}

CodecContextPtr opened(const AVCodec* codec, const auto& prepare) {
    if (codec == nullptr) {
        throw Error(ExitCode::output, "this FFmpeg cannot convert the subtitles");
    }
    CodecContextPtr context(avcodec_alloc_context3(codec));
    if (!context) {
        throw std::bad_alloc();
    }
    prepare(*context);
    av_check(avcodec_open2(context.get(), codec, nullptr), "avcodec_open2 (subtitles)", ExitCode::output);
    return context;
}

}  // namespace

std::optional<SubtitleConversion> subtitle_conversion(const AVOutputFormat& container, AVCodecID codec) {
    for (const Row& row : conversions) {
        if (row.from == codec && avformat_query_codec(&container, row.to, FF_COMPLIANCE_NORMAL) == 1) {
            return SubtitleConversion{row.to, row.keeps_layout};
        }
    }
    return std::nullopt;
}

SubtitleConverter::SubtitleConverter(const AVStream& from, AVCodecID to)
    : rules_{.comments = from.codecpar->codec_id == AV_CODEC_ID_ASS, .markup = to == AV_CODEC_ID_WEBVTT},
      base_(from.time_base),
      stream_(from.index) {
    // Of others it is told that little is left.
    const Row* const row = std::ranges::find_if(
        conversions, [&](const Row& known) { return known.from == from.codecpar->codec_id && known.to == to; });
    tells_layout_ = row != std::end(conversions) && row->keeps_layout && to != AV_CODEC_ID_SUBRIP;
    decoder_ = opened(avcodec_find_decoder(from.codecpar->codec_id), [&](AVCodecContext& context) {
        av_check(avcodec_parameters_to_context(&context, from.codecpar), "avcodec_parameters_to_context",
                 ExitCode::output);
        context.pkt_timebase = from.time_base;
    });
    if (to == AV_CODEC_ID_MOV_TEXT) {
        in_turn_.emplace();
    }
    encoder_ = opened(avcodec_find_encoder(to), [&](AVCodecContext& context) {
        context.time_base = AVRational{1, 1000};
        if (decoder_->subtitle_header != nullptr) {
            const auto size = static_cast<std::size_t>(decoder_->subtitle_header_size);
            context.subtitle_header = static_cast<std::uint8_t*>(av_mallocz(size + 1));
            if (context.subtitle_header == nullptr) {
                throw std::bad_alloc();
            }
            std::memcpy(context.subtitle_header, decoder_->subtitle_header, size);
            context.subtitle_header_size = decoder_->subtitle_header_size;
        }
    });
}

std::vector<PacketPtr> SubtitleConverter::convert(const AVPacket& packet) {
    OwnedSubtitle decoded;
    int found = 0;
    // The interface wants to write to the packet's bookkeeping: give it a reference of its own.
    PacketPtr own = in_utf8(packet, decoder_->codec_id);
    if (own && !std::exchange(told_western_, true)) {
        spdlog::warn("stream {}: the subtitles are not UTF-8: they are read as Windows-1252", stream_);
    }
    own.reset(own ? own.release() : av_packet_clone(&packet));
    if (!own || avcodec_decode_subtitle2(decoder_.get(), &decoded.subtitle, &found, own.get()) < 0) {
        ++undecoded_;
        return {};
    }
    const std::int64_t begin = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
    std::vector<PacketPtr> made;
    end_open(begin, made);
    ShownWords words{begin, av_sat_add64(begin, packet.duration), {}};
    for (const AVSubtitleRect* const rect : std::span(decoded.subtitle.rects, decoded.subtitle.num_rects)) {
        const std::string event = rect->ass == nullptr ? "" : rect->ass;
        tell_layout(event);
        EventLine line = read_event(event, rules_);
        if (!line.words.empty()) {
            words.lines.push_back(std::move(line));
        }
    }
    if (packet.duration <= 0 && has_always_an_end(decoder_->codec_id)) {
        words.lines.clear();
    }
    if (!words.lines.empty() && packet.duration <= 0 && begin != AV_NOPTS_VALUE) {
        if (open_.size() < most_open) {
            open_.push_back(std::move(words));
        } else {
            ++left_out_;
        }
    } else if (!words.lines.empty()) {
        show(std::move(words), made);
    }
    take_until(at_once_ ? latest_ : begin, made);
    return made;
}

void SubtitleConverter::tell_layout(const std::string& event) {
    if (!tells_layout_) {
        return;
    }
    for (const char* const lost : unwritten_layout(event)) {
        if (told_layout_.insert(lost).second) {
            spdlog::warn("stream {}: the {} of the subtitles are lost: FFmpeg does not write them as {}", stream_, lost,
                         avcodec_get_name(encoder_->codec_id));
        }
    }
}

std::vector<PacketPtr> SubtitleConverter::advance(std::int64_t time) {
    constexpr int late_seconds = 10;
    latest_ = std::max(latest_, time);
    std::vector<PacketPtr> made;
    take_until(at_once_ ? time : av_sat_sub64(time, av_rescale_q(late_seconds, AVRational{1, 1}, base_)), made);
    return made;
}

// What has no end is shown to the end of all.
std::vector<PacketPtr> SubtitleConverter::finish() {
    constexpr int least_seconds = 2;
    std::vector<PacketPtr> made;
    for (ShownWords& words : std::exchange(open_, {})) {
        words.end = std::max(latest_, av_sat_add64(words.begin, av_rescale_q(least_seconds, AVRational{1, 1}, base_)));
        show(std::move(words), made);
    }
    take_until(INT64_MAX, made);
    return made;
}

// What came without a duration is shown until something else is, be it nothing (an empty sample of mov_text).
void SubtitleConverter::end_open(std::int64_t time, std::vector<PacketPtr>& made) {
    const auto later =
        std::stable_partition(open_.begin(), open_.end(), [&](const ShownWords& words) { return words.begin < time; });
    std::vector<ShownWords> ended(std::make_move_iterator(open_.begin()), std::make_move_iterator(later));
    open_.erase(open_.begin(), later);
    for (ShownWords& words : ended) {
        words.end = time;
        show(std::move(words), made);
    }
}

void SubtitleConverter::show(ShownWords words, std::vector<PacketPtr>& made) {
    if (!in_turn_ || words.begin == AV_NOPTS_VALUE) {
        if (PacketPtr packet = encode(words)) {
            made.push_back(std::move(packet));
        }
    } else {
        // A quarter of a second is what readers of subtitles let pass.
        const std::int64_t late = av_sat_add64(words.begin, av_rescale_q(1, AVRational{1, 4}, base_));
        const bool in_time = !at_once_ || in_turn_->taken_until() <= late;
        left_out_ += in_turn_->add(std::move(words)) && in_time ? 0 : 1;
    }
}

void SubtitleConverter::take_until(std::int64_t time, std::vector<PacketPtr>& made) {
    if (!in_turn_) {
        return;
    }
    const std::int64_t until = open_.empty() ? time : std::min(time, open_.front().begin);
    const bool begun = at_once_ && time != INT64_MAX;
    for (const ShownWords& words : begun ? in_turn_->take_begun(until) : in_turn_->take(until)) {
        if (PacketPtr packet = encode(words)) {
            made.push_back(std::move(packet));
        }
    }
}

// Null where nothing can be seen.
PacketPtr SubtitleConverter::encode(const ShownWords& words) {
    std::vector<std::string> lines;
    std::size_t size = 0;
    for (const EventLine& line : words.lines) {
        size += line.event.size();
        if (size > max_words) {
            ++left_out_;
            break;
        }
        lines.push_back(line.event + std::string(line_end));
    }
    if (!lines.empty()) {
        lines.back().resize(lines.back().size() - line_end.size());
    }
    std::vector<AVSubtitleRect> rects(lines.size());
    std::vector<AVSubtitleRect*> pointers;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        rects[i].type = SUBTITLE_ASS;
        rects[i].ass = lines[i].data();
        pointers.push_back(&rects[i]);
    }
    AVSubtitle subtitle{};
    subtitle.format = 1;  // text
    subtitle.num_rects = static_cast<unsigned>(rects.size());
    subtitle.rects = pointers.data();
    const auto buffer = std::make_unique<std::uint8_t[]>(max_subtitle_size);
    const int bytes = avcodec_encode_subtitle(encoder_.get(), buffer.get(), max_subtitle_size, &subtitle);
    av_check(bytes, "avcodec_encode_subtitle", ExitCode::output);
    if (bytes == 0) {
        return nullptr;
    }
    PacketPtr result = make_packet();
    av_check(av_new_packet(result.get(), bytes), "av_new_packet", ExitCode::output);
    std::memcpy(result->data, buffer.get(), static_cast<std::size_t>(bytes));
    result->pts = result->dts = words.begin;
    result->duration = av_sat_sub64(words.end, words.begin);
    result->flags |= AV_PKT_FLAG_KEY;
    return result;
}

}  // namespace vfilter
