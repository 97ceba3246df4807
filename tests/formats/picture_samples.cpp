#include "tests/formats/picture_samples.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <random>
#include <stdexcept>
#include <vector>

namespace vfilter::test {

namespace {

// As FFmpeg describes the format; of rgb8 its description is not what its programs read and write.
AVPixFmtDescriptor described(AVPixelFormat format) {
    AVPixFmtDescriptor d = *av_pix_fmt_desc_get(format);
    if (format == AV_PIX_FMT_RGB8) {
        constexpr int shifts[] = {5, 2, 0};
        constexpr int depths[] = {3, 3, 2};
        for (int i = 0; i < 3; ++i) {
            d.comp[i].shift = shifts[i];
            d.comp[i].depth = depths[i];
        }
    }
    return d;
}

bool is_described(AVPixelFormat format) {
    constexpr std::uint64_t odd = AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT;
    const AVPixFmtDescriptor d = described(format);
    const bool long_bits = (d.flags & AV_PIX_FMT_FLAG_BITSTREAM) != 0 && d.comp[0].depth >= 8;
    return (d.flags & odd) == 0 && !long_bits && d.comp[0].depth <= 16 && format != AV_PIX_FMT_UYYVYY411;
}

// Ors values, whatever `next` gives for a depth, into every sample of a picture.
template <class Next>
void write_samples(std::string& picture, AVPixelFormat format, int width, int height, Next next) {
    const AVPixFmtDescriptor d = described(format);
    std::uint8_t* data[4] = {};
    int linesize[4] = {};
    av_image_fill_arrays(data, linesize, reinterpret_cast<std::uint8_t*>(picture.data()), format, width, height, 1);
    for (int i = 0; i < d.nb_components; ++i) {
        const bool chroma = d.nb_components >= 3 && (i == 1 || i == 2);
        std::vector<std::uint16_t> row(static_cast<std::size_t>(AV_CEIL_RSHIFT(width, chroma ? d.log2_chroma_w : 0)));
        for (int y = 0; y < AV_CEIL_RSHIFT(height, chroma ? d.log2_chroma_h : 0); ++y) {
            std::ranges::generate(row, [&] { return next(d.comp[i].depth); });
            av_write_image_line2(row.data(), data, linesize, &d, 0, y, i, static_cast<int>(row.size()), sizeof(row[0]));
        }
    }
}

bool is_gray(const AVPixFmtDescriptor& d) {
    return d.nb_components <= 2 && (d.flags & AV_PIX_FMT_FLAG_PAL) == 0;
}

bool has_chroma(AVPixelFormat format) {
    const AVPixFmtDescriptor d = described(format);
    return !is_gray(d) && (d.flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)) == 0;
}

// One picture's samples of each component: gray or three, and alpha.
struct Samples {
    std::vector<std::vector<std::uint16_t>> colours;
    std::vector<std::uint16_t> alpha;
};

Samples samples_of(const std::uint8_t* picture, AVPixelFormat format, int width, int height) {
    const AVPixFmtDescriptor d = described(format);
    const bool palette = (d.flags & AV_PIX_FMT_FLAG_PAL) != 0;
    const bool has_alpha = (d.flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
    std::uint8_t* data[4] = {};
    int linesize[4] = {};
    av_image_fill_arrays(data, linesize, picture, format, width, height, 1);
    Samples samples;
    const int count = palette ? 4 : d.nb_components;
    for (int i = 0; i < count; ++i) {
        constexpr int place[4] = {2, 1, 0, 3};  // of R, G, B and alpha in a palette's entry
        const bool chroma = has_chroma(format) && (i == 1 || i == 2);
        const int columns = AV_CEIL_RSHIFT(width, chroma ? d.log2_chroma_w : 0);
        const int rows = AV_CEIL_RSHIFT(height, chroma ? d.log2_chroma_h : 0);
        std::vector<std::uint16_t> list(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
        for (int y = 0; y < rows; ++y) {
            av_read_image_line2(&list[static_cast<std::size_t>(y) * static_cast<std::size_t>(columns)],
                                const_cast<const std::uint8_t**>(data), linesize, &d, 0, y, palette ? 0 : i, columns, 0,
                                sizeof(list[0]));
        }
        if (palette) {
            std::ranges::transform(list, list.begin(),
                                   [&](std::uint16_t index) { return data[1][4 * index + place[i]]; });
        }
        if (format == AV_PIX_FMT_MONOWHITE) {
            std::ranges::transform(list, list.begin(), [](std::uint16_t bit) { return std::uint16_t{bit == 0}; });
        }
        if (has_alpha && i == count - 1) {
            samples.alpha = std::move(list);
        } else {
            samples.colours.push_back(std::move(list));
        }
    }
    return samples;
}

bool all_are(const std::vector<std::uint16_t>& list, unsigned value) {
    return std::ranges::all_of(list, [&](std::uint16_t sample) { return sample == value; });
}

bool widened(const std::vector<std::uint16_t>& out, int out_depth, const std::vector<std::uint16_t>& in, int in_depth,
             bool white_is_ones) {
    const int more = out_depth - in_depth;
    return more >= 0 && std::ranges::equal(out, in, [&](unsigned wide, unsigned narrow) {
               const bool white = narrow + 1 == 1U << in_depth && white_is_ones;
               return wide >> more == narrow && (!white || wide + 1 == 1U << out_depth);
           });
}

}  // namespace

bool holds_samples(const std::string& out, AVPixelFormat out_format, const std::string& in, AVPixelFormat in_format,
                   int width, int height) {
    const AVPixFmtDescriptor from = described(in_format);
    const AVPixFmtDescriptor to = described(out_format);
    const auto in_size = static_cast<std::size_t>(av_image_get_buffer_size(in_format, width, height, 1));
    const auto out_size = static_cast<std::size_t>(av_image_get_buffer_size(out_format, width, height, 1));
    const std::size_t count = in.size() / in_size;
    if (count == 0 || in.size() != count * in_size || out.size() != count * out_size) {
        return false;
    }
    const bool white_is_ones = !has_chroma(in_format);
    bool held = true;
    for (std::size_t n = 0; n < count && held; ++n) {
        const Samples a = samples_of(reinterpret_cast<const std::uint8_t*>(&in[n * in_size]), in_format, width, height);
        const Samples b =
            samples_of(reinterpret_cast<const std::uint8_t*>(&out[n * out_size]), out_format, width, height);
        const bool gray = a.colours.size() == 1;
        held = a.colours.size() == b.colours.size() || gray;
        for (std::size_t i = 0; i < b.colours.size() && held; ++i) {
            const int depth = to.comp[i].depth;
            const std::size_t source = gray ? 0 : i;
            const int in_depth = (from.flags & AV_PIX_FMT_FLAG_PAL) != 0 ? 8 : from.comp[source].depth;
            held = gray && i > 0 && has_chroma(out_format)
                       ? all_are(b.colours[i], 1U << (depth - 1))
                       : widened(b.colours[i], depth, a.colours[source], in_depth, white_is_ones);
        }
        const int depth = to.comp[0].depth;
        held = held && (a.alpha.empty() ? all_are(b.alpha, (1U << depth) - 1)
                                        : widened(b.alpha, depth, a.alpha, from.comp[0].depth, true));
    }
    return held;
}

std::string random_pictures(AVPixelFormat format, int width, int height, int count) {
    std::mt19937 random(7);
    const int size = av_image_get_buffer_size(format, width, height, 1);
    if (size <= 0) {
        throw std::runtime_error("pictures of this format do not lie in memory");
    }
    const AVPixFmtDescriptor d = described(format);
    std::string owned(static_cast<std::size_t>(size), '\0');
    if (is_described(format)) {
        write_samples(owned, format, width, height,
                      [](int depth) { return static_cast<std::uint16_t>((1U << depth) - 1); });
    }
    const bool packed_rgb = (d.flags & AV_PIX_FMT_FLAG_RGB) != 0 && (d.flags & AV_PIX_FMT_FLAG_PLANAR) == 0;
    std::string all;
    for (int n = 0; n < count; ++n) {
        std::string picture(owned.size(), '\0');
        if (!is_described(format)) {
            std::ranges::generate(picture, [&] { return static_cast<char>(random() & 0x3f); });
        } else {
            write_samples(picture, format, width, height,
                          [&](int depth) { return static_cast<std::uint16_t>(random() & ((1U << depth) - 1)); });
            for (std::size_t i = 0; packed_rgb && i < picture.size(); ++i) {
                picture[i] = static_cast<char>(picture[i] | (~owned[i] & static_cast<int>(random())));
            }
        }
        all += picture;
    }
    return all;
}

}  // namespace vfilter::test
