// The contract of large smoothings: its bound, against what the integers really do; its results, against the reference
// in double precision; borders, bands, flat pictures.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "filters/borders.h"
#include "kernels/arithmetic/decimated_filter.h"
#include "kernels/cpu/simd.h"
#include "tests/kernels/cases.h"

namespace vfilter::test {

namespace {

constexpr const char* sigmas[] = {"sigma=10.7", "sigma=11", "sigma=14", "sigma=20", "sigma=30",
                                  "sigma=35",   "sigma=50", "sigma=70", "sigma=100"};

DecimatedFilter decimated_at(const SeparableKernel& kernel, int depth) {
    auto made = make_decimated_filter(one_term(kernel), depth);
    if (!made) {
        throw std::logic_error("no decimated filter");
    }
    return *std::move(made);
}

std::int64_t spline_at(const std::vector<std::int32_t>& spline, int i) {
    const int half = static_cast<int>(spline.size() / 2);
    return std::abs(i) > half ? 0 : spline[static_cast<std::size_t>(i + half)];
}

/// What a result at `phase` takes of the samples around it, along one axis, as the integer taps have it: from -reach to
/// reach.
struct Effect {
    std::vector<double> taps;
    int reach;
};

int radius_of(const Pass& pass) {
    return static_cast<int>(pass.taps.size() / 2);
}

Effect effect_of(const DecimatedFilter& made, const Pass& pass, int phase) {
    const int factor = made.factor();
    const std::vector<std::int32_t> spline = decimation_spline(factor);
    Effect effect{{}, (radius_of(pass) + 5) * factor};
    effect.taps.resize(static_cast<std::size_t>(2 * effect.reach + 1));
    for (int k = -1; k <= 2; ++k) {
        for (int m = -radius_of(pass); m <= radius_of(pass); ++m) {
            const double tap = static_cast<double>(spline_at(spline, phase - k * factor)) * pass.unit *
                               pass.taps[static_cast<std::size_t>(m + radius_of(pass))];
            for (int i = -2 * factor; i <= 2 * factor; ++i) {
                const int offset = (k + m) * factor + i - phase;
                effect.taps.at(static_cast<std::size_t>(offset + effect.reach)) +=
                    tap * static_cast<double>(spline_at(spline, i)) * std::pow(factor, -7);
            }
        }
    }
    return effect;
}

double wanted_at(const std::vector<double>& taps, int offset) {
    const int radius = static_cast<int>(taps.size() / 2);
    return std::abs(offset) > radius ? 0 : taps[static_cast<std::size_t>(offset + radius)];
}

double difference(const Effect& effect, const std::vector<double>& wanted) {
    double sum = 0;
    const int end = std::max(effect.reach, static_cast<int>(wanted.size() / 2));
    for (int q = -end; q <= end; ++q) {
        sum += std::abs(wanted_at(effect.taps, q) - wanted_at(wanted, q));
    }
    return sum / 2;
}

double max_difference(const DecimatedFilter& made, const Pass& pass, const std::vector<double>& wanted) {
    double max = 0;
    for (int phase = 0; phase < made.factor(); ++phase) {
        max = std::max(max, difference(effect_of(made, pass, phase), wanted));
    }
    return max;
}

void expect_within_contract(const DecimatedFilter& made, const SeparableKernel& kernel, int depth) {
    EXPECT_EQ(made.depth, depth);
    EXPECT_TRUE(made.factor() == 4 || made.factor() == 8);
    EXPECT_EQ(made.inner.depth, 16);
    EXPECT_FALSE(made.inner.uniform);
    EXPECT_GE(made.decimate_rows_shift(), 0);
    for (const Pass& pass : {rows_of(made.inner), columns_of(made.inner)}) {
        EXPECT_TRUE(std::equal(pass.taps.begin(), pass.taps.end(), pass.taps.rbegin()));
        EXPECT_EQ(std::accumulate(pass.taps.begin(), pass.taps.end(), std::int64_t{0}), std::int64_t{1} << pass.scale);
        EXPECT_GE(*std::ranges::min_element(pass.taps), 0);
    }
    // Every rounding on the way, that of the inner filter's rows included; then the taps.
    const double unit = std::ldexp(1.0, depth - 16);
    const double roundings = unit / 2 * ((made.decimate_rows_shift() > 0 ? 3 : 2) + 1 + 1);
    const double bound = roundings + made.max_value() * (max_difference(made, rows_of(made.inner), kernel.rows) +
                                                         max_difference(made, columns_of(made.inner), kernel.columns));
    EXPECT_LE(bound, made.error_bound + unit / 2 + 1e-9) << "the bound is too good to be true";
    EXPECT_LT(made.error_bound, 0.9);
    // A bound that is never reached would be one that refuses too much.
    EXPECT_GE(bound, made.error_bound / 3);
}

TEST(DecimatedFilter, SplineSumsArePowersOfTwo) {
    for (const int factor : {4, 8}) {
        const std::vector<std::int32_t> spline = decimation_spline(factor);
        ASSERT_EQ(spline.size(), static_cast<std::size_t>(4 * factor - 3));
        EXPECT_TRUE(std::equal(spline.begin(), spline.end(), spline.rbegin()));
        EXPECT_EQ(std::accumulate(spline.begin(), spline.end(), 0), factor * factor * factor * factor);
        for (int phase = 0; phase < factor; ++phase) {
            std::int64_t sum = 0;
            for (int k = -1; k <= 2; ++k) {
                sum += spline_at(spline, phase - k * factor);
            }
            EXPECT_EQ(sum, factor * factor * factor) << phase;
        }
    }
}

TEST(DecimatedFilter, EverySigmaAt8BitsAndItsBound) {
    int of_4 = 0;
    int of_8 = 0;
    int split = 0;
    for (double sigma = 10.7; sigma <= 100; sigma *= 1.017) {
        for (const double pitch : {1.0, 2.0}) {
            const std::string arguments = "sigma=" + std::to_string(sigma);
            const SeparableKernel kernel = kernel_of("gaussian", arguments, pitch, pitch);
            const auto made = make_decimated_filter(one_term(kernel), 8);
            ASSERT_EQ(made.has_value(), kernel.rows.size() / 2 > 32) << arguments << ' ' << pitch;
            if (made) {
                ASSERT_NO_FATAL_FAILURE(expect_within_contract(*made, kernel, 8)) << arguments;
                ASSERT_FALSE(HasFailure()) << arguments;
                split += made->inner.arithmetic == Arithmetic::split ? 1 : 0;
                ++(made->factor() == 4 ? of_4 : of_8);
            }
        }
    }
    EXPECT_GT(of_4, 20);
    EXPECT_GT(of_8, 20);
    EXPECT_LT(split, (of_4 + of_8) / 4);
    for (int size = 67; size <= max_kernel_size; size += 2) {
        const SeparableKernel kernel = kernel_of("gaussian", std::to_string(size));
        const auto made = make_decimated_filter(one_term(kernel), 8);
        ASSERT_TRUE(made) << size;
        ASSERT_NO_FATAL_FAILURE(expect_within_contract(*made, kernel, 8)) << size;
        ASSERT_FALSE(HasFailure()) << size;
    }
}

TEST(DecimatedFilter, DeeperSamplesWhereTheBoundAllows) {
    for (int depth = 9; depth <= 16; ++depth) {
        for (double sigma = 11; sigma <= 100; sigma *= 1.1) {
            const SeparableKernel kernel = kernel_of("gaussian", "sigma=" + std::to_string(sigma));
            if (const auto made = make_decimated_filter(one_term(kernel), depth)) {
                ASSERT_NO_FATAL_FAILURE(expect_within_contract(*made, kernel, depth)) << depth << ' ' << sigma;
                ASSERT_FALSE(HasFailure()) << depth << ' ' << sigma;
            }
        }
    }
    EXPECT_TRUE(make_decimated_filter(filter_kernel_of("gaussian", "sigma=50"), 10));
    EXPECT_FALSE(make_decimated_filter(filter_kernel_of("gaussian", "sigma=50"), 16));
}

TEST(DecimatedFilter, NothingForOtherKernels) {
    EXPECT_FALSE(make_decimated_filter(filter_kernel_of("gaussian", "65"), 8)) << "small enough as it is";
    EXPECT_FALSE(make_decimated_filter(filter_kernel_of("gaussian", "sigma=50", 10, 1), 8)) << "one side of it is";
    for (const char* const size : {"67", "255", "601"}) {
        EXPECT_FALSE(make_decimated_filter(filter_kernel_of("box", size), 8)) << size;
        EXPECT_FALSE(make_decimated_filter(filter_kernel_of("box", size, 2, 1), 8)) << size;
        EXPECT_FALSE(make_decimated_filter(filter_kernel_of("motion", size), 8)) << size;
    }
    EXPECT_FALSE(make_decimated_filter(filter_kernel_of("gaussian", "101:sigma=100"), 8)) << "cut off where it is high";
    EXPECT_THROW(make_decimated_filter(filter_kernel_of("gaussian", "101"), 7), std::invalid_argument);
    EXPECT_THROW(make_decimated_filter(filter_kernel_of("gaussian", "101"), 17), std::invalid_argument);
    std::vector<double> taps(101, 0.01);
    EXPECT_THROW(make_decimated_filter(one_term({taps, taps}), 8), std::invalid_argument) << "of sum 1.01";
    // What make_operation makes of them.
    const auto kind = [](const char* name, const char* arguments) {
        return make_operation(filter_kernel_of(name, arguments), 8).index();
    };
    EXPECT_EQ(kind("gaussian", "sigma=50"), Operation(DecimatedFilter{}).index());
    EXPECT_EQ(kind("gaussian", "63"), Operation(LinearFilter{}).index());
    EXPECT_EQ(kind("box", "601"), Operation(LinearFilter{}).index());
    EXPECT_EQ(exact_kernel(make_operation(filter_kernel_of("gaussian", "sigma=50"), 8)).terms.at(0).rows.size(), 301U);
}

TEST(DecimatedFilter, WithinOneLsbForEverySigmaPatternAndBorder) {
    unsigned seed = 300;
    for (const char* const sigma : sigmas) {
        const SeparableKernel kernel = kernel_of("gaussian", sigma);
        for (const Pattern pattern : patterns) {
            for (const BorderName& border : border_names) {
                Case picture{.width = static_cast<int>(1 + seed * 7 % 61),
                             .height = static_cast<int>(1 + seed * 5 % 37)};
                picture.pattern = pattern;
                picture.border = border.border;
                picture.seed = ++seed;
                ASSERT_NO_FATAL_FAILURE(expect_near_reference(decimated_at(kernel, picture.depth), kernel, picture))
                    << sigma;
            }
        }
    }
    for (const int depth : {9, 10, 11}) {
        for (const char* const sigma : {"sigma=50", "sigma=75", "sigma=100"}) {
            if (!make_decimated_filter(filter_kernel_of("gaussian", sigma), depth)) {
                continue;
            }
            const SeparableKernel kernel = kernel_of("gaussian", sigma);
            for (const BorderName& border : border_names) {
                Case picture{.width = 43, .height = 31, .depth = depth, .border = border.border};
                picture.seed = ++seed;
                ASSERT_NO_FATAL_FAILURE(expect_near_reference(decimated_at(kernel, depth), kernel, picture)) << sigma;
            }
        }
    }
}

TEST(DecimatedFilter, TinyPicturesOfOneSide) {
    unsigned seed = 400;
    for (const char* const sigma : {"sigma=12", "sigma=60"}) {
        const SeparableKernel kernel = kernel_of("gaussian", sigma);
        for (const BorderName& border : border_names) {
            for (const auto& [width, height] : {std::pair{1, 1}, {1, 2}, {2, 1}, {1, 50}, {50, 1}, {3, 5}, {8, 8}}) {
                Case picture{.width = width, .height = height, .border = border.border, .seed = ++seed};
                ASSERT_NO_FATAL_FAILURE(expect_near_reference(decimated_at(kernel, picture.depth), kernel, picture))
                    << sigma;
            }
        }
    }
}

// Samples are at their maximum exactly where the result in the middle takes too much of them, and at 0 elsewhere.
void expect_near_at_worst(const SeparableKernel& kernel, int depth, int phase_x, int phase_y, double& closest) {
    const DecimatedFilter made = decimated_at(kernel, depth);
    const Effect along_x = effect_of(made, rows_of(made.inner), phase_x);
    const Effect along_y = effect_of(made, columns_of(made.inner), phase_y);
    const int radius = std::max({along_x.reach, along_y.reach, static_cast<int>(kernel.rows.size() / 2)});
    const int middle = (radius + 7) / 8 * 8;
    const int side = 2 * middle + 8;
    const Case picture{.width = side, .height = side, .depth = depth};
    for (const bool inverse : {false, true}) {
        Samples samples;
        double exact = 0;
        for (int y = 0; y < side; ++y) {
            for (int x = 0; x < side; ++x) {
                const int at_x = x - middle - phase_x;
                const int at_y = y - middle - phase_y;
                const double wanted = wanted_at(kernel.rows, at_x) * wanted_at(kernel.columns, at_y);
                const double taken = wanted_at(along_x.taps, at_x) * wanted_at(along_y.taps, at_y);
                const bool high = (taken > wanted) != inverse;
                samples.push_back(static_cast<std::uint16_t>(high ? made.max_value() : 0));
                exact += high ? wanted * made.max_value() : 0;
            }
        }
        const Samples result = filter(made, picture, samples, simd_targets().front());
        const int at = (middle + phase_y) * side + middle + phase_x;
        const int got = result[static_cast<std::size_t>(at)];
        ASSERT_NO_FATAL_FAILURE(expect_near(exact, got, made.error_bound)) << picture << " phase " << phase_x;
        closest = std::max(closest, std::abs(got - exact) / (0.5 + made.error_bound));
    }
}

TEST(DecimatedFilter, WithinOneLsbForTheWorstPictures) {
    double closest = 0;
    for (const char* const sigma : sigmas) {
        const SeparableKernel kernel = kernel_of("gaussian", sigma);
        for (const auto& [x, y] : {std::pair{0, 0}, {3, 3}, {1, 2}}) {
            ASSERT_NO_FATAL_FAILURE(expect_near_at_worst(kernel, 8, x, y, closest)) << sigma;
        }
    }
    for (const char* const sigma : {"sigma=50", "sigma=80"}) {
        ASSERT_NO_FATAL_FAILURE(expect_near_at_worst(kernel_of("gaussian", sigma), 10, 1, 3, closest)) << sigma;
    }
    EXPECT_GT(closest, 0.5) << "these are not the worst pictures";
}

TEST(DecimatedFilter, FlatPicturesStayFlat) {
    Variety variety(31);
    for (const Storage storage : {Storage{8, 0}, Storage{9, 0}, Storage{10, 6}}) {
        const Operation made = decimated_at(kernel_of("gaussian", "sigma=60"), storage.depth);
        const int max = (1 << storage.depth) - 1;
        for (int value = 0; value <= max; value += value < 3 || value > max - 4 ? 1 : 1 + variety.below(max / 20)) {
            for (const Border border : {Border::reflect_101, Border::reflect, Border::replicate, Border::wrap}) {
                const Case picture = variety.picture(1 + variety.below(20), 1 + variety.below(12), storage, border);
                const Samples samples(static_cast<std::size_t>(picture.samples() * picture.height),
                                      static_cast<std::uint16_t>(value));
                ASSERT_EQ(filter(made, picture, samples, "scalar"), samples) << value << ": " << picture;
            }
        }
    }
}

// A band sees as much of the decimated picture as its results need: edges at each distance from where bands meet show
// it.
TEST(DecimatedFilter, BandsMakeNoDifference) {
    for (const char* const sigma : {"sigma=10.7", "sigma=12", "sigma=36"}) {
        const Operation made = decimated_at(kernel_of("gaussian", sigma), 8);
        for (const bool turned : {false, true}) {
            for (int edge = 1; edge < 90; edge += 2) {
                Case picture{.width = 3, .height = 90, .border = Border::wrap};
                Samples samples;
                for (int y = 0; y < picture.height; ++y) {
                    const bool high = (y < edge) != turned;
                    samples.insert(samples.end(), 3, static_cast<std::uint16_t>(high ? 255 : 0));
                }
                const Samples whole = filter(made, picture, samples, "scalar");
                for (const int cut : {1, 17, 32, 44, 71}) {
                    picture.cuts = {cut, cut + 3};
                    ASSERT_EQ(filter(made, picture, samples, "scalar"), whole) << picture << " edge " << edge;
                }
            }
        }
    }
}

TEST(DecimatedFilter, InterleavedComponentsDoNotMix) {
    for (const BorderName& border : border_names) {
        const Operation made = decimated_at(kernel_of("gaussian", "sigma=20"), 8);
        for (const std::size_t step : {std::size_t{2}, std::size_t{max_step}}) {
            const Case all{.width = 35, .height = 11, .step = static_cast<int>(step), .border = border.border};
            Case one = all;
            one.step = 1;
            const Samples interleaved = make_samples(all);
            const Samples result = filter(made, all, interleaved, "scalar");
            for (std::size_t component = 0; component < step; ++component) {
                Samples alone;
                Samples part;
                for (std::size_t i = component; i < interleaved.size(); i += step) {
                    alone.push_back(interleaved[i]);
                    part.push_back(result[i]);
                }
                ASSERT_EQ(filter(made, one, alone, "scalar"), part) << all;
            }
        }
    }
}

// As for all Gaussians: see opencv_test.cpp.
TEST(DecimatedFilter, NaturalPicturesAreNearlyAlwaysEqual) {
    const Case picture{.width = 256, .height = 192};
    const Samples samples = natural_samples(picture.width, picture.height);
    double worst = 1;
    for (double sigma = 10.7; sigma <= 100; sigma *= 1.13) {
        const SeparableKernel kernel = kernel_of("gaussian", "sigma=" + std::to_string(sigma));
        const std::vector<double> exact = reference(kernel, picture, samples);
        const Samples result = filter(decimated_at(kernel, 8), picture, samples, simd_targets().front());
        std::size_t equal = 0;
        for (std::size_t i = 0; i < result.size(); ++i) {
            equal += result[i] == std::floor(exact[i] + 0.5) ? 1 : 0;
        }
        const double share = static_cast<double>(equal) / static_cast<double>(result.size());
        EXPECT_GE(share, 0.995) << sigma;
        worst = std::min(worst, share);
    }
    RecordProperty("worst_share", std::to_string(worst));
    std::cout << "worst share of equal samples: " << worst << '\n';
}

}  // namespace

}  // namespace vfilter::test
