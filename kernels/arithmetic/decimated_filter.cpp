#include "kernels/arithmetic/decimated_filter.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace vfilter {

namespace {

// Up to here the tensor cores and the SIMD code do it as it is in less time, or nearly.
constexpr int max_direct_radius = 32;
// A factor of 8 is taken where nobody sees the difference, one of 4 wherever there is a promise to give. What is left
// to 1 is for the rounding of sums in double precision, and then some.
constexpr double max_error_of_8 = 0.5;
constexpr double max_error_of_4 = 0.9;
// What the inner filter's own taps and rounding may add to it, in LSB of the result. At 8 bits that is as much as taps
// of 16 bits need, and split ones take twice the time.
constexpr double max_error_of_taps = 0.25;

using Matrix = std::vector<std::vector<double>>;

/// What one inner tap of 1 at 0 does to the results in the D places from 0 on: cell[p][q + reach] is what result p
/// takes of sample q. A tap at m does the same to samples from mD on.
struct Cell {
    int factor;
    int reach;      ///< samples that count are nearer than that
    Matrix of;      ///< by phase and sample
    Matrix prefix;  ///< sums of `of` up to and with a sample

    explicit Cell(int size) : factor(size), reach(4 * size) {
        const std::vector<std::int32_t> spline = decimation_spline(factor);
        const int half = 2 * factor - 2;
        const auto tap = [&](int i) {
            return std::abs(i) > half ? 0.0 : static_cast<double>(spline[static_cast<std::size_t>(i + half)]);
        };
        const double unit = std::pow(factor, -7);  // D^3 and D^4 are the sums
        for (int p = 0; p < factor; ++p) {
            std::vector<double> row;
            for (int q = -reach; q <= reach; ++q) {
                double sum = 0;
                for (int k = -1; k <= 2; ++k) {
                    sum += tap(p - k * factor) * tap(q - k * factor);
                }
                row.push_back(sum * unit);
            }
            prefix.emplace_back(row.size());
            std::partial_sum(row.begin(), row.end(), prefix.back().begin());
            of.push_back(std::move(row));
        }
    }

    [[nodiscard]] double at(int p, int q) const {
        return std::abs(q) > reach ? 0 : of[static_cast<std::size_t>(p)][static_cast<std::size_t>(q + reach)];
    }
    [[nodiscard]] double up_to(int p, int q) const {
        return q < -reach  ? 0
               : q > reach ? 1
                           : prefix[static_cast<std::size_t>(p)][static_cast<std::size_t>(q + reach)];
    }
};

// A x = b by Cholesky's decomposition of A, which is destroyed, for several b.
void solve(Matrix& a, std::vector<std::vector<double>>& right_sides) {
    const std::size_t n = a.size();
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            const double rest =
                a[i][j] -
                std::inner_product(a[i].begin(), a[i].begin() + static_cast<std::ptrdiff_t>(j), a[j].begin(), 0.0);
            a[i][j] = i == j ? std::sqrt(rest) : rest / a[j][j];
        }
    }
    for (std::vector<double>& x : right_sides) {
        for (std::size_t i = 0; i < n; ++i) {
            x[i] =
                (x[i] - std::inner_product(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(i), a[i].begin(), 0.0)) /
                a[i][i];
        }
        for (std::size_t i = n; i-- > 0;) {
            for (std::size_t j = i + 1; j < n; ++j) {
                x[i] -= a[j][i] * x[j];
            }
            x[i] /= a[i][i];
        }
    }
}

/// Least squares for the taps at 0, +-1, ... +-most, the differences between what they do and the wanted taps being
/// taken in all phases, and so are their running sums, at every D-th sample and weighted by 1 / D.
struct Normal {
    Matrix products;
    std::vector<double> sides;
    std::vector<double> counts;  ///< how often a tap is there

