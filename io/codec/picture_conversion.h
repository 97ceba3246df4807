#pragma once
// What a picture goes through before it is encoded: its range, its pixel format, and a copy where it waits for long.

#include <optional>

#include "io/codec/encode_task.h"
#include "io/formats/formats.h"
#include "io/formats/frame_pool.h"
#include "io/handles.h"

namespace vfilter {

/// Makes of pictures what their encoder takes. Owns the converter, and the memory of pictures that wait. One thread.
class PictureConversion {
public:
    /// Of pictures like `first`, in the range that the task asks for, which `encoder` is told. It is set up and not
    /// open yet, and outlives this, as `pool` does.
    PictureConversion(const EncodeTask& task, const AVFrame& first, AVCodecContext& encoder, FramePool& pool);

    /// Once the encoder's pixel format is chosen: from then on pictures come out in that. They come in as `first`, in
    /// the native format of `kept`. `matrix`: of YUV that is made of RGB; unspecified is BT.601's.
    void begin(const AVFrame& first, AVPixelFormat kept, AVColorSpace matrix);
    /// From then on each picture comes out in memory that is not the pool's, of which engines want theirs back soon.
    void copy_all() { waiting_.emplace(allocate_picture); }

    /// Where the format changes, tagged with matrix and range of the encoder. Throws Error(input), std::bad_alloc.
    [[nodiscard]] FramePtr convert(FramePtr picture);

private:
    const AVCodecContext& encoder_;
    FramePool& pool_;
    bool limits_range_;
    bool fills_range_;
    bool fills_late_ = false;             // behind the conversion
    std::optional<Converter> converter_;  // none if the encoder takes the pictures as they are
    std::optional<FramePool> waiting_;    // for the pictures that wait for an encoder
};

}  // namespace vfilter
