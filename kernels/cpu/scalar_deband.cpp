// Debanding as plain loops.

#include "kernels/cpu/scalar.h"

namespace vfilter {

template <class T>
void filter_scalar(const Deband& deband, Band<T> band) {
    const PlaneView<const T>& src = band.src;
    for (int y = band.first; y < band.last; ++y) {
        for (int x = 0; x < src.samples(); ++x) {
            const int pixel = x / src.step;
            const Deband::Place place = deband.place(Deband::choice(pixel, y), y);
            const auto at = [&](int i, int j) {
                return band.sample(border_index(y + j, src.height, band.border),
                                   border_index(pixel + i, src.width, band.border), x % src.step);
            };
            const int made = deband.result(at(0, 0), at(place.x, place.y), at(-place.x, place.y), at(place.x, -place.y),
                                           at(-place.x, -place.y), deband.added(pixel, y));
            band.dst.row(y)[x] = static_cast<T>(made << band.dst.lsb);
        }
    }
}

template void filter_scalar(const Deband&, Band<std::uint8_t>);
template void filter_scalar(const Deband&, Band<std::uint16_t>);

}  // namespace vfilter
