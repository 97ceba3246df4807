#pragma once
// NVDEC through libavcodec: FFmpeg's device context on the CUDA runtime's primary context, and its surfaces converted
// to planes.

#include <memory>
#include <mutex>

#include "io/codec/decode_device.h"

namespace vfilter {

class CudaPictures;

/// The decoders of one GPU.
class CudaDecoding : public DecodeDevice {
public:
    /// Throws Error(device) with a message that says what is missing.
    explicit CudaDecoding(int device);

    [[nodiscard]] AVHWDeviceType type() const override { return AV_HWDEVICE_TYPE_CUDA; }
    [[nodiscard]] AVPixelFormat surface_format() const override { return AV_PIX_FMT_CUDA; }
    [[nodiscard]] int engines(AVCodecID codec, const PictureKind& kind) const override;
    [[nodiscard]] std::size_t memory() const override;
    [[nodiscard]] std::unique_ptr<DecodeSurfaces> make_surfaces() const override;

private:
    /// The pool of pictures of that kind, shared by all decoders.
    std::shared_ptr<CudaPictures> pictures(const PictureKind& kind) const;
    friend class CudaSurfaces;

    int device_;
    mutable std::mutex mutex_;
    mutable PictureKind kind_;
    mutable std::shared_ptr<CudaPictures> pictures_;
};

}  // namespace vfilter
