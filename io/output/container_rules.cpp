#include "io/output/container_rules.h"

extern "C" {
#include <libavutil/avstring.h>
}

#include <algorithm>
#include <array>
#include <string_view>

#include "io/compat.h"
#include "io/extradata.h"
#include "io/input/complaints.h"
#include "io/input/stream_headers.h"
#include "io/output/memory_output.h"
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

// What FFmpeg writes into MPEG-TS with its type (ISO 13818-1, ATSC, DVB, Blu-ray). Any other becomes private data,
// which no player, and not even FFmpeg itself, takes for pictures or sound again: JPEG 2000, too, which has a type.
constexpr std::array transport_codecs{
    AV_CODEC_ID_MP1,   AV_CODEC_ID_MP2,        AV_CODEC_ID_MP3,        AV_CODEC_ID_AAC,    AV_CODEC_ID_AAC_LATM,
    AV_CODEC_ID_AC3,   AV_CODEC_ID_EAC3,       AV_CODEC_ID_DTS,        AV_CODEC_ID_TRUEHD, AV_CODEC_ID_OPUS,
    AV_CODEC_ID_S302M, AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4,  AV_CODEC_ID_H264,
    AV_CODEC_ID_HEVC,  AV_CODEC_ID_DIRAC,      AV_CODEC_ID_CAVS,       AV_CODEC_ID_AVS2,   AV_CODEC_ID_AVS3,
    AV_CODEC_ID_VC1};

}  // namespace

std::string name_of_output(const AVOutputFormat& container) {
    const std::string_view name = container.name;
    return name == "image2pipe" ? "a picture" : std::string(name);
}

bool is_transport_stream(const AVOutputFormat& container) {
    const std::string_view name = container.name;
    return name == "mpegts" || name == "rtp_mpegts";
}

bool is_avi(const AVOutputFormat& container) {
    return std::string_view(container.name) == "avi";
}

bool is_quicktime(const AVOutputFormat& container) {
    const std::string_view name = container.name;
    return name == "mp4" || name == "mov" || name == "ipod" || name == "3gp" || name == "ismv";
}

bool holds_sound_alone(const AVOutputFormat& container) {
    return container.audio_codec != AV_CODEC_ID_NONE &&
           (container.video_codec == AV_CODEC_ID_NONE || container.video_codec == AV_CODEC_ID_PNG);
}

bool has_no_tags(const AVOutputFormat& container) {
    constexpr std::array<std::string_view, 12> names{"webm", "mpegts", "ogg", "ogv",  "flv",          "gif",
                                                     "apng", "mpeg",   "vob", "webp", "yuv4mpegpipe", "mxf"};
    return (container.flags & AVFMT_NOTIMESTAMPS) != 0 || std::ranges::find(names, container.name) != names.end();
}

AVCodecID codec_of_tag(const AVOutputFormat& container, AVCodecID codec, unsigned tag) {
    // Readers of QuickTime look among AVI's as well, and Matroska names most codecs in its own way.
    const AVCodecTag* const usual[] = {avformat_get_riff_video_tags(), avformat_get_mov_video_tags(), nullptr};
    const bool more = is_quicktime(container) || is_matroska(container);
    // Several may have the same letters, which their own headers tell apart.
    if (container.codec_tag == nullptr || av_codec_get_tag(container.codec_tag, codec) == tag ||
        (more && av_codec_get_id(usual, tag) == codec)) {
        return codec;
    }
    return av_codec_get_id(container.codec_tag, tag);
}

unsigned container_tag(const AVOutputFormat& container, AVCodecID codec, const std::string& wanted) {
    if (wanted.size() == 4) {
        return has_no_tags(container) ? 0 : MKTAG(wanted[0], wanted[1], wanted[2], wanted[3]);
    }
    return is_quicktime(container) && codec == AV_CODEC_ID_HEVC ? MKTAG('h', 'v', 'c', '1') : 0;
}

bool holds_chapters(const AVOutputFormat& container) {
    // Of what is written nowhere nothing is lost: null.
    constexpr std::array<std::string_view, 10> names{"mp4", "mov", "ipod", "matroska", "webm",
                                                     "ogg", "ogv", "nut",  "asf",      "null"};
    return std::ranges::find(names, container.name) != names.end();
}

bool only_counts_pictures(const AVOutputFormat& container) {
    constexpr std::array<std::string_view, 6> names{"yuv4mpegpipe", "mxf", "mxf_d10", "mxf_opatom", "swf", "rm"};
    const bool bare = (container.flags & AVFMT_NOTIMESTAMPS) != 0 && (container.flags & AVFMT_NOFILE) == 0 &&
                      std::string_view(container.name) != "null";
    return bare || std::ranges::find(names, container.name) != names.end();
}

bool only_counts_sound(const AVOutputFormat& container, AVCodecID codec) {
    constexpr std::array<std::string_view, 5> names{"avi", "mxf", "mxf_d10", "mxf_opatom", "swf"};
    // Readers of FLAC in Ogg begin to count with its first page.
    return std::ranges::find(names, container.name) != names.end() ||
           (is_ogg(container) && codec == AV_CODEC_ID_FLAC) || std::string_view(container.name) == "flac";
}

bool is_ogg(const AVOutputFormat& container) {
    constexpr std::array<std::string_view, 3> names{"ogg", "ogv", "oga"};
    return std::ranges::find(names, container.name) != names.end();
}

bool is_matroska(const AVOutputFormat& container) {
    return std::string_view(container.name) == "matroska";
}

bool is_block_container(const AVOutputFormat& container) {
    return is_matroska(container) || std::string_view(container.name) == "webm";
}

