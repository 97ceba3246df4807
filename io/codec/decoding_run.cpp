#include "io/codec/decoding_run.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <new>

#include "io/bitstream/decoder_packets.h"
#include "io/codec/open_decoder.h"
#include "io/compat.h"
#include "io/extradata.h"
#include "io/refused_memory.h"

namespace vfilter {

ParametersPtr copy_of(const AVCodecParameters& codec) {
    ParametersPtr copy(avcodec_parameters_alloc());
    if (!copy || avcodec_parameters_copy(copy.get(), &codec) < 0) {
        throw std::bad_alloc();
    }
    return copy;
}

DecodingSetup decoding_setup(const Demuxer& input, int stream, int clip) {
    const StreamOfClip own = input.stream_of_clip(stream, clip).value();
    const AVStream& video = own.stream;
    return {.codec = copy_of(*video.codecpar),
            .time_base = input.format().streams[stream]->time_base,
            .frame_rate = own.frame_rate,
            .max_pixels = input.max_pixels(),
            .live = input.live(),
            .alpha = av_dict_get(video.metadata, "alpha_mode", nullptr, 0) != nullptr};
}

void leave_out_messages(DecodingSetup& setup) {
    const AVCodecParameters& codec = *setup.codec;
    const std::vector<std::uint8_t> rest = without_messages(
        codec.codec_id, {codec.extradata, static_cast<std::size_t>(std::max(0, codec.extradata_size))});
    if (!rest.empty()) {
        ParametersPtr copy = copy_of(codec);
        set_extradata(*copy, rest);
        setup.codec = std::move(copy);
    }
}

namespace {

// Decoders that neither write nor tell what they skip of a damaged picture.
bool leaves_parts(AVCodecID codec) {
    constexpr std::array ids{AV_CODEC_ID_FFV1, AV_CODEC_ID_CFHD, AV_CODEC_ID_MAGICYUV, AV_CODEC_ID_MSMPEG4V2};
    return std::ranges::find(ids, codec) != ids.end();
}

const AVCodec* find_decoder(const DecodingSetup& setup) {
    const AVCodecID id = setup.codec->codec_id;
    const AVCodec* const with_alpha = !setup.alpha            ? nullptr
                                      : id == AV_CODEC_ID_VP8 ? avcodec_find_decoder_by_name("libvpx")
                                      : id == AV_CODEC_ID_VP9 ? avcodec_find_decoder_by_name("libvpx-vp9")
                                                              : nullptr;
    return with_alpha != nullptr ? with_alpha : avcodec_find_decoder(id);
}

}  // namespace

DecodingRun::DecodingRun(const DecodingSetup& setup, const DecodingStart& start, FramePool& pool, int threads)
    : pool_(pool),
      watches_(!setup.live && Canaries::are_needed(setup.codec->codec_id)),
      reads_hevc_(watches_ && setup.codec->codec_id == AV_CODEC_ID_HEVC),
      reads_mpeg2_(setup.codec->codec_id == AV_CODEC_ID_MPEG2VIDEO || setup.codec->codec_id == AV_CODEC_ID_MPEG1VIDEO),
      latest_(make_frame()) {
    const AVCodecParameters& stream = *setup.codec;
    const AVCodec* const codec = find_decoder(setup);
    if (codec == nullptr) {
        throw Error(ExitCode::input,
                    fmt::format("this FFmpeg has no decoder for {}", avcodec_get_name(stream.codec_id)));
    }
    context_.reset(avcodec_alloc_context3(codec));
    if (!context_) {
        throw std::bad_alloc();
    }
    av_check(avcodec_parameters_to_context(context_.get(), &stream), "avcodec_parameters_to_context", ExitCode::input);
    begins_black_ = leaves_parts(stream.codec_id);
    set_up(setup, start, threads);
    open(*codec);
}

void DecodingRun::set_up(const DecodingSetup& setup, const DecodingStart& start, int threads) {
    if (start.extradata) {
        set_extradata(*context_, *start.extradata);
    }
    leave_out_messages(*context_);
    if (start.delay >= 0) {
        context_->has_b_frames = start.delay;
    }
    // Behind the picture of an open group, which is whole by itself, libavcodec takes others for whole once that one
    // has come out: what it still holds at the end before that it would drop.
    shows_all_ = start.inside && setup.codec->codec_id == AV_CODEC_ID_H264;
    if (shows_all_) {
        context_->flags |= AV_CODEC_FLAG_OUTPUT_CORRUPT;
    }
    context_->pkt_timebase = setup.time_base;
    context_->framerate = setup.frame_rate;
    limit_decoder(*context_, setup.max_pixels);
    context_->thread_count = threads;
    if (setup.codec->codec_id == AV_CODEC_ID_WEBP) {
        // Its decoder says that it has a picture where damage has left none, which ends the program with threads that
        // work on a picture each (FFmpeg 5.1).
        context_->thread_type = FF_THREAD_SLICE;
    }
    if (setup.live) {
        // Threads that work on a picture each hold it back until as many more have come.
        context_->thread_type = FF_THREAD_SLICE;
        if (setup.codec->video_delay == 0) {
            context_->flags |= AV_CODEC_FLAG_LOW_DELAY;
        }
    }
    pass_numbers(*context_);
    context_->opaque = this;
    if (reads_hevc_) {
        headers_.read_extradata(context_->extradata, static_cast<std::size_t>(context_->extradata_size));
        context_->execute = &DecodingRun::execute;  // threads have copies of the context
    }
    if (reads_mpeg2_ && context_->extradata_size > 0) {
        sequences_.read_extradata({context_->extradata, static_cast<std::size_t>(context_->extradata_size)});
    }
    complaints_.listen(this);
}

void DecodingRun::open(const AVCodec& codec) {
    if ((codec.capabilities & AV_CODEC_CAP_DR1) != 0) {
        context_->get_buffer2 = &DecodingRun::get_buffer;
        mark_thread_safe(*context_);
    }
    open_codec(*context_, codec);
}

int DecodingRun::get_buffer(AVCodecContext* context, AVFrame* frame, int flags) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame->format));
    if (d == nullptr || (d->flags & (AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_PAL)) != 0) {
        return avcodec_default_get_buffer2(context, frame, flags);
    }
    int width = frame->width;
    int height = frame->height;
    int linesize_align[AV_NUM_DATA_POINTERS] = {};
    avcodec_align_dimensions2(context, &width, &height, linesize_align);
    auto& self = *static_cast<DecodingRun*>(context->opaque);
    try {
        self.pool_.fill(*frame, width, height);
        self.begun_ = picture_number(*frame);
        if (self.patches_) {
            self.fill(*frame);
        } else if (self.begins_black_) {
            blacken(*frame);
        }
        if (self.reads_hevc_) {
            self.slices_.begin(*context, picture_number(*frame));
        }
        if (self.watches_) {
            self.canaries_.set(*frame, picture_number(*frame), self.patches_);
        }
    } catch (const std::bad_alloc&) {
        self.out_of_memory_ = true;
        return AVERROR(ENOMEM);
    } catch (const Error&) {
        return AVERROR(EINVAL);
    }
    return 0;
}

