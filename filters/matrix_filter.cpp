// A matrix of the user's own, and the filter that does nothing.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "filters/filter_rows.h"
#include "filters/singular_values.h"

namespace vfilter {

namespace {

enum : std::size_t { kernel_normalise, kernel_bias };

constexpr std::string_view yes_no[] = {"yes", "no"};

constexpr Parameter kernel_parameters[] = {
    {"normalise", "", 0, 0, false,
     "divide by the sum, unless that is 0 to within a billionth of the sum of absolute values", 0, yes_no},
    {"bias", "levels of 256", -255, 255, false, "added to the result", 0},
};

std::string check_kernel(const FilterSpec& spec) {
    return spec.matrix.empty() ? "a matrix is needed, \"1 2 1; 2 4 2; 1 2 1\", or file=NAME" : "";
}

// The one term of a matrix of rank 1: the row and the column of its largest element, so that whole numbers stay whole.
// The sum of the row taps, unless it is 0, moves to the column taps.
SeparableKernel cross(const Matrix& matrix) {
    std::size_t at_x = 0;
    std::size_t at_y = 0;
    for (std::size_t y = 0; y < matrix.size(); ++y) {
        for (std::size_t x = 0; x < matrix[y].size(); ++x) {
            if (std::abs(matrix[y][x]) > std::abs(matrix[at_y][at_x])) {
                at_x = x;
                at_y = y;
            }
        }
    }
    const double largest = matrix[at_y][at_x];
    SeparableKernel made;
    made.rows = matrix[at_y];
    for (const std::vector<double>& row : matrix) {
        made.columns.push_back(row[at_x] / largest);
    }
    const double sum = std::accumulate(made.rows.begin(), made.rows.end(), 0.0);
    if (std::abs(sum) > 1e-9 * std::abs(largest)) {
        for (double& tap : made.rows) {
            tap /= sum;
        }
        for (double& tap : made.columns) {
            tap *= sum;
        }
    }
    return made;
}

// The factor between two rows; nothing if they are not multiples of each other.
std::optional<double> ratio(const std::vector<double>& row, const std::vector<double>& other) {
    const auto first = std::ranges::find_if(other, [](double tap) { return tap != 0; });
    const double times = row[static_cast<std::size_t>(first - other.begin())] / *first;
    const auto same = [times](double tap, double of_other) { return tap == times * of_other; };
    return times != 0 && std::ranges::equal(row, other, same) ? std::optional(times) : std::nullopt;
}

// One term for each row that is not all zeros; multiples of a row share its term.
std::vector<SeparableKernel> row_by_row(const Matrix& matrix) {
    std::vector<SeparableKernel> terms;
    for (std::size_t y = 0; y < matrix.size(); ++y) {
        if (std::ranges::all_of(matrix[y], [](double tap) { return tap == 0; })) {
            continue;
        }
        const auto like = std::ranges::find_if(
            terms, [&](const SeparableKernel& term) { return ratio(matrix[y], term.rows).has_value(); });
        if (like != terms.end()) {
            like->columns[y] = ratio(matrix[y], like->rows).value();
            continue;
        }
        terms.push_back({matrix[y], std::vector<double>(matrix.size())});
        terms.back().columns[y] = 1;
    }
    return terms;
}

FilterKernel make_kernel(const FilterSpec& spec, double /*pitch_x*/, double /*pitch_y*/) {
    Matrix matrix = spec.matrix;
    double sum = 0;
    double absolute = 0;
    for (const std::vector<double>& row : matrix) {
        for (const double tap : row) {
            sum += tap;
            absolute += std::abs(tap);
        }
    }
    const bool divide = spec.value(kernel_normalise) == 0 && std::abs(sum) > 1e-9 * absolute;
    const double factor = divide ? 1 / sum : 1;

    FilterKernel kernel{.bias = spec.value(kernel_bias) / levels};
    kernel.direct = row_by_row(matrix);
    if (absolute > 0) {
        std::vector<SeparableKernel> products = singular_products(matrix);
        const std::size_t separate = products.size() * (matrix.size() + matrix[0].size());
        const std::size_t directly = kernel.direct.size() * (1 + matrix[0].size());
        if (products.size() == 1) {
            kernel.terms = {cross(matrix)};
        } else if (separate < directly) {
            kernel.terms = std::move(products);
        } else {
            kernel.terms = kernel.direct;
        }
    }
    for (auto* const terms : {&kernel.terms, &kernel.direct}) {
        for (SeparableKernel& term : *terms) {
            for (double& tap : term.columns) {
                tap *= factor;
            }
        }
    }
    return kernel;
}

FilterKernel make_identity(const FilterSpec& /*spec*/, double /*pitch_x*/, double /*pitch_y*/) {
    return {.gain = 1};
}

}  // namespace

FilterDef kernel_filter() {
    return {.name = "kernel",
            .help = "any matrix of up to 63x63 numbers, applied to the picture as stored",
            .formula =
                "out = sum over the matrix m(i, j) s(x + i, y + j) / sum of m + bias; a matrix of rank r (by singular "
                "values) runs as r separable terms, or row by row where that is less work or more exact",
            .source = "OpenCV, filter2D",
            .example = "\"0 -1 0; -1 5 -1; 0 -1 0\"",
            .parameters = kernel_parameters,
            .chroma = Chroma::same,
            .takes_matrix = true,
            .has_width = false,
            .check = check_kernel,
            .make = make_kernel};
}

FilterDef identity_filter() {
    return {.name = "identity",
            .help = "no change: every sample stays as it is",
            .formula = "out = s",
            .source = "",
            .example = "",
            .parameters = {},
            .chroma = Chroma::same,
            .has_width = false,
            .has_border = false,
            .dithering = Dithering::none,
            .check = no_check,
            .make = make_identity};
}

}  // namespace vfilter
