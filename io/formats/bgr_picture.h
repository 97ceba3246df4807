#pragma once
// Pictures as displayed on a screen.

#include <string>

#include "io/formats/bgr_view.h"
#include "io/handles.h"

namespace vfilter {

/// The matrix with which a picture is tagged, if swscale supports it; without a tag, that for its size.
AVColorSpace matrix_of(AVColorSpace tagged, int width, int height);

/// Converts pictures of any native format to 8-bit blue, green, red in full range, and scales them. The matrix is the
/// one with which the picture is tagged and, without a tag, that for its size: BT.709 from HD on, BT.601 below. YUV
/// without a range tag is taken as limited, gray as full. Alpha is ignored. Light brighter than white (PQ, HLG) is not
/// tone-mapped: see ToneMapper. Not thread-safe.
class BgrConverter {
public:
    enum class Chroma { quick, smooth };

    /// `quick` chroma is not interpolated along rows: three times as fast, with hardly any visible difference.
    explicit BgrConverter(Chroma chroma = Chroma::quick) : chroma_(chroma) {}

    /// The picture in this size; the view is valid until the next call. Throws Error(input) if FFmpeg cannot convert
    /// it.
    BgrView convert(const AVFrame& picture, int width, int height);

private:
    /// Everything on which a context depends.
    struct Kind {
        int width = 0;
        int height = 0;
        int format = AV_PIX_FMT_NONE;
        int to_width = 0;
        int to_height = 0;
        int matrix = 0;
        bool full_range = false;

        bool operator==(const Kind&) const = default;
    };

    void prepare(const Kind& kind);

    Chroma chroma_;
    Kind kind_;
    SwsPtr context_;
    FramePtr readable_;  // the same samples in a form that swscale can read, if it does not know the format; else null
    FramePtr made_;
};

/// A sample's width divided by its height; 1 if unknown.
double sample_aspect_of(const AVFrame& picture);

/// Writes a picture as PNG, with its sample aspect ratio. Throws Error(output), also if there is a file of that name.
void save_png(const BgrView& picture, AVRational sample_aspect, const std::string& path);

}  // namespace vfilter
