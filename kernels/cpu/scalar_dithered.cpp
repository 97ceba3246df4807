// Dithering as plain loops.

#include "kernels/cpu/dithered.h"
#include "kernels/cpu/scalar.h"

namespace vfilter {

template <class T>
void filter_scalar(const Dithered& dithered, PlaneView<const T> src, Neighbours<T> neighbours, PlaneView<T> dst,
                   Border border, int black, int first, int last) {
    FinerPlane source;
    source.load(dithered, src, 0, src.height);
    std::vector<FinerPlane> others(neighbours.size());
    std::vector<PlaneView<const std::uint16_t>> views;
    for (std::size_t i = 0; i < others.size(); ++i) {
        others[i].load(dithered, neighbours[i], 0, src.height);
        views.emplace_back(others[i].view());
    }
    FinerPlane result;
    result.shape(src.width, src.height, src.step);
    filter_scalar<std::uint16_t>(dithered.inner->operation, source.view(), views, result.view(), border,
                                 black << dithered.bits, first, last);
    dither_rows(
        dithered, [&](int y) { return result.view().row(y); }, dst, first, last);
}

template void filter_scalar(const Dithered&, PlaneView<const std::uint8_t>, Neighbours<std::uint8_t>,
                            PlaneView<std::uint8_t>, Border, int, int, int);
template void filter_scalar(const Dithered&, PlaneView<const std::uint16_t>, Neighbours<std::uint16_t>,
                            PlaneView<std::uint16_t>, Border, int, int, int);

}  // namespace vfilter
