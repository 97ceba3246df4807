#include "io/output/muxer.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <new>
#include <numeric>
#include <string_view>

#include "io/compat.h"
#include "io/input/stream_headers.h"
#include "io/output/container_rules.h"

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
// HDR data that some inputs carry in their pictures only.
constexpr FrameSideData promoted[] = {
    {AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, AV_PKT_DATA_MASTERING_DISPLAY_METADATA},
    {AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, AV_PKT_DATA_CONTENT_LIGHT_LEVEL},
};

constexpr int opus_rate = 48000;

// Streams that a trial goes without.
constexpr int none = -1;
constexpr int all_copies = -2;

// Matroska and its subset.
bool is_block_container(const AVOutputFormat& container) {
    return is_matroska(container) || std::string_view(container.name) == "webm";
}

void add_side_data(AVStream& to, AVPacketSideDataType type, const std::uint8_t* data, std::size_t size) {
    std::uint8_t* const room = new_side_data(to, type, size);
    if (room == nullptr) {
        throw std::bad_alloc();
    }
    std::memcpy(room, data, size);
}

// A muxer that opens files by itself would name them itself, and replace what it finds there: playlists with their
// segments, series of pictures, tees.
void check_container(const AVOutputFormat& format, const OutputOptions& options) {
    const std::string_view name = format.name;
    const bool pictures = name == "image2" || name == "webp" || name == "avif" || name == "ico";
    if (pictures) {
        throw Error(ExitCode::usage,
                    fmt::format("{}: pictures ({}) cannot be written, only videos: one file holds all of them",
                                options.path.empty() ? options.format : options.path, name));
    }
    if ((format.flags & AVFMT_NOFILE) != 0 && name != "null") {
        throw Error(
            ExitCode::usage,
            fmt::format("the format {} writes other files than the one that is named, which vfilter does not let it do",
                        name));
    }
}

// For the same reason nothing else is opened on a muxer's behalf, whatever its options say.
int refuse_to_open(AVFormatContext* /*context*/, AVIOContext** /*opened*/, const char* /*url*/, int /*flags*/,
                   AVDictionary** /*options*/) {
    return AVERROR(EPERM);
}

}  // namespace

const AVOutputFormat& choose_container(const OutputOptions& options) {
    const char* const name = !options.format.empty() ? options.format.c_str()
                             : options.path == "-"   ? "matroska"
                                                     : nullptr;
    const std::string known = options.format == "y4m" ? "yuv4mpegpipe" : options.format == "mkv" ? "matroska" : "";
    const AVOutputFormat* const format = av_guess_format(known.empty() ? name : known.c_str(),
                                                         name != nullptr ? nullptr : options.path.c_str(), nullptr);
    if (format == nullptr) {
        throw Error(ExitCode::usage,
                    name != nullptr
                        ? fmt::format("--format: FFmpeg cannot write '{}'", name)
                        : fmt::format("{}: the name does not tell the format; give --format", options.path));
    }
    check_container(*format, options);
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
    format_->io_open = refuse_to_open;
    complaints_.listen(format_);
    // y4m above 8 bits is an extension that everybody reads.
    format_->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;
    map_streams();
}

Muxer::~Muxer() {
    if (index_) {
        if (file_->keeps_part()) {
            index_->keep();  // finish() would have ended it
        }
        index_.reset();
    }
    avformat_free_context(format_);
}

