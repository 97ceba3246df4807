#include "kernels/cpu/dithered.h"
#include "kernels/cpu/simd_operations.h"
#include "kernels/cpu/thread_memory.h"

namespace vfilter::simd {

namespace {

/// Rows that are worked on at once, at least: they and their results stay in the second level cache.
constexpr int least_finer_rows = 64;

struct DitherScratch {
    FinerPlane source;
    FinerPlane result;
    std::vector<FinerPlane> neighbours;
    std::vector<PlaneView<const std::uint16_t>> views;  ///< of those
};

DitherScratch& dither_scratch() {
    return of_this_thread<DitherScratch>();
}

template <class T>
void filter_dithered(const PreparedDithered& made, const Band<T>& band) {
    const Dithered& dithered = made.filter;
    DitherScratch& scratch = dither_scratch();
    scratch.neighbours.resize(std::max(scratch.neighbours.size(), band.neighbours.size()));
    // What a part repeats of its neighbours is less than half of it.
    const int unit = std::max(least_finer_rows, 4 * made.down.radius);
    for (int first = band.first; first < band.last; first += unit) {
        const int last = std::min(first + unit, band.last);
        const LinePart rows = part_of_line(made.down, band.border, first, last, band.src.height);
        scratch.source.load(dithered, band.src, rows.first, rows.last);
        scratch.views.clear();
        for (std::size_t i = 0; i < band.neighbours.size(); ++i) {
            scratch.neighbours[i].load(dithered, band.neighbours[i], rows.first, rows.last);
            scratch.views.emplace_back(scratch.neighbours[i].view());
        }
        scratch.result.shape(band.src.width, rows.length(), band.src.step);
        const PlaneView<std::uint16_t>& finer = scratch.result.view();
        made.inner->run<std::uint16_t>(scratch.source.view(), scratch.views, finer, band.border,
                                       band.black << dithered.bits, first - rows.first, last - rows.first);
        dither_rows(
            dithered, [&](int y) { return finer.row(y - rows.first); }, band.dst, first, last);
    }
}

}  // namespace

void filter_band(const PreparedDithered& made, const AnyBand& band) {
    std::visit([&](const auto& sized) { filter_dithered(made, sized.get()); }, band);
}

}  // namespace vfilter::simd
