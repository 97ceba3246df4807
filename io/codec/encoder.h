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

/// Encodes one video stream: passes pictures through its members, each of which has one job, into libavcodec, and
/// packets back out. One thread; the encoder's own threads are inside.
class Encoder {
public:
    /// Opens the encoder that the options or else the container ask for, for pictures of `stream`. `first` is like the
    /// pictures that follow in size, format and colour tags; they come in the native format of `kept`, the format to
    /// encode if the encoder takes it. `pool` must outlive the encoder. Throws Error(encoder) if the encoder refuses,
    /// Error(usage) for an option it does not know.
    Encoder(const OutputOptions& options, const EncodeTask& task, const AVOutputFormat& container,
            const PictureStream& stream, const AVFrame& first, AVPixelFormat kept, FramePool& pool);

    /// As EncoderTimes: to be called before the first picture.
    void set_output_clock(AVRational tick) { times_.set_output_clock(tick); }

    /// From then on the output is decoded again, until a picture is found to have changed, which is reported once. To
    /// be called before the first picture.
    void watch_samples();
    [[nodiscard]] std::optional<SampleWatch::Change> changed_samples() const {
        return watch_ ? watch_->change() : std::nullopt;
    }

    /// Whether send() takes a picture: always with one encoder; several (OutputOptions::encoders) may all be busy.
    [[nodiscard]] bool takes() const { return !parts_ || parts_->takes(); }
    /// Waits until takes(), or there is a packet, or all packets are received, or cancel_wait() is called. Throws as
    /// receive().
    void wait();
    /// Any thread.
    void cancel_wait();
    /// Sends a picture, whose pts is in time_base(), or null at the end. It is converted if the encoder does not take
    /// its format. After each call, take every packet with receive().
    void send(FramePtr frame);
    /// The next packet, in time_base(), with the pts and duration of its picture; or null.
    PacketPtr receive();
    /// Whether receive() has returned everything, once the end was sent and it returned null.
    [[nodiscard]] bool ended() const { return !parts_ || parts_->ended(); }

    /// How many seconds of video several encoders may hold; 0 with a single one, which holds a few pictures.
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
    CodecContextPtr context_;  // the members below refer to it
    PictureConversion conversion_;
    PictureLosses losses_;
    EncoderTimes times_;
    PacketEdits edits_;
    EncoderRecipe recipe_;
    std::unique_ptr<Palettes> palettes_;  // null if the encoder takes colours
    bool told_end_ = false;               // the encoder was told, after palettes_ had ended
    bool trial_;
    std::optional<SampleWatch> watch_;
    std::unique_ptr<PartEncoders> parts_;  // null with a single encoder; last, as its threads use the others
};

}  // namespace vfilter
