#include "io/muxer.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <new>
#include <numeric>
#include <string_view>

#include "io/compat.h"

namespace vfilter {

namespace {

// Facts about the picture, which filtering leaves true; what describes the old bit stream is not taken over.
constexpr std::array picture_side_data{AV_PKT_DATA_DISPLAYMATRIX, AV_PKT_DATA_STEREO3D, AV_PKT_DATA_SPHERICAL,
                                       AV_PKT_DATA_MASTERING_DISPLAY_METADATA, AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
                                       AV_PKT_DATA_ICC_PROFILE};

struct FrameSideData {
    AVFrameSideDataType in_frame;
    AVPacketSideDataType in_stream;
};
// HDR data that some inputs carry in their pictures only.
constexpr FrameSideData promoted[] = {
    {AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, AV_PKT_DATA_MASTERING_DISPLAY_METADATA},
    {AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, AV_PKT_DATA_CONTENT_LIGHT_LEVEL},
};

// Tags that tell of the old encoding.
constexpr std::array<std::string_view, 2> stale_tags{"encoder", "encoder_options"};
constexpr std::array<std::string_view, 4> stale_statistics{"BPS", "NUMBER_OF_FRAMES", "NUMBER_OF_BYTES", "_STATISTICS_"};

bool is_quicktime(const AVOutputFormat& container) {
    const std::string_view name = container.name;
    return name == "mp4" || name == "mov" || name == "ipod" || name == "3gp" || name == "ismv";
}

// Some muxers find out only when they begin (Opus in mov): let one begin with this stream alone, into memory.
bool survives_trial(const AVOutputFormat& container, const AVStream& stream) {
    AVFormatContext* trial = nullptr;
    if (avformat_alloc_output_context2(&trial, &container, nullptr, nullptr) < 0) {
        throw std::bad_alloc();
    }
    trial->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;
    AVStream* const copy = avformat_new_stream(trial, nullptr);
    bool begun = false;
    if ((container.flags & AVFMT_NOFILE) != 0) {
        begun = true;
    } else if (copy != nullptr && avcodec_parameters_copy(copy->codecpar, stream.codecpar) >= 0 && avio_open_dyn_buf(&trial->pb) >= 0) {
        copy->codecpar->codec_tag = 0;
        copy->time_base = stream.time_base;
        copy->disposition = stream.disposition;
        copy->sample_aspect_ratio = stream.sample_aspect_ratio;
        begun = avformat_init_output(trial, nullptr) >= 0;
        std::uint8_t* buffer = nullptr;
        avio_close_dyn_buf(trial->pb, &buffer);
        av_free(buffer);
        trial->pb = nullptr;
    }
    avformat_free_context(trial);
    return begun;
}

bool can_hold(const AVOutputFormat& container, const AVCodecParameters& codec) {
    const int answer = avformat_query_codec(&container, codec.codec_id, FF_COMPLIANCE_NORMAL);
    if (answer >= 0) {
        return answer == 1;
    }
    // The container does not say.
    const std::string_view name = container.name;
    switch (codec.codec_type) {
        case AVMEDIA_TYPE_VIDEO:
            return container.video_codec != AV_CODEC_ID_NONE && (container.flags & AVFMT_NOTIMESTAMPS) == 0 && name != "yuv4mpegpipe";
        case AVMEDIA_TYPE_AUDIO:
            return container.audio_codec != AV_CODEC_ID_NONE;
        case AVMEDIA_TYPE_SUBTITLE:
            return container.subtitle_codec != AV_CODEC_ID_NONE || codec.codec_id == AV_CODEC_ID_DVB_SUBTITLE ||
                   codec.codec_id == AV_CODEC_ID_DVB_TELETEXT;
        case AVMEDIA_TYPE_DATA:
            return name == "mpegts" && (codec.codec_id == AV_CODEC_ID_SMPTE_KLV || codec.codec_id == AV_CODEC_ID_TIMED_ID3);
        default:
            return false;
    }
}

// Tracks that the muxer makes anew from what is copied otherwise: chapters and time code of QuickTime.
bool is_remade(const AVOutputFormat& container, const AVStream& stream, bool chapters) {
    const unsigned tag = stream.codecpar->codec_tag;
    return is_quicktime(container) && stream.codecpar->codec_type == AVMEDIA_TYPE_DATA &&
           ((tag == MKTAG('t', 'e', 'x', 't') && chapters) || tag == MKTAG('t', 'm', 'c', 'd'));
}

std::string describe(const AVStream& stream) {
    const char* const type = av_get_media_type_string(stream.codecpar->codec_type);
    const AVDictionaryEntry* const language = av_dict_get(stream.metadata, "language", nullptr, 0);
    return fmt::format("stream {} ({}, {}{}{})", stream.index, type != nullptr ? type : "unknown",
                       avcodec_get_name(stream.codecpar->codec_id), language != nullptr ? ", " : "",
                       language != nullptr ? language->value : "");
}

void copy_tags(AVDictionary*& to, const AVDictionary* from, bool encoded_anew) {
    const AVDictionaryEntry* tag = nullptr;
    while ((tag = av_dict_get(from, "", tag, AV_DICT_IGNORE_SUFFIX)) != nullptr) {
        const std::string_view key = tag->key;
        const bool stale = std::ranges::find(stale_tags, key) != stale_tags.end() ||
                           std::ranges::any_of(stale_statistics, [&](std::string_view start) { return key.starts_with(start); });
        if (!(encoded_anew && stale)) {
            av_dict_set(&to, tag->key, tag->value, 0);
        }
    }
}

void add_side_data(AVStream& to, AVPacketSideDataType type, const std::uint8_t* data, std::size_t size) {
    std::uint8_t* const room = new_side_data(to, type, size);
    if (room == nullptr) {
        throw std::bad_alloc();
    }
    std::memcpy(room, data, size);
}

bool has_side_data(const AVStream& stream, AVPacketSideDataType type) {
    bool found = false;
    for_each_side_data(stream, [&](const AVPacketSideData& data) { found = found || data.type == type; });
    return found;
}

}  // namespace

const AVOutputFormat& choose_container(const OutputOptions& options) {
    const char* const name = !options.format.empty() ? options.format.c_str() : options.path == "-" ? "matroska" : nullptr;
    const std::string known = options.format == "y4m" ? "yuv4mpegpipe" : options.format == "mkv" ? "matroska" : "";
    const AVOutputFormat* const format =
        av_guess_format(known.empty() ? name : known.c_str(), name != nullptr ? nullptr : options.path.c_str(), nullptr);
    if (format == nullptr) {
        throw Error(ExitCode::usage, name != nullptr
                                         ? fmt::format("--format: FFmpeg cannot write '{}'", name)
                                         : fmt::format("{}: the name does not tell the format; give --format", options.path));
    }
    return *format;
}

Muxer::Muxer(const AVOutputFormat& container, const Demuxer& input, OutputFile* file) : input_(input), file_(file) {
    if (avformat_alloc_output_context2(&format_, &container, nullptr, nullptr) < 0) {
        throw std::bad_alloc();
    }
    if (file_ != nullptr) {
        format_->pb = file_->context();
        format_->flags |= AVFMT_FLAG_CUSTOM_IO;
    }
    // y4m above 8 bits is an extension that everybody reads.
    format_->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;
    if (std::string_view(container.name) == "matroska" || std::string_view(container.name) == "webm") {
        // Its blocks can lie before 0, and do where audio has priming: nothing needs to be shifted.
        format_->avoid_negative_ts = 0;
    }
    map_streams();
}

Muxer::~Muxer() { avformat_free_context(format_); }

void Muxer::map_streams() {
    const AVFormatContext& from = input_.format();
    int next = 0;
    for (unsigned i = 0; i < from.nb_streams; ++i) {
        const AVStream& stream = *from.streams[i];
        const bool filtered = static_cast<int>(i) == input_.video_index();
        if (filtered || (can_hold(*format_->oformat, *stream.codecpar) && survives_trial(*format_->oformat, stream))) {
            map_.push_back(next++);
            continue;
        }
        if (const auto codec = subtitle_conversion(*format_->oformat, stream.codecpar->codec_id)) {
            map_.push_back(next++);
            converters_.try_emplace(static_cast<int>(i), stream, *codec);
            spdlog::info("{} becomes {}, which {} can hold", describe(stream), avcodec_get_name(*codec), format_->oformat->name);
            continue;
        }
        map_.push_back(-1);
        if (is_remade(*format_->oformat, stream, from.nb_chapters > 0)) {
            spdlog::debug("{} is made anew by the {} muxer", describe(stream), format_->oformat->name);
            continue;
        }
        dropped_.push_back(describe(stream));
        spdlog::warn("{} is left out: {} cannot hold it", dropped_.back(), format_->oformat->name);
    }
}

void Muxer::begin(const Encoder& encoder, const AVFrame& first) {
    const AVFormatContext& from = input_.format();
    for (unsigned i = 0; i < from.nb_streams; ++i) {
        if (static_cast<int>(i) == input_.video_index()) {
            add_video(*from.streams[i], encoder, first);
        } else if (map_[i] >= 0) {
            add_copy(*from.streams[i]);
        }
    }
    copy_tags(format_->metadata, from.metadata, true);
    copy_chapters();
    last_dts_.assign(format_->nb_streams, AV_NOPTS_VALUE);
    Dictionary settings;
    if (is_quicktime(*format_->oformat) && file_ != nullptr && !file_->seekable()) {
        settings.set("movflags", "frag_keyframe+empty_moov+default_base_moof");
        spdlog::info("the output cannot be sought: {} is written in fragments", format_->oformat->name);
    }
    if (is_quicktime(*format_->oformat)) {
        settings.set("movie_timescale", std::to_string(movie_timescale()));
    }
    check(avformat_write_header(format_, settings.get()), "header");
}

// When a stream begins is counted in the movie's clock: one in which every stream's ticks are whole, or at least video's.
int Muxer::movie_timescale() const {
    const std::int64_t video = input_.video().time_base.den;
    std::int64_t common = video;
    for (unsigned i = 0; i < format_->nb_streams; ++i) {
        const AVStream& stream = *format_->streams[i];
        const int rate = stream.codecpar->sample_rate;
        common = std::lcm(common, rate > 0 ? rate : stream.time_base.den);
        if (common > INT_MAX) {
            return static_cast<int>(std::max<std::int64_t>(video, 1000));
        }
    }
    return static_cast<int>(std::lcm(common, std::int64_t{1000}) <= INT_MAX ? std::lcm(common, std::int64_t{1000}) : common);
}

void Muxer::add_copy(const AVStream& from) {
    AVStream* const to = avformat_new_stream(format_, nullptr);
    if (to == nullptr) {
        throw std::bad_alloc();
    }
    if (const auto converter = converters_.find(from.index); converter != converters_.end()) {
        av_check(avcodec_parameters_from_context(to->codecpar, &converter->second.context()), "avcodec_parameters_from_context");
    } else {
        av_check(avcodec_parameters_copy(to->codecpar, from.codecpar), "avcodec_parameters_copy");
    }
    // A tag is the container's name for the codec: another container may have none or another meaning for it.
    const auto* const tags = format_->oformat->codec_tag;
    if (tags == nullptr || av_codec_get_id(tags, to->codecpar->codec_tag) != to->codecpar->codec_id) {
        to->codecpar->codec_tag = 0;
    }
    to->time_base = from.time_base;
    to->disposition = from.disposition;
    to->avg_frame_rate = from.avg_frame_rate;
    to->r_frame_rate = from.r_frame_rate;
    to->sample_aspect_ratio = from.sample_aspect_ratio;
    to->duration = av_rescale_q(from.duration, from.time_base, to->time_base);
    copy_tags(to->metadata, from.metadata, false);
    for_each_side_data(from, [&](const AVPacketSideData& data) {
        if (!has_side_data(*to, data.type)) {
            add_side_data(*to, data.type, data.data, data.size);
        }
    });
}

void Muxer::add_video(const AVStream& from, const Encoder& encoder, const AVFrame& first) {
    AVStream* const to = avformat_new_stream(format_, nullptr);
    if (to == nullptr) {
        throw std::bad_alloc();
    }
    av_check(avcodec_parameters_from_context(to->codecpar, &encoder.context()), "avcodec_parameters_from_context");
    to->time_base = encoder.time_base();
    to->disposition = from.disposition;
    to->avg_frame_rate = from.avg_frame_rate.num > 0 ? from.avg_frame_rate : encoder.context().framerate;
    to->r_frame_rate = from.r_frame_rate;
    to->sample_aspect_ratio = encoder.context().sample_aspect_ratio;
    copy_tags(to->metadata, from.metadata, true);
    for_each_side_data(from, [&](const AVPacketSideData& data) {
        if (std::ranges::find(picture_side_data, data.type) != picture_side_data.end() && !has_side_data(*to, data.type)) {
            add_side_data(*to, data.type, data.data, data.size);
        }
        if (data.type == AV_PKT_DATA_DOVI_CONF) {
            spdlog::warn("Dolby Vision metadata describes the old encoding and is left out");
        }
    });
    for (const FrameSideData& row : promoted) {
        const AVFrameSideData* const data = av_frame_get_side_data(&first, row.in_frame);
        if (data != nullptr && !has_side_data(*to, row.in_stream)) {
            add_side_data(*to, row.in_stream, data->data, data->size);
        }
    }
}

void Muxer::copy_chapters() {
    const AVFormatContext& from = input_.format();
    for (unsigned i = 0; i < from.nb_chapters; ++i) {
        const AVChapter& chapter = *from.chapters[i];
        const std::int64_t shift = av_rescale_q(input_.shift(), AVRational{1, AV_TIME_BASE}, chapter.time_base);
        const std::int64_t end = input_.end() ? av_rescale_q(*input_.end(), AVRational{1, AV_TIME_BASE}, chapter.time_base)
                                              : chapter.end;
        if (chapter.end <= shift || chapter.start >= end) {
            continue;
        }
        auto* const copy = static_cast<AVChapter*>(av_mallocz(sizeof(AVChapter)));
        if (copy == nullptr || av_dynarray_add_nofree(&format_->chapters, reinterpret_cast<int*>(&format_->nb_chapters), copy) < 0) {
            av_free(copy);
            throw std::bad_alloc();
        }
        copy->id = chapter.id;
        copy->time_base = chapter.time_base;
        copy->start = std::max<std::int64_t>(chapter.start - shift, shift > 0 ? 0 : INT64_MIN);
        copy->end = std::min(chapter.end, end) - shift;
        av_dict_copy(&copy->metadata, chapter.metadata, 0);
    }
}

void Muxer::check(int result, const char* call) {
    if (result >= 0) {
        return;
    }
    if (file_ != nullptr) {
        file_->check();
    }
    throw Error(ExitCode::output, fmt::format("writing the {} ({}): {}", call, format_->oformat->name, av_message(result)));
}

void Muxer::write_video(PacketPtr packet, AVRational time_base) {
    const int index = map_[static_cast<std::size_t>(input_.video_index())];
    av_packet_rescale_ts(packet.get(), time_base, format_->streams[index]->time_base);
    write(std::move(packet), index);
}

void Muxer::write_copy(PacketPtr packet) {
    const auto from = static_cast<std::size_t>(packet->stream_index);
    const int index = map_[from];
    if (index < 0) {
        return;
    }
    if (const auto converter = converters_.find(packet->stream_index); converter != converters_.end()) {
        packet = converter->second.convert(*packet);
        if (!packet) {
            return;
        }
    }
    av_packet_rescale_ts(packet.get(), input_.format().streams[from]->time_base, format_->streams[index]->time_base);
    write(std::move(packet), index);
}

void Muxer::write(PacketPtr packet, int index) {
    const AVStream& stream = *format_->streams[index];
    const std::int64_t shift = av_rescale_q(input_.shift(), AVRational{1, AV_TIME_BASE}, stream.time_base);
    for (std::int64_t* const stamp : {&packet->pts, &packet->dts}) {
        if (*stamp != AV_NOPTS_VALUE) {
            *stamp -= shift;
        }
    }
    // Containers refuse a decoding time that does not rise; inputs have them all the same.
    std::int64_t& last = last_dts_[static_cast<std::size_t>(index)];
    const bool strict = (format_->oformat->flags & AVFMT_TS_NONSTRICT) == 0;
    if (packet->dts != AV_NOPTS_VALUE && last != AV_NOPTS_VALUE && packet->dts < last + (strict ? 1 : 0) &&
        stream.codecpar->codec_type != AVMEDIA_TYPE_SUBTITLE) {
        const std::int64_t dts = last + (strict ? 1 : 0);
        spdlog::debug("stream {}: decoding time {} after {} moved to {}", index, packet->dts, last, dts);
        packet->dts = dts;
        packet->pts = std::max(packet->pts, dts);
    }
    if (packet->dts != AV_NOPTS_VALUE) {
        last = packet->dts;
    }
    packet->stream_index = index;
    packet->pos = -1;
    check(av_interleaved_write_frame(format_, packet.get()), "packets");
    if (file_ != nullptr) {
        file_->check();
    }
}

void Muxer::finish() {
    check(av_interleaved_write_frame(format_, nullptr), "packets");
    check(av_write_trailer(format_), "trailer");
}

}  // namespace vfilter
