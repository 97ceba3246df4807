// Debanding as plain loops.

#include "kernels/cpu/scalar.h"

namespace vfilter {

template <class T>
void filter_scalar(const Deband& deband, PlaneView<const T> src, PlaneView<T> dst, Border border, int black, int first,
                   int last) {
    for (int y = first; y < last; ++y) {
        for (int x = 0; x < src.samples(); ++x) {
            const int pixel = x / src.step;
            const Deband::Place place = deband.place(Deband::choice(pixel, y), y);
            const auto at = [&](int i, int j) {
                const int row = border_index(y + j, src.height, border);
                const int column = border_index(pixel + i, src.width, border);
                return row < 0 || column < 0
                           ? black
                           : (src.row(row)[column * src.step + x % src.step] >> src.lsb) & deband.max_value();
            };
            const int made = deband.result(at(0, 0), at(place.x, place.y), at(-place.x, place.y), at(place.x, -place.y),
                                           at(-place.x, -place.y), deband.added(pixel, y));
            dst.row(y)[x] = static_cast<T>(made << dst.lsb);
        }
    }
}

template void filter_scalar(const Deband&, PlaneView<const std::uint8_t>, PlaneView<std::uint8_t>, Border, int, int,
                            int);
template void filter_scalar(const Deband&, PlaneView<const std::uint16_t>, PlaneView<std::uint16_t>, Border, int, int,
                            int);

}  // namespace vfilter
