// Guided filters in double precision, a window after the other, as the contract says it.

#include <cmath>

#include "kernels/arithmetic/reference.h"

namespace vfilter {

namespace {

// A plane of numbers around one of samples.
class Surroundings {
public:
    Surroundings(int width, int height, int step, int margin_x, int margin_y)
        : step_(step), margin_x_(margin_x), margin_y_(margin_y), pitch_((width + 2 * margin_x) * step) {
        values_.resize(static_cast<std::size_t>(pitch_) * static_cast<std::size_t>(height + 2 * margin_y));
    }
    double& at(int pixel, int y, int component) {
        return values_[static_cast<std::size_t>((y + margin_y_) * pitch_ + (pixel + margin_x_) * step_ + component)];
    }

private:
    int step_;
    int margin_x_;
    int margin_y_;
    int pitch_;
    std::vector<double> values_;
};

}  // namespace

template <class T>
std::vector<double> reference_of(const Guided& filter, const ReferencePlane<T>& plane) {
    const PlaneView<const T>& src = plane.src;
    const int radius_x = filter.radius_x;
    const int radius_y = filter.radius_y;
    const auto samples = static_cast<double>(filter.samples());
    Surroundings slopes(src.width, src.height, src.step, radius_x, radius_y);
    Surroundings rests = slopes;
    const auto each_of_window = [&](int pixel, int y, const auto& visit) {
        for (int j = -radius_y; j <= radius_y; ++j) {
            for (int i = -radius_x; i <= radius_x; ++i) {
                visit(pixel + i, y + j);
            }
        }
    };
    for (int y = -radius_y; y < src.height + radius_y; ++y) {
        for (int x = -radius_x; x < src.width + radius_x; ++x) {
            for (int component = 0; component < src.step; ++component) {
                double sum = 0;
                double squares = 0;
                each_of_window(x, y, [&](int i, int j) {
                    const double sample = plane.sample(j, i, component);
                    sum += sample;
                    squares += sample * sample;
                });
                const double v = std::floor(std::ldexp(samples * squares - sum * sum, -filter.coarse));
                const double divisor = v + static_cast<double>(filter.epsilon);
                const double one = 1 << guided_slope_bits;
                const double slope = std::floor((one * v + std::floor(divisor / 2)) / divisor);
                slopes.at(x, y, component) = slope / one;
                rests.at(x, y, component) = (1 - slope / one) * sum / samples;
            }
        }
    }
    std::vector<double> result;
    for (int y = 0; y < src.height; ++y) {
        for (int x = 0; x < src.samples(); ++x) {
            double slope = 0;
            double rest = 0;
            each_of_window(x / src.step, y, [&](int i, int j) {
                slope += slopes.at(i, j, x % src.step);
                rest += rests.at(i, j, x % src.step);
            });
            result.push_back((slope * plane.sample(y, x / src.step, x % src.step) + rest) / samples);
        }
    }
    return result;
}

template std::vector<double> reference_of(const Guided&, const ReferencePlane<std::uint8_t>&);
template std::vector<double> reference_of(const Guided&, const ReferencePlane<std::uint16_t>&);

}  // namespace vfilter
