#pragma once
// Pixel formats: which ones are filtered unchanged, and what is nearest to the others.

#include <map>
#include <string>
#include <vector>

#include "io/formats/rgb_yuv.h"
#include "io/handles.h"

namespace vfilter {

/// Gray, planar YUV and planar RGB, with or without alpha, and NV12's family, of 8 to 16 bits in the machine's byte
/// order.
bool is_native(AVPixelFormat format);
/// All of them, without FFmpeg's deprecated J formats.
const std::vector<AVPixelFormat>& native_formats();
/// The native format in which pictures of another format are filtered, which keeps every bit of their samples: the
/// format itself, the same samples in planes (rgb24 as gbrp), or wider samples if they have less than 8 bits (rgb565 as
/// gbrp). Gray with alpha, which has no planar form, is filtered as three equal planes and alpha, and XYZ in the planes
/// of RGB. AV_PIX_FMT_NONE if there is none.
AVPixelFormat nearest_native(AVPixelFormat format);
/// The format to use for the output: this one, or its native one if filtered samples do not fit in it (less than 8
/// bits, palettes).
AVPixelFormat kept_format(AVPixelFormat format);
/// Why there is no native format, as text to follow "cannot be filtered:".
std::string why_not_native(AVPixelFormat format);
/// The one of `candidates` that holds this format's samples without loss and has the most similar layout, or otherwise
/// loses least. AV_PIX_FMT_NONE if there are no candidates.
AVPixelFormat nearest_of(const std::vector<AVPixelFormat>& candidates, AVPixelFormat format);
/// What is lost between two formats, as text to follow "converted": "without loss", "with loss of depth".
std::string loss_between(AVPixelFormat from, AVPixelFormat to);
/// The corresponding format that is not one of FFmpeg's deprecated J formats (yuvj420p is yuv420p in full range).
AVPixelFormat without_j(AVPixelFormat format);
std::string name_of(AVPixelFormat format);

/// Converts pictures to one size and format. If samples only change places, nothing is computed. YUV made from RGB has
/// the matrix of BT.601 and limited range, or full range for a J format; otherwise the range stays, including that of
/// YUV in the gray which is its luma. Floating-point gray is full range. RGB and gray are rounded to the nearest value,
/// and conversions between YUV and RGB are exact. Not thread-safe.
class Converter {
public:
    /// The way into filtering: from pictures like `given`, or whatever comes in between, to its native format.
    static Converter to_native(int width, int height, AVPixelFormat given);
    /// The way out: from the native format of `kept` to `format`.
    static Converter from_native(int width, int height, AVPixelFormat kept, AVPixelFormat format);

    [[nodiscard]] bool needed(const AVFrame& frame) const {
        return frame.width != width_ || frame.height != height_ || frame.format != format();
    }
    /// Sets another matrix for YUV made from RGB: one of is_known_matrix().
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
    AVColorSpace matrix_ = AVCOL_SPC_UNSPECIFIED;  // of YUV made from RGB, if it differs
    FramePtr between_;                             // of format `first_`
    std::map<AVPixelFormat, FramePtr> ways_;       // within steps: one on the way to another has a way of its own
    struct Computing {
        SwsPtr context;
        int given[6] = {};  // the parameters that it was made for
    };
    Computing computing_[3];  // for whole pictures, for top and for bottom fields, which may alternate
};

}  // namespace vfilter
