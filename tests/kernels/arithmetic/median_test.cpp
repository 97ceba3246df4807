// Medians: the contract, its witnesses, every implementation the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <span>

#include "filters/borders.h"
#include "kernels/arithmetic/reference.h"
#include "kernels/cpu/simd.h"
#include "tests/kernels/cases.h"

namespace vfilter::test {
namespace {

constexpr WindowShape shapes[] = {WindowShape::square, WindowShape::cross};

MedianFilter made_of(const char* arguments, int depth, int pitch_x = 1, int pitch_y = 1) {
    const FilterDef& def = *find_filter("median");
    const TargetPlane plane{.depth = depth, .pitch_x = pitch_x, .pitch_y = pitch_y};
    return std::get<MedianFilter>(operation_of(parse_filter(def, arguments), plane).value());
}

TEST(Median, WindowsAreOddAndAsWideAsLumas) {
    const auto radii = [](const char* arguments, int pitch_x, int pitch_y) {
        const MedianFilter median = made_of(arguments, 8, pitch_x, pitch_y);
        return std::pair{median.radius_x, median.radius_y};
    };
    EXPECT_EQ(radii("3", 1, 1), (std::pair{1, 1}));
    EXPECT_EQ(radii("3", 2, 2), (std::pair{1, 1}));
    EXPECT_EQ(radii("5", 2, 1), (std::pair{1, 2}));
    EXPECT_EQ(radii("7:shape=cross", 2, 2), (std::pair{2, 2}));
    EXPECT_EQ(radii("127", 4, 1), (std::pair{16, 63}));
    EXPECT_EQ(made_of("7", 8).count(), 49);
    EXPECT_EQ(made_of("7:shape=cross", 8).count(), 13);
    EXPECT_EQ(made_of("7:shape=cross", 8, 4, 1).count(), 9);
}

TEST(Median, IsTheSampleInTheMiddle) {
    const Case row{.width = 3, .height = 1, .border = Border::replicate};
    EXPECT_EQ(filter(MedianFilter{8, 1, 0}, row, {9, 1, 5}, "scalar"), (Samples{9, 5, 5}));
    const Case square{.width = 3, .height = 3, .border = Border::constant};
    const Samples samples{50, 60, 70, 40, 200, 80, 30, 20, 90};
    EXPECT_EQ(square.black(), 17);
    EXPECT_EQ(filter(MedianFilter{8, 1, 1}, square, samples, "scalar"), (Samples{17, 50, 17, 30, 60, 60, 17, 30, 17}));
    EXPECT_EQ(filter(MedianFilter{8, 1, 1, WindowShape::cross}, square, samples, "scalar"),
              (Samples{40, 60, 60, 40, 60, 80, 20, 30, 20}));
}

TEST(Median, EqualsOpenCv) {
    const Case picture{.width = 91, .height = 60, .border = Border::replicate};
    const Samples samples = natural_samples(picture.width, picture.height);
    std::vector<std::uint8_t> stored(samples.begin(), samples.end());
    for (const int size : {3, 5, 7, 15, 31, 127}) {
        cv::Mat theirs;
        cv::medianBlur(cv::Mat(picture.height, picture.width, CV_8U, stored.data()), theirs, size);
        const Samples ours = filter(MedianFilter{8, size / 2, size / 2}, picture, samples, simd_targets().front());
        EXPECT_TRUE(std::ranges::equal(ours, std::span(theirs.data, ours.size()))) << size;
    }
}

TEST(Median, OfEveryWindowIsTheScalarCodes) {
    Variety variety(81, max_step);
    for (int n = 0; n < 160; ++n) {
        const Storage storage = variety.any(storages);
        const bool small = n % 4 != 0;
        const Case picture = variety.picture(1 + variety.below(small ? 150 : 40), 1 + variety.below(small ? 24 : 12),
                                             storage, variety.any(border_names).border);
        const int most = small ? 5 : 20;
        const MedianFilter median{storage.depth, variety.below(most), variety.below(most), shapes[variety.below(2)]};
        ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(median, picture))
            << median.width() << 'x' << median.height() << (median.shape == WindowShape::cross ? " cross" : "");
    }
}

TEST(Median, OfTheWidestWindows) {
    for (const Storage storage : {Storage{8, 0}, Storage{10, 6}, Storage{16, 0}}) {
        for (const WindowShape shape : shapes) {
            for (const Pattern pattern : {Pattern::random, Pattern::maxima}) {
                const Case picture{.width = 21,
                                   .height = 5,
                                   .depth = storage.depth,
                                   .step = 2,
                                   .lsb = storage.lsb,
                                   .border = Border::wrap,
                                   .pattern = pattern};
                const int most = max_median_size / 2;
                ASSERT_NO_FATAL_FAILURE(
                    expect_simd_equals_scalar(MedianFilter{storage.depth, most, most, shape}, picture));
            }
        }
    }
}

template <class T>
void expect_reference(const MedianFilter& made, const Case& picture) {
    const Samples samples = make_samples(picture);
    std::vector<T> stored(samples.begin(), samples.end());
    const PlaneView<const T> view{stored.data(), picture.width, picture.height,
                                  picture.samples() * static_cast<std::ptrdiff_t>(sizeof(T)), picture.step};
    const std::vector<double> real = reference_operation<T>(made, view, picture.border, picture.black());
    const Samples result = filter(made, picture, samples, "scalar");
    EXPECT_TRUE(std::ranges::equal(real, result)) << picture;
}

TEST(Median, EqualsTheReference) {
    for (const BorderName& border : border_names) {
        for (const WindowShape shape : shapes) {
            expect_reference<std::uint8_t>({8, 2, 1, shape}, {.width = 37, .height = 9, .border = border.border});
            expect_reference<std::uint16_t>(
                {16, 1, 3, shape}, {.width = 17, .height = 9, .depth = 16, .step = 3, .border = border.border});
        }
    }
}

}  // namespace
}  // namespace vfilter::test
