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
// Pixels between two of them. What is left out runs to the end of a slice, in units of 16 pixels and more.
constexpr int step_x = 32;
constexpr int step_y = 16;

// Calls visit(place) for the eight bytes of each.
template <class Visit>
void for_each_place(const AVFrame& picture, Visit&& visit) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(picture.format));
    const int step = d->comp[0].step;
    for (int y = step_y / 2; y < picture.height; y += step_y) {
        std::uint8_t* const row = picture.data[0] + static_cast<std::ptrdiff_t>(y) * picture.linesize[0];
        for (int x = step_x / 4; x + static_cast<int>(sizeof odd_bytes) <= picture.width; x += step_x) {
            visit(row + static_cast<std::ptrdiff_t>(x) * step);
        }
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
