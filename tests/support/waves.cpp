#include "tests/support/waves.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>

namespace vfilter::test {

int offset_of(std::span<const double> a, std::span<const double> b) {
    constexpr int most = 3000;
    constexpr int length = 3000;
    if (a.size() < most + length || b.size() < most + length + most) {
        throw std::out_of_range("too little sound");
    }
    const std::span<const double> part = a.subspan(most, length);
    double best = -1;
    int at = 0;
    for (int offset = -most; offset <= most; ++offset) {
        const double sum = std::inner_product(part.begin(), part.end(), b.begin() + most + offset, 0.0);
        if (sum > best) {
            best = sum;
            at = offset;
        }
    }
    return at;
}

double loudness_of(std::span<const float> samples, std::size_t stride, double turns) {
    double sine = 0;
    double cosine = 0;
    const std::size_t count = stride == 0 ? 0 : samples.size() / stride;
    if (count == 0) {
        throw std::out_of_range("no sound");
    }
    for (std::size_t i = 0; i < count; ++i) {
        const double angle = 2 * std::numbers::pi * turns * static_cast<double>(i);
        const double sample{samples[i * stride]};
        sine += sample * std::sin(angle);
        cosine += sample * std::cos(angle);
    }
    return 2 * std::hypot(sine, cosine) / static_cast<double>(count);
}

}  // namespace vfilter::test
