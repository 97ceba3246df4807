#pragma once
// Pictures of one colour, as a preview gets them.

#include <cstddef>
#include <cstring>

#include "io/handles.h"

namespace vfilter::test {

/// YUV 4:2:0 of BT.709, in limited range, of one colour.
inline FramePtr picture_of(int y, int u, int v, int width = 640, int height = 480) {
    FramePtr picture = make_frame();
    picture->format = AV_PIX_FMT_YUV420P;
    picture->width = width;
    picture->height = height;
    picture->colorspace = AVCOL_SPC_BT709;
    picture->color_range = AVCOL_RANGE_MPEG;
    av_check(av_frame_get_buffer(picture.get(), 0), "av_frame_get_buffer");
    const int values[] = {y, u, v};
    for (int plane = 0; plane < 3; ++plane) {
        const int rows = plane == 0 ? height : height / 2;
        std::memset(picture->data[plane], values[plane], static_cast<std::size_t>(picture->linesize[plane] * rows));
    }
    return picture;
}

inline FramePtr green_picture() {
    return picture_of(173, 42, 26);
}
inline FramePtr red_picture() {
    return picture_of(63, 102, 240);
}

}  // namespace vfilter::test
