#include "kernels/arithmetic/bilateral.h"

#include <algorithm>
#include <cmath>

namespace vfilter {

namespace {

// How many standard deviations the line reaches, and the parabola, that stand for Gaussians.
constexpr double reach_in_value = 2.7;
constexpr double reach_in_space = 2.4;

double square_of_quotient(int dividend, double divisor) {
    const double quotient = dividend / divisor;
    return quotient * quotient;
}

// Whether an offset, neither part of which is below 0, lies in the ellipse; exactly.
bool in_ellipse(int i, int j, int radius_x, int radius_y) {
    const int x = std::max(radius_x, 1);
    const int y = std::max(radius_y, 1);
    return i * i * y * y + j * j * x * x <= x * x * y * y && i <= radius_x && j <= radius_y;
}

}  // namespace

Bilateral make_bilateral(int depth, double sigma, const BilateralWindow& window) {
    Bilateral made{.depth = depth, .radius_x = window.radius_x, .radius_y = window.radius_y};
    double peak = reach_in_value * sigma;
    while (std::lround(peak) > max_bilateral_reach) {
        peak /= 2;
        ++made.coarse;
    }
    for (int j = 0; j <= made.radius_y; ++j) {
        for (int i = 0; i <= made.radius_x; ++i) {
            const double distance = (square_of_quotient(i, window.sigma_x) + square_of_quotient(j, window.sigma_y)) /
                                    (reach_in_space * reach_in_space);
            const bool inside = in_ellipse(i, j, made.radius_x, made.radius_y) && distance < 1;
            made.reaches[static_cast<std::size_t>(j * Bilateral::pitch + i)] =
                static_cast<std::uint8_t>(inside ? std::lround(peak * (1 - distance)) : 0);
        }
    }
    made.reaches[0] = std::max<std::uint8_t>(made.reaches[0], 1);
    return made;
}

}  // namespace vfilter
