#include "kernels/blend.h"

#include <algorithm>
#include <cstring>

namespace vfilter {

namespace {

// Weights looked at together: in most of a mask they are all alike.
constexpr int weights_together = 64;

// Of one component, weights_together at most.
template <class T>
void blend_samples(const std::uint8_t* weights, const T* from, const T* made, T* to, int count, int lsb) {
    // By way of memory of its own, as `to` may be `made` and compilers make vectors of what overlaps nothing.
    T results[weights_together];
    for (int x = 0; x < count; ++x) {
        const int share = weights[x];
        const int blended = blend(from[x] >> lsb, made[x] >> lsb, share) << lsb;
        const int given = from[x];
        const int filtered = made[x];
        results[x] = static_cast<T>(share == 0 ? given : share == 255 ? filtered : blended);
    }
    std::copy_n(results, count, to);
}

template <class T>
void blend_pixels(const std::uint8_t* weights, const T* from, const T* made, T* to, int pixels, int step, int lsb) {
    for (int pixel = 0, x = 0; pixel < pixels; ++pixel) {
        const int share = weights[pixel];
        for (int component = 0; component < step; ++component, ++x) {
            to[x] = share == 0     ? from[x]
                    : share == 255 ? made[x]
                                   : static_cast<T>(blend(from[x] >> lsb, made[x] >> lsb, share) << lsb);
        }
    }
}

}  // namespace

template <class T>
void blend_row(const std::uint8_t* weights, const T* from, const T* made, T* to, int pixels, int step, int lsb) {
    for (int done = 0; done < pixels; done += weights_together) {
        const int count = std::min(weights_together, pixels - done);
        const std::uint8_t* const own = weights + done;
        const std::ptrdiff_t x = std::ptrdiff_t{done} * step;
        const bool alike = std::memcmp(own, own + 1, static_cast<std::size_t>(count - 1)) == 0;
        if (alike && (own[0] == 0 || own[0] == 255)) {
            const T* const kept = own[0] == 0 ? from : made;
            if (kept != to) {
                std::copy_n(kept + x, std::ptrdiff_t{count} * step, to + x);
            }
        } else if (step == 1) {
            blend_samples(own, from + x, made + x, to + x, count, lsb);
        } else {
            blend_pixels(own, from + x, made + x, to + x, count, step, lsb);
        }
    }
}

template <class T>
void blend_rows(const PlaneWeights& weights, int weights_first, int weights_step, PlaneView<const T> src,
                PlaneView<T> dst, int first, int last) {
    std::vector<std::uint8_t> row(static_cast<std::size_t>(src.width));
    for (int y = first; y < last; ++y) {
        const int weights_row = weights_first + y * weights_step;
        std::ranges::fill(row, std::uint8_t{0});
        for (const WeightBox& box : weights.boxes) {
            if (weights_row >= box.top && weights_row < box.bottom()) {
                std::copy_n(weights.row(box, weights_row), box.width, row.begin() + box.left);
            }
        }
        blend_row<T>(row.data(), src.row(y), dst.row(y), dst.row(y), src.width, src.step, src.lsb);
    }
}

template void blend_row(const std::uint8_t*, const std::uint8_t*, const std::uint8_t*, std::uint8_t*, int, int, int);
template void blend_row(const std::uint8_t*, const std::uint16_t*, const std::uint16_t*, std::uint16_t*, int, int, int);
template void blend_rows(const PlaneWeights&, int, int, PlaneView<const std::uint8_t>, PlaneView<std::uint8_t>, int,
                         int);
template void blend_rows(const PlaneWeights&, int, int, PlaneView<const std::uint16_t>, PlaneView<std::uint16_t>, int,
                         int);

}  // namespace vfilter
