#pragma once
// Pictures as a screen shows them.

#include <string>

#include "io/formats/bgr_view.h"
#include "io/handles.h"

namespace vfilter {

/// The matrix that a picture is tagged with, one that swscale has; where it has no tag that of its size.
AVColorSpace matrix_of(AVColorSpace tagged, int width, int height);

/// Converts pictures of any native format to 8-bit blue, green, red in full range, scaling them on the way. The matrix
/// is the one that the picture is tagged with, and where it has no tag that of its size: BT.709 from HD on, BT.601
/// below. YUV without a tag of its range has the limited one, gray the full one. Alpha is left out. Brighter light than
/// white (PQ, HLG) is not tone-mapped: see ToneMapper. Not thread-safe.
class BgrConverter {
public:
    enum class Chroma { quick, smooth };

    /// `quick` chroma is not interpolated along rows: three times as fast, and hardly seen.
    explicit BgrConverter(Chroma chroma = Chroma::quick) : chroma_(chroma) {}

    /// The picture in this size; the view is valid until the next call. Throws Error(input) if FFmpeg cannot.
    BgrView convert(const AVFrame& picture, int width, int height);

private:
    /// All that a context depends on.
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
    FramePtr readable_;  // the same samples as swscale reads them, where it does not know the format; else null
    FramePtr made_;
};

/// The width of a picture's samples by their height; 1 if nothing is known.
double sample_aspect_of(const AVFrame& picture);

/// Writes a picture as PNG, with its sample aspect ratio. Throws Error(output), also if there is a file of that name.
void save_png(const BgrView& picture, AVRational sample_aspect, const std::string& path);

}  // namespace vfilter
