#pragma once
// Hardware decoders, as needed by sessions of libavcodec.

#include <memory>
#include <string>

#include "io/formats/frame_pool.h"
#include "io/handles.h"

namespace vfilter {

/// What all pictures of a video have in common.
struct PictureKind {
    AVPixelFormat format = AV_PIX_FMT_NONE;
    int width = 0;
    int height = 0;

    bool operator==(const PictureKind&) const = default;
};

/// For one decoder: what it is opened with, and how pictures are taken from its surfaces. One thread.
class DecodeSurfaces {
public:
    virtual ~DecodeSurfaces() = default;
    /// For AVCodecContext::hw_device_ctx, which takes a reference of its own.
    [[nodiscard]] virtual AVBufferRef* context() const = 0;
    /// Why the picture may not be what its data describe: the decoder had to conceal damage, or does not say. "" if it
    /// is undamaged.
    [[nodiscard]] virtual std::string doubt(const AVFrame& surface) = 0;
    /// Whether its samples are of that kind.
    [[nodiscard]] virtual bool holds(const AVFrame& surface, const PictureKind& kind) const = 0;
    /// The picture of a surface, exact and with all of its properties; the surface may be released at once. In the
    /// device's memory if `resident`, otherwise in a picture of `pool`. Throws Error(device_lost), std::bad_alloc.
    [[nodiscard]] virtual FramePtr take(const AVFrame& surface, const PictureKind& kind, FramePool& pool,
                                        bool resident) = 0;
};

/// Thread-safe.
class DecodeDevice {
public:
    virtual ~DecodeDevice() = default;
    [[nodiscard]] virtual AVHWDeviceType type() const = 0;
    /// The format of its surfaces, and of the pictures in its memory.
    [[nodiscard]] virtual AVPixelFormat surface_format() const = 0;
    /// How many decoders for such a video can work at the same time; 0 if there is none.
    [[nodiscard]] virtual int engines(AVCodecID codec, const PictureKind& kind) const = 0;
    /// Number of bytes that pictures may use, determined from what is free.
    [[nodiscard]] virtual std::size_t memory() const = 0;
    /// Throws Error(device) if it cannot be used.
    [[nodiscard]] virtual std::unique_ptr<DecodeSurfaces> make_surfaces() const = 0;
};

/// libavcodec's decoder for that codec which can use hardware of that type, or null.
const AVCodec* hardware_decoder(AVCodecID codec, const DecodeDevice& device);

}  // namespace vfilter
