// A matrix of the user's own, and the filter that does nothing.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <opencv2/core.hpp>
#include <optional>

#include "filters/filter_rows.h"

namespace vfilter {

namespace {

enum : std::size_t { kernel_normalise, kernel_bias };

constexpr std::string_view yes_no[] = {"yes", "no"};

constexpr Parameter kernel_parameters[] = {
    {"normalise", "", 0, 0, false, "divide by the sum, unless that is 0", 0, yes_no},
    {"bias", "levels of 256", -255, 255, false, "is added", 0},
};

std::string check_kernel(const FilterSpec& spec) {
    return spec.matrix.empty() ? "a matrix is needed, \"1 2 1; 2 4 2; 1 2 1\", or file=NAME" : "";
}

cv::Mat to_mat(const Matrix& matrix) {
    cv::Mat made(static_cast<int>(matrix.size()), static_cast<int>(matrix[0].size()), CV_64F);
    for (int y = 0; y < made.rows; ++y) {
        std::ranges::copy(matrix[static_cast<std::size_t>(y)], made.ptr<double>(y));
    }
    return made;
}

// The one term of a matrix of rank 1: the row and the column of its largest element, so that whole numbers stay whole.
// The sum of the row taps, unless it is 0, moves to the column taps.
SeparableKernel cross(const cv::Mat& matrix) {
    cv::Point at;
    cv::minMaxLoc(cv::abs(matrix), nullptr, nullptr, nullptr, &at);
    SeparableKernel made;
    matrix.row(at.y).copyTo(made.rows);
    cv::Mat(matrix.col(at.x).t()).copyTo(made.columns);
    for (double& tap : made.columns) {
        tap /= matrix.at<double>(at);
    }
    const double sum = std::accumulate(made.rows.begin(), made.rows.end(), 0.0);
    if (std::abs(sum) > 1e-9 * std::abs(matrix.at<double>(at))) {
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
        const cv::Mat whole = to_mat(matrix);
        const cv::SVD svd(whole);
        int rank = 0;
        while (rank < svd.w.rows && svd.w.at<double>(rank) > 1e-12 * svd.w.at<double>(0)) {
            ++rank;
        }
        const std::size_t separate = static_cast<std::size_t>(rank) * (matrix.size() + matrix[0].size());
        const std::size_t directly = kernel.direct.size() * (1 + matrix[0].size());
        if (rank == 1) {
            kernel.terms = {cross(whole)};
        } else if (separate < directly) {
            for (int i = 0; i < rank; ++i) {
                SeparableKernel term;
                svd.vt.row(i).copyTo(term.rows);
                cv::Mat(svd.u.col(i).t() * svd.w.at<double>(i)).copyTo(term.columns);
                kernel.terms.push_back(std::move(term));
            }
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
            .help = "any matrix of up to 63x63 numbers",
            .formula =
                "out = sum over the matrix m(i, j) s(x + i, y + j) / sum of m + bias; of rank r (by singular values) "
                "it runs as r separable terms, or row by row where that is less work or more exact",
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
            .help = "nothing: every sample stays as it is",
            .formula = "out = s",
            .source = "",
            .example = "",
            .parameters = {},
            .chroma = Chroma::same,
            .has_width = false,
            .check = no_check,
            .make = make_identity};
}

}  // namespace vfilter