    Normal(const std::vector<double>& wanted, const Cell& cell, int max_tap)
        : products(static_cast<std::size_t>(max_tap + 1), std::vector<double>(static_cast<std::size_t>(max_tap + 1))),
          sides(static_cast<std::size_t>(max_tap + 1)),
          counts(static_cast<std::size_t>(max_tap + 1), 2.0) {
        counts[0] = 1;
        add_differences(wanted, cell);
        add_running_sums(wanted, cell);
    }

private:
    void add_differences(const std::vector<double>& wanted, const Cell& cell) {
        const int radius = static_cast<int>(wanted.size() / 2);
        const int factor = cell.factor;
        const auto n = static_cast<int>(sides.size());
        const int max_overlap = 2 * cell.reach / factor;
        std::vector<double> overlaps(static_cast<std::size_t>(2 * n + max_overlap + 1));
        for (int d = 0; d <= max_overlap; ++d) {
            for (int p = 0; p < factor; ++p) {
                for (int q = -cell.reach; q <= cell.reach; ++q) {
                    overlaps[static_cast<std::size_t>(d)] += cell.at(p, q) * cell.at(p, q - d * factor);
                }
            }
        }
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                // Taps at +-i and +-j; by symmetry +i stands for both.
                const double pairs = overlaps[static_cast<std::size_t>(std::abs(i - j))] +
                                     (j > 0 ? overlaps[static_cast<std::size_t>(i + j)] : 0);
                products[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] +=
                    counts[static_cast<std::size_t>(i)] * pairs;
            }
            double sum = 0;
            for (int p = 0; p < factor; ++p) {
                for (int q = std::max(-radius + p, i * factor - cell.reach);
                     q <= std::min(radius + p, i * factor + cell.reach); ++q) {
                    sum += cell.at(p, q - i * factor) * wanted[static_cast<std::size_t>(q - p + radius)];
                }
                for (int q = std::max(-radius + p, -i * factor - cell.reach);
                     i > 0 && q <= std::min(radius + p, -i * factor + cell.reach); ++q) {
                    sum += cell.at(p, q + i * factor) * wanted[static_cast<std::size_t>(q - p + radius)];
                }
            }
            sides[static_cast<std::size_t>(i)] += sum;
        }
    }

    // All are taken less a step at 0, which the sum of 1 makes the same for all.
    void add_running_sums(const std::vector<double>& wanted, const Cell& cell) {
        const int radius = static_cast<int>(wanted.size() / 2);
        const int factor = cell.factor;
        const auto n = static_cast<int>(sides.size());
        const double weight = 1.0 / factor;
        std::vector<double> sums(wanted.size());
        std::partial_sum(wanted.begin(), wanted.end(), sums.begin());
        const int end = n + cell.reach / factor + 1;
        std::vector<double> line(static_cast<std::size_t>(n));
        for (int p = 0; p < factor; ++p) {
            for (int at = -end; at <= end; ++at) {
                const double step = at >= 0 ? 1 : 0;
                const int place = at * factor - p + radius;
                const double target =
                    (place < 0                                ? 0
                     : place >= static_cast<int>(sums.size()) ? 1
                                                              : sums[static_cast<std::size_t>(place)]) -
                    step;
                for (int i = 0; i < n; ++i) {
                    line[static_cast<std::size_t>(i)] =
                        cell.up_to(p, (at - i) * factor) - step + (i > 0 ? cell.up_to(p, (at + i) * factor) - step : 0);
                }
                for (int i = 0; i < n; ++i) {
                    const double own = weight * line[static_cast<std::size_t>(i)];
                    for (int j = 0; j < n; ++j) {
                        products[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] +=
                            own * line[static_cast<std::size_t>(j)];
                    }
                    sides[static_cast<std::size_t>(i)] += own * target;
                }
            }
        }
    }
};

struct Fit {
    std::vector<double> taps;  ///< of odd number
    double error = 0;          ///< worst case for samples in [0, 1], in the worst phase
};

// Taps that would be below 0 are left out, and the others fitted again.
std::vector<double> fitted_taps(const std::vector<double>& wanted, const Cell& cell) {
    const int radius = static_cast<int>(wanted.size() / 2);
    const int max_tap = (radius + cell.factor - 1) / cell.factor + 1;
    const Normal normal(wanted, cell, max_tap);
    std::vector<std::size_t> used(static_cast<std::size_t>(max_tap + 1));
    std::iota(used.begin(), used.end(), std::size_t{0});
    for (;;) {
        Matrix products;
        std::vector<double> sides;
        std::vector<double> counts;
        for (const std::size_t i : used) {
            std::vector<double>& row = products.emplace_back();
            for (const std::size_t j : used) {
                row.push_back(normal.products[i][j]);
            }
            sides.push_back(normal.sides[i]);
            counts.push_back(normal.counts[i]);
        }
        // The sum is 1 by Lagrange's way: x = A^-1 (b - m w).
        std::vector<std::vector<double>> solved{sides, counts};
        solve(products, solved);
        const auto sum = [&](const std::vector<double>& x) {
            return std::inner_product(x.begin(), x.end(), counts.begin(), 0.0);
        };
        const double multiplier = (sum(solved[0]) - 1) / sum(solved[1]);
        std::vector<double> half(static_cast<std::size_t>(max_tap + 1));
        std::vector<std::size_t> kept;
        for (std::size_t i = 0; i < used.size(); ++i) {
            const double tap = solved[0][i] - multiplier * solved[1][i];
            if (tap > 0) {
                half[used[i]] = tap;
                kept.push_back(used[i]);
            }
        }
        if (kept.size() == used.size()) {
            while (half.back() == 0) {
                half.pop_back();
            }
            std::vector<double> taps(half.rbegin(), half.rend());
            taps.insert(taps.end(), half.begin() + 1, half.end());
            return taps;
        }
        used = std::move(kept);
        if (used.empty()) {
            return {};
        }
    }
}

