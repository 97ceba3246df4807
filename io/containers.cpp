#include "io/containers.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "io/compat.h"

namespace vfilter {

namespace {

constexpr unsigned comes_back = fact::same_sound | fact::same_times;
constexpr unsigned of_movies = fact::chapters | comes_back;
constexpr unsigned of_mxf = fact::counts_pictures | fact::counts_sound | fact::tells_length | fact::own_order;
constexpr unsigned of_y4m = fact::y4m | fact::counts_pictures | fact::no_tags | fact::one_codec;
constexpr unsigned of_animations = fact::animation | fact::no_tags | fact::one_codec;
constexpr unsigned with_delays = of_animations | fact::one_video | fact::last_delay;
constexpr unsigned of_gif = with_delays | fact::unparsed | fact::plays_again | fact::hundredths;

constexpr Container containers[] = {
    {"mp4", Family::movie, of_movies | fact::covers | fact::h264, "mov", ""},
    {"mov", Family::movie, of_movies | fact::h264 | fact::quicktime, "mov", ""},
    {"matroska", Family::blocks, comes_back | fact::chapters | fact::h264, "matroska", ""},
    {"webm", Family::blocks, comes_back | fact::chapters | fact::no_tags, "matroska", ""},
    {"mpegts", Family::transport, fact::same_times | fact::pieces | fact::no_tags | fact::h264, "mpegts", ""},
    {"rtp_mpegts", Family::transport, fact::h264, "", ""},
    {"ipod", Family::movie, of_movies | fact::covers | fact::h264, "mov", ""},
    {"3gp", Family::movie, of_movies | fact::h264, "mov", ""},
    {"3g2", Family::movie, of_movies | fact::h264, "mov", ""},
    {"f4v", Family::movie, of_movies, "mov", ""},
    // It begins with boxes of its own, behind which its index cannot be put.
    {"psp", Family::movie, comes_back | fact::own_index, "mov", "mp4"},
    {"ismv", Family::movie, fact::chapters | fact::same_sound | fact::own_index, "mov", ""},
    {"nut", Family::other, comes_back | fact::chapters, "nut", ""},
    {"flv", Family::other, comes_back | fact::no_tags | fact::h264, "flv", ""},
    {"rtsp", Family::other, fact::h264, "", ""},
    {"avi", Family::other, fact::counts_sound | fact::tells_length, "avi", ""},
    {"asf", Family::other, fact::chapters, "asf", ""},
    {"ogg", Family::ogg, fact::chapters | fact::no_tags, "ogg", ""},
    {"ogv", Family::ogg, fact::chapters | fact::no_tags, "ogg", ""},
    {"oga", Family::ogg, fact::chapters, "", ""},
    {"opus", Family::other, fact::chapters, "", ""},
    {"spx", Family::other, fact::chapters, "", ""},
    {"mp3", Family::other, fact::chapters, "", ""},
    {"flac", Family::other, fact::counts_sound, "", ""},
    {"mxf", Family::mxf, of_mxf | fact::no_tags, "mxf", ""},
    {"mxf_d10", Family::mxf, of_mxf, "", ""},
    {"mxf_opatom", Family::mxf, fact::counts_pictures | fact::counts_sound | fact::own_order, "", "mxf"},
    {"gxf", Family::other, fact::own_order, "", "mxf"},
    {"mpeg", Family::program, fact::no_tags, "", ""},
    {"vob", Family::program, fact::no_tags, "", ""},
    {"vcd", Family::program, 0, "", ""},
    {"svcd", Family::program, 0, "", ""},
    {"dvd", Family::program, 0, "", ""},
    {"gif", Family::other, of_gif, "gif", "", "loop"},
    {"apng", Family::other, with_delays, "", "gif", "plays"},
    {"webp", Family::other, of_animations | fact::plays_once | fact::mended, "", "gif", "loop"},
    {"avif", Family::other, fact::animation | fact::one_video, "", "png"},
    {"image2pipe", Family::other, fact::single_picture | fact::as_encoded | fact::one_video, "", ""},
    {"rawvideo", Family::other, fact::as_encoded, "", ""},
    {"yuv4mpegpipe", Family::other, of_y4m, "yuv4mpegpipe", ""},
    {"swf", Family::other, fact::counts_pictures | fact::counts_sound | fact::one_video | fact::tells_length, "", ""},
    {"avm2", Family::other, fact::tells_length, "", ""},
    {"rm", Family::other, fact::counts_pictures | fact::tells_length, "rm", ""},
    {"smjpeg", Family::other, fact::tells_length, "smjpeg", ""},
    {"ivf", Family::other, fact::tells_length, "ivf", ""},
    {"obu", Family::other, 0, "obu", ""},
    {"roq", Family::other, 0, "roq", ""},
    {"wtv", Family::other, 0, "wtv", "mpegts"},
    {"amv", Family::other, 0, "", "matroska"},
    {"film_cpk", Family::other, 0, "", "nut"},
    // Of what is written nowhere nothing is lost.
    {"null", Family::other, fact::nowhere | fact::chapters | fact::covers, "", ""},
};

// What FFmpeg writes into MPEG-TS with its type (ISO 13818-1, ATSC, DVB, Blu-ray). Any other becomes private data,
// which no player, and not even FFmpeg itself, takes for pictures or sound again: JPEG 2000, too, which has a type.
constexpr std::array transport_codecs{
    AV_CODEC_ID_MP1,   AV_CODEC_ID_MP2,        AV_CODEC_ID_MP3,        AV_CODEC_ID_AAC,    AV_CODEC_ID_AAC_LATM,
    AV_CODEC_ID_AC3,   AV_CODEC_ID_EAC3,       AV_CODEC_ID_DTS,        AV_CODEC_ID_TRUEHD, AV_CODEC_ID_OPUS,
    AV_CODEC_ID_S302M, AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4,  AV_CODEC_ID_H264,
    AV_CODEC_ID_HEVC,  AV_CODEC_ID_DIRAC,      AV_CODEC_ID_CAVS,       AV_CODEC_ID_AVS2,   AV_CODEC_ID_AVS3,
    AV_CODEC_ID_VC1};

}  // namespace

const Container& container_of(const AVOutputFormat& format) {
    static constexpr Container none{};
    const auto* const row = std::ranges::find(containers, std::string_view(format.name), &Container::name);
    return row != std::end(containers) ? *row : none;
}

std::string name_of_output(const AVOutputFormat& container) {
    return container_of(container).has(fact::single_picture) ? "a picture" : container.name;
}

bool is_transport_stream(const AVOutputFormat& container) {
    return container_of(container).family == Family::transport;
}

bool is_avi(const AVOutputFormat& container) {
    return std::string_view(container.name) == "avi";
}

bool is_quicktime(const AVOutputFormat& container) {
    return container_of(container).family == Family::movie;
}

bool is_program_stream(const AVOutputFormat& container) {
    return container_of(container).family == Family::program;
}

bool is_ogg(const AVOutputFormat& container) {
    return container_of(container).family == Family::ogg;
}

bool is_mxf(const AVOutputFormat& container) {
    return container_of(container).family == Family::mxf;
}

bool is_matroska(const AVOutputFormat& container) {
    return std::string_view(container.name) == "matroska";
}

bool is_block_container(const AVOutputFormat& container) {
    return container_of(container).family == Family::blocks;
}

bool holds_sound_alone(const AVOutputFormat& container) {
    return container.audio_codec != AV_CODEC_ID_NONE &&
           (container.video_codec == AV_CODEC_ID_NONE || container.video_codec == AV_CODEC_ID_PNG);
}

bool holds_chapters(const AVOutputFormat& container) {
    return container_of(container).has(fact::chapters);
}

bool holds_rotation(const AVOutputFormat& container) {
    return is_quicktime(container) || (is_matroska(container) && matroska_holds_rotation);
}

bool has_no_tags(const AVOutputFormat& container) {
    return (container.flags & AVFMT_NOTIMESTAMPS) != 0 || container_of(container).has(fact::no_tags);
}

bool has_one_codec(const AVOutputFormat& container) {
    const Container& row = container_of(container);
    const bool bare = (container.flags & AVFMT_NOTIMESTAMPS) != 0 && container.audio_codec == AV_CODEC_ID_NONE &&
                      container.video_codec != AV_CODEC_ID_NONE && !row.has(fact::single_picture);
    return bare || row.has(fact::one_codec);
}

bool only_counts_pictures(const AVOutputFormat& container) {
    const Container& row = container_of(container);
    const bool bare =
        (container.flags & AVFMT_NOTIMESTAMPS) != 0 && (container.flags & AVFMT_NOFILE) == 0 && !row.has(fact::nowhere);
    return bare || row.has(fact::counts_pictures);
}

bool only_counts_sound(const AVOutputFormat& container, AVCodecID codec) {
    // Readers of FLAC in Ogg begin to count with its first page.
    return container_of(container).has(fact::counts_sound) || (is_ogg(container) && codec == AV_CODEC_ID_FLAC);
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

bool lacks_delay(const AVOutputFormat& container, AVCodecID codec) {
    return !matroska_adds_delay && codec == AV_CODEC_ID_OPUS && is_block_container(container);
}

bool is_bluray_stream(const AVOutputFormat& container, std::string_view path) {
    return is_transport_stream(container) && path.ends_with(".m2ts");
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

}  // namespace vfilter
