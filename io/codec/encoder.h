#pragma once
// Pictures in, packets out.

#include <memory>
#include <optional>
#include <string_view>

#include "config/io_options.h"
#include "io/codec/encode_task.h"
#include "io/codec/encoder_opening.h"
#include "io/codec/encoder_pass.h"
#include "io/codec/encoder_times.h"
#include "io/codec/packet_edits.h"
#include "io/codec/palette.h"
#include "io/codec/part_encoders.h"
#include "io/codec/picture_conversion.h"
#include "io/codec/picture_losses.h"
#include "io/codec/picture_stream.h"
#include "io/codec/sample_watch.h"
#include "io/formats/frame_pool.h"

namespace vfilter {

/// Encodes one video stream: leads its pictures through the objects that each do a part of it, into libavcodec and out
/// again. One thread; the encoder's own threads are inside.
class Encoder {
public:
    /// Opens the encoder that the options or else the container ask for, for pictures of `stream`. `first`
    /// is a picture like those to come: size, format, colour tags. `kept` is the format to encode if the encoder takes
    /// it, whose native one is the pictures'. `pool` must outlive the encoder. Throws Error(encoder) if it refuses,
    /// Error(usage) for an option it does not know.
    Encoder(const OutputOptions& options, const EncodeTask& task, const AVOutputFormat& container,
            const PictureStream& stream, const AVFrame& first, AVPixelFormat kept, FramePool& pool);

    /// A tick of the container's clock, in which pictures stay apart from then on: see CoarseClock. Before the first
    /// one.
    void set_output_clock(AVRational tick) { times_.set_output_clock(tick); }

    /// From then on what comes out is decoded again, until a picture is found to have changed, which is told once.
    /// Before the first one.
    void watch_samples();
    [[nodiscard]] std::optional<SampleWatch::Change> changed_samples() const {
        return watch_ ? watch_->change() : std::nullopt;
    }

    /// Whether send() takes a picture: always, but of OutputOptions::encoders beside each other each may be busy.
    [[nodiscard]] bool takes() const { return !parts_ || parts_->takes(); }
    /// Until takes(), or there is a packet, or the end of all, or cancel_wait() was called. Throws as receive().
    void wait();
    /// Any thread.
    void cancel_wait();
    /// Gives a picture, converted if the encoder does not take its format; null for the end. After each call, take
    /// every packet with receive(). pts are in time_base().
    void send(FramePtr frame);
    /// The next packet, in time_base(), with the pts and duration of its picture; or null.
    PacketPtr receive();
    /// Whether receive() has given everything, after the end was sent and it gave null.
    [[nodiscard]] bool ended() const { return !parts_ || parts_->ended(); }

    /// Pictures that may be inside of several encoders, in seconds; 0 with one, which holds a few.
    [[nodiscard]] double seconds_inside() const;

    [[nodiscard]] const AVCodecContext& context() const { return *context_; }
    /// Time base of packets and pictures: the stream's.
    [[nodiscard]] AVRational time_base() const { return times_.time_base(); }
    [[nodiscard]] std::string_view name() const { return context_->codec->name; }

private:
    void choose_format(const OutputOptions& options, const EncodeTask& task, const AVOutputFormat& container,
                       const PictureStream& stream, const AVFrame& first, AVPixelFormat kept);
    void begin_parts();
    void prepare(AVFrame& picture);
    void encode(FramePtr frame);
    int take(PacketPtr& packet);
    int next_packet(PacketPtr& packet);
    [[noreturn]] void fail(int error) const;

    EncoderPass pass_;
    CodecContextPtr context_;  // which those that follow refer to
    PictureConversion conversion_;
    PictureLosses losses_;
    EncoderTimes times_;
    PacketEdits edits_;
    EncoderRecipe recipe_;
    std::unique_ptr<Palettes> palettes_;  // null if the encoder takes colours
    bool told_end_ = false;               // the encoder was, after palettes_
    bool trial_;
    std::optional<SampleWatch> watch_;
    std::unique_ptr<PartEncoders> parts_;  // null with a single encoder; last, as its threads use the others
};

}  // namespace vfilter
