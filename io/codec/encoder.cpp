#include "io/codec/encoder.h"

extern "C" {
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <new>
#include <string_view>
#include <utility>

#include "config/encoder_facts.h"
#include "io/bitstream/encoder_notes.h"
#include "io/codec/encoder_choice.h"
#include "io/codec/encoder_formats.h"
#include "io/compat.h"
#include "io/containers.h"
#include "io/formats/full_range.h"
#include "io/formats/samples.h"
#include "io/stills.h"

namespace vfilter {

namespace {

constexpr double live_key_seconds = 2;
// What their encoders make of fields is Adam7, or in VC-2 pictures that FFmpeg cannot decode.
constexpr std::array of_whole_pictures{AV_CODEC_ID_PNG, AV_CODEC_ID_APNG, AV_CODEC_ID_DIRAC};

// The encoder counts frames where the input has a constant rate: that is what its bit stream then tells, and codecs
// such as MPEG-4 know no finer clock, or are counted by it in their containers (Theora). Encoder keeps the exact
// timestamps.
bool uses_frame_clock(const AVCodec& codec, const AVStream& stream, bool live) {
    constexpr std::array ids{AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4,
                             AV_CODEC_ID_H263,       AV_CODEC_ID_MSMPEG4V3,  AV_CODEC_ID_THEORA};
    const bool constant =
        !live && stream.avg_frame_rate.num > 0 && av_cmp_q(stream.avg_frame_rate, stream.r_frame_rate) == 0;
    return constant || std::ranges::find(ids, codec.id) != ids.end();
}

// Of gray only what says so.
bool may_be_limited(const AVFrame& picture) {
    const auto format = static_cast<AVPixelFormat>(picture.format);
    return has_range(format) ||
           (picture.color_range == AVCOL_RANGE_MPEG && colours_of(*av_pix_fmt_desc_get(format)) == Colours::gray);
}

// Whether the range of what becomes gray of `to` is changed there, where there are more levels. Of floats the
// conversion does it.
bool fills_behind(AVPixelFormat kept, AVPixelFormat to) {
    return is_gray(to) && av_pix_fmt_desc_get(to)->comp[0].depth > av_pix_fmt_desc_get(kept)->comp[0].depth;
}

bool is_float(AVPixelFormat format) {
    return (av_pix_fmt_desc_get(format)->flags & AV_PIX_FMT_FLAG_FLOAT) != 0;
}

AVRational sample_aspect(const AVStream& stream, const AVFrame& first) {
    const AVRational container = stream.sample_aspect_ratio;
    return container.num > 0 ? container : first.sample_aspect_ratio;
}

AVFieldOrder field_order(const AVFrame& picture) {
    return !is_interlaced(picture) ? AV_FIELD_UNKNOWN : is_top_field_first(picture) ? AV_FIELD_TT : AV_FIELD_BB;
}

// Those that do have an option for it, which can be turned off.
bool writes_captions(const AVCodecContext& encoder) {
    std::int64_t on = 0;
    return encoder.codec->priv_class != nullptr && av_opt_get_int(encoder.priv_data, "a53cc", 0, &on) >= 0 && on != 0;
}

}  // namespace

Encoder::Encoder(const OutputOptions& options, const EncodeTask& task, const AVOutputFormat& container,
                 const PictureStream& stream, const AVFrame& first, AVPixelFormat kept, FramePool& pool)
    : pool_(pool), time_base_(stream.stream->time_base) {
    const AVStream& video = *stream.stream;
    const AVCodec& codec = choose_codec(options, container);
    name_ = codec.name;
    context_.reset(avcodec_alloc_context3(&codec));
    if (!context_) {
        throw std::bad_alloc();
    }
    context_->width = first.width;
    context_->height = first.height;
    context_->framerate = stream.frame_rate;
    context_->time_base = uses_frame_clock(codec, video, stream.live) ? av_inv_q(context_->framerate) : time_base_;
    context_->sample_aspect_ratio = sample_aspect(video, first);
    limits_range_ = task.limit_range;
    fills_range_ = task.full_range && may_be_limited(first) && first.color_range != AVCOL_RANGE_JPEG;
    context_->color_range = limits_range_ ? AVCOL_RANGE_MPEG : fills_range_ ? AVCOL_RANGE_JPEG : first.color_range;
    context_->color_primaries = first.color_primaries;
    context_->color_trc = first.color_trc;
    context_->colorspace = first.colorspace;
    context_->chroma_sample_location = first.chroma_location;
    context_->thread_count = options.threads;
    context_->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;  // limited range in MJPEG, where somebody asks for it
    const bool whole = std::ranges::find(of_whole_pictures, codec.id) != of_whole_pictures.end();
    if (is_interlaced(first) && !whole) {
        context_->flags |= field_coding;
        context_->field_order = field_order(first);
    }
    removes_notes_ = options.strip >= Strip::tags;
    if (removes_notes_) {
        context_->flags |= AV_CODEC_FLAG_BITEXACT;  // no names and versions of libraries
    }
    context_->codec_tag = container_tag(container, codec.id, options.video_tag);
    if (stream.live || task.streamed) {
        context_->gop_size = std::max(1, static_cast<int>(live_key_seconds * av_q2d(stream.frame_rate)));
    }
    if ((container.flags & AVFMT_GLOBALHEADER) != 0) {
        context_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    }
    if (const std::optional<Stills> stills = stills_of(options); stills && stills->names) {
        context_->gop_size = 0;  // each is a file of its own
    }
    if (!choose_palettes(options, task, container, stream, first, kept)) {
        choose_format(options, task, container, stream, first, kept);
    }
    open(options, task, stream, first);
    density_ = keeps_density(first, *context_) ? density_of(first) : std::nullopt;
    if (whole) {
        context_->field_order = field_order(first);  // for the container
    }
    if (!is_interlaced(first) && video.codecpar->field_order == AV_FIELD_PROGRESSIVE) {
        context_->field_order = AV_FIELD_PROGRESSIVE;  // as the input says, which encoders need not hear
    }
    looks_for_captions_ = !task.trial && task.pass != 1 && (container.flags & AVFMT_NOFILE) == 0;
    tells_profile_ = looks_for_captions_;
    trial_ = task.trial;
    stream_ = video.index;
    if (looks_for_captions_) {
        changes_.emplace(first);
    }
}

void Encoder::choose_format(const OutputOptions& options, const EncodeTask& task, const AVOutputFormat& container,
                            const PictureStream& stream, const AVFrame& first, AVPixelFormat kept) {
    const AVPixelFormat format = choose_encoder_format(options, task, container, *context_, kept);
    context_->pix_fmt = format;
    tag_full_gray(*context_, kept);
    named_matrix_ = stream.graphed.named_matrix;
    if (format != first.format) {
        converter_ =
            std::make_unique<Converter>(Converter::from_native(context_->width, context_->height, kept, format));
        converter_->make_yuv_of(named_matrix_);
        fills_late_ = fills_behind(kept, format);
    }
    // A graph has converted them already, as the encoder takes no others, or as its filters do not.
    const auto loses = [&](AVPixelFormat graphed) {
        return graphed != AV_PIX_FMT_NONE && loss_between(without_j(graphed), format).starts_with("with loss");
    };
    const AVPixelFormat before = stream.graphed.before;
    const AVPixelFormat unbound = stream.graphed.unbound;
    const bool by_graph = loses(before);
    // What the user asked for is no loss without a word.
    const auto tell = [&](AVPixelFormat from, bool for_it = true) {
        const bool lost = options.pix_fmt.empty() && loses(from);
        spdlog::log(lost ? spdlog::level::warn : spdlog::level::info, "pictures are converted {}",
                    words_of_conversion(*context_, options, task, from, for_it));
    };
    if (!task.trial && loses(unbound) && unbound != before) {
        tell(unbound);
    }
    if (!task.trial && (by_graph || format != kept)) {
        const std::vector<AVPixelFormat> taken = formats_taken(options, task, container);
        const bool for_encoder = !by_graph || std::ranges::find(taken, before) == taken.end();
        tell(by_graph ? before : kept, for_encoder);
    }
    if (!task.trial && task.pass != 1) {
        tell_whole_chroma(*context_, container, options);
    }
    if (format == kept) {
        return;
    }
    tag_converted(*context_, kept, named_matrix_);
}

FramePtr Encoder::converted(FramePtr frame) {
    if (limits_range_) {
        frame = to_limited_range(*frame, pool_);
    }
    if (fills_range_ && !fills_late_) {
        frame = to_full_range(*frame, pool_);
    }
    if (!converter_) {
        return waiting_ ? waiting_->copy_of(*frame) : std::move(frame);
    }
    FramePtr made = make_frame();
    made->format = converter_->format();
    made->width = converter_->width();
    made->height = converter_->height();
    (waiting_ ? *waiting_ : pool_).fill(*made, converter_->width(), converter_->height());
    converter_->convert(*frame, *made);
    if (fills_range_ && fills_late_ && !is_float(converter_->format())) {
        made = to_full_range(*made, waiting_ ? *waiting_ : pool_);
    }
    made->colorspace = context_->colorspace;
    made->color_range = context_->color_range;
    return made;
}

// They may begin at any picture.
void Encoder::tell_captions(const AVFrame& frame) {
    if (av_frame_get_side_data(&frame, AV_FRAME_DATA_A53_CC) == nullptr) {
        return;
    }
    looks_for_captions_ = false;
    if (!writes_captions(*context_)) {
        spdlog::warn("the captions within the pictures (ATSC A/53) are left out: {} does not write them", name());
    }
}

// One of other colours would have readers show wrong ones.
void Encoder::check_profile(AVFrame& frame, AVPixelFormat given) {
    const AVFrameSideData* const profile = av_frame_get_side_data(&frame, AV_FRAME_DATA_ICC_PROFILE);
    if (profile == nullptr || fits_profile(*profile, given, static_cast<AVPixelFormat>(frame.format))) {
        return;
    }
    if (std::exchange(tells_profile_, false)) {
        spdlog::warn("the ICC profile is left out: it is of {}, which the pictures are not, in {}",
                     std::string_view(reinterpret_cast<const char*>(profile->data) + 16, 4),
                     name_of(static_cast<AVPixelFormat>(frame.format)));
    }
    av_frame_remove_side_data(&frame, AV_FRAME_DATA_ICC_PROFILE);
}

void Encoder::send(FramePtr frame) {
    if (frame && looks_for_captions_) {
        tell_captions(*frame);
    }
    if (frame && changes_) {
        changes_->look(*frame, stream_, static_cast<double>(frame->pts) * av_q2d(time_base_));
    }
    if (frame) {
        const auto given = static_cast<AVPixelFormat>(frame->format);
        frame = converted(std::move(frame));
        check_profile(*frame, given);
    }
    if (palettes_) {
        palettes_->send(std::move(frame));
    } else {
        encode(std::move(frame));
    }
}

// MPEG-4 part 2 counts the seconds between pictures by a bit each, and libavcodec ends at an hour, for which it has an
// error without a sense.
void Encoder::check_step(std::int64_t pts) const {
    constexpr std::int64_t most_seconds = 3600;
    if (context_->codec_id != AV_CODEC_ID_MPEG4 || last_encoder_pts_ == AV_NOPTS_VALUE) {
        return;
    }
    const auto seconds = [&](std::int64_t time) {
        return av_rescale_q_rnd(time, context_->time_base, AVRational{1, 1}, AV_ROUND_DOWN);
    };
    if (seconds(pts) - seconds(last_encoder_pts_) > most_seconds) {
        throw Error(ExitCode::encoder,
                    fmt::format("the encoder {} takes pictures that are an hour apart at most: behind the one at {} s "
                                "comes one at {} s (--codec has others, such as libx264; --end ends before)",
                                name(), seconds(last_encoder_pts_), seconds(pts)));
    }
}

void Encoder::encode(FramePtr frame) {
    if (frame) {
        const Stamp stamp{clock_.apart(frame->pts), frame_duration(*frame)};
        std::int64_t pts = av_rescale_q(frame->pts, time_base_, context_->time_base);
        if (last_encoder_pts_ != AV_NOPTS_VALUE && pts <= last_encoder_pts_) {
            pts = last_encoder_pts_ + 1;  // a coarser clock than the input's
        }
        check_step(pts);
        last_encoder_pts_ = pts;
        inside_.emplace(pts, stamp);
        ++given_;
        first_ = first_.value_or(stamp);
        frame->pts = pts;
        frame->quality = (context_->flags & AV_CODEC_FLAG_QSCALE) != 0 ? context_->global_quality : 0;
        if (context_->codec_id == AV_CODEC_ID_MJPEG) {
            profiles_.take(*frame);
        }
        if (context_->codec_id == AV_CODEC_ID_H264 && (context_->flags & field_coding) != 0) {
            // x264 would take a new order for all the pictures that it holds, too.
            set_top_field_first(*frame, context_->field_order == AV_FIELD_TT);
        }
        frame->pict_type = AV_PICTURE_TYPE_NONE;  // or the encoder would repeat the input's choice of key frames
        if (watch_) {
            watch_->sent(*frame);
        }
    }
    constexpr int too_few = 2;
    in_order_ = !frame && given_ <= too_few && encoder_facts(name()).has(encoder_fact::late_delay);
    if (parts_) {
        parts_->send(std::move(frame));
        return;
    }
    const int sent = avcodec_send_frame(context_.get(), frame.get());
    if (sent < 0 && sent != AVERROR_EOF) {
        fail(sent);
    }
}

void Encoder::fail(int error) const {
    check_pass_folder();
    throw Error(ExitCode::encoder, fmt::format("the encoder {} failed: {}", name(), av_message(error)));
}

PacketPtr Encoder::receive() {
    PacketPtr packet = make_packet();
    int got = take(packet);
    while (got == AVERROR(EAGAIN) && palettes_ && !told_end_) {
        FramePtr next = palettes_->receive();
        told_end_ = palettes_->ended() && !next;
        if (!next && !told_end_) {
            break;
        }
        encode(std::move(next));
        got = take(packet);
    }
    if (statistics_to_.is_open() && (got >= 0 || got == AVERROR_EOF) && context_->stats_out != nullptr) {
        keep_statistics();
    }
    if (watch_ && (got >= 0 || got == AVERROR_EOF)) {
        look_at_samples(got >= 0 ? packet.get() : nullptr);
    }
    if (got == AVERROR(EAGAIN) || got == AVERROR_EOF) {
        return nullptr;
    }
    if (got < 0) {
        fail(got);
    }
    if (in_order_) {
        packet->dts = packet->pts;  // libx265 takes its delay from a later picture, or from memory that nobody has set
    }
    const std::int64_t first = first_.value_or(Stamp{0, 0}).pts;
    const std::int64_t first_inside = av_rescale_q(first, time_base_, context_->time_base);
    const auto found = inside_.find(packet->pts);
    const auto decoded = inside_.find(packet->dts);
    // A decoding time is the presentation time of an earlier picture, or lies before the first one.
    const std::int64_t dts = decoded != inside_.end()
                                 ? decoded->second.pts
                                 : first + av_rescale_q(packet->dts - first_inside, context_->time_base, time_base_);
    inside_.erase(inside_.begin(), inside_.lower_bound(std::min(packet->dts, packet->pts)));
    if (found == inside_.end()) {
        throw Error(
            ExitCode::encoder,
            fmt::format("the encoder {} returned a packet that belongs to none of the pictures it was given", name()));
    }
    if (density_) {
        put_density(*density_, context_->codec_id, *packet);
    }
    profiles_.put(*packet);
    packet->pts = found->second.pts;
    packet->duration = found->second.duration;
    packet->dts = std::min(dts, packet->pts);
    if (removes_notes_) {
        remove_notes({context_->codec_id}, *packet);
    }
    return packet;
}

}  // namespace vfilter
