// Dithering in double precision: what is added for the place is added to the real result.

#include <cmath>

#include "kernels/arithmetic/reference.h"

namespace vfilter {

namespace {

// The samples of a plane with further bits, and a view of them.
struct FinerReference {
    template <class T>
    FinerReference(const Dithered& dithered, const PlaneView<const T>& src) {
        samples.reserve(static_cast<std::size_t>(src.samples()) * static_cast<std::size_t>(src.height));
        for (int y = 0; y < src.height; ++y) {
            for (int x = 0; x < src.samples(); ++x) {
                samples.push_back(
                    static_cast<std::uint16_t>(((src.row(y)[x] >> src.lsb) & dithered.max_value()) << dithered.bits));
            }
        }
        view = {samples.data(), src.width, src.height,
                static_cast<std::ptrdiff_t>(sizeof(std::uint16_t)) * src.samples(), src.step};
    }
    std::vector<std::uint16_t> samples;
    PlaneView<const std::uint16_t> view;
};

}  // namespace

template <class T>
std::vector<double> reference_of(const Dithered& dithered, const ReferencePlane<T>& plane) {
    const PlaneView<const T>& src = plane.src;
    std::vector<FinerReference> others;
    std::vector<PlaneView<const std::uint16_t>> views;
    others.reserve(plane.neighbours.size());
    for (const PlaneView<const T>& neighbour : plane.neighbours) {
        views.push_back(others.emplace_back(dithered, neighbour).view);
    }
    std::vector<double> result =
        reference_operation<std::uint16_t>(dithered.inner->operation, FinerReference(dithered, src).view, plane.border,
                                           plane.black << dithered.bits, views);
    const double unit = std::ldexp(1.0, dithered.bits);
    for (std::size_t i = 0; i < result.size(); ++i) {
        const int x = static_cast<int>(i) % src.samples() / src.step;
        const int y = static_cast<int>(i) / src.samples();
        // Rounded half up it is floor((floor(real + 1 / 2) + t) / 2^k).
        result[i] = (result[i] + 0.5 + dithered.threshold(x, y)) / unit - 0.5;
    }
    return result;
}

template std::vector<double> reference_of(const Dithered&, const ReferencePlane<std::uint8_t>&);
template std::vector<double> reference_of(const Dithered&, const ReferencePlane<std::uint16_t>&);

}  // namespace vfilter
