// Dithering as plain loops.

#include "kernels/cpu/dithered.h"
#include "kernels/cpu/scalar.h"

namespace vfilter {

template <class T>
void filter_scalar(const Dithered& dithered, Band<T> band) {
    const PlaneView<const T>& src = band.src;
    FinerPlane source;
    source.load(dithered, src, 0, src.height);
    std::vector<FinerPlane> others(band.neighbours.size());
    std::vector<PlaneView<const std::uint16_t>> views;
    for (std::size_t i = 0; i < others.size(); ++i) {
        others[i].load(dithered, band.neighbours[i], 0, src.height);
        views.emplace_back(others[i].view());
    }
    FinerPlane result;
    result.shape(src.width, src.height, src.step);
    filter_scalar<std::uint16_t>(dithered.inner->operation, source.view(), views, result.view(), band.border,
                                 band.black << dithered.bits, band.first, band.last);
    dither_rows(
        dithered, [&](int y) { return result.view().row(y); }, band.dst, band.first, band.last);
}

template void filter_scalar(const Dithered&, Band<std::uint8_t>);
template void filter_scalar(const Dithered&, Band<std::uint16_t>);

}  // namespace vfilter
