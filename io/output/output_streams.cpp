#include "io/output/output_streams.h"

#include <fmt/format.h>

extern "C" {
#include <libavutil/pixdesc.h>
#include <libavutil/timecode.h>
}

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "io/codec/sound/sound_layouts.h"
#include "io/compat.h"
#include "io/containers.h"
#include "io/copied_stream.h"
#include "io/formats/format_facts.h"
#include "io/languages.h"
#include "io/output/stream_headers.h"
#include "io/output/tags.h"
#include "io/packet_times.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

// Facts about the picture, which filtering leaves true; what describes the old bit stream is not taken over.
constexpr std::array picture_side_data{AV_PKT_DATA_DISPLAYMATRIX,       AV_PKT_DATA_STEREO3D,
                                       AV_PKT_DATA_SPHERICAL,           AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
                                       AV_PKT_DATA_CONTENT_LIGHT_LEVEL, AV_PKT_DATA_ICC_PROFILE};

struct FrameSideData {
    AVFrameSideDataType in_frame;
    AVPacketSideDataType in_stream;
};
// HDR data, and which way is up, that some inputs carry in their pictures only.
constexpr FrameSideData promoted[] = {
    {AV_FRAME_DATA_DISPLAYMATRIX, AV_PKT_DATA_DISPLAYMATRIX},
    {AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, AV_PKT_DATA_MASTERING_DISPLAY_METADATA},
    {AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, AV_PKT_DATA_CONTENT_LIGHT_LEVEL},
};

void add_side_data(AVStream& to, AVPacketSideDataType type, const std::uint8_t* data, std::size_t size) {
    std::uint8_t* const room = new_side_data(to, type, size);
    if (room == nullptr) {
        throw std::bad_alloc();
    }
    std::memcpy(room, data, size);
}

// Whether the container takes the stream's clock for the rate. AVI fills what is between two pictures, so it gets a
// finer clock where the rate varies.
bool has_clock_of_pictures(const AVOutputFormat& container, const Encoder& encoder) {
    const AVRational picture = av_inv_q(encoder.context().framerate);
    return only_counts_pictures(container) ||
           (is_avi(container) && av_cmp_q(encoder.context().time_base, picture) == 0);
}

// Whether packets of this sound have no size of their own, whatever a header calls a block of it: some have the most
// that a packet can be, or its samples. The muxer of AVI would count bytes by it in place of packets.
bool has_varying_packets(AVCodecID codec) {
    constexpr std::array codecs{AV_CODEC_ID_AAC,    AV_CODEC_ID_AC3,  AV_CODEC_ID_DTS, AV_CODEC_ID_EAC3,
                                AV_CODEC_ID_FLAC,   AV_CODEC_ID_MLP,  AV_CODEC_ID_MP1, AV_CODEC_ID_MP2,
                                AV_CODEC_ID_MP3,    AV_CODEC_ID_OPUS, AV_CODEC_ID_TTA, AV_CODEC_ID_TRUEHD,
                                AV_CODEC_ID_VORBIS, AV_CODEC_ID_ALAC, AV_CODEC_ID_TAK, AV_CODEC_ID_WAVPACK};
    return std::ranges::find(codecs, codec) != codecs.end();
}

int whole_rate(AVRational rate) {
    return static_cast<int>(av_rescale_rnd(rate.num, 1, rate.den, AV_ROUND_NEAR_INF));
}

// `made`: the rate that the pictures have now. The second stays, and the picture of it is counted by that rate.
void move_time_code(AVDictionary*& tags, AVRational rate, AVRational made, int pictures) {
    const AVDictionaryEntry* const tag = av_dict_get(tags, "timecode", nullptr, 0);
    AVTimecode code{};
    if (tag == nullptr || av_timecode_init_from_string(&code, rate, tag->value, nullptr) < 0) {
        return;
    }
    code.flags |= AV_TIMECODE_FLAG_24HOURSMAX;  // behind midnight the day begins
    std::array<char, AV_TIMECODE_STR_SIZE> moved{};
    std::string text = av_timecode_make_string(&code, moved.data(), pictures);
    const std::size_t last = text.find_last_of(":;") + 1;
    if (const int before = whole_rate(rate), now = whole_rate(made); before != now && last < text.size()) {
        const std::int64_t picture = av_rescale(std::strtol(text.c_str() + last, nullptr, 10), now, before);
        // Counts that leave out numbers are those of 30000/1001 and its multiples (SMPTE 12M).
        const bool drops = text[last - 1] == ';' && made.den == 1001 && made.num % 30000 == 0;
        text.replace(last - 1, std::string::npos, fmt::format("{}{:02}", drops ? ';' : ':', picture));
    }
    av_dict_set(&tags, "timecode", text.c_str(), 0);
}

