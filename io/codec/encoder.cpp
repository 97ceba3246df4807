#include "io/codec/encoder.h"

extern "C" {
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

#include <dlfcn.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <string_view>

#include "io/codec/thread_limit.h"
#include "io/compat.h"
#include "io/formats/full_range.h"
#include "io/formats/samples.h"
#include "io/output/container_rules.h"

namespace vfilter {

namespace {

// Containers whose default in FFmpeg is older than what people expect.
constexpr std::array<std::string_view, 6> h264_containers{"mp4", "mov", "matroska", "ipod", "mpegts", "flv"};

// Where an encoder's own default is not what anybody wants: libvpx aims at 256 kbit/s whatever the picture's size.
struct EncoderDefault {
    std::string_view encoder;
    const char* key;
    const char* value;
    enum { always, without_rate, live } when;
};
constexpr EncoderDefault encoder_defaults[] = {
    {"libvpx-vp9", "crf", "31", EncoderDefault::without_rate},
    {"libvpx-vp9", "b", "0", EncoderDefault::without_rate},
    {"libvpx-vp9", "row-mt", "1", EncoderDefault::always},
    {"libvpx-vp9", "cpu-used", "4", EncoderDefault::always},
    {"libvpx", "crf", "10", EncoderDefault::without_rate},
    {"libvpx", "b", "4M", EncoderDefault::without_rate},
    {"libaom-av1", "crf", "30", EncoderDefault::without_rate},
    {"libaom-av1", "cpu-used", "6", EncoderDefault::always},
    // Live, the rate has to be kept, and what an encoder looks ahead is lost with the power.
    {"libx264", "preset", "veryfast", EncoderDefault::live},
    {"libx264", "tune", "zerolatency", EncoderDefault::live},
    {"libx265", "preset", "ultrafast", EncoderDefault::live},
    {"libx265", "tune", "zerolatency", EncoderDefault::live},
    {"libvpx-vp9", "deadline", "realtime", EncoderDefault::live},
    {"libvpx-vp9", "cpu-used", "8", EncoderDefault::live},
    {"libvpx-vp9", "lag-in-frames", "0", EncoderDefault::live},
    {"libvpx", "deadline", "realtime", EncoderDefault::live},
    {"libvpx", "lag-in-frames", "0", EncoderDefault::live},
};

constexpr double live_key_seconds = 2;

// libavcodec has no word for it, and a container may be given a GPU without this library.
std::string missing_driver(std::string_view encoder) {
    if (!encoder.ends_with("_nvenc")) {
        return "";
    }
    if (void* const library = dlopen("libnvidia-encode.so.1", RTLD_LAZY); library != nullptr) {
        dlclose(library);
        return "";
    }
    return "; libnvidia-encode.so.1 of the NVIDIA driver is not here, which a container gets with --gpus all and "
           "NVIDIA_DRIVER_CAPABILITIES=compute,video,utility";
}

// The encoder counts frames where the input has a constant rate: that is what its bit stream then tells, and codecs
// such as MPEG-4 know no finer clock. Exact timestamps are kept beside it.
bool uses_frame_clock(const AVCodec& codec, const AVStream& stream, bool live) {
    constexpr std::array ids{AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4, AV_CODEC_ID_H263,
                             AV_CODEC_ID_MSMPEG4V3};
    const bool constant =
        !live && stream.avg_frame_rate.num > 0 && av_cmp_q(stream.avg_frame_rate, stream.r_frame_rate) == 0;
    return constant || std::ranges::find(ids, codec.id) != ids.end();
}

const AVCodec& choose_codec(const OutputOptions& options, const AVOutputFormat& container) {
    if (!options.codec.empty()) {
        const AVCodec* codec = avcodec_find_encoder_by_name(options.codec.c_str());
        const AVCodecDescriptor* const descriptor = avcodec_descriptor_get_by_name(options.codec.c_str());
        if (codec == nullptr && descriptor != nullptr) {
            codec = avcodec_find_encoder(descriptor->id);
        }
        if (codec == nullptr || codec->type != AVMEDIA_TYPE_VIDEO) {
            throw Error(ExitCode::encoder,
                        fmt::format("this FFmpeg has no video encoder '{}' (see --list encoders)", options.codec));
        }
        return *codec;
    }
    AVCodecID id = container.video_codec;
    const std::string_view name = container.name;
    if (std::ranges::find(h264_containers, name) != h264_containers.end()) {
        id = AV_CODEC_ID_H264;
    }
    const AVCodec* const codec = avcodec_find_encoder(id);
    if (id == AV_CODEC_ID_NONE || codec == nullptr) {
        throw Error(ExitCode::encoder,
                    fmt::format("the format {} has no encoder for video here; name one with --codec", name));
    }
    return *codec;
}

// None if it does not say. Uncompressed pictures are known by a tag in the file, and not every format has one: FFmpeg's
// muxers write another format's instead.
std::vector<AVPixelFormat> taken_formats(const AVCodec& codec, const AVOutputFormat& container) {
    std::vector<AVPixelFormat> formats;
    if (codec.id == AV_CODEC_ID_RAWVIDEO && (container.flags & AVFMT_NOTIMESTAMPS) == 0) {
        for (const AVPixFmtDescriptor* d = av_pix_fmt_desc_next(nullptr); d != nullptr; d = av_pix_fmt_desc_next(d)) {
            if (holds_raw(container, av_pix_fmt_desc_get_id(d))) {
                formats.push_back(av_pix_fmt_desc_get_id(d));
            }
        }
        return formats;
    }
    const AVPixelFormat* known = encoder_pixel_formats(codec);
    for (; known != nullptr && *known != AV_PIX_FMT_NONE; ++known) {
        formats.push_back(*known);
    }
    return formats;
}

AVRational sample_aspect(const AVStream& stream, const AVFrame& first) {
    const AVRational container = stream.sample_aspect_ratio;
    return container.num > 0 ? container : first.sample_aspect_ratio;
}

}  // namespace

Encoder::Encoder(const OutputOptions& options, const AVOutputFormat& container, const Demuxer& input, int stream,
                 const AVFrame& first, AVPixelFormat kept, FramePool& pool)
    : pool_(pool), time_base_(input.format().streams[stream]->time_base) {
    const AVStream& video = *input.format().streams[stream];
    const AVCodec& codec = choose_codec(options, container);
    name_ = codec.name;
    context_.reset(avcodec_alloc_context3(&codec));
    if (!context_) {
        throw std::bad_alloc();
    }
    context_->width = first.width;
    context_->height = first.height;
    context_->framerate = input.frame_rate(stream);
    context_->time_base = uses_frame_clock(codec, video, input.live()) ? av_inv_q(context_->framerate) : time_base_;
    context_->sample_aspect_ratio = sample_aspect(video, first);
    limits_range_ = options.limit_range;
    context_->color_range = limits_range_ ? AVCOL_RANGE_MPEG : first.color_range;
    context_->color_primaries = first.color_primaries;
    context_->color_trc = first.color_trc;
    context_->colorspace = first.colorspace;
    context_->chroma_sample_location = first.chroma_location;
    context_->thread_count = options.threads;
    context_->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;  // limited range in MJPEG, which everybody reads
    if (is_interlaced(first)) {
        context_->flags |= AV_CODEC_FLAG_INTERLACED_DCT | AV_CODEC_FLAG_INTERLACED_ME;
        context_->field_order = is_top_field_first(first) ? AV_FIELD_TT : AV_FIELD_BB;
    }
    if (input.live()) {
        context_->gop_size = std::max(1, static_cast<int>(live_key_seconds * av_q2d(input.frame_rate(stream))));
    }
    if ((container.flags & AVFMT_GLOBALHEADER) != 0) {
        context_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    }
    choose_format(options, container, first, kept);
    open(options, input.live(), video, first);
}

void Encoder::choose_format(const OutputOptions& options, const AVOutputFormat& container, const AVFrame& first,
                            AVPixelFormat kept) {
    const std::vector<AVPixelFormat> taken = taken_formats(*context_->codec, container);
    AVPixelFormat format = kept;
    if (!options.pix_fmt.empty()) {
        format = av_get_pix_fmt(options.pix_fmt.c_str());
        if (format == AV_PIX_FMT_NONE) {
            throw Error(ExitCode::usage, fmt::format("--pix-fmt: FFmpeg knows no pixel format '{}'", options.pix_fmt));
        }
    }
    // What the encoder lists with a J it takes without as well, given the range.
    const auto takes = [&](AVPixelFormat wanted) {
        return taken.empty() || std::ranges::any_of(taken, [&](AVPixelFormat known) {
                   return known == wanted || (without_j(known) == wanted && first.color_range == AVCOL_RANGE_JPEG);
               });
    };
    if (!takes(format)) {
        const AVPixelFormat nearest = nearest_of(taken, format);
        if (!options.pix_fmt.empty() || nearest == AV_PIX_FMT_NONE) {
            throw Error(ExitCode::encoder,
                        fmt::format("the encoder {} does not take {} pictures", name(), name_of(format)));
        }
        format = nearest;
    }
    context_->pix_fmt = format;
    if (format != first.format) {
        converter_ =
            std::make_unique<Converter>(Converter::from_native(context_->width, context_->height, kept, format));
    }
    if (format == kept) {
        return;
    }
    if (!options.trial) {
        spdlog::info("pictures are converted from {} to {} for the encoder {}, {}", name_of(kept), name_of(format),
                     name(), loss_between(kept, format));
    }
    const Colours from = colours_of(*av_pix_fmt_desc_get(kept));
    const Colours to = colours_of(*av_pix_fmt_desc_get(format));
    const bool from_rgb = from == Colours::rgb || from == Colours::xyz;
    if (from_rgb && to != Colours::rgb) {
        context_->colorspace = AVCOL_SPC_SMPTE170M;
        context_->color_range = AVCOL_RANGE_MPEG;
    } else if (to == Colours::rgb && !from_rgb) {
        context_->colorspace = AVCOL_SPC_RGB;
        context_->color_range = AVCOL_RANGE_JPEG;
    } else if (from == Colours::gray && to == Colours::yuv && context_->color_range == AVCOL_RANGE_UNSPECIFIED) {
        context_->color_range = AVCOL_RANGE_JPEG;  // without a tag gray is full, YUV is not
    }
    if (without_j(format) != format) {
        context_->color_range = AVCOL_RANGE_JPEG;
    }
}

// Where the encoder writes HDR10's static data into its bit stream, but is not told of it by libavcodec: the option
// that takes it, and how it is written.
struct HdrOption {
    std::string_view encoder;
    const char* key;
    std::string_view display;
    std::string_view light;
    bool fractions;  // decimal numbers instead of 1/50000 and 1/10000
};
constexpr HdrOption hdr_options[] = {
    {"libx265", "x265-params", "master-display", "max-cll", false},
    {"libsvtav1", "svtav1-params", "mastering-display", "content-light", true},
    {"libx264", "x264-params", "mastering-display", "cll", false},
};

const void* find_static_hdr(const AVStream& stream, const AVFrame& first, AVPacketSideDataType in_stream,
                            AVFrameSideDataType in_frame) {
    const void* found = nullptr;
    for_each_side_data(stream, [&](const AVPacketSideData& data) {
        if (data.type == in_stream) {
            found = data.data;
        }
    });
    const AVFrameSideData* const own = av_frame_get_side_data(&first, in_frame);
    return found == nullptr && own != nullptr ? own->data : found;
}

// "" where there is none. SMPTE ST 2086 and CTA-861.3, in the encoders' own writing.
std::string hdr_parameters(const HdrOption& row, const AVStream& stream, const AVFrame& first) {
    const auto number = [&](AVRational value, int unit) {
        return row.fractions ? fmt::format("{:.5f}", av_q2d(value))
                             : fmt::format("{}", std::llround(av_q2d(value) * unit));
    };
    const auto point = [&](const AVRational(&at)[2]) {
        return fmt::format("({},{})", number(at[0], 50000), number(at[1], 50000));
    };
    std::string text;
    const auto* const display = static_cast<const AVMasteringDisplayMetadata*>(find_static_hdr(
        stream, first, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA));
    if (display != nullptr && display->has_primaries != 0 && display->has_luminance != 0) {
        text = fmt::format("{}=G{}B{}R{}WP{}L({},{})", row.display, point(display->display_primaries[1]),
                           point(display->display_primaries[2]), point(display->display_primaries[0]),
                           point(display->white_point), number(display->max_luminance, 10000),
                           number(display->min_luminance, 10000));
    }
    const auto* const light = static_cast<const AVContentLightMetadata*>(
        find_static_hdr(stream, first, AV_PKT_DATA_CONTENT_LIGHT_LEVEL, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL));
    if (light != nullptr) {
        text += fmt::format("{}{}={},{}", text.empty() ? "" : ":", row.light, light->MaxCLL, light->MaxFALL);
    }
    return text;
}

// Its curve needs ten bits: in eight it shows bands, and on screens that know no HDR it is grey.
void Encoder::tell_hdr_in_few_bits() const {
    constexpr int enough = 10;
    const AVColorTransferCharacteristic curve = context_->color_trc;
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(context_->pix_fmt);
    if ((curve == AVCOL_TRC_SMPTE2084 || curve == AVCOL_TRC_ARIB_STD_B67) && d != nullptr &&
        d->comp[0].depth < enough) {
        spdlog::warn(
            "the pictures are HDR ({}) and go to {} bits without tone mapping: they will show bands, and look grey "
            "where HDR is not known; --pix-fmt yuv420p10le keeps ten bits",
            av_color_transfer_name(curve), d->comp[0].depth);
    }
}

void Encoder::open(const OutputOptions& options, bool live, const AVStream& stream, const AVFrame& first) {
    if (!options.trial) {
        tell_hdr_in_few_bits();
    }
    Dictionary settings;
    const bool rate_given = options.crf || options.bitrate;
    for (const EncoderDefault& row : encoder_defaults) {
        const bool applies = row.when == EncoderDefault::always || (row.when == EncoderDefault::live && live) ||
                             (row.when == EncoderDefault::without_rate && !rate_given);
        if (row.encoder == name() && applies) {
            settings.set(row.key, row.value);
        }
    }
    if (options.crf) {
        settings.set("crf", fmt::format("{}", *options.crf));
        settings.set("b", "0");
    }
    if (options.bitrate) {
        context_->bit_rate = *options.bitrate;
    }
    if (!options.preset.empty()) {
        settings.set("preset", options.preset);
    }
    for (const auto& [key, value] : options.encoder_options) {
        settings.set(key, value);
    }
    if (const auto* const row = std::ranges::find(hdr_options, name(), &HdrOption::encoder);
        row != std::end(hdr_options)) {
        const std::string hdr = hdr_parameters(*row, stream, first);
        const AVDictionaryEntry* const own = av_dict_get(*settings.get(), row->key, nullptr, 0);
        if (!hdr.empty() && av_opt_find(context_->priv_data, row->key, nullptr, 0, 0) != nullptr) {
            settings.set(row->key, own != nullptr ? fmt::format("{}:{}", hdr, own->value) : hdr);  // the user's counts
        }
    }
    if (options.trial && name() == "libx265") {
        // It speaks for itself, and twice would be once too often.
        const AVDictionaryEntry* const own = av_dict_get(*settings.get(), "x265-params", nullptr, 0);
        settings.set("x265-params", own != nullptr ? fmt::format("{}:log-level=none", own->value) : "log-level=none");
    }
    Dictionary again;  // avcodec_open2 takes from the other what it knows
    av_dict_copy(again.get(), *settings.get(), 0);
    int opened = avcodec_open2(context_.get(), context_->codec, settings.get());
    if (opened < 0 && refuses_threads()) {
        spdlog::warn("the system refuses more threads: {} works in one", name());
        context_->thread_count = 1;
        opened = avcodec_open2(context_.get(), context_->codec, again.get());
    }
    if (opened < 0) {
        throw Error(ExitCode::encoder,
                    fmt::format("the encoder {} refuses {}x{} {}: {}{}", name(), context_->width, context_->height,
                                name_of(context_->pix_fmt), av_message(opened), missing_driver(name())));
    }
    if (const std::string unknown = settings.leftovers(); !unknown.empty()) {
        throw Error(ExitCode::usage, fmt::format("the encoder {} has no option '{}'", name(), unknown));
    }
}

void Encoder::send(FramePtr frame) {
    if (frame) {
        if (limits_range_) {
            frame = to_limited_range(*frame, pool_);
        }
        if (converter_) {
            FramePtr converted = make_frame();
            converted->format = converter_->format();
            converted->width = converter_->width();
            converted->height = converter_->height();
            pool_.fill(*converted, converter_->width(), converter_->height());
            converter_->convert(*frame, *converted);
            converted->colorspace = context_->colorspace;
            converted->color_range = context_->color_range;
            frame = std::move(converted);
        }
        const Stamp stamp{frame->pts, frame_duration(*frame)};
        std::int64_t pts = av_rescale_q(frame->pts, time_base_, context_->time_base);
        if (last_encoder_pts_ != AV_NOPTS_VALUE && pts <= last_encoder_pts_) {
            pts = last_encoder_pts_ + 1;  // a coarser clock than the input's
        }
        last_encoder_pts_ = pts;
        inside_.emplace(pts, stamp);
        first_ = first_.value_or(stamp);
        frame->pts = pts;
        frame->pict_type = AV_PICTURE_TYPE_NONE;  // or the encoder would repeat the input's choice of key frames
    }
    const int sent = avcodec_send_frame(context_.get(), frame.get());
    if (sent < 0 && sent != AVERROR_EOF) {
        throw Error(ExitCode::encoder, fmt::format("the encoder {} failed: {}", name(), av_message(sent)));
    }
}

PacketPtr Encoder::receive() {
    PacketPtr packet = make_packet();
    const int got = avcodec_receive_packet(context_.get(), packet.get());
    if (got == AVERROR(EAGAIN) || got == AVERROR_EOF) {
        return nullptr;
    }
    if (got < 0) {
        throw Error(ExitCode::encoder, fmt::format("the encoder {} failed: {}", name(), av_message(got)));
    }
    const std::int64_t first = first_.value_or(Stamp{0, 0}).pts;
    const std::int64_t first_inside = av_rescale_q(first, time_base_, context_->time_base);
    const auto found = inside_.find(packet->pts);
    const auto decoded = inside_.find(packet->dts);
    // A decoding time is the presentation time of an earlier picture, or lies before the first one.
    const std::int64_t dts = decoded != inside_.end()
                                 ? decoded->second.pts
                                 : first + av_rescale_q(packet->dts - first_inside, context_->time_base, time_base_);
    inside_.erase(inside_.begin(), inside_.lower_bound(packet->dts));
    if (found == inside_.end()) {
        throw Error(ExitCode::encoder,
                    fmt::format("the encoder {} made a packet of no picture that it was given", name()));
    }
    packet->pts = found->second.pts;
    packet->duration = found->second.duration;
    packet->dts = std::min(dts, packet->pts);
    return packet;
}

std::string encoder_of(const OutputOptions& options, const AVOutputFormat& container) {
    return choose_codec(options, container).name;
}

bool tells_of_pictures(const std::string& encoder) {
    constexpr std::array ids{AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_AV1, AV_CODEC_ID_VP9, AV_CODEC_ID_MJPEG};
    const AVCodec* const codec = avcodec_find_encoder_by_name(encoder.c_str());
    return codec != nullptr && std::ranges::find(ids, codec->id) != ids.end();
}

void check_codec(const OutputOptions& options, const AVOutputFormat& container) {
    const AVCodec& codec = choose_codec(options, container);
    const std::string_view name = container.name;
    // QuickTime borrows AVI's names for codecs where it has none of its own: there the muxer alone knows. A bare bit
    // stream is that of one codec, whatever its muxer takes.
    const bool bare = (container.flags & AVFMT_NOTIMESTAMPS) != 0 && container.audio_codec == AV_CODEC_ID_NONE &&
                      container.video_codec != AV_CODEC_ID_NONE && name != "image2pipe" && name != "yuv4mpegpipe";
    const bool refused =
        name == "mpegts" ? !has_transport_type(codec.id)
        : bare           ? codec.id != container.video_codec
                         : name != "mov" && avformat_query_codec(&container, codec.id, FF_COMPLIANCE_EXPERIMENTAL) == 0;
    if (refused) {
        throw Error(ExitCode::output, fmt::format("{} cannot hold {}, which the encoder {} makes; --codec or another "
                                                  "container",
                                                  container.name, avcodec_get_name(codec.id), codec.name));
    }
}

std::string encoder_list() {
    std::string text;
    void* state = nullptr;
    while (const AVCodec* codec = av_codec_iterate(&state)) {
        if (av_codec_is_encoder(codec) != 0 && codec->type == AVMEDIA_TYPE_VIDEO) {
            text += fmt::format("{:<20}{}\n", codec->name, codec->long_name != nullptr ? codec->long_name : "");
        }
    }
    return text;
}

}  // namespace vfilter
