#pragma once
// Pictures in, packets out.

#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "config/io_options.h"
#include "io/bitstream/jpeg_profiles.h"
#include "io/codec/coarse_clock.h"
#include "io/codec/encode_task.h"
#include "io/codec/palette.h"
#include "io/codec/part_encoders.h"
#include "io/codec/picture_changes.h"
#include "io/codec/picture_stream.h"
#include "io/codec/sample_watch.h"
#include "io/formats/formats.h"
#include "io/formats/frame_pool.h"
#include "io/formats/picture_density.h"

namespace vfilter {

class ThreadComplaints;

/// Where the first of two passes leaves what it has found of a stream.
std::string pass_file(const EncodeTask& task, int stream);

/// Encodes one video stream. One thread; the encoder's own threads are inside.
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
    void set_output_clock(AVRational tick) { clock_ = CoarseClock(tick, time_base_); }

    /// From then on what comes out is decoded again, until a picture is found to have changed, which is told once.
    /// Before the first one.
    void watch_samples();
    [[nodiscard]] const std::optional<SampleWatch::Change>& changed_samples() const { return changed_samples_; }

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
    [[nodiscard]] AVRational time_base() const { return time_base_; }
    [[nodiscard]] const std::string& name() const { return name_; }

private:
    struct Stamp {
        std::int64_t pts;
        std::int64_t duration;
    };

    void choose_format(const OutputOptions& options, const EncodeTask& task, const AVOutputFormat& container,
                       const PictureStream& stream, const AVFrame& first, AVPixelFormat kept);
    [[nodiscard]] bool choose_palettes(const OutputOptions& options, const EncodeTask& task,
                                       const AVOutputFormat& container, const PictureStream& stream,
                                       const AVFrame& first, AVPixelFormat kept);
    void check_step(std::int64_t pts) const;
    void encode(FramePtr frame);
    void look_at_samples(const AVPacket* packet);
    int take(PacketPtr& packet);
    void tell_captions(const AVFrame& frame);
    [[nodiscard]] FramePtr converted(FramePtr frame);
    void check_profile(AVFrame& frame, AVPixelFormat given);
    void open(const OutputOptions& options, const EncodeTask& task, const PictureStream& stream, const AVFrame& first);
    int open_somehow(const EncodeTask& task, const ThreadComplaints& complaints, Dictionary& unknown);
    void refuse_unknown(const OutputOptions& options, const ThreadComplaints& complaints,
                        const Dictionary& unknown) const;
    void set_up_pass(const EncodeTask& task, int stream, Dictionary& settings);
    void check_pass_folder() const;
    [[noreturn]] void fail(int error) const;
    void keep_statistics();
    void begin_parts(EncoderParts parts);
    [[nodiscard]] CodecContextPtr open_like_first();

    static constexpr int field_coding = AV_CODEC_FLAG_INTERLACED_DCT | AV_CODEC_FLAG_INTERLACED_ME;

    FramePool& pool_;
    std::string name_;
    AVRational time_base_;
    CodecContextPtr context_;
    bool limits_range_ = false;
    bool fills_range_ = false;
    bool fills_late_ = false;                            // behind the conversion
    AVColorSpace named_matrix_ = AVCOL_SPC_UNSPECIFIED;  // GraphedFormats'
    std::string pass_folder_;                            // where the statistics of two passes are
    std::string statistics_;                             // of the first pass, for the second
    std::ofstream statistics_to_;      // of the first pass, where the encoder does not write them itself
    bool looks_for_captions_ = false;  // until they were told
    std::optional<PictureChanges> changes_;
    int stream_ = 0;
    bool tells_profile_ = false;  // that one does not fit, until it was told
    bool removes_notes_ = false;  // what the encoder says of itself
    bool told_end_ = false;       // the encoder was, after palettes_
    bool in_order_ = false;       // libx265's, which are too few for another order: see receive()
    bool trial_ = false;
    std::unique_ptr<Converter> converter_;  // null if the encoder takes the pictures as they are
    std::unique_ptr<Palettes> palettes_;    // null if the encoder takes colours
    std::int64_t given_ = 0;                // pictures
    std::map<std::int64_t, Stamp> inside_;  // by the encoder's pts, of the pictures that it may still speak of
    JpegProfiles profiles_;
    std::optional<Density> density_;  // that is kept
    std::optional<SampleWatch> watch_;
    std::optional<SampleWatch::Change> changed_samples_;
    std::optional<Stamp> first_;
    std::int64_t last_encoder_pts_ = AV_NOPTS_VALUE;
    CoarseClock clock_;
    Dictionary settings_;
    CodecContextPtr set_up_;               // as the first encoder was before it was opened; null with a single one
    std::optional<FramePool> waiting_;     // for the pictures that wait for an encoder; with parts_
    std::unique_ptr<PartEncoders> parts_;  // null with a single encoder; last, as its threads use the others
};

}  // namespace vfilter
