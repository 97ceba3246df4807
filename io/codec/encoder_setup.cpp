#include "io/codec/encoder_setup.h"

#include <algorithm>
#include <array>
#include <new>
#include <optional>

#include "io/codec/encoder_choice.h"
#include "io/compat.h"
#include "io/containers.h"
#include "io/stills.h"

namespace vfilter {

namespace {

constexpr double live_key_seconds = 2;

// The encoder counts frames where the input has a constant rate: that is what its bit stream then tells, and codecs
// such as MPEG-4 know no finer clock, or are counted by it in their containers (Theora). EncoderTimes keeps the exact
// timestamps.
bool uses_frame_clock(const AVCodec& codec, const AVStream& stream, bool live) {
    constexpr std::array ids{AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4,
                             AV_CODEC_ID_H263,       AV_CODEC_ID_MSMPEG4V3,  AV_CODEC_ID_THEORA};
    const bool constant =
        !live && stream.avg_frame_rate.num > 0 && av_cmp_q(stream.avg_frame_rate, stream.r_frame_rate) == 0;
    return constant || std::ranges::find(ids, codec.id) != ids.end();
}

AVRational sample_aspect(const AVStream& stream, const AVFrame& first) {
    const AVRational container = stream.sample_aspect_ratio;
    return container.num > 0 ? container : first.sample_aspect_ratio;
}

AVFieldOrder field_order(const AVFrame& picture) {
    return !is_interlaced(picture) ? AV_FIELD_UNKNOWN : is_top_field_first(picture) ? AV_FIELD_TT : AV_FIELD_BB;
}

// What their encoders make of fields is Adam7, or in VC-2 pictures that FFmpeg cannot decode.
bool takes_whole_pictures(AVCodecID codec) {
    constexpr std::array of_whole_pictures{AV_CODEC_ID_PNG, AV_CODEC_ID_APNG, AV_CODEC_ID_DIRAC};
    return std::ranges::find(of_whole_pictures, codec) != of_whole_pictures.end();
}

// Except for the range, which PictureConversion sets.
void set_colours(const AVFrame& first, AVCodecContext& encoder) {
    encoder.color_primaries = first.color_primaries;
    encoder.color_trc = first.color_trc;
    encoder.colorspace = first.colorspace;
    encoder.chroma_sample_location = first.chroma_location;
}

}  // namespace

CodecContextPtr set_up_encoder(const OutputOptions& options, const EncodeTask& task, const AVOutputFormat& container,
                               const PictureStream& stream, const AVFrame& first) {
    const AVStream& video = *stream.stream;
    const AVCodec& codec = choose_codec(options, container);
    CodecContextPtr encoder(avcodec_alloc_context3(&codec));
    if (!encoder) {
        throw std::bad_alloc();
    }
    encoder->width = first.width;
    encoder->height = first.height;
    encoder->framerate = stream.frame_rate;
    encoder->time_base = uses_frame_clock(codec, video, stream.live) ? av_inv_q(encoder->framerate) : video.time_base;
    encoder->sample_aspect_ratio = sample_aspect(video, first);
    set_colours(first, *encoder);
    encoder->thread_count = options.threads;
    encoder->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;  // limited range in MJPEG, where somebody asks for it
    if (is_interlaced(first) && !takes_whole_pictures(codec.id)) {
        encoder->flags |= field_coding;
        encoder->field_order = field_order(first);
    }
    if (options.strip >= Strip::tags) {
        encoder->flags |= AV_CODEC_FLAG_BITEXACT;  // no names and versions of libraries
    }
    encoder->codec_tag = container_tag(container, codec.id, options.video_tag);
    if (stream.live || task.streamed) {
        encoder->gop_size = std::max(1, static_cast<int>(live_key_seconds * av_q2d(stream.frame_rate)));
    }
    if ((container.flags & AVFMT_GLOBALHEADER) != 0) {
        encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    }
    if (const std::optional<Stills> stills = stills_of(options); stills && stills->names) {
        encoder->gop_size = 0;  // each is a file of its own
    }
    return encoder;
}

void set_containers_field_order(const AVStream& stream, const AVFrame& first, AVCodecContext& encoder) {
    if (takes_whole_pictures(encoder.codec->id)) {
        encoder.field_order = field_order(first);
    }
    if (!is_interlaced(first) && stream.codecpar->field_order == AV_FIELD_PROGRESSIVE) {
        encoder.field_order = AV_FIELD_PROGRESSIVE;  // as the input says, which encoders need not hear
    }
}

}  // namespace vfilter
