#include "io/output/container_rules.h"

extern "C" {
#include <libavutil/avstring.h>
}

#include <algorithm>
#include <array>
#include <string_view>

#include "io/containers.h"
#include "io/extradata.h"
#include "io/log/complaints.h"
#include "io/output/memory_output.h"
#include "io/output/stream_headers.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

// Global tags that mp4 and mov hold in iTunes' or their own way; all others need Apple's keys.
constexpr std::array<std::string_view, 34> itunes_tags{"title",
                                                       "artist",
                                                       "album_artist",
                                                       "composer",
                                                       "album",
                                                       "date",
                                                       "encoding_tool",
                                                       "comment",
                                                       "genre",
                                                       "copyright",
                                                       "grouping",
                                                       "lyrics",
                                                       "description",
                                                       "synopsis",
                                                       "show",
                                                       "episode_id",
                                                       "network",
                                                       "keywords",
                                                       "episode_sort",
                                                       "season_number",
                                                       "media_type",
                                                       "hd_video",
                                                       "gapless_playback",
                                                       "compilation",
                                                       "track",
                                                       "disc",
                                                       "tmpo",
                                                       "creation_time",
                                                       "major_brand",
                                                       "minor_version",
                                                       "compatible_brands",
                                                       "encoder",
                                                       "timecode",
                                                       "location"};

// Some muxers find out only when they begin (Opus in mov), or write the header (Vorbis whose own is damaged, AAC in
// MPEG-PS): let one do so with this stream alone, into memory.
bool survives_trial(const AVOutputFormat& container, const AVStream& stream) {
    if ((container.flags & AVFMT_NOFILE) != 0) {
        return true;
    }
    MemoryOutput trial(container);
    Complaints complaints;
    complaints.listen(&trial.context());
    AVCodecParameters& tried = *trial.add_copy(stream).codecpar;
    if (tried.codec_id == AV_CODEC_ID_AAC && tried.extradata_size == 0) {
        // In MPEG-TS the header stands in the packets: any one will do here, of two channels of 44100 Hz.
        constexpr std::array<std::uint8_t, 2> header{0x12, 0x10};
        set_extradata(tried, header);
    }
    // That of Matroska says that it has no name for a codec, and goes on.
    return trial.writes_header() && complaints.count() == 0;
}

bool same_tag(std::string_view a, const char* b) {
    return av_strcasecmp(std::string(a).c_str(), b) == 0;
}

}  // namespace

// What stands in the header and has no packets: fonts, and in Matroska covers.
bool is_header_only(const AVOutputFormat& container, const AVStream& stream) {
    return stream.codecpar->codec_type == AVMEDIA_TYPE_ATTACHMENT ||
           (is_matroska(container) && is_attached_picture(stream));
}

bool can_hold_bluray(const AVStream& stream) {
    const AVCodecID codec = stream.codecpar->codec_id;
    return codec == AV_CODEC_ID_HDMV_PGS_SUBTITLE || codec == AV_CODEC_ID_PCM_BLURAY;
}

// Of a container that does not say which codecs it holds: whether it holds such streams at all.
static bool has_place_for(const AVOutputFormat& container, const AVCodecParameters& codec) {
    switch (codec.codec_type) {
        case AVMEDIA_TYPE_VIDEO:
            return container.video_codec != AV_CODEC_ID_NONE && (container.flags & AVFMT_NOTIMESTAMPS) == 0 &&
                   !container_of(container).has(fact::y4m);
        case AVMEDIA_TYPE_AUDIO:
            return container.audio_codec != AV_CODEC_ID_NONE;
        case AVMEDIA_TYPE_SUBTITLE:
            return container.subtitle_codec != AV_CODEC_ID_NONE ||
                   ((codec.codec_id == AV_CODEC_ID_DVB_SUBTITLE || codec.codec_id == AV_CODEC_ID_DVB_TELETEXT) &&
                    !is_program_stream(container)) ||
                   (codec.codec_id == AV_CODEC_ID_DVD_SUBTITLE && is_program_stream(container));
        case AVMEDIA_TYPE_DATA:
            return is_transport_stream(container) &&
                   (codec.codec_id == AV_CODEC_ID_SMPTE_KLV || codec.codec_id == AV_CODEC_ID_TIMED_ID3);
        default:
            return false;
    }
}

bool can_hold(const AVOutputFormat& container, const AVStream& stream) {
    const std::string_view name = container.name;
    const AVCodecParameters& codec = *stream.codecpar;
    if (codec.codec_type == AVMEDIA_TYPE_ATTACHMENT) {
        return is_matroska(container);
    }
    // Those that do not say what they hold seem to hold what nobody knows.
    if (codec.codec_id == AV_CODEC_ID_NONE &&
        (codec.codec_type != AVMEDIA_TYPE_DATA || is_transport_stream(container))) {
        return false;
    }
    if (is_attached_picture(stream)) {
        return (is_matroska(container) && may_be_attached(codec.codec_id)) || container_of(container).has(fact::covers);
    }
    const bool heard_or_seen = codec.codec_type == AVMEDIA_TYPE_AUDIO || codec.codec_type == AVMEDIA_TYPE_VIDEO;
    // A stream that is copied stands beside a video.
    if (codec.codec_type == AVMEDIA_TYPE_VIDEO && container_of(container).has(fact::one_video)) {
        return false;
    }
    if (is_transport_stream(container) && heard_or_seen && !has_transport_type(codec.codec_id)) {
        return false;
    }
    const bool wma = codec.codec_id == AV_CODEC_ID_WMAV1 || codec.codec_id == AV_CODEC_ID_WMAV2;
    if (is_unread(container, codec.codec_id) || (wma && codec.block_align <= 0)) {
        return false;
    }
    // The muxer of Smooth Streaming is mp4's, but for turning AAC of MPEG-TS into what stands there.
    if (name == "ismv" && codec.codec_id == AV_CODEC_ID_AAC && codec.extradata_size == 0) {
        return false;
    }
    // Matroska holds whatever AVI and WAV have a number for, such as WMA, which FFmpeg does only if it is asked to.
    const int answer = avformat_query_codec(&container, codec.codec_id,
                                            is_matroska(container) ? FF_COMPLIANCE_UNOFFICIAL : FF_COMPLIANCE_NORMAL);
    if (answer >= 0) {
        return answer == 1 && survives_trial(container, stream);
    }
    const bool alone = codec.codec_type == AVMEDIA_TYPE_AUDIO && !is_transport_stream(container);
    return has_place_for(container, codec) && (!alone || survives_trial(container, stream));
}

// Tracks that the muxer makes anew from what is copied otherwise: chapters and time code of QuickTime.
bool is_remade(const AVOutputFormat& container, const AVStream& stream, bool chapters) {
    const unsigned tag = stream.codecpar->codec_tag;
    return stream.codecpar->codec_type == AVMEDIA_TYPE_DATA &&
           ((tag == MKTAG('t', 'e', 'x', 't') && chapters && (is_quicktime(container) || is_matroska(container))) ||
            (tag == MKTAG('t', 'm', 'c', 'd') && is_quicktime(container)));
}

bool is_itunes_tag(const char* key) {
    return std::ranges::any_of(itunes_tags, [&](std::string_view tag) { return same_tag(tag, key); });
}

}  // namespace vfilter
