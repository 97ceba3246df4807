#include "io/output/output_trial.h"

extern "C" {
#include <libavutil/mastering_display_metadata.h>
}

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstring>
#include <memory>
#include <vector>

#include "io/codec/encoder.h"
#include "io/codec/encoder_formats.h"
#include "io/codec/picture_changes.h"
#include "io/compat.h"
#include "io/formats/told_scan.h"
#include "io/memory_input.h"
#include "io/output/memory_output.h"
#include "io/output/output_streams.h"
#include "io/output/write_packet.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

FramePtr black_picture(const AVFrame& first, FramePool& pool) {
    FramePtr picture = make_frame();
    picture->format = first.format;
    picture->width = first.width;
    picture->height = first.height;
    pool.fill(*picture, first.width, first.height);
    for (int i = 0; i < AV_NUM_DATA_POINTERS && picture->buf[i] != nullptr; ++i) {
        std::memset(picture->buf[i]->data, 0, picture->buf[i]->size);
    }
    av_check(av_frame_copy_props(picture.get(), &first), "av_frame_copy_props");
    picture->pts = first.pts == AV_NOPTS_VALUE ? 0 : first.pts;
    return picture;
}

// Nothing if the container does not take it.
std::vector<std::uint8_t> write_trial(const AVOutputFormat& container, const AVStream& from, Encoder& encoder,
                                      const AVFrame& first, FramePool& pool) {
    // Fed and emptied first of all: some encoders never come back when they are freed before.
    std::vector<PacketPtr> packets;
    for (const bool end : {false, true}) {
        encoder.send(end ? nullptr : black_picture(first, pool));
        while (PacketPtr packet = encoder.receive()) {
            packets.push_back(std::move(packet));
        }
    }
    MemoryOutput trial(container);
    AVFormatContext& format = trial.context();
    fill_video_stream(format, from, encoder, first);
    bool good = trial.writes_header();
    if (good) {
        for (const PacketPtr& packet : packets) {
            packet->stream_index = 0;
            av_packet_rescale_ts(packet.get(), encoder.time_base(), format.streams[0]->time_base);
            good = write_packet(format, packet.get()) >= 0 && good;
        }
        good = av_write_trailer(&format) >= 0 && good;
    }
    return good ? trial.take() : std::vector<std::uint8_t>{};
}

// The first picture, decoded: side data of the bit stream is told with it.
FramePtr decode_first(AVFormatContext& format) {
    const AVStream& stream = *format.streams[0];
    const AVCodec* const codec = avcodec_find_decoder(stream.codecpar->codec_id);
    const CodecContextPtr decoder(codec != nullptr ? avcodec_alloc_context3(codec) : nullptr);
    if (!decoder || avcodec_parameters_to_context(decoder.get(), stream.codecpar) < 0 ||
        avcodec_open2(decoder.get(), codec, nullptr) < 0) {
        return nullptr;
    }
    FramePtr picture = make_frame();
    const PacketPtr packet = make_packet();
    for (bool more = true; more;) {
        more = av_read_frame(&format, packet.get()) >= 0;
        avcodec_send_packet(decoder.get(), more ? packet.get() : nullptr);
        av_packet_unref(packet.get());
        if (avcodec_receive_frame(decoder.get(), picture.get()) >= 0) {
            ToldScan(*stream.codecpar).label(*picture);
            return picture;
        }
    }
    return nullptr;
}

// Of picture_data() what the container tells of the stream.
unsigned stream_data(const AVStream& stream) {
    unsigned set = 0;
    for (std::size_t i = 0; i < picture_data().size(); ++i) {
        set |= has_side_data(stream, picture_data()[i].in_stream) ? 1U << i : 0U;
    }
    return set;
}

// Null is a format to be recognised.
std::optional<ToldOfPictures> read_trial_as(const AVInputFormat* format, const std::vector<std::uint8_t>& bytes) {
    MemoryInput input(bytes);
    const InputContextPtr opened = open_memory(input, format);
    if (!opened || avformat_find_stream_info(opened.get(), nullptr) < 0 || opened->nb_streams == 0) {
        return std::nullopt;
    }
    const FramePtr picture = decode_first(*opened);
    const AVStream& stream = *opened->streams[0];
    ToldOfPictures told = picture ? told_by_input(stream, *picture) : ToldOfPictures{};
    told.data |= stream_data(stream);
    const AVCodecParameters& whole = *stream.codecpar;
    told.range = picture && picture->color_range != AVCOL_RANGE_UNSPECIFIED ? picture->color_range : whole.color_range;
    const auto add = [](auto& of_picture, auto of_stream, auto unknown) {
        of_picture = of_picture == unknown ? of_stream : of_picture;
    };
    add(told.primaries, whole.color_primaries, AVCOL_PRI_UNSPECIFIED);
    add(told.curve, whole.color_trc, AVCOL_TRC_UNSPECIFIED);
    add(told.matrix, whole.color_space, AVCOL_SPC_UNSPECIFIED);
    add(told.siting, whole.chroma_location, AVCHROMA_LOC_UNSPECIFIED);
    told.interlaced = told.interlaced || ToldScan(whole).is_interlaced();
    return told;
}

