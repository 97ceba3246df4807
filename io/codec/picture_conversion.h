#pragma once
// What happens to a picture before it is encoded: its range and pixel format are changed, and it may be copied.

#include <optional>

#include "io/codec/encode_task.h"
#include "io/formats/formats.h"
#include "io/formats/frame_pool.h"
#include "io/handles.h"

namespace vfilter {

/// Converts pictures to what their encoder takes. Owns the converter and the memory of the copies. One thread.
class PictureConversion {
public:
    /// For pictures like `first`. Sets the range of `encoder`, which is set up and not open, to the one that the task
    /// asks for. `encoder` and `pool` must outlive this.
    PictureConversion(const EncodeTask& task, const AVFrame& first, AVCodecContext& encoder, FramePool& pool);

    /// To be called when the encoder's pixel format is chosen, to which pictures are converted from then on. They come
    /// in the format of `first`, the native format of `kept`. `matrix`: of YUV made from RGB; unspecified means BT.601.
    void begin(const AVFrame& first, AVPixelFormat kept, AVColorSpace matrix);
    /// From then on each picture comes out in memory of its own: many wait for encoders, and the pool's memory belongs
    /// to engines, which need it back soon.
    void copy_all() { waiting_.emplace(allocate_picture); }

    /// A picture whose format changes gets the encoder's matrix and range. Throws Error(input), std::bad_alloc.
    [[nodiscard]] FramePtr convert(FramePtr picture);

private:
    const AVCodecContext& encoder_;
    FramePool& pool_;
    bool limits_range_;
    bool fills_range_;
    bool fills_late_ = false;             // after the conversion
    std::optional<Converter> converter_;  // empty if the encoder takes the pictures as they are
    std::optional<FramePool> waiting_;    // for copies
};

}  // namespace vfilter