// Encoders of ProRes tell the profile by the tag alone, and the muxer of MXF goes by the profile.
void complete_prores(AVCodecParameters& codec) {
    // In the order of their numbers, FF_PROFILE_PRORES_PROXY to _XQ.
    constexpr std::array tags{MKTAG('a', 'p', 'c', 'o'), MKTAG('a', 'p', 'c', 's'), MKTAG('a', 'p', 'c', 'n'),
                              MKTAG('a', 'p', 'c', 'h'), MKTAG('a', 'p', '4', 'h'), MKTAG('a', 'p', '4', 'x')};
    const auto* const tag = std::ranges::find(tags, codec.codec_tag);
    if (codec.codec_id == AV_CODEC_ID_PRORES && tag != tags.end()) {
        codec.profile = static_cast<int>(tag - tags.begin());
    }
}

// What no program has would stand in no table of the output: the first one that has any gets it as well.
void give_all_a_program(AVFormatContext& output) {
    if (output.nb_programs == 0) {
        return;
    }
    const std::span<AVProgram*> programs(output.programs, output.nb_programs);
    const auto with_streams =
        std::ranges::find_if(programs, [](const AVProgram* program) { return program->nb_stream_indexes > 0; });
    const int id = (with_streams != programs.end() ? *with_streams : programs.front())->id;
    for (unsigned i = 0; i < output.nb_streams; ++i) {
        if (av_find_program_from_stream(&output, nullptr, static_cast<int>(i)) == nullptr) {
            av_program_add_stream_index(&output, id, i);
        }
    }
}

}  // namespace

std::int64_t first_picture_of_output(const Demuxer& input, const EncodedVideo& video) {
    return input.part().start || video.first->pts == AV_NOPTS_VALUE
               ? input.part().first_wanted_picture
               : microseconds(video.first->pts, video.made->time_base);
}

void fill_video_stream(AVFormatContext& output, const AVStream& from, const Encoder& encoder, const AVFrame& first,
                       Strip strip) {
    AVStream& to = add_stream(output);
    av_check(avcodec_parameters_from_context(to.codecpar, &encoder.context()), "avcodec_parameters_from_context");
    complete_prores(*to.codecpar);
    if (is_quicktime(*output.oformat) && to.codecpar->codec_id == AV_CODEC_ID_RAWVIDEO &&
        to.codecpar->format == AV_PIX_FMT_GRAY8) {
        to.codecpar->codec_tag = 0;  // the muxer's own, by which readers know that it turns gray around
    }
    if (is_avi(*output.oformat) && to.codecpar->codec_id == AV_CODEC_ID_RAWVIDEO &&
        to.codecpar->format == AV_PIX_FMT_BGR24) {
        to.codecpar->codec_tag = 0;  // which is what AVI has for it
    }
    to.time_base =
        has_clock_of_pictures(*output.oformat, encoder) ? av_inv_q(encoder.context().framerate) : encoder.time_base();
    if (constexpr AVRational finest{1, 1000}; is_avi(*output.oformat) && av_cmp_q(to.time_base, finest) < 0) {
        to.time_base = finest;  // its muxer would take 600 a second
    }
    to.disposition = from.disposition;
    to.avg_frame_rate = from.avg_frame_rate.num > 0 ? from.avg_frame_rate : encoder.context().framerate;
    to.r_frame_rate = from.r_frame_rate;
    to.sample_aspect_ratio = encoder.context().sample_aspect_ratio;
    copy_tags(to.metadata, from.metadata, Coded::anew, strip);
    if (!has_alpha(encoder.context().pix_fmt)) {
        av_dict_set(&to.metadata, "alpha_mode", nullptr, 0);  // by which WebM says that there is transparency
    }
    for_each_side_data(from, [&](const AVPacketSideData& data) {
        if (std::ranges::find(picture_side_data, data.type) != picture_side_data.end() &&
            !has_side_data(to, data.type)) {
            add_side_data(to, data.type, data.data, data.size);
        }
    });
    for (const FrameSideData& row : promoted) {
        const AVFrameSideData* const data = av_frame_get_side_data(&first, row.in_frame);
        if (data != nullptr && !has_side_data(to, row.in_stream)) {
            add_side_data(to, row.in_stream, data->data, data->size);
        }
    }
}

