#pragma once
// What decodes ranges of packets, one after another.

#include <cstdint>
#include <memory>
#include <string>

#include "io/bitstream/entry_reader.h"
#include "io/codec/decode_device.h"
#include "io/codec/decoded_picture.h"
#include "io/codec/decoding_run.h"
#include "io/log/complaints.h"

namespace vfilter {

/// One thread at a time. Everything may throw Error and std::bad_alloc.
class RangeSession {
public:
    virtual ~RangeSession() = default;
    /// Has made what takes its time, with a closed entry of the stream, of which nothing else comes. Does nothing after
    /// anything else.
    virtual void warm_up(const AVPacket& /*entry*/) {}
    /// The next packet begins a range. `feeding_on`: the one before was not ended with null, and its last pictures come
    /// when the decoder has got some of this one; only where feeds_on(), and with a closed entry.
    virtual void begin(Entry entry, bool feeding_on) = 0;
    /// Whether ranges had better not be ended where another one follows.
    [[nodiscard]] virtual bool feeds_on() const = 0;
    /// Gives a packet, whose `opaque` it may use, null for the range's end. After each call, take every picture with
    /// receive().
    virtual void send(AVPacket* packet) = 0;
    /// False when another packet is needed, or when all of the range are out: then `next` has no picture, but what was
    /// said.
    virtual bool receive(DecodedPicture& next) = 0;
};

/// libavcodec on a device, in one thread.
class HardwareSession : public RangeSession {
public:
    /// All pictures are of that kind, `resident` in the device's memory, else in pictures of `pool`. That and the
    /// device must outlive the session.
    HardwareSession(const DecodingSetup& setup, FramePool& pool, const DecodeDevice& device, PictureKind kind,
                    bool resident);

    /// libavcodec makes the device's decoder with the first picture.
    void warm_up(const AVPacket& entry) override;
    void begin(Entry entry, bool feeding_on) override;
    /// H.264's decoder has its hardware made anew by every flush, which takes 50 ms.
    [[nodiscard]] bool feeds_on() const override { return context_->codec_id == AV_CODEC_ID_H264; }
    void send(AVPacket* packet) override;
    bool receive(DecodedPicture& next) override;

private:
    static AVPixelFormat choose_format(AVCodecContext* context, const AVPixelFormat* formats);
    void fill(DecodedPicture& next, FramePtr frame);

    Complaints complaints_;
    FramePool& pool_;
    std::unique_ptr<DecodeSurfaces> surfaces_;
    AVPixelFormat surface_format_ = AV_PIX_FMT_NONE;
    PictureKind kind_;
    bool resident_;
    CodecContextPtr context_;
    std::int64_t told_complaints_ = 0;
    std::int64_t refused_ = 0;
    bool warm_ = false;   // nothing but warm_up() was done, and can be fed on from
    bool fresh_ = true;   // it has not been given anything since it was made or flushed
    bool ended_ = false;  // libavcodec takes nothing more before it is flushed
};

}  // namespace vfilter
