#pragma once
// Dithering on the CPU: samples with further bits, the operation on those, and its results with fewer. Not for others
// than the kernels.

#include <algorithm>
#include <vector>

#include "kernels/arithmetic/operation.h"
#include "kernels/plane.h"

namespace vfilter {

/// A picture of 16-bit storage, as high as a part of a plane.
class FinerPlane {
public:
    /// The rows [first, last) of a plane, with further bits.
    template <class T>
    void load(const Dithered& dithered, const PlaneView<const T>& src, int first, int last) {
        shape(src.width, last - first, src.step);
        const int mask = dithered.max_value();
        for (int y = first; y < last; ++y) {
            std::transform(src.row(y), src.row(y) + src.samples(), view_.row(y - first), [&](T stored) {
                return static_cast<std::uint16_t>(((stored >> src.lsb) & mask) << dithered.bits);
            });
        }
    }
    /// Of any contents.
    void shape(int width, int height, int step) {
        const std::size_t count = static_cast<std::size_t>(width) * static_cast<std::size_t>(step * height);
        samples_.resize(std::max(samples_.size(), count));
        view_ = {samples_.data(), width, height, static_cast<std::ptrdiff_t>(sizeof(std::uint16_t)) * width * step,
                 step};
    }
    [[nodiscard]] const PlaneView<std::uint16_t>& view() const { return view_; }

private:
    std::vector<std::uint16_t> samples_;
    PlaneView<std::uint16_t> view_;
};

/// Results for the rows [first, last) of `dst`, of which finer_row(y) is the first one's.
template <class T>
void dither_rows(const Dithered& dithered, const auto& finer_row, const PlaneView<T>& dst, int first, int last) {
    std::vector<int> thresholds(static_cast<std::size_t>(dither_period * dst.step));
    for (int y = first; y < last; ++y) {
        for (std::size_t i = 0; i < thresholds.size(); ++i) {
            thresholds[i] = dithered.threshold(static_cast<int>(i) / dst.step, y);
        }
        const std::uint16_t* const from = finer_row(y);
        T* const to = dst.row(y);
        const int period = dither_period * dst.step;
        for (int x = 0; x < dst.samples(); x += period) {
            for (int i = 0; i < std::min(period, dst.samples() - x); ++i) {
                to[x + i] =
                    static_cast<T>(dithered.result(from[x + i], thresholds[static_cast<std::size_t>(i)]) << dst.lsb);
            }
        }
    }
}

}  // namespace vfilter