Fit fit(const std::vector<double>& wanted, const Cell& cell) {
    Fit made{fitted_taps(wanted, cell)};
    if (made.taps.empty()) {
        made.error = std::numeric_limits<double>::infinity();
        return made;
    }
    const double sum = std::accumulate(made.taps.begin(), made.taps.end(), 0.0);
    for (double& tap : made.taps) {
        tap /= sum;
    }
    const int radius = static_cast<int>(wanted.size() / 2);
    const int taps_radius = static_cast<int>(made.taps.size() / 2);
    const int end = std::max(radius, taps_radius * cell.factor) + 2 * cell.reach;
    for (int p = 0; p < cell.factor; ++p) {
        double differences = 0;
        for (int q = -end; q <= end; ++q) {
            double tap = std::abs(q - p) <= radius ? -wanted[static_cast<std::size_t>(q - p + radius)] : 0;
            for (int m = -taps_radius; m <= taps_radius; ++m) {
                tap += made.taps[static_cast<std::size_t>(m + taps_radius)] * cell.at(p, q - m * cell.factor);
            }
            differences += std::abs(tap);
        }
        // What is too much and what is too little are the same, and a picture can be at its maximum in one of them.
        made.error = std::max(made.error, differences / 2);
    }
    return made;
}

std::optional<DecimatedFilter> make(const FilterKernel& kernel, int depth, int factor_bits, double max_error) {
    const SeparableKernel& real = kernel.terms.front();
    const Cell cell(1 << factor_bits);
    const Fit rows = fit(real.rows, cell);
    const Fit columns = real.columns == real.rows ? rows : fit(real.columns, cell);
    DecimatedFilter made{.depth = depth, .factor_bits = factor_bits, .inner = {}, .exact = kernel};
    const double max_value = made.max_value();
    const double unit = std::ldexp(1.0, -made.fraction_bits());  // of 16 bits, in LSB
    const double roundings = unit / 2 * (made.decimate_rows_shift() > 0 ? 3 : 2);
    made.error_bound = max_value * (rows.error + columns.error) + roundings;
    if (!(made.error_bound < max_error)) {
        return std::nullopt;
    }
    made.inner = make_linear_filter({.terms = {{rows.taps, columns.taps}}}, DecimatedFilter::inner_depth,
                                    std::max(1.0, std::min(max_error_of_taps, max_error - made.error_bound) / unit));
    made.error_bound += made.inner.error_bound * unit;
    // Equal taps would not keep flat pictures.
    return made.error_bound < max_error && !made.inner.uniform ? std::optional(std::move(made)) : std::nullopt;
}

}  // namespace

std::vector<std::int32_t> decimation_spline(int factor) {
    std::vector<std::int32_t> spline{1};
    for (int box = 0; box < 4; ++box) {
        std::vector<std::int32_t> wider(spline.size() + static_cast<std::size_t>(factor) - 1);
        for (std::size_t i = 0; i < spline.size(); ++i) {
            for (std::size_t j = 0; j < static_cast<std::size_t>(factor); ++j) {
                wider[i + j] += spline[i];
            }
        }
        spline = std::move(wider);
    }
    return spline;
}

std::optional<DecimatedFilter> make_decimated_filter(const FilterKernel& kernel, int depth) {
    if (!is_smoothing(kernel)) {
        throw std::invalid_argument("a smoothing must be symmetric, of odd length, at least 0 and sum to 1");
    }
    const SeparableKernel& real = kernel.terms.front();
    if (std::min(real.rows.size(), real.columns.size()) / 2 <= max_direct_radius ||
        make_linear_filter(kernel, depth).uniform || depth >= DecimatedFilter::inner_depth) {
        return std::nullopt;
    }
    auto made = make(kernel, depth, 3, max_error_of_8);
    return made ? std::move(made) : make(kernel, depth, 2, max_error_of_4);
}

}  // namespace vfilter
