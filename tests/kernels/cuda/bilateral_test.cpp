// Bilateral filters on the GPU.

#include <cmath>

#include "filters/borders.h"
#include "tests/kernels/cuda/cuda_pictures.h"

namespace vfilter::test {
namespace {

using CudaBilateral = Cuda;

TEST_F(CudaBilateral, EveryDepthStepWindowAndBorder) {
    Variety variety(97);
    for (int n = 0; n < 80; ++n) {
        const Storage storage = n % 2 == 0 ? Storage{8, 0} : variety.any(storages);
        const Case picture =
            variety.picture(1 + variety.below(90), 1 + variety.below(30), storage, variety.any(border_names).border);
        const int most = n % 8 == 0 ? max_bilateral_radius + 1 : 5;
        const BilateralWindow window{variety.below(most), variety.below(most), 0.5 + variety.below(8),
                                     0.5 + variety.below(8)};
        const double sigma = std::min(std::exp2(variety.below(9)), 199.0);
        ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(make_bilateral(storage.depth, sigma, window), picture))
            << sigma << ' ' << window.radius_x << 'x' << window.radius_y;
    }
}

// Several blocks next to and above each other, and one that is copied without looking for the border.
TEST_F(CudaBilateral, WidePictures) {
    for (const int radius : {2, 4}) {
        const Case bytes{.width = 401, .height = 52, .border = Border::wrap};
        const double space = radius;
        ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(make_bilateral(8, 46, {radius, radius, space, space}), bytes));
    }
    const Case words{.width = 70, .height = 37, .depth = 10, .step = 2, .lsb = 6};
    ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(make_bilateral(10, 30, {3, 3, 2, 2}), words));
}

// Every weight at its most, samples too: sums, and what words of four carry.
TEST_F(CudaBilateral, TheLargestSums) {
    for (const Storage storage : {Storage{8, 0}, Storage{16, 0}}) {
        for (const Pattern pattern : {Pattern::maxima, Pattern::checkerboard, Pattern::half}) {
            for (const int radius : {2, 4, max_bilateral_radius}) {
                const Case picture{.width = 150, .height = 6, .depth = storage.depth, .pattern = pattern};
                const Bilateral made = make_bilateral(storage.depth, 47, {radius, radius, 1000, 1000});
                ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(made, picture)) << radius;
            }
        }
    }
}

TEST_F(CudaBilateral, PlanesTogether) {
    Variety variety(98);
    for (const Storage storage : {Storage{8, 0}, Storage{10, 6}}) {
        const int depth = storage.depth;
        PlanesOfOneLaunch alike({make_bilateral(depth, 20, {4, 4, 2, 2}), make_bilateral(depth, 30, {4, 3, 2, 1})},
                                storage, Border::reflect, variety, KernelChoice::automatic);
        EXPECT_EQ(alike.launch(), 1);
        alike.expect_equals_scalar();
    }
    PlanesOfOneLaunch two({make_bilateral(8, 20, {4, 4, 2, 2}), make_bilateral(8, 20, {2, 2, 1, 1})}, {8, 0},
                          Border::constant, variety, KernelChoice::automatic);
    EXPECT_EQ(two.launch(), 2) << "one for each radius of words";
    two.expect_equals_scalar();
}

}  // namespace
}  // namespace vfilter::test