bool lacks_delay(const AVOutputFormat& container, AVCodecID codec) {
    return !matroska_adds_delay && codec == AV_CODEC_ID_OPUS && is_block_container(container);
}

// What stands in the header and has no packets: fonts, and in Matroska covers.
bool is_header_only(const AVOutputFormat& container, const AVStream& stream) {
    return stream.codecpar->codec_type == AVMEDIA_TYPE_ATTACHMENT ||
           (is_matroska(container) && is_attached_picture(stream));
}

// MPEG-PS of DVDs, whose muxers do not say what they hold.
static bool is_program_stream(const AVOutputFormat& container) {
    constexpr std::array<std::string_view, 5> names{"mpeg", "vob", "vcd", "svcd", "dvd"};
    return std::ranges::find(names, container.name) != names.end();
}

bool is_bluray_stream(const AVOutputFormat& container, std::string_view path) {
    return is_transport_stream(container) && path.ends_with(".m2ts");
}

bool can_hold_bluray(const AVStream& stream) {
    const AVCodecID codec = stream.codecpar->codec_id;
    return codec == AV_CODEC_ID_HDMV_PGS_SUBTITLE || codec == AV_CODEC_ID_PCM_BLURAY;
}

bool is_unread(const AVOutputFormat& container, AVCodecID codec) {
    struct Row {
        std::string_view container;
        AVCodecID codec;
    };
    constexpr Row rows[] = {
        // No reader gets more than a picture.
        {"matroska", AV_CODEC_ID_GIF},
        {"matroska", AV_CODEC_ID_QTRLE},
        {"swf", AV_CODEC_ID_PNG},
        {"flv", AV_CODEC_ID_MPEG4},
        {"flv", AV_CODEC_ID_H263},
        // Readers count its bytes, by a size of a block that Vorbis and FLAC have not, and FFmpeg writes of no other.
        {"avi", AV_CODEC_ID_VORBIS},
        {"avi", AV_CODEC_ID_EAC3},
        {"avi", AV_CODEC_ID_DTS},
        {"avi", AV_CODEC_ID_FLAC},
        {"avi", AV_CODEC_ID_ADPCM_G722},
        {"avi", AV_CODEC_ID_SPEEX},
        {"avi", AV_CODEC_ID_DFPWM},
        // It is written without a header, in the packets or beside them.
        {"wtv", AV_CODEC_ID_AAC},
        // Readers put its packets in another order.
        {"wtv", AV_CODEC_ID_FLAC},
        {"asf", AV_CODEC_ID_FLAC},
        {"asf_stream", AV_CODEC_ID_FLAC},
        // Nobody reads it without the size of its blocks, which NUT does not hold.
        {"nut", AV_CODEC_ID_WMAV1},
        {"nut", AV_CODEC_ID_WMAV2},
        {"nut", AV_CODEC_ID_ADPCM_IMA_WAV},
    };
    // FFmpeg's muxer takes any codec, and only these have a type of stream.
    constexpr std::array program{AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4, AV_CODEC_ID_H264,
                                 AV_CODEC_ID_HEVC,       AV_CODEC_ID_VC1,        AV_CODEC_ID_CAVS};
    const bool untyped = is_program_stream(container) && avcodec_get_type(codec) == AVMEDIA_TYPE_VIDEO &&
                         std::ranges::find(program, codec) == program.end();
    // FFmpeg's muxer writes down whatever it is given.
    const bool raw =
        container.name == std::string_view("roq") && codec != container.video_codec && codec != container.audio_codec;
    return untyped || raw || std::ranges::any_of(rows, [&](const Row& row) {
               return row.container == container.name && row.codec == codec;
           });
}

// Of a container that does not say which codecs it holds: whether it holds such streams at all.
static bool has_place_for(const AVOutputFormat& container, const AVCodecParameters& codec) {
    switch (codec.codec_type) {
        case AVMEDIA_TYPE_VIDEO:
            return container.video_codec != AV_CODEC_ID_NONE && (container.flags & AVFMT_NOTIMESTAMPS) == 0 &&
                   std::string_view(container.name) != "yuv4mpegpipe";
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
        return (is_matroska(container) && may_be_attached(codec.codec_id)) || name == "mp4" || name == "ipod" ||
               name == "null";
    }
    const bool heard_or_seen = codec.codec_type == AVMEDIA_TYPE_AUDIO || codec.codec_type == AVMEDIA_TYPE_VIDEO;
    // A stream that is copied stands beside a video, and these hold one.
    constexpr std::array<std::string_view, 5> of_one_video{"gif", "apng", "swf", "avif", "image2pipe"};
    if (codec.codec_type == AVMEDIA_TYPE_VIDEO && std::ranges::find(of_one_video, name) != of_one_video.end()) {
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

bool has_transport_type(AVCodecID codec) {
    return std::ranges::find(transport_codecs, codec) != transport_codecs.end();
}

bool holds_raw(const AVOutputFormat& container, AVPixelFormat format) {
    const unsigned tag = avcodec_pix_fmt_to_codec_tag(format);
    const auto lists = [tag](const AVCodecTag* const* tags) {
        return av_codec_get_id(tags, tag) == AV_CODEC_ID_RAWVIDEO;
    };
    // Which has no letters there.
    if (format == AV_PIX_FMT_BGR24 && is_avi(container)) {
        return true;
    }
    // Matroska writes any tag, and readers of QuickTime look among those of AVI as well.
    const AVCodecTag* const riff[] = {avformat_get_riff_video_tags(), nullptr};
    return tag != 0 && (is_matroska(container) || container.codec_tag == nullptr || lists(container.codec_tag) ||
                        (is_quicktime(container) && lists(riff)));
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
