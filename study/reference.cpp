#include "study/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "filters/filters.h"
#include "kernels/arithmetic/arithmetic.h"
#include "kernels/cpu/scalar.h"
#include "kernels/plane.h"

namespace vfilter::study {

namespace {

constexpr int checked_rows = 16;

// The column first: only the rows that are wanted are worked on.
std::vector<double> real_row(const std::vector<double>& taps, PlaneView<const std::uint8_t> picture, int y) {
    const int radius = static_cast<int>(taps.size() / 2);
    std::vector<double> sums(static_cast<std::size_t>(picture.width));
    for (int j = -radius; j <= radius; ++j) {
        const std::uint8_t* const from = picture.row(std::clamp(y + j, 0, picture.height - 1));
        for (std::size_t x = 0; x < sums.size(); ++x) {
            sums[x] += taps[static_cast<std::size_t>(j + radius)] * from[x];
        }
    }
    std::vector<double> result(sums.size());
    for (int x = 0; x < picture.width; ++x) {
        for (int i = -radius; i <= radius; ++i) {
            const auto at = static_cast<std::size_t>(std::clamp(x + i, 0, picture.width - 1));
            result[static_cast<std::size_t>(x)] += taps[static_cast<std::size_t>(i + radius)] * sums[at];
        }
    }
    return result;
}

}  // namespace

std::string off_by(double difference, const char* unit) {
    return "off by " + number_text(difference, 3) + " " + unit;
}

Operation filter_of(const FilterCase& filter) {
    const FilterDef& gaussian = *find_filter("gaussian");
    return make_operation(gaussian.make(parse_filter(gaussian, std::to_string(filter.size())), 1, 1), 8);
}

std::vector<double> taps_of(const FilterCase& filter) {
    return exact_kernel(filter_of(filter)).terms.at(0).rows;
}

Reference::Reference(const FilterCase& filter, const std::uint8_t* picture, std::ptrdiff_t stride)
    : height_(filter.height) {
    const PlaneView<const std::uint8_t> from{picture, filter.width, filter.height, stride};
    const std::vector<double> taps = taps_of(filter);
    const Operation made = filter_of(filter);
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(filter.width) * static_cast<std::size_t>(height_));
    const PlaneView<std::uint8_t> to{bytes.data(), filter.width, height_, filter.width};
    for (int i = 0; i < checked_rows; ++i) {
        const int y = i * (height_ - 1) / (checked_rows - 1);
        rows_.push_back(y);
        real_.push_back(real_row(taps, from, y));
        filter_scalar<std::uint8_t>(made, from, to, Border::replicate, 0, y, y + 1);
        contract_.emplace_back(to.row(y), to.row(y) + filter.width);
    }
}

double Reference::difference(std::size_t i, std::span<const float> row, bool whole, int margin) const {
    if (rows_[i] < margin || rows_[i] >= height_ - margin) {
        return 0;
    }
    double largest = 0;
    for (std::size_t x = static_cast<std::size_t>(margin); x + static_cast<std::size_t>(margin) < row.size(); ++x) {
        const double real = real_[i][x];
        const double difference = std::abs(static_cast<double>(row[x]) - (whole ? std::floor(real + 0.5) : real));
        if (!(difference <= largest)) {  // which is true of a NaN, too
            largest = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
        }
    }
    return largest;
}

bool Reference::exact(std::size_t i, std::span<const float> row) const {
    return std::ranges::equal(row, contract_[i], [](float a, std::uint8_t b) { return a == static_cast<float>(b); });
}

}  // namespace vfilter::study
