#pragma once
// Hardware that decodes, as sessions of libavcodec need it.

#include <memory>
#include <string>

#include "io/formats/frame_pool.h"
#include "io/handles.h"

namespace vfilter {

/// What all pictures of a video are.
struct PictureKind {
    AVPixelFormat format = AV_PIX_FMT_NONE;
    int width = 0;
    int height = 0;

    bool operator==(const PictureKind&) const = default;
};

/// Of one decoder: what it is opened with, and how pictures leave its surfaces. One thread.
class DecodeSurfaces {
public:
    virtual ~DecodeSurfaces() = default;
    /// For AVCodecContext::hw_device_ctx, which takes a reference of its own.
    [[nodiscard]] virtual AVBufferRef* context() const = 0;
    /// Why the picture may be none that its data tell: the decoder had to make up a part of it, as they are damaged, or
    /// does not say. "" if it is whole.
    [[nodiscard]] virtual std::string doubt(const AVFrame& surface) = 0;
    /// Whether its samples are of that kind.
    [[nodiscard]] virtual bool holds(const AVFrame& surface, const PictureKind& kind) const = 0;
    /// The picture of a surface, exact, with all that is known of it; the surface may go at once. In the device's
    /// memory if `resident`, else in a picture of `pool`. Throws Error(device_lost), std::bad_alloc.
    [[nodiscard]] virtual FramePtr take(const AVFrame& surface, const PictureKind& kind, FramePool& pool,
                                        bool resident) = 0;
};

/// Thread-safe.
class DecodeDevice {
public:
    virtual ~DecodeDevice() = default;
    [[nodiscard]] virtual AVHWDeviceType type() const = 0;
    /// Of its surfaces, and of the pictures in its memory.
    [[nodiscard]] virtual AVPixelFormat surface_format() const = 0;
    /// How many decoders for such a video work at the same time; 0 if there is none.
    [[nodiscard]] virtual int engines(AVCodecID codec, const PictureKind& kind) const = 0;
    /// Bytes that pictures may take, told by what is free.
    [[nodiscard]] virtual std::size_t memory() const = 0;
    /// Throws Error(device) if it cannot be used.
    [[nodiscard]] virtual std::unique_ptr<DecodeSurfaces> make_surfaces() const = 0;
};

/// libavcodec's decoder of that codec which can use hardware of that type, or null.
const AVCodec* hardware_decoder(AVCodecID codec, const DecodeDevice& device);

}  // namespace vfilter
