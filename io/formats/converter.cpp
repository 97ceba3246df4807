// The Converter of formats.h.

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>

#include "io/compat.h"
#include "io/formats/formats.h"
#include "io/formats/rgb_yuv.h"
#include "io/formats/samples.h"

namespace vfilter {

namespace {

// Formats whose native one means something else: the samples are carried in its planes, and only the way back to the
// format itself makes pictures of them again.
bool is_carried(AVPixelFormat format, AVPixelFormat native) {
    const AVPixFmtDescriptor* const from = av_pix_fmt_desc_get(format);
    const AVPixFmtDescriptor* const to = av_pix_fmt_desc_get(native);
    return from != nullptr && to != nullptr && colours_of(*from) != colours_of(*to) && nearest_native(format) == native;
}

bool is_rgb_or_xyz(AVPixelFormat format) {
    const Colours colours = colours_of(*av_pix_fmt_desc_get(format));
    return colours == Colours::rgb || colours == Colours::xyz;
}

// As a power of two: 1 in 4:2:0.
int rows_of_chroma(AVPixelFormat format) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(format);
    return d != nullptr && colours_of(*d) == Colours::yuv ? d->log2_chroma_h : 0;
}

int colour_space_for_sws(AVColorSpace matrix) {
    return matrix == AVCOL_SPC_UNSPECIFIED ? static_cast<int>(SWS_CS_DEFAULT) : static_cast<int>(matrix);
}

// YUV that is made of RGB has the matrix of BT.601.
AVColorSpace matrix_between(const AVFrame& from) {
    return is_rgb_or_xyz(static_cast<AVPixelFormat>(from.format)) ? AVCOL_SPC_SMPTE170M : from.colorspace;
}

// Whether swscale's RGB of this YUV is right: what it makes of 8 bits is, and it knows YCgCo by no means.
bool is_right_by_sws(const AVFrame& from, AVPixelFormat target) {
    return is_rgb_or_xyz(static_cast<AVPixelFormat>(from.format)) ||
           (av_pix_fmt_desc_get(target)->comp[0].depth <= 8 && from.colorspace != AVCOL_SPC_YCGCO);
}

// The format in between, where two conversions are one that swscale would make worse.
AVPixelFormat way_between(const AVFrame& from, AVPixelFormat target) {
    const auto source = static_cast<AVPixelFormat>(from.format);
    if (has_floats(target) && is_yuv(source)) {
        if (is_gray(target)) {
            return AV_PIX_FMT_GRAY16;
        }
        return has_alpha(target) ? AV_PIX_FMT_GBRAP16 : AV_PIX_FMT_GBRP16;
    }
    const bool computed = !is_rgb_or_xyz(target) || !is_right_by_sws(from, target);
    return computed ? between_rgb_and_yuv(source, target) : AV_PIX_FMT_NONE;
}

// Where pictures of another size are scaled as they are, before they are those of `target`: what swscale makes of luma
// as gray is of another range, and of alpha in another depth not opaque.
AVPixelFormat format_to_scale(const AVFrame& from, AVPixelFormat target) {
    const AVPixelFormat source = without_j(static_cast<AVPixelFormat>(from.format));
    const bool apart = (is_yuv(source) && is_gray(target)) || (has_alpha(source) && has_alpha(target));
    return apart && source != target && sws_isSupportedOutput(source) != 0 ? source : AV_PIX_FMT_NONE;
}

// Of which each field of 4:2:0 has two of luma and one of chroma.
constexpr int field_rows = 4;

FramePtr picture_for(AVPixelFormat format, int width, int height) {
    FramePtr picture = make_frame();
    picture->format = format;
    picture->width = width;
    picture->height = height;
    av_check(av_frame_get_buffer(picture.get(), 0), "av_frame_get_buffer");
    return picture;
}

// As many as the shorter one has.
void copy_rows(const AVFrame& from, AVFrame& to) {
    av_image_copy(to.data, to.linesize, const_cast<const std::uint8_t**>(from.data), from.linesize,
                  static_cast<AVPixelFormat>(from.format), from.width, std::min(from.height, to.height));
}

// Repeats the last row of each field.
void lengthen_fields(const AVFrame& from, AVFrame& to) {
    copy_rows(from, to);
    av_check(av_frame_copy_props(&to, &from), "av_frame_copy_props");
    const auto format = static_cast<AVPixelFormat>(from.format);
    for (int plane = 0; plane < av_pix_fmt_count_planes(format); ++plane) {
        const bool chroma = plane == 1 || plane == 2;
        const auto rows = [&](int height) { return chroma ? AV_CEIL_RSHIFT(height, rows_of_chroma(format)) : height; };
        for (int y = rows(from.height); y < rows(to.height); ++y) {
            std::uint8_t* const at = to.data[plane] + std::ptrdiff_t{to.linesize[plane]} * y;
            std::memcpy(at, at - std::ptrdiff_t{to.linesize[plane]} * std::min(y, 2),
                        static_cast<std::size_t>(av_image_get_linesize(format, from.width, plane)));
        }
    }
}

}  // namespace

