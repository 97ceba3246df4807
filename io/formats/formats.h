#pragma once
// Pixel formats: which ones are filtered as they are, and what comes nearest to the others.

#include <map>
#include <string>
#include <vector>

#include "io/formats/rgb_yuv.h"
#include "io/handles.h"

namespace vfilter {

/// Gray, planar YUV and planar RGB, with or without alpha, and NV12's family, of 8 to 16 bits in the machine's byte
/// order.
bool is_native(AVPixelFormat format);
/// All of them, without FFmpeg's deprecated J.
const std::vector<AVPixelFormat>& native_formats();
/// The native format as which another is filtered, with every bit of its samples: itself, the same samples in planes
/// (rgb24 as gbrp), wider ones where they have less than 8 bits (rgb565 as gbrp). Gray with alpha, which has no planar
/// form, is filtered as three equal planes and alpha, and XYZ in the planes of RGB. AV_PIX_FMT_NONE if there is none.
AVPixelFormat nearest_native(AVPixelFormat format);
/// The format that the output is to have: this one, or its native one if filtered samples do not fit in it (less than 8
/// bits, palettes).
AVPixelFormat kept_format(AVPixelFormat format);
/// Why there is no native format, in words that follow "cannot be filtered:".
std::string why_not_native(AVPixelFormat format);
/// The one of `candidates` that holds this format's samples without loss and is laid out most like it, or else loses
/// least. AV_PIX_FMT_NONE if there are no candidates.
AVPixelFormat nearest_of(const std::vector<AVPixelFormat>& candidates, AVPixelFormat format);
/// What is lost between two formats, in words that follow "converted": "without loss", "with loss of depth".
std::string loss_between(AVPixelFormat from, AVPixelFormat to);
/// The format without FFmpeg's deprecated J (yuvj420p is yuv420p in full range).
AVPixelFormat without_j(AVPixelFormat format);
std::string name_of(AVPixelFormat format);

/// Converts pictures to one size and format. Where only samples change places, nothing is computed. YUV made of RGB has
/// the matrix of BT.601 and the limited range, or the full one if the format has a J; else the range stays, that of YUV
/// in the gray which is its luma, too. Gray of floating-point samples is full. RGB and gray are rounded to the nearest
/// value, and what YUV and RGB make of each other is exact. Not thread-safe.
class Converter {
public:
    /// The way into filtering: from pictures of `given`'s kind, or whatever comes in between, to its native format.
    static Converter to_native(int width, int height, AVPixelFormat given);
    /// The way out: from the native format of `kept` to `format`.
    static Converter from_native(int width, int height, AVPixelFormat kept, AVPixelFormat format);

    [[nodiscard]] bool needed(const AVFrame& frame) const {
        return frame.width != width_ || frame.height != height_ || frame.format != format();
    }
    /// Another matrix for YUV that is made of RGB: one of is_known_matrix().
    void make_yuv_of(AVColorSpace matrix) { matrix_ = matrix; }

    /// Fills `to`, whose buffers have this size and format, and copies timestamps and side data. Throws Error(input).
    void convert(const AVFrame& from, AVFrame& to);

    [[nodiscard]] int width() const { return width_; }
    [[nodiscard]] int height() const { return height_; }
    [[nodiscard]] AVPixelFormat format() const { return last_; }

private:
    Converter(int width, int height, AVPixelFormat first, AVPixelFormat last)
        : width_(width), height_(height), first_(first), last_(last) {}
    void step(const AVFrame& from, AVFrame& to);
    void step_by_way_of(AVPixelFormat way, const AVFrame& from, AVFrame& to);
    [[nodiscard]] YuvMeaning yuv_meaning(const AVFrame& from, AVPixelFormat target) const;
    void compute_fields(const AVFrame& from, AVFrame& to);
    void compute(const AVFrame& from, AVFrame& to);
    void compute_field(const AVFrame& from, AVFrame& to, int field);
    SwsContext& context_for(const AVFrame& from, const AVFrame& to, int height, int field);

    int width_;
    int height_;
    AVPixelFormat first_;  // on the way to `last_`, or NONE
    AVPixelFormat last_;
    AVColorSpace matrix_ = AVCOL_SPC_UNSPECIFIED;  // of YUV that is made of RGB, if it is another
    FramePtr between_;                             // of format `first_`
    std::map<AVPixelFormat, FramePtr> ways_;       // within steps: one on the way to another has a way of its own
    struct Computing {
        SwsPtr context;
        int given[6] = {};  // what it was made for
    };
    Computing computing_[3];  // of whole pictures, of the top and of the bottom field, which may take turns
};

}  // namespace vfilter