void fill_sound_stream(AVFormatContext& output, const AVStream& from, const SoundConverter& sound, Strip strip) {
    AVStream& to = add_stream(output);
    av_check(avcodec_parameters_from_context(to.codecpar, &sound.context()), "avcodec_parameters_from_context");
    to.time_base = sound.time_base();
    to.disposition = from.disposition;
    if (to.codecpar->codec_id == AV_CODEC_ID_FLAC) {
        // FFmpeg's muxer of mp4 calls that an experiment; what it writes is what players read.
        output.strict_std_compliance = std::min(output.strict_std_compliance, FF_COMPLIANCE_EXPERIMENTAL);
    }
    copy_tags(to.metadata, from.metadata, Coded::anew, strip);
}

void fill_copied_stream(const AVOutputFormat& container, const AVStream& from, AVStream& to, Strip strip) {
    // A tag is the container's name for the codec: another container may have none or another meaning for it.
    const auto* const tags = container.codec_tag;
    if (tags == nullptr || av_codec_get_id(tags, to.codecpar->codec_tag) != to.codecpar->codec_id) {
        to.codecpar->codec_tag = 0;
    }
    if (has_varying_packets(to.codecpar->codec_id)) {
        to.codecpar->block_align = 0;
    }
    if (is_quicktime(container) && !container_of(container).has(fact::quicktime) &&
        to.codecpar->codec_type == AVMEDIA_TYPE_AUDIO) {
        complete_layout(to.codecpar->ch_layout);  // mp4 says where each channel of PCM is, and Matroska does not
    }
    to.id = from.id;
    to.time_base = from.time_base;
    to.disposition = from.disposition;
    to.avg_frame_rate = from.avg_frame_rate;
    to.r_frame_rate = from.r_frame_rate;
    to.sample_aspect_ratio = from.sample_aspect_ratio;
    to.duration = from.duration;
    copy_tags(to.metadata, from.metadata,
              to.codecpar->codec_id != from.codecpar->codec_id ? Coded::anew : Coded::as_before, strip);
    if (strip >= Strip::places && to.codecpar->codec_type == AVMEDIA_TYPE_ATTACHMENT) {
        strip_picture(to);
    }
    if (strip >= Strip::tags && to.codecpar->codec_type == AVMEDIA_TYPE_ATTACHMENT) {
        set_neutral_name(to, from);
    }
    copy_side_data(from, to);
}

void set_block_length(AVStream& to) {
    AVCodecParameters& codec = *to.codecpar;
    const bool known = codec.frame_size > 0 || av_get_audio_frame_duration2(&codec, 0) > 0;
    if (codec.codec_type == AVMEDIA_TYPE_AUDIO && !known && codec.block_align > 0) {
        const int samples = av_get_audio_frame_duration2(&codec, codec.block_align);
        codec.frame_size = samples > 1 ? samples : 0;  // of PCM a block is a sample
    }
}

void repeat_streams(const AVFormatContext& from, AVFormatContext& to) {
    av_check(av_dict_copy(&to.metadata, from.metadata, 0), "av_dict_copy");
    to.avoid_negative_ts = from.avoid_negative_ts;
    for (unsigned i = 0; i < from.nb_streams; ++i) {
        add_copied_stream(*from.streams[i], to);
    }
    std::vector<int> places(from.nb_streams);
    std::iota(places.begin(), places.end(), 0);
    copy_programs(from, places, to);
}

void name_handlers(AVFormatContext& output) {
    for (unsigned i = 0; is_quicktime(*output.oformat) && i < output.nb_streams; ++i) {
        AVDictionary*& tags = output.streams[i]->metadata;
        const AVDictionaryEntry* const handler = av_dict_get(tags, "handler_name", nullptr, 0);
        const bool usual = handler == nullptr || is_usual_handler(handler->value);
        if (const AVDictionaryEntry* const title = av_dict_get(tags, "title", nullptr, 0); title != nullptr && usual) {
            av_dict_set(&tags, "handler_name", title->value, 0);
        }
    }
}

void spell_languages(AVFormatContext& output) {
    const bool has_numbers = container_of(*output.oformat).has(fact::quicktime);
    for (AVStream* const stream : std::span(output.streams, output.nb_streams)) {
        const AVDictionaryEntry* const tag = av_dict_get(stream->metadata, "language", nullptr, 0);
        const std::string value = tag != nullptr ? tag->value : "";
        for (const TwoCodes& codes : languages_with_two_codes()) {
            const bool of_mov = value != codes.bibliographic && value != codes.terminological;
            if (const std::string_view spelt = has_numbers ? codes.in_mov : codes.bibliographic;
                codes.has(value) && !spelt.empty() && (has_numbers || of_mov)) {
                av_dict_set(&stream->metadata, "language", std::string(spelt).c_str(), 0);
                break;
            }
        }
    }
}