Converter Converter::to_native(int width, int height, AVPixelFormat given) {
    const AVPixelFormat native = nearest_native(given);
    return {width, height, is_carried(given, native) ? given : AV_PIX_FMT_NONE, native};
}

Converter Converter::from_native(int width, int height, AVPixelFormat kept, AVPixelFormat format) {
    const bool carried = is_carried(kept, nearest_native(kept)) && format != kept;
    return {width, height, carried ? kept : AV_PIX_FMT_NONE, format};
}

void Converter::convert(const AVFrame& from, AVFrame& to) {
    if (first_ == AV_PIX_FMT_NONE || (from.format == first_ && from.width == width_ && from.height == height_)) {
        step(from, to);
    } else {
        if (!between_) {
            between_ = picture_for(first_, width_, height_);
        }
        set_interlaced(*between_, is_interlaced(from));
        between_->color_range = from.color_range;
        between_->colorspace = from.colorspace;
        step(from, *between_);
        step(*between_, to);
    }
    av_check(av_frame_copy_props(&to, &from), "av_frame_copy_props");
}

void Converter::step(const AVFrame& from, AVFrame& to) {
    const auto source = static_cast<AVPixelFormat>(from.format);
    const auto target = static_cast<AVPixelFormat>(to.format);
    const bool same_size = from.width == to.width && from.height == to.height;
    const AVPixelFormat way = same_size ? way_between(from, target) : format_to_scale(from, target);
    if (same_size && (holds(target, source) || is_carried(source, target) || is_carried(target, source) ||
                      rounds_to(target, from))) {
        rearrange(from, to);
    } else if (way != AV_PIX_FMT_NONE) {
        step_by_way_of(way, from, to);
    } else if (same_size && (convert_to_floats(from, to) || convert_from_floats(from, to))) {
        return;
    } else if (!same_size || (is_rgb_or_xyz(target) && is_right_by_sws(from, target)) ||
               !convert_colours(from, to, yuv_meaning(from, target))) {
        compute_fields(from, to);
        if (same_size) {
            rearrange_alpha(from, to);
        }
    }
}

void Converter::step_by_way_of(AVPixelFormat way, const AVFrame& from, AVFrame& to) {
    FramePtr& between = ways_[way];
    if (!between) {
        between = picture_for(way, to.width, to.height);
    }
    set_interlaced(*between, is_interlaced(from));
    const YuvMeaning yuv = yuv_meaning(from, static_cast<AVPixelFormat>(to.format));
    between->colorspace = is_rgb_or_xyz(way) ? AVCOL_SPC_RGB : yuv.matrix;
    between->color_range = is_rgb_or_xyz(way) || yuv.full_range ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
    step(from, *between);
    step(*between, to);
}

// What YUV means that is made of RGB or is to be RGB. Matrices that nothing here has are taken for the nearest one, as
// swscale takes them.
YuvMeaning Converter::yuv_meaning(const AVFrame& from, AVPixelFormat target) const {
    const auto source = static_cast<AVPixelFormat>(from.format);
    if (is_rgb_or_xyz(source)) {
        const bool gray = colours_of(*av_pix_fmt_desc_get(target)) == Colours::gray;
        const AVColorSpace matrix = gray || matrix_ == AVCOL_SPC_UNSPECIFIED ? AVCOL_SPC_SMPTE170M : matrix_;
        return {matrix, gray || without_j(target) != target};
    }
    const AVColorSpace matrix = from.colorspace == AVCOL_SPC_BT2020_CL ? AVCOL_SPC_BT2020_NCL
                                : is_known_matrix(from.colorspace)     ? from.colorspace
                                                                       : AVCOL_SPC_SMPTE170M;
    return {matrix, is_full_range(source, from.color_range)};
}

