// Bilateral filters: the contract, its witnesses, every implementation the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <random>

#include "filters/borders.h"
#include "kernels/arithmetic/reference.h"
#include "kernels/cpu/simd.h"
#include "tests/kernels/cases.h"

namespace vfilter::test {
namespace {

Bilateral bilateral_of(const char* arguments, int depth = 8, int pitch_x = 1, int pitch_y = 1) {
    const FilterDef& def = *find_filter("bilateral");
    const TargetPlane plane{.depth = depth, .pitch_x = pitch_x, .pitch_y = pitch_y};
    return std::get<Bilateral>(operation_of(parse_filter(def, arguments), plane).value());
}

TEST(Bilateral, ReachesFallWithTheDistance) {
    const Bilateral made = bilateral_of("20:size=5:space=1.5");
    // 54 (1 - r^2 / 12.96)
    EXPECT_EQ(made.coarse, 0);
    EXPECT_EQ(made.reach(0, 0), 54);
    EXPECT_EQ(made.reach(1, 0), 50);
    EXPECT_EQ(made.reach(0, -1), 50);
    EXPECT_EQ(made.reach(-1, 1), 46);
    EXPECT_EQ(made.reach(0, 2), 37);
    EXPECT_EQ(made.reach(1, 2), 0) << "outside of the circle";
    EXPECT_EQ(bilateral_of("25:size=9:space=1").reach(3, 0), 0) << "further than the straight line goes";
    EXPECT_EQ(bilateral_of("1:space=0.3").reach(0, 0), 3);
}

TEST(Bilateral, SizeAndSpaceFollowFromEachOther) {
    EXPECT_EQ(bilateral_of("25"), bilateral_of("25:size=5:space=1.25"));
    EXPECT_EQ(bilateral_of("25:size=9"), bilateral_of("25:size=9:space=2.25"));
    EXPECT_EQ(bilateral_of("25:space=2"), bilateral_of("25:size=7:space=2"));
    EXPECT_EQ(bilateral_of("25:space=0.3").radius_x, 1);
    EXPECT_EQ(bilateral_of("25:space=90").radius_x, max_bilateral_radius);
}

TEST(Bilateral, WindowsAreAsWideAsLumas) {
    const Bilateral made = bilateral_of("25:size=9:space=2", 8, 2, 1);
    EXPECT_EQ(made.radius_x, 2);
    EXPECT_EQ(made.radius_y, 4);
    EXPECT_EQ(made.reach(1, 0), made.reach(0, 2));
    EXPECT_EQ(made.reach(2, 1), 0);
    EXPECT_GT(made.reach(1, 3), 0);
}

TEST(Bilateral, LargeSigmasAreComparedByFewerBits) {
    EXPECT_EQ(bilateral_of("47").coarse, 0);
    EXPECT_EQ(bilateral_of("47").reach(0, 0), 127);
    EXPECT_EQ(bilateral_of("48").coarse, 1);
    EXPECT_EQ(bilateral_of("48").reach(0, 0), 65);
    EXPECT_EQ(bilateral_of("180").coarse, 2);
    EXPECT_EQ(bilateral_of("180").reach(0, 0), 122);
    EXPECT_EQ(bilateral_of("48", 10).shift(), 3);
}

// Reaches of 12 and 10 in a row of three: weights 12, 10 - 4 and 10 - 9 around the one in the middle.
TEST(Bilateral, IsTheMeanByWeights) {
    Bilateral row{.depth = 8, .radius_x = 1};
    row.reaches[0] = 12;
    row.reaches[1] = 10;
    const Case picture{.width = 3, .height = 1, .border = Border::replicate};
    // 100: itself 12, once more as the border 10, 104 with 6. 104: 12, 100 with 6, 95 with 1. 95: 12 and 10, 104
    // with 1.
    EXPECT_EQ(filter(row, picture, {100, 104, 95}, "scalar"),
              (Samples{(22 * 100 + 6 * 104 + 14) / 28, (12 * 104 + 600 + 95 + 9) / 19, (22 * 95 + 104 + 11) / 23}));
    // 10 bits: differences of a quarter, rounded down before they are taken.
    row.depth = 10;
    const Case deep{.width = 3, .height = 1, .depth = 10, .border = Border::replicate};
    EXPECT_EQ(filter(row, deep, {400, 403, 404}, "scalar"),
              (Samples{(22 * 400 + 10 * 403 + 16) / 32, (12 * 403 + 10 * 400 + 9 * 404 + 15) / 31,
                       (22 * 404 + 9 * 403 + 15) / 31}));
}

BilateralWindow any_bilateral_window(Variety& variety, int most) {
    return {variety.below(most), variety.below(most), 0.5 + variety.below(12), 0.5 + variety.below(12)};
}

TEST(Bilateral, OfEveryWindowIsTheScalarCodes) {
    Variety variety(83, max_step);
    for (int n = 0; n < 120; ++n) {
        const Storage storage = n % 2 == 0 ? Storage{8, 0} : variety.any(storages);
        const bool small = n % 8 != 0;
        const Case picture = variety.picture(1 + variety.below(small ? 150 : 40), 1 + variety.below(small ? 12 : 6),
                                             storage, variety.any(border_names).border);
        const double sigma = std::min(std::exp2(variety.below(9)), 199.0);
        const Bilateral made =
            make_bilateral(storage.depth, sigma, any_bilateral_window(variety, small ? 4 : max_bilateral_radius + 1));
        ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(made, picture)) << sigma << ' ' << made.radius_x;
    }
}

// Every weight at its most, and samples that are as large.
TEST(Bilateral, TheLargestSumsFit) {
    for (const Storage storage : {Storage{8, 0}, Storage{10, 6}, Storage{16, 0}}) {
        for (const double sigma : {47.0, 94.0}) {
            for (const Pattern pattern : {Pattern::maxima, Pattern::half, Pattern::checkerboard}) {
                const Case picture{.width = 40,
                                   .height = 3,
                                   .depth = storage.depth,
                                   .lsb = storage.lsb,
                                   .border = Border::wrap,
                                   .pattern = pattern};
                const int most = max_bilateral_radius;
                const Bilateral made = make_bilateral(storage.depth, sigma, {most, most, 1000, 1000});
                ASSERT_EQ(made.reach(0, 0), made.reach(most, 0));
                ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(made, picture));
                if (pattern == Pattern::maxima) {
                    const Samples samples = make_samples(picture);
                    EXPECT_EQ(filter(made, picture, samples, "scalar"), samples) << "flat pictures stay";
                }
            }
        }
    }
}