// A single picture may be too little for the container to be recognised: MPEG-TS. Of others it is something else: a
// single one of APNG is a PNG.
std::optional<ToldOfPictures> read_trial(const std::vector<std::uint8_t>& bytes, const AVOutputFormat& container) {
    const AVInputFormat* const named = av_find_input_format(container.name);
    std::optional<ToldOfPictures> told = named != nullptr ? read_trial_as(named, bytes) : std::nullopt;
    return told ? told : read_trial_as(nullptr, bytes);
}

// A mastering display: PNG's decoder tells its primaries (cHRM) as those of one without a luminance.
bool tells_luminance(const AVStream& stream, const AVFrame& first) {
    bool tells = false;
    const auto look = [&](const std::uint8_t* data) {
        tells = tells || reinterpret_cast<const AVMasteringDisplayMetadata*>(data)->has_luminance != 0;
    };
    for_each_side_data(stream, [&](const AVPacketSideData& data) {
        if (data.type == AV_PKT_DATA_MASTERING_DISPLAY_METADATA) {
            look(data.data);
        }
    });
    if (const AVFrameSideData* const own = av_frame_get_side_data(&first, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA)) {
        look(own->data);
    }
    return tells;
}

bool has_fitting_profile(const AVFrame& picture) {
    const AVFrameSideData* const profile = av_frame_get_side_data(&picture, AV_FRAME_DATA_ICC_PROFILE);
    const auto format = static_cast<AVPixelFormat>(picture.format);
    return profile != nullptr && fits_profile(*profile, format, format);
}

// That of the container goes with the stream's tags.
std::string own_time_code(const AVStream& stream, const AVFrame& first) {
    const std::int64_t begin = stream.start_time == AV_NOPTS_VALUE ? 0 : stream.start_time;
    return av_dict_get(stream.metadata, "timecode", nullptr, 0) != nullptr
               ? ""
               : told_time_code(first, static_cast<double>(first.pts - begin) * av_q2d(stream.time_base));
}

}  // namespace

ToldOfPictures told_by_input(const AVStream& stream, const AVFrame& first) {
    return {.format = static_cast<AVPixelFormat>(first.format),
            .range = first.color_range,
            .primaries = said(first.color_primaries),
            .curve = said(first.color_trc),
            .matrix = said(first.colorspace),
            .interlaced = is_interlaced(first),
            .mastering_display = tells_luminance(stream, first),
            .light_level = has_side_data(stream, AV_PKT_DATA_CONTENT_LIGHT_LEVEL) ||
                           av_frame_get_side_data(&first, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL) != nullptr,
            .icc_profile = has_side_data(stream, AV_PKT_DATA_ICC_PROFILE) || has_fitting_profile(first),
            .data = picture_data_of(first) & ~stream_data(stream),
            .time_code = own_time_code(stream, first),
            .siting = first.chroma_location};
}

OutputTrial try_output(const OutputOptions& options, const EncodeTask& task, const AVOutputFormat& container,
                       const PictureStream& stream, const AVFrame& first, AVPixelFormat kept, FramePool& pool) {
    if ((container.flags & AVFMT_NOFILE) != 0) {
        return {};
    }
    EncodeTask quiet = task;
    quiet.trial = true;
    Encoder encoder(options, quiet, container, stream, first, kept, pool);
    const std::vector<std::uint8_t> bytes = write_trial(container, *stream.stream, encoder, first, pool);
    std::optional<ToldOfPictures> told = bytes.empty() ? std::nullopt : read_trial(bytes, container);
    spdlog::debug("of its pictures the output {}",
                  !told ? "cannot be read back"
                        : fmt::format("would tell: range {}, mastering display {}, light "
                                      "level {}",
                                      static_cast<int>(told->range), told->mastering_display, told->light_level));
    return {.encoded = encoder.context().pix_fmt, .told = std::move(told)};
}

}  // namespace vfilter
