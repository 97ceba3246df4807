#include "filters/singular_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace vfilter {

namespace {

double product(const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void rotate(std::vector<double>& a, std::vector<double>& b, double cosine, double sine) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double first = a[i];
        a[i] = cosine * first - sine * b[i];
        b[i] = sine * first + cosine * b[i];
    }
}

}  // namespace

// One-sided Jacobi rotations (M. R. Hestenes, 1958): pairs of columns are turned until all are at right angles. The
// same turns of the unit matrix make the rows.
std::vector<SeparableKernel> singular_products(const Matrix& matrix) {
    const std::size_t height = matrix.size();
    const std::size_t width = matrix[0].size();
    double largest = 0;
    double squares = 0;
    for (const std::vector<double>& row : matrix) {
        for (const double number : row) {
            largest = std::max(largest, std::abs(number));
        }
    }
    std::vector<SeparableKernel> made(width);
    for (std::size_t x = 0; x < width; ++x) {
        made[x].rows.resize(width);
        made[x].rows[x] = 1;
        for (std::size_t y = 0; y < height; ++y) {
            made[x].columns.push_back(matrix[y][x] / largest);  // their squares are neither too large nor too small
        }
        squares += product(made[x].columns, made[x].columns);
    }
    constexpr int max_sweeps = 60;        // ten are enough, as they converge quadratically
    constexpr double negligible = 1e-28;  // what is left of a column that others make up
    bool turned = true;
    for (int sweep = 0; sweep < max_sweeps && turned; ++sweep) {
        turned = false;
        for (std::size_t i = 0; i + 1 < width; ++i) {
            for (std::size_t j = i + 1; j < width; ++j) {
                const double ii = product(made[i].columns, made[i].columns);
                const double jj = product(made[j].columns, made[j].columns);
                const double ij = product(made[i].columns, made[j].columns);
                const bool nothing = std::min(ii, jj) <= negligible * squares;
                if (nothing || std::abs(ij) <= std::numeric_limits<double>::epsilon() * std::sqrt(ii * jj)) {
                    continue;
                }
                const double half_cotangent = (jj - ii) / (2 * ij);
                const double tangent =
                    std::copysign(1.0, half_cotangent) / (std::abs(half_cotangent) + std::hypot(1.0, half_cotangent));
                const double cosine = 1 / std::hypot(1.0, tangent);
                rotate(made[i].columns, made[j].columns, cosine, cosine * tangent);
                rotate(made[i].rows, made[j].rows, cosine, cosine * tangent);
                turned = true;
            }
        }
    }
    const auto value = [](const SeparableKernel& term) { return std::sqrt(product(term.columns, term.columns)); };
    std::ranges::stable_sort(made, [&](const auto& a, const auto& b) { return value(a) > value(b); });
    const double least = 1e-12 * value(made[0]);
    std::erase_if(made, [&](const SeparableKernel& term) { return value(term) <= least; });
    for (SeparableKernel& term : made) {
        for (double& tap : term.columns) {
            tap *= largest;
        }
    }
    return made;
}

}  // namespace vfilter