template <class T>
void expect_bilateral(const Bilateral& made, const Case& picture) {
    const Samples samples = make_samples(picture);
    std::vector<T> stored(samples.begin(), samples.end());
    const PlaneView<const T> view{stored.data(), picture.width, picture.height,
                                  picture.samples() * static_cast<std::ptrdiff_t>(sizeof(T)), picture.step};
    const std::vector<double> real = reference_operation<T>(made, view, picture.border, picture.black());
    const Samples result = filter(made, picture, samples, "scalar");
    for (std::size_t i = 0; i < real.size(); ++i) {
        ASSERT_EQ(miss(made, real[i], samples[i], result[i], 0), 0) << picture << " at " << i << ' ' << real[i];
    }
}

TEST(Bilateral, EqualsTheReference) {
    for (const BorderName& border : border_names) {
        expect_bilateral<std::uint8_t>(make_bilateral(8, 60, {2, 1, 1, 2}),
                                       {.width = 37, .height = 9, .border = border.border});
        expect_bilateral<std::uint16_t>(make_bilateral(16, 40, {1, 4, 3, 3}),
                                        {.width = 17, .height = 9, .depth = 16, .step = 3, .border = border.border});
    }
}

double decibels(const Samples& clean, const auto& made) {
    double sum = 0;
    for (std::size_t i = 0; i < clean.size(); ++i) {
        const double miss = double{1} * clean[i] - made[i];
        sum += miss * miss;
    }
    return 10 * std::log10(255 * 255 * static_cast<double>(clean.size()) / sum);
}

// Against noise as good as the Gaussian weights of OpenCV's, at the same standard deviations.
TEST(Bilateral, TakesAsMuchNoiseAsOpenCvs) {
    const Case picture{.width = 160, .height = 120};
    const Samples clean = natural_samples(picture.width, picture.height);
    for (const double noise : {6.0, 12.0}) {
        std::mt19937 bits(5);
        std::vector<std::uint8_t> stored;
        for (const int sample : clean) {
            double sum = -6;  // nearly normal, and the same everywhere
            for (int i = 0; i < 12; ++i) {
                sum += static_cast<double>(bits()) / 4294967296.0;
            }
            stored.push_back(cv::saturate_cast<std::uint8_t>(sample + noise * sum));
        }
        cv::Mat theirs;
        cv::bilateralFilter(cv::Mat(picture.height, picture.width, CV_8U, stored.data()), theirs, 5, 3 * noise, 1.25,
                            cv::BORDER_REFLECT_101);
        const Samples ours = filter(make_bilateral(8, 3 * noise, {2, 2, 1.25, 1.25}), picture,
                                    Samples(stored.begin(), stored.end()), simd_targets().front());
        const double before = decibels(clean, stored);
        const double theirs_now = decibels(clean, std::vector<int>(theirs.data, theirs.data + clean.size()));
        const double now = decibels(clean, ours);
        EXPECT_GT(now, theirs_now - 0.3) << "noise of " << noise << ", " << before << " dB before";
        EXPECT_GT(now, before + 1) << theirs_now;
    }
}

}  // namespace
}  // namespace vfilter::test
