// Guided filters on the GPU.

#include <cmath>

#include "filters/borders.h"
#include "tests/kernels/cuda/cuda_pictures.h"

namespace vfilter::test {
namespace {

using CudaGuided = Cuda;

Guided any_guided(Variety& variety, int depth, int most) {
    const double sigma = std::min(std::exp2(variety.below(8)) / 2, max_guided_sigma);
    return make_guided(depth, sigma, variety.below(most), variety.below(most));
}

TEST_F(CudaGuided, EveryDepthStepWindowAndBorder) {
    Variety variety(188);
    for (int n = 0; n < 60; ++n) {
        const Storage storage = n % 2 == 0 ? Storage{8, 0} : variety.any(storages);
        const Case picture =
            variety.picture(1 + variety.below(130), 1 + variety.below(30), storage, variety.any(border_names).border);
        const Guided made = any_guided(variety, storage.depth, n % 4 == 0 ? max_guided_radius + 1 : 5);
        ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(made, picture)) << made.radius_x << 'x' << made.radius_y;
    }
}

TEST_F(CudaGuided, TinyPictures) {
    Variety variety(189);
    for (const Storage storage : {Storage{8, 0}, Storage{12, 4}, Storage{16, 0}}) {
        for (int width = 1; width <= 10; ++width) {
            const Case picture =
                variety.picture(width, 1 + variety.below(4), storage, variety.any(border_names).border);
            ASSERT_NO_FATAL_FAILURE(
                expect_equals_scalar(any_guided(variety, storage.depth, max_guided_radius + 1), picture));
        }
    }
}

// Strips next to each other, and more rows than the warps of a block make.
TEST_F(CudaGuided, WideAndHighPictures) {
    for (const int step : {1, 2}) {
        for (const int radius : {1, 4, 7, max_guided_radius}) {
            const Case bytes{.width = 301 / step, .height = 40, .step = step, .border = Border::wrap};
            ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(make_guided(8, 30, radius, 2), bytes)) << radius;
            const Case words{.width = 20, .height = 160, .depth = 10, .step = step, .lsb = 6};
            ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(make_guided(10, 30, 2, radius), words)) << radius;
        }
    }
}

// What 32 and 64 bits have to hold, and quotients next to whole numbers.
TEST_F(CudaGuided, TheLargestSums) {
    for (const Storage storage : {Storage{8, 0}, Storage{16, 0}}) {
        for (const Pattern pattern : {Pattern::maxima, Pattern::half, Pattern::checkerboard}) {
            for (const double sigma : {0.5, max_guided_sigma}) {
                const Case picture{
                    .width = 90, .height = 4, .depth = storage.depth, .border = Border::replicate, .pattern = pattern};
                const Guided made = make_guided(storage.depth, sigma, max_guided_radius, max_guided_radius);
                ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(made, picture)) << sigma;
            }
        }
    }
}

TEST_F(CudaGuided, PlanesTogether) {
    Variety variety(190);
    for (const Storage storage : {Storage{8, 0}, Storage{10, 6}}) {
        const int depth = storage.depth;
        PlanesOfOneLaunch two({make_guided(depth, 20, 4, 4), make_guided(depth, 30, 2, 9)}, storage, Border::constant,
                              variety, KernelChoice::automatic);
        EXPECT_EQ(two.launch(), 2);
        two.expect_equals_scalar();
    }
}

}  // namespace
}  // namespace vfilter::test