// libavcodec decodes a slice of HEVC by this; the result is the tree behind it.
int DecodingRun::execute(AVCodecContext* context, int (*decode)(AVCodecContext*, void*), void* arguments, int* results,
                         int count, int size) {
    const int done = avcodec_default_execute(context, decode, arguments, results, count, size);
    if (count == 1 && results != nullptr) {
        static_cast<DecodingRun*>(context->opaque)->slices_.end_slice(*context, *results);
    }
    return done;
}

std::vector<std::int64_t> DecodingRun::left_out(std::int64_t end, const AVFrame* picture) {
    std::vector<std::int64_t> found = canaries_.look(end, picture);
    if (reads_hevc_) {
        std::ranges::copy(slices_.look(end, picture != nullptr ? picture_number(*picture) : -1),
                          std::back_inserter(found));
    }
    return found;
}

void DecodingRun::fill(AVFrame& frame) const {
    const auto format = static_cast<AVPixelFormat>(frame.format);
    const AVFrame& from = *latest_;
    blacken(frame);
    if (from.format == frame.format && from.width > 0) {
        av_image_copy(frame.data, frame.linesize, const_cast<const std::uint8_t**>(from.data), from.linesize, format,
                      std::min(from.width, frame.width), std::min(from.height, frame.height));
    }
}

void DecodingRun::blacken(AVFrame& frame) {
    std::memset(frame.buf[0]->data, 0, frame.buf[0]->size);
    const std::ptrdiff_t strides[4] = {frame.linesize[0], frame.linesize[1], frame.linesize[2], frame.linesize[3]};
    // Where it does not know the format, zeroes stay.
    av_image_fill_black(frame.data, strides, static_cast<AVPixelFormat>(frame.format), frame.color_range, frame.width,
                        frame.height);
}

int DecodingRun::send(AVPacket* packet, std::int64_t number) {
    std::vector<HevcSlice> slices;
    PacketPtr changed;
    if (packet != nullptr) {
        if (reads_mpeg2_) {
            changed = sequences_.send(*packet, number);
            packet = changed ? changed.get() : packet;
        }
        if (reads_hevc_) {
            slices = headers_.read(*packet);
            slices_.send(slices, number);
        }
        number_packet(*context_, *packet, number);
    }
    errno = 0;
    const int sent = avcodec_send_packet(context_.get(), packet);
    if (context_->thread_count == 1 && begun_ == number) {
        order_.begun(slices, number);
    }
    check_memory(sent);
    return sent;
}

bool DecodingRun::ends_before(const AVPacket& packet) {
    if (reads_mpeg2_) {
        return sequences_.ends_before(packet);
    }
    return reads_hevc_ && context_->thread_count == 1 && order_.counts_anew(headers_.read(packet));
}

void DecodingRun::begin_anew() {
    avcodec_flush_buffers(context_.get());
    order_.begin_anew();
    sequences_.begin_anew();
}

// libavcodec gives ENOMEM also where a damaged stream wants more pictures than may be (HEVC's full picture buffer), so
// it is believed where it was for a picture's memory, or where the system has said so, which other threads do not show.
void DecodingRun::check_memory(int result) const {
    if (out_of_memory_ || (result == AVERROR(ENOMEM) && memory_was_refused())) {
        throw std::bad_alloc();
    }
}

int DecodingRun::receive(AVFrame& picture) {
    errno = 0;
    const int got = avcodec_receive_frame(context_.get(), &picture);
    check_memory(got);
    if (got >= 0 && shows_all_) {
        picture.flags &= ~AV_FRAME_FLAG_CORRUPT;  // that alone: what is wrong with a picture stands in its other flags
    }
    if (got >= 0 && reads_mpeg2_) {
        sequences_.came_out(picture, picture_number(picture));
    }
    if (got >= 0 && context_->thread_count == 1) {
        av_frame_unref(latest_.get());
        av_check(av_frame_ref(latest_.get(), &picture), "av_frame_ref");
        order_.came_out(picture_number(picture));
    }
    return got;
}

}  // namespace vfilter