// Rows that are made of both fields would be of two times.
void Converter::compute_fields(const AVFrame& from, AVFrame& to) {
    const bool other_rows = rows_of_chroma(static_cast<AVPixelFormat>(from.format)) !=
                            rows_of_chroma(static_cast<AVPixelFormat>(to.format));
    const bool other_height = from.height != to.height;
    const bool whole_fields = from.height % field_rows == 0 && to.height % field_rows == 0;
    if (!is_interlaced(from) || (!other_rows && !other_height) || (other_height && !whole_fields)) {
        compute(from, to);
    } else if (whole_fields) {
        compute_field(from, to, 0);
        compute_field(from, to, 1);
    } else {
        const int height = (from.height + field_rows - 1) / field_rows * field_rows;
        const FramePtr longer = picture_for(static_cast<AVPixelFormat>(from.format), from.width, height);
        const FramePtr result = picture_for(static_cast<AVPixelFormat>(to.format), to.width, height);
        lengthen_fields(from, *longer);
        compute_field(*longer, *result, 0);
        compute_field(*longer, *result, 1);
        copy_rows(*result, to);
    }
}

void Converter::compute(const AVFrame& from, AVFrame& to) {
    SwsContext& context = context_for(from, to, from.height, -1);
    av_check(sws_scale(&context, from.data, from.linesize, 0, from.height, to.data, to.linesize), "sws_scale",
             ExitCode::input);
}

void Converter::compute_field(const AVFrame& from, AVFrame& to, int field) {
    SwsContext& context = context_for(from, to, from.height / 2, field);
    std::uint8_t* rows[2][4];
    int steps[2][4];
    const AVFrame* const pictures[2] = {&from, &to};
    for (int side = 0; side < 2; ++side) {
        for (int plane = 0; plane < 4; ++plane) {
            std::uint8_t* const data = pictures[side]->data[plane];
            const int step = pictures[side]->linesize[plane];
            rows[side][plane] = data != nullptr ? data + std::ptrdiff_t{step} * field : nullptr;
            steps[side][plane] = 2 * step;
        }
    }
    av_check(sws_scale(&context, rows[0], steps[0], 0, from.height / 2, rows[1], steps[1]), "sws_scale",
             ExitCode::input);
}

// `field`: 0 is the top one, 1 the bottom one, -1 a whole picture.
SwsContext& Converter::context_for(const AVFrame& from, const AVFrame& to, int height, int field) {
    const auto source = static_cast<AVPixelFormat>(from.format);
    const auto target = static_cast<AVPixelFormat>(to.format);
    const int target_height = field < 0 ? to.height : to.height / 2;
    Computing& computing = computing_[field + 1];
    const int made_for[] = {from.width, height, target_height, source, target, field};
    if (!computing.context || !std::ranges::equal(made_for, computing.given)) {
        computing.context.reset(sws_alloc_context());
        if (!computing.context) {
            throw std::bad_alloc();
        }
        const auto set = [&](const char* name, std::int64_t value) {
            av_check(av_opt_set_int(computing.context.get(), name, value, 0), name);
        };
        set("srcw", from.width);
        set("srch", height);
        set("src_format", without_j(source));
        set("dstw", width_);
        set("dsth", target_height);
        set("dst_format", without_j(target));
        set("sws_flags", SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_BITEXACT);
        if (field >= 0) {
            // H.264, figure 6-4: a quarter and three quarters of a row of 4:2:0 below the field's own first row; of
            // 256.
            const int place = field == 0 ? 64 : 192;
            set("src_v_chr_pos", rows_of_chroma(source) == 1 ? place : -513);
            set("dst_v_chr_pos", rows_of_chroma(target) == 1 ? place : -513);
        }
        if (sws_init_context(computing.context.get(), nullptr, nullptr) < 0) {
            computing.context.reset();
            throw Error(ExitCode::input,
                        fmt::format("pictures cannot be converted from {} to {}", name_of(source), name_of(target)));
        }
        std::ranges::copy(made_for, computing.given);
    }
    const int* const table = sws_getCoefficients(colour_space_for_sws(matrix_between(from)));
    const bool full = is_full_range(source, from.color_range);
    const bool target_full =
        without_j(target) != target || (full && !(is_rgb_or_xyz(source) && !is_rgb_or_xyz(target)));
    sws_setColorspaceDetails(computing.context.get(), table, full ? 1 : 0, table, target_full ? 1 : 0, 0, 1 << 16,
                             1 << 16);
    return *computing.context;
}

}  // namespace vfilter
