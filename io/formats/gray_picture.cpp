#include "io/formats/gray_picture.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <spdlog/spdlog.h>

#include <utility>

#include "io/formats/mask_reader.h"
#include "io/handles.h"

namespace vfilter {

namespace {

// One step of swscale to a format of that size, in full range.
FramePtr scale(const std::string& path, const AVFrame& from, int width, int height, AVPixelFormat format, int flags) {
    FramePtr to = make_frame();
    to->width = width;
    to->height = height;
    to->format = format;
    av_check(av_frame_get_buffer(to.get(), 0), "av_frame_get_buffer");
    const SwsPtr context(sws_getContext(from.width, from.height, static_cast<AVPixelFormat>(from.format), width, height,
                                        format, flags | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_BITEXACT, nullptr,
                                        nullptr, nullptr));
    if (!context) {
        refuse_mask(path, "its pixel format cannot be converted to grey");
    }
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(from.format));
    const bool full =
        from.color_range == AVCOL_RANGE_JPEG || (d->flags & AV_PIX_FMT_FLAG_RGB) != 0 || d->nb_components < 3;
    const int* const table = sws_getCoefficients(SWS_CS_DEFAULT);
    sws_setColorspaceDetails(context.get(), table, full ? 1 : 0, table, 1, 0, 1 << 16, 1 << 16);
    av_check(sws_scale(context.get(), from.data, from.linesize, 0, from.height, to->data, to->linesize), "sws_scale");
    return to;
}

std::vector<std::uint8_t> grey_of(const std::string& path, const AVFrame& picture, int width, int height) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(picture.format));
    const bool alpha = d != nullptr && (d->flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
    // Grey first, then its size: a mask of the frame's own size is not resampled at all.
    FramePtr grey = scale(path, picture, picture.width, picture.height, AV_PIX_FMT_GRAY8, SWS_POINT);
    if (alpha) {
        const FramePtr rgba = scale(path, picture, picture.width, picture.height, AV_PIX_FMT_RGBA, SWS_POINT);
        for (int y = 0; y < grey->height; ++y) {
            std::uint8_t* const row = grey->data[0] + std::ptrdiff_t{grey->linesize[0]} * y;
            const std::uint8_t* const with_alpha = rgba->data[0] + std::ptrdiff_t{rgba->linesize[0]} * y;
            for (int x = 0; x < grey->width; ++x) {
                row[x] = static_cast<std::uint8_t>((row[x] * with_alpha[4 * x + 3] + 127) / 255);
            }
        }
    }
    grey->color_range = AVCOL_RANGE_JPEG;
    if (grey->width != width || grey->height != height) {
        grey = scale(path, *grey, width, height, AV_PIX_FMT_GRAY8, SWS_BILINEAR);
    }
    std::vector<std::uint8_t> samples;
    for (int y = 0; y < height; ++y) {
        const std::uint8_t* const row = grey->data[0] + std::ptrdiff_t{grey->linesize[0]} * y;
        samples.insert(samples.end(), row, row + width);
    }
    return samples;
}

}  // namespace

GrayPictures::GrayPictures(std::string path, int width, int height)
    : path_(std::move(path)), width_(width), height_(height) {
    open();
}

GrayPictures::~GrayPictures() = default;
GrayPictures::GrayPictures(GrayPictures&&) noexcept = default;
GrayPictures& GrayPictures::operator=(GrayPictures&&) noexcept = default;

void GrayPictures::open() {
    source_ = open_mask(path_);
    shown_ = source_->next();
    next_ = source_->next();
    number_ = 0;
    moves_ = next_ != nullptr;
    samples_.clear();
}

const std::vector<std::uint8_t>& GrayPictures::at(std::int64_t number) {
    if (number < number_) {
        open();
    }
    for (; number_ < number && next_; ++number_) {
        shown_ = std::exchange(next_, source_->next());
        samples_.clear();
    }
    if (number_ < number && moves_ && !told_end_) {
        told_end_ = true;
        spdlog::warn("mask={}: ends after {} pictures; its last one stands for all that follow", path_, number_ + 1);
    }
    if (samples_.empty()) {
        samples_ = grey_of(path_, *shown_, width_, height_);
    }
    return samples_;
}

void check_picture(const std::string& path) {
    open_mask(path)->next();
}

}  // namespace vfilter
