#include "io/formats/gray_picture.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>

#include "io/formats/format_facts.h"
#include "io/formats/mask_reader.h"
#include "io/handles.h"

namespace vfilter {

namespace {

// One step of swscale to a format of the same size, in full range.
FramePtr convert(const std::string& path, const AVFrame& from, AVPixelFormat format) {
    FramePtr to = make_frame();
    to->width = from.width;
    to->height = from.height;
    to->format = format;
    av_check(av_frame_get_buffer(to.get(), 0), "av_frame_get_buffer");
    const SwsPtr context(sws_getContext(
        from.width, from.height, static_cast<AVPixelFormat>(from.format), from.width, from.height, format,
        SWS_POINT | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_BITEXACT, nullptr, nullptr, nullptr));
    if (!context) {
        refuse_mask(path, "its pixel format cannot be converted to grey");
    }
    const auto given = static_cast<AVPixelFormat>(from.format);
    const bool full = is_gray(given) || is_full_range(given, from.color_range);  // gray's tag is not looked at
    const int* const table = sws_getCoefficients(SWS_CS_DEFAULT);
    sws_setColorspaceDetails(context.get(), table, full ? 1 : 0, table, 1, 0, 1 << 16, 1 << 16);
    av_check(sws_scale(context.get(), from.data, from.linesize, 0, from.height, to->data, to->linesize), "sws_scale");
    return to;
}

// Of which pixels of a line, and with which weights, a pixel of a shorter or longer line is made.
struct LineScale {
    struct Part {
        int pixel;
        int first;            // of the line that is given
        std::int64_t weight;  // of all of them together `sum`
    };
    std::vector<Part> parts;
    std::int64_t sum = 1;
};

// The mean of what lies under it where a line gets shorter, and the nearest where it gets longer: what is white there
// is white, and what is black is black.
LineScale line_scale(int given, int made) {
    LineScale scale;
    if (given <= made) {
        for (int i = 0; i < made; ++i) {
            scale.parts.push_back({i, static_cast<int>((2LL * i + 1) * given / (2LL * made)), 1});
        }
        return scale;
    }
    scale.sum = given;
    for (std::int64_t i = 0; i < made; ++i) {
        // In parts of a given pixel, of which each has `made`.
        const std::int64_t begin = i * given;
        const std::int64_t end = begin + given;
        for (std::int64_t j = begin / made; j * made < end; ++j) {
            scale.parts.push_back(
                {static_cast<int>(i), static_cast<int>(j), std::min(end, (j + 1) * made) - std::max(begin, j * made)});
        }
    }
    return scale;
}

// A line's sums over as many equal parts of it, in parts of a pixel, of which each has as many.
template <class Sum>
void sum_up(const std::vector<Sum>& line, std::vector<double>& sums) {
    const auto at = [&](std::int64_t place) {
        return static_cast<std::int64_t>(line[static_cast<std::size_t>(place)]);
    };
    const auto given = static_cast<std::int64_t>(line.size());
    const auto made = static_cast<std::int64_t>(sums.size());
    std::int64_t pixel = 0;
    std::int64_t whole = 0;  // of the pixels before it
    std::int64_t before = 0;
    std::int64_t end = 0;
    for (double& sum : sums) {
        end += given;
        for (; (pixel + 1) * made <= end; ++pixel) {
            whole += at(pixel);
        }
        const std::int64_t rest = end - pixel * made;
        const std::int64_t up_to = whole * made + (rest > 0 ? rest * at(pixel) : 0);
        sum = static_cast<double>(up_to - before);
        before = up_to;
    }
}

template <class Sum>
std::vector<std::uint8_t> scaled(const AVFrame& grey, int width, int height) {
    const LineScale rows = line_scale(grey.height, height);
    const LineScale columns =
        width < grey.width ? LineScale{.parts = {}, .sum = grey.width} : line_scale(grey.width, width);
    const auto area = static_cast<double>(columns.sum * rows.sum);
    const double half = std::floor(area / 2);
    std::vector<Sum> down(static_cast<std::size_t>(grey.width));
    std::vector<double> sums(static_cast<std::size_t>(width));
    std::vector<std::uint8_t> samples;
    samples.reserve(sums.size() * static_cast<std::size_t>(height));
    for (std::size_t part = 0; part < rows.parts.size(); ++part) {
        const LineScale::Part& row = rows.parts[part];
        if (rows.sum == 1 && part > 0 && rows.parts[part - 1].first == row.first) {
            samples.resize(samples.size() + sums.size());
            std::copy_n(samples.end() - 2 * std::ssize(sums), sums.size(), samples.end() - std::ssize(sums));
            continue;
        }
        const std::uint8_t* const given = grey.data[0] + std::ptrdiff_t{grey.linesize[0]} * row.first;
        const auto weight = static_cast<Sum>(row.weight);
        std::ranges::transform(down, std::span(given, down.size()), down.begin(),
                               [&](Sum so_far, std::uint8_t sample) { return so_far + weight * sample; });
        if (part + 1 < rows.parts.size() && rows.parts[part + 1].pixel == row.pixel) {
            continue;
        }
        if (columns.parts.empty()) {
            sum_up(down, sums);
        } else {
            std::ranges::transform(columns.parts, sums.begin(), [&](const LineScale::Part& column) {
                return static_cast<double>(down[static_cast<std::size_t>(column.first)]);
            });
        }
        // The quotient of integers is not rounded up to a whole one here: it is too far from that.
        samples.resize(samples.size() + sums.size());
        std::ranges::transform(sums, samples.end() - std::ssize(sums), [&](double sum) {
            return static_cast<std::uint8_t>(static_cast<int>((sum + half) / area));
        });
        std::ranges::fill(down, Sum{0});
    }
    return samples;
}

std::vector<std::uint8_t> grey_of(const std::string& path, const AVFrame& picture, int width, int height) {
    // Grey first, then its size: a mask of the frame's own size is not resampled at all.
    const FramePtr grey = convert(path, picture, AV_PIX_FMT_GRAY8);
    if (has_alpha(static_cast<AVPixelFormat>(picture.format))) {
        const FramePtr rgba = convert(path, picture, AV_PIX_FMT_RGBA);
        for (int y = 0; y < grey->height; ++y) {
            std::uint8_t* const row = grey->data[0] + std::ptrdiff_t{grey->linesize[0]} * y;
            const std::uint8_t* const with_alpha = rgba->data[0] + std::ptrdiff_t{rgba->linesize[0]} * y;
            for (int x = 0; x < grey->width; ++x) {
                row[x] = static_cast<std::uint8_t>((row[x] * with_alpha[4 * x + 3] + 127) / 255);
            }
        }
    }
    if (grey->width != width || grey->height != height) {
        constexpr int most_rows = 1 << 24;  // whose samples a word of 32 bits adds up
        return grey->height < most_rows ? scaled<std::uint32_t>(*grey, width, height)
                                        : scaled<std::uint64_t>(*grey, width, height);
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