void Muxer::map_streams() {
    const AVFormatContext& from = input_.format();
    int next = 0;
    for (unsigned i = 0; i < from.nb_streams; ++i) {
        const AVStream& stream = *from.streams[i];
        const bool filtered = input_.is_filtered(static_cast<int>(i));
        header_only_.push_back(!filtered && is_header_only(*format_->oformat, stream));
        if (filtered || can_hold(*format_->oformat, stream)) {
            map_.push_back(next++);
            continue;
        }
        if (const auto codec = subtitle_conversion(*format_->oformat, stream.codecpar->codec_id)) {
            map_.push_back(next++);
            converters_.try_emplace(static_cast<int>(i), stream, *codec);
            spdlog::info("{} becomes {}, which {} can hold", describe(stream), avcodec_get_name(*codec),
                         format_->oformat->name);
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

// Whether the muxer begins with all streams that have a place, but for one, in memory.
bool Muxer::accepts(const std::vector<EncodedVideo>& videos, int without) const {
    const AVFormatContext& from = input_.format();
    const OutputContextPtr trial = make_output(*format_->oformat);
    for (unsigned i = 0; i < from.nb_streams; ++i) {
        const int index = static_cast<int>(i);
        const auto video = std::ranges::find(videos, index, &EncodedVideo::stream);
        if (video != videos.end()) {
            fill_video_stream(*trial, *from.streams[i], *video->encoder, *video->first);
        } else if (map_[i] >= 0 && without != all_copies && index != without && !header_only_[i] &&
                   !converters_.contains(index)) {
            AVStream* const copy = avformat_new_stream(trial.get(), nullptr);
            if (copy == nullptr || avcodec_parameters_copy(copy->codecpar, from.streams[i]->codecpar) < 0) {
                throw std::bad_alloc();
            }
            copy->codecpar->codec_tag = 0;
            copy->time_base = from.streams[i]->time_base;
            copy->disposition = from.streams[i]->disposition;
        }
    }
    if (avio_open_dyn_buf(&trial->pb) < 0) {
        throw std::bad_alloc();
    }
    const bool begun = avformat_init_output(trial.get(), nullptr) >= 0;
    take_written(*trial);
    return begun;
}

void Muxer::drop(int stream) {
    const auto index = static_cast<std::size_t>(stream);
    for (int& place : map_) {
        place -= place > map_[index] ? 1 : 0;
    }
    map_[index] = -1;
    dropped_.push_back(describe(*input_.format().streams[stream]));
    spdlog::warn("{} is left out: {} cannot hold it beside the others", dropped_.back(), format_->oformat->name);
}

// Each copied stream may have a place of its own, and not all of them together: a second video, more sound than one.
void Muxer::drop_refused(const std::vector<EncodedVideo>& videos) {
    // Where the encoded video itself is refused, beginning tells why.
    if ((format_->oformat->flags & AVFMT_NOFILE) != 0 || !accepts(videos, all_copies)) {
        return;
    }
    while (!accepts(videos, none)) {
        int last = none;
        int culprit = none;
        for (int i = static_cast<int>(map_.size()) - 1; i >= 0 && culprit == none; --i) {
            const auto index = static_cast<std::size_t>(i);
            if (map_[index] >= 0 && !input_.is_filtered(i) && !header_only_[index] && !converters_.contains(i)) {
                last = std::max(last, i);
                culprit = accepts(videos, i) ? i : none;
            }
        }
        if (last == none) {
            return;
        }
        drop(culprit != none ? culprit : last);
    }
}

void Muxer::begin(const std::vector<EncodedVideo>& videos) {
    drop_refused(videos);
    const AVFormatContext& from = input_.format();
    for (unsigned i = 0; i < from.nb_streams; ++i) {
        const auto video = std::ranges::find(videos, static_cast<int>(i), &EncodedVideo::stream);
        if (video != videos.end()) {
            add_video(*from.streams[i], *video->encoder, *video->first);
        } else if (map_[i] >= 0) {
            add_copy(*from.streams[i]);
        }
    }
    copy_tags(format_->metadata, from.metadata, true);
    if (is_block_container(*format_->oformat) &&
        std::ranges::all_of(videos, [](const EncodedVideo& video) { return video.first->pts >= 0; })) {
        // Blocks of sound can lie before 0, and do where it has priming: nothing needs to be shifted. Pictures cannot.
        format_->avoid_negative_ts = 0;
    }
    copy_chapters();
    copy_programs();
    tell_lost_rotation();
    last_dts_.assign(format_->nb_streams, AV_NOPTS_VALUE);
    for (unsigned i = 0; i < format_->nb_streams; ++i) {
        const AVStream& stream = *format_->streams[i];
        sent_.push_back({.type = stream.codecpar->codec_type,
                         .codec = stream.codecpar->codec_id,
                         .header_only = is_attached_picture(stream)});
    }
    Dictionary settings;
    if (is_quicktime(*format_->oformat)) {
        set_movie_options(settings);
    }
    if (input_.live()) {
        // Whatever happens, the file is good up to the last second: what is written leaves the process at once.
        format_->flags |= AVFMT_FLAG_FLUSH_PACKETS;
        if (is_matroska(*format_->oformat)) {
            settings.set("cluster_time_limit", "1000");
        }
    }
    const int begun = avformat_write_header(format_, settings.get());
    if (begun < 0) {
        if (file_ != nullptr) {
            file_->check();
        }
        const std::string why = complaints_.latest();
        throw Error(ExitCode::output, fmt::format("{} cannot hold these streams: {}", format_->oformat->name,
                                                  why.empty() ? av_message(begun) : why));
    }
    queued_.assign(format_->nb_streams, 0);
    if (is_quicktime(*format_->oformat) && file_ != nullptr && file_->keeps_place() && !in_fragments()) {
        index_ = std::make_unique<PartIndex>(file_->written_path(), *format_);
    }
}

// When a stream begins is counted in the movie's clock: one in which every stream's ticks are whole, or at least
// video's.
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
    return static_cast<int>(std::lcm(common, std::int64_t{1000}) <= INT_MAX ? std::lcm(common, std::int64_t{1000})
                                                                            : common);
}

bool Muxer::in_fragments() const {
    return is_quicktime(*format_->oformat) && file_ != nullptr && (!file_->seekable() || input_.live());
}

void Muxer::set_movie_options(Dictionary& settings) const {
    settings.set("movie_timescale", std::to_string(movie_timescale()));
    std::string flags;
    if (in_fragments()) {
        flags = "+frag_keyframe+delay_moov+default_base_moof";
        if (input_.live()) {
            settings.set("frag_duration", "1000000");
        } else {
            spdlog::info("the output cannot be sought: {} is written in fragments", format_->oformat->name);
        }
    }
    std::string foreign;
    const AVDictionaryEntry* tag = nullptr;
    while ((tag = av_dict_get(format_->metadata, "", tag, AV_DICT_IGNORE_SUFFIX)) != nullptr) {
        if (!is_itunes_tag(tag->key)) {
            foreign += (foreign.empty() ? "" : ", ") + std::string(tag->key);
        }
    }
    const AVFormatContext& from = input_.format();
    const bool cover = std::any_of(from.streams, from.streams + from.nb_streams,
                                   [](const AVStream* s) { return is_attached_picture(*s); });
    if (!foreign.empty() && cover) {
        // The muxer writes either Apple's keys, which may be anything, or iTunes', among which is the cover.
        spdlog::warn("tags left out, as {} cannot hold them beside a cover: {}", format_->oformat->name, foreign);
    } else if (!foreign.empty()) {
        flags += "+use_metadata_tags";
    }
    if (!flags.empty()) {
        settings.set("movflags", flags);
    }
}

void Muxer::copy_programs() {
    if (std::string_view(format_->oformat->name) != "mpegts") {
        return;
    }
    const AVFormatContext& from = input_.format();
    for (unsigned i = 0; i < from.nb_programs; ++i) {
        const AVProgram& program = *from.programs[i];
        AVProgram* const copy = av_new_program(format_, program.id);
        if (copy == nullptr) {
            throw std::bad_alloc();
        }
        av_dict_copy(&copy->metadata, program.metadata, 0);
        for (unsigned n = 0; n < program.nb_stream_indexes; ++n) {
            if (const int index = map_[program.stream_index[n]]; index >= 0) {
                av_program_add_stream_index(format_, program.id, static_cast<unsigned>(index));
            }
        }
    }
}

void Muxer::tell_lost_rotation() const {
    const AVOutputFormat& container = *format_->oformat;
    if (has_side_data(input_.video(), AV_PKT_DATA_DISPLAYMATRIX) && !is_quicktime(container) &&
        !(is_matroska(container) && matroska_holds_rotation)) {
        spdlog::warn("the rotation of the picture is left out: {} cannot hold it here", container.name);
    }
}

void Muxer::add_copy(const AVStream& from) {
    AVStream* const to = avformat_new_stream(format_, nullptr);
    if (to == nullptr) {
        throw std::bad_alloc();
    }
    if (is_matroska(*format_->oformat) && is_attached_picture(from)) {
        fill_attachment(from, *to);
        return;
    }
    if (const auto converter = converters_.find(from.index); converter != converters_.end()) {
        av_check(avcodec_parameters_from_context(to->codecpar, &converter->second.context()),
                 "avcodec_parameters_from_context");
    } else {
        av_check(avcodec_parameters_copy(to->codecpar, from.codecpar), "avcodec_parameters_copy");
    }
    if (file_ != nullptr && (!file_->seekable() || input_.live())) {
        complete_aac(*to, input_.peek(from.index));
        if (in_fragments() || input_.live()) {
            // In fragments the mov muxer leaves the packets as they are.
            bare_sound_.emplace(from.index, make_adts_remover(*to));
        }
    }
    // A tag is the container's name for the codec: another container may have none or another meaning for it.
    const auto* const tags = format_->oformat->codec_tag;
    if (tags == nullptr || av_codec_get_id(tags, to->codecpar->codec_tag) != to->codecpar->codec_id) {
        to->codecpar->codec_tag = 0;
    }
    to->id = from.id;
    to->time_base = from.time_base;
    to->disposition = from.disposition;
    to->avg_frame_rate = from.avg_frame_rate;
    to->r_frame_rate = from.r_frame_rate;
    to->sample_aspect_ratio = from.sample_aspect_ratio;
    to->duration = av_rescale_q(from.duration, from.time_base, to->time_base);
    copy_tags(to->metadata, from.metadata, false);
    copy_side_data(from, *to);
}

void Muxer::add_video(const AVStream& from, const Encoder& encoder, const AVFrame& first) {
    fill_video_stream(*format_, from, encoder, first);
    if (has_side_data(from, AV_PKT_DATA_DOVI_CONF)) {
        spdlog::warn("Dolby Vision metadata describes the old encoding and is left out");
    }
}

void fill_video_stream(AVFormatContext& output, const AVStream& from, const Encoder& encoder, const AVFrame& first) {
    AVStream* const to = avformat_new_stream(&output, nullptr);
    if (to == nullptr) {
        throw std::bad_alloc();
    }
    av_check(avcodec_parameters_from_context(to->codecpar, &encoder.context()), "avcodec_parameters_from_context");
    // y4m has no timestamps: its header tells the stream's clock as the rate.
    const bool frames_only = std::string_view(output.oformat->name) == "yuv4mpegpipe";
    to->time_base = frames_only ? av_inv_q(encoder.context().framerate) : encoder.time_base();
    to->disposition = from.disposition;
    to->avg_frame_rate = from.avg_frame_rate.num > 0 ? from.avg_frame_rate : encoder.context().framerate;
    to->r_frame_rate = from.r_frame_rate;
    to->sample_aspect_ratio = encoder.context().sample_aspect_ratio;
    copy_tags(to->metadata, from.metadata, true);
    for_each_side_data(from, [&](const AVPacketSideData& data) {
        if (std::ranges::find(picture_side_data, data.type) != picture_side_data.end() &&
            !has_side_data(*to, data.type)) {
            add_side_data(*to, data.type, data.data, data.size);
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
        const std::int64_t end =
            input_.end() ? av_rescale_q(*input_.end(), AVRational{1, AV_TIME_BASE}, chapter.time_base) : chapter.end;
        if (chapter.end <= shift || chapter.start >= end) {
            continue;
        }
        auto* const copy = static_cast<AVChapter*>(av_mallocz(sizeof(AVChapter)));
        if (copy == nullptr ||
            av_dynarray_add_nofree(&format_->chapters, reinterpret_cast<int*>(&format_->nb_chapters), copy) < 0) {
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
    throw Error(ExitCode::output,
                fmt::format("writing the {} ({}): {}", call, format_->oformat->name, av_message(result)));
}

// A damaged packet of a copied stream must not cost the whole file. Packets are held back to be interleaved, so that
// the one that is refused may not be the one that was given.
void Muxer::check_packet(int result, const char* call) {
    if (result >= 0) {
        return;
    }
    if (file_ != nullptr) {
        file_->check();
    }
    // What is neither of the file nor of memory is the packet's own fault.
    if (result == AVERROR(ENOMEM) || result == AVERROR(ENOSPC) || result == AVERROR(EIO) || result == AVERROR(EPIPE)) {
        check(result, call);
    }
    ++refused_packets_;
    why_refused_ = complaints_.latest().empty() ? av_message(result) : complaints_.latest();
    if (input_.strict()) {
        throw Error(ExitCode::damaged, "a packet of the input is damaged, and --strict was given");
    }
}

std::vector<SentStream> Muxer::sent() const {
    std::vector<SentStream> sent = sent_;
    for (std::size_t i = 0; i < sent.size(); ++i) {
        // Of the copied ones damaged packets were refused.
        sent[i].packets = refused_packets_ > 0 ? format_->streams[i]->nb_frames : sent[i].packets;
    }
    return sent;
}

void Muxer::write_video(PacketPtr packet, int stream, AVRational time_base) {
    const int index = map_[static_cast<std::size_t>(stream)];
    av_packet_rescale_ts(packet.get(), time_base, format_->streams[index]->time_base);
    ++video_packets_[index];
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
    if (const auto remover = bare_sound_.find(packet->stream_index); remover != bare_sound_.end() && remover->second) {
        check(av_bsf_send_packet(remover->second.get(), packet.get()), "sound");
        const int bared = av_bsf_receive_packet(remover->second.get(), packet.get());
        if (bared < 0) {
            check_packet(bared, "sound");
            return;
        }
        if (format_->streams[index]->codecpar->extradata_size > 0) {
            drop_side_data(*packet, AV_PKT_DATA_NEW_EXTRADATA);  // in the header already, and not with the same length
        }
    }
    const AVRational base = input_.format().streams[from]->time_base;
    const AVCodecParameters& codec = *format_->streams[index]->codecpar;
    if (!matroska_adds_delay && codec.codec_id == AV_CODEC_ID_OPUS && is_block_container(*format_->oformat)) {
        const std::int64_t delay = av_rescale_q(codec.initial_padding, AVRational{1, opus_rate}, base);
        packet->pts += packet->pts == AV_NOPTS_VALUE ? 0 : delay;
        packet->dts += packet->dts == AV_NOPTS_VALUE ? 0 : delay;
    }
    av_packet_rescale_ts(packet.get(), base, format_->streams[index]->time_base);
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
    if (shift != 0 && stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO && packet->pts < 0 &&
        packet->pts != AV_NOPTS_VALUE) {
        // The first picture of a part, its time rounded to before the part: mp4 would not show it.
        packet->dts = std::min<std::int64_t>(packet->dts, 0);
        packet->pts = 0;
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
    SentStream& sent = sent_[static_cast<std::size_t>(index)];
    ++sent.packets;
    sent.empty += packet->size == 0 ? 1 : 0;
    if (packet->pts != AV_NOPTS_VALUE) {
        const double at = static_cast<double>(packet->pts) * av_q2d(stream.time_base);
        sent.first = std::min(at, sent.first.value_or(at));
        sent.last = std::max(at, sent.last.value_or(at));
        sent.packet_seconds = static_cast<double>(packet->duration) * av_q2d(stream.time_base);
    }
    if (index_) {
        queue(std::move(packet));
    } else {
        check_packet(av_interleaved_write_frame(format_, packet.get()), "packets");
    }
    if (file_ != nullptr) {
        file_->check();
    }
    if (file_ != nullptr && input_.live() && Clock::now() - synced_ >= sync_interval) {
        file_->sync();
        synced_ = Clock::now();
    }
}

// Streams take turns by decoding time, as they do in FFmpeg's queue: a packet goes once every stream of pictures or
// sound has a later one, or ten seconds of them wait.
void Muxer::queue(PacketPtr packet) {
    const auto before = [this](const PacketPtr& a, const PacketPtr& b) {
        return av_compare_ts(a->dts, format_->streams[a->stream_index]->time_base, b->dts,
                             format_->streams[b->stream_index]->time_base) < 0;
    };
    ++queued_[static_cast<std::size_t>(packet->stream_index)];
    const auto place = std::upper_bound(queue_.begin(), queue_.end(), packet, before);
    queue_.insert(place, std::move(packet));
    write_queued(false);
}

void Muxer::write_queued(bool all) {
    constexpr double longest_wait = 10;
    constexpr std::size_t most_waiting = 4096;
    const auto seconds = [this](const PacketPtr& packet) {
        return static_cast<double>(packet->dts) * av_q2d(format_->streams[packet->stream_index]->time_base);
    };
    const auto everybody_waits = [this] {
        for (unsigned i = 0; i < format_->nb_streams; ++i) {
            const AVMediaType type = format_->streams[i]->codecpar->codec_type;
            const bool steady = type == AVMEDIA_TYPE_AUDIO || type == AVMEDIA_TYPE_VIDEO;
            if (steady && !is_attached_picture(*format_->streams[i]) && queued_[i] == 0) {
                return false;
            }
        }
        return true;
    };
    while (!queue_.empty() && (all || everybody_waits() || queue_.size() > most_waiting ||
                               seconds(queue_.back()) - seconds(queue_.front()) > longest_wait)) {
        PacketPtr packet = std::move(queue_.front());
        queue_.pop_front();
        --queued_[static_cast<std::size_t>(packet->stream_index)];
        put(std::move(packet));
    }
}

void Muxer::put(PacketPtr packet) {
    const std::int64_t offset = avio_tell(format_->pb);
    const int result = av_write_frame(format_, packet.get());
    if (result >= 0) {
        index_->add(*packet, offset, avio_tell(format_->pb) - offset);
    }
    check_packet(result, "packets");
}

void Muxer::finish() {
    if (index_) {
        write_queued(true);
    } else {
        check_packet(av_interleaved_write_frame(format_, nullptr), "packets");
    }
    check(av_write_trailer(format_), "trailer");
    index_.reset();
    for (const auto& [index, sent] : video_packets_) {
        if (const std::int64_t took = format_->streams[index]->nb_frames; took < sent) {
            // What was refused was no packet of the input: nobody may take this file for a whole one.
            throw Error(ExitCode::output, fmt::format("{} refused {} packets of the filtered video",
                                                      format_->oformat->name, sent - took));
        }
    }
}

}  // namespace vfilter