void move_time_codes(const Demuxer& input, int video, AVRational made, AVFormatContext& output) {
    const AVStream& from = *input.format().streams[video];
    const AVRational rate = from.avg_frame_rate;
    made = made.num > 0 ? made : rate;
    if (rate.num <= 0 || (input.part().shift == 0 && whole_rate(made) == whole_rate(rate))) {
        return;
    }
    const std::int64_t begin = from.start_time != AV_NOPTS_VALUE ? microseconds(from.start_time, from.time_base) : 0;
    constexpr std::int64_t rounded = 1;  // of times in microseconds
    const auto pictures = input.part().shift == 0
                              ? 0
                              : static_cast<int>(av_rescale_q_rnd(input.part().shift - begin - rounded,
                                                                  microseconds_base, av_inv_q(rate), AV_ROUND_UP));
    move_time_code(output.metadata, rate, made, pictures);
    for (unsigned i = 0; i < output.nb_streams; ++i) {
        move_time_code(output.streams[i]->metadata, rate, made, pictures);
    }
}

// In QuickTime a chapter lasts until the next one, and the first one begins with the movie: what is before it is one
// without a name.
static void begin_with_chapter(AVFormatContext& output, std::int64_t end, AVRational time_base) {
    constexpr double noticed = 0.05;  // seconds
    if (is_quicktime(*output.oformat) && output.nb_chapters == 0 &&
        static_cast<double>(end) * av_q2d(time_base) > noticed) {
        AVChapter& before = add_chapter(output);
        before.time_base = time_base;
        before.end = end;
        av_dict_set(&before.metadata, "title", "", 0);
    }
}

void copy_chapters(const Demuxer& input, AVFormatContext& output, Strip strip) {
    const AVFormatContext& from = input.format();
    for (unsigned i = 0; i < from.nb_chapters; ++i) {
        const AVChapter& chapter = *from.chapters[i];
        const std::int64_t shift = av_rescale_q(input.part().shift, microseconds_base, chapter.time_base);
        const std::int64_t end = input.part().exact_end
                                     ? av_rescale_q(*input.part().exact_end, microseconds_base, chapter.time_base)
                                     : INT64_MAX;
        const std::int64_t rounded =
            input.part().exact_end ? av_rescale_q(1000, microseconds_base, chapter.time_base) : 0;
        // One of no length is a mark, such as the usual last one.
        if ((chapter.start < shift && chapter.end <= shift) || chapter.start >= end - rounded) {
            continue;
        }
        const std::int64_t start =
            std::max<std::int64_t>(av_sat_sub64(chapter.start, shift), shift > 0 ? 0 : INT64_MIN);
        begin_with_chapter(output, start, chapter.time_base);
        AVChapter& copy = add_chapter(output);
        copy.id = chapter.id;
        copy.time_base = chapter.time_base;
        copy.start = start;
        copy.end = std::max(av_sat_sub64(std::min(chapter.end, end), shift), copy.start);
        copy_tags(copy.metadata, chapter.metadata, Coded::as_before, strip);
        if (is_quicktime(*output.oformat)) {
            // Its chapters are a track of words: one without any would be none.
            av_dict_set(&copy.metadata, "title", fmt::format("Chapter {}", i + 1).c_str(), AV_DICT_DONT_OVERWRITE);
        }
    }
}

void copy_programs(const AVFormatContext& input, const std::vector<int>& places, AVFormatContext& output, Strip strip) {
    if (std::string_view(output.oformat->name) != "mpegts") {
        return;
    }
    for (unsigned i = 0; i < input.nb_programs; ++i) {
        const AVProgram& program = *input.programs[i];
        AVProgram* const copy = av_new_program(&output, program.id);
        if (copy == nullptr) {
            throw std::bad_alloc();
        }
        copy_tags(copy->metadata, program.metadata, Coded::as_before, strip);
        for (unsigned n = 0; n < program.nb_stream_indexes; ++n) {
            // A program may have got streams after the places were given.
            const unsigned stream = program.stream_index[n];
            if (stream < places.size() && places[stream] >= 0) {
                av_program_add_stream_index(&output, program.id, static_cast<unsigned>(places[stream]));
            }
        }
    }
    give_all_a_program(output);
}

}  // namespace vfilter
