#include "io/codec/canaries.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

namespace vfilter {

namespace {

constexpr std::uint64_t odd_bytes = 0x9D3AC75E61B82FF4;
// What is left out runs to the end of a slice, which is the last block of 8x8 pixels in one of HEVC's coding trees, of
// 16 pixels and more: there is one of them in each such block, above what a filter makes of the next slice's upper
// edge.
constexpr int tree_pixels = 16;
constexpr int in_tree_x = 8;
constexpr int in_tree_y = 12;
// And one in every block of the last row, which has trees that are not whole.
constexpr int last_row_step = 8;

// Calls visit(place) for the eight bytes of each.
template <class Visit>
void for_each_place(const AVFrame& picture, Visit&& visit) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(picture.format));
    const int step = d->comp[0].step;
    constexpr int size = sizeof odd_bytes;  // of bytes, of words half as many
    const auto visit_at = [&](int x, int y) {
        visit(picture.data[0] + static_cast<std::ptrdiff_t>(y) * picture.linesize[0] +
              static_cast<std::ptrdiff_t>(x) * step);
    };
    const int last = picture.height - 1;
    for (int y = in_tree_y; y < last; y += tree_pixels) {
        for (int x = in_tree_x; x + size <= picture.width; x += tree_pixels) {
            visit_at(x, y);
        }
    }
    for (int x = 0; x + size <= picture.width; x += last_row_step) {
        visit_at(x, last);
    }
}

}  // namespace

bool Canaries::are_needed(AVCodecID codec) {
    constexpr std::array silent{AV_CODEC_ID_HEVC, AV_CODEC_ID_VVC, AV_CODEC_ID_MJPEG,
                                AV_CODEC_ID_VP7,  AV_CODEC_ID_VP8, AV_CODEC_ID_VP9};
    return std::ranges::find(silent, codec) != silent.end();
}

void Canaries::set(AVFrame& picture, std::int64_t number, bool restores) {
    Watched watched{number, make_frame(), {}};
    watched.picture->format = picture.format;
    watched.picture->width = picture.width;
    watched.picture->height = picture.height;
    watched.picture->data[0] = picture.data[0];
    watched.picture->linesize[0] = picture.linesize[0];
    watched.picture->buf[0] = av_buffer_ref(picture.buf[0]);
    if (watched.picture->buf[0] == nullptr) {
        throw std::bad_alloc();
    }
    for_each_place(picture, [&](std::uint8_t* place) {
        if (restores) {
            std::memcpy(&watched.before.emplace_back(), place, sizeof odd_bytes);
        }
        std::memcpy(place, &odd_bytes, sizeof odd_bytes);
    });
    const std::lock_guard lock(mutex_);
    watched_.push_back(std::move(watched));
}

bool Canaries::restore(const Watched& watched) {
    bool any = false;
    std::size_t number = 0;
    for_each_place(*watched.picture, [&](std::uint8_t* place) {
        if (std::memcmp(place, &odd_bytes, sizeof odd_bytes) == 0) {
            any = true;
            if (!watched.before.empty()) {
                std::memcpy(place, &watched.before[number], sizeof odd_bytes);
            }
        }
        ++number;
    });
    return any;
}

std::vector<std::int64_t> Canaries::look(std::int64_t end, const AVFrame* picture) {
    const std::uint8_t* const out = picture != nullptr && picture->buf[0] != nullptr ? picture->buf[0]->data : nullptr;
    std::vector<Watched> done;
    {
        const std::lock_guard lock(mutex_);
        for (auto it = watched_.begin(); it != watched_.end();) {
            if (it->number >= end && it->picture->buf[0]->data != out) {
                ++it;
                continue;
            }
            done.push_back(std::move(*it));
            it = watched_.erase(it);
        }
    }
    std::vector<std::int64_t> left;
    for (const Watched& watched : done) {
        if (restore(watched)) {
            left.push_back(watched.number);
        }
    }
    return left;
}

}  // namespace vfilter
