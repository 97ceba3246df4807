// Debanding on the GPU.

#include "filters/borders.h"
#include "tests/kernels/cuda/cuda_pictures.h"

namespace vfilter::test {
namespace {

using CudaDeband = Cuda;

Deband any_deband(Variety& variety, const Case& picture, int most) {
    // Random samples are alike where the threshold is large.
    return {picture.depth,         variety.below(most),  variety.below(most), picture.max_value() >> variety.below(4),
            variety.below(2) == 0, variety.below(2) == 0};
}

// Higher and wider than what the places depend on, too.
TEST_F(CudaDeband, EveryDepthStepRangeAndBorder) {
    Variety variety(185);
    for (int n = 0; n < 80; ++n) {
        const Storage storage = n % 2 == 0 ? Storage{8, 0} : variety.any(storages);
        const Case picture =
            variety.picture(1 + variety.below(n % 5 == 0 ? 330 : 90), 1 + variety.below(n % 5 == 1 ? 150 : 20), storage,
                            variety.any(border_names).border);
        const Deband made = any_deband(variety, picture, n % 4 == 0 ? max_deband_radius + 1 : 9);
        ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(made, picture)) << made.radius_x << 'x' << made.radius_y;
    }
}

TEST_F(CudaDeband, TinyPictures) {
    Variety variety(186);
    for (const Storage storage : {Storage{8, 0}, Storage{10, 6}, Storage{16, 0}}) {
        for (int width = 1; width <= 10; ++width) {
            const Case picture =
                variety.picture(width, 1 + variety.below(4), storage, variety.any(border_names).border);
            ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(any_deband(variety, picture, 20), picture));
        }
    }
}

TEST_F(CudaDeband, PlanesTogether) {
    Variety variety(187);
    for (const Storage storage : {Storage{8, 0}, Storage{10, 6}}) {
        const int most = (1 << storage.depth) - 1;
        PlanesOfOneLaunch two(
            {Deband{storage.depth, 16, 16, most / 2, false, true}, Deband{storage.depth, 9, 5, most / 8, true, false}},
            storage, Border::reflect, variety, KernelChoice::automatic);
        EXPECT_EQ(two.launch(), 1);
        two.expect_equals_scalar();
    }
}

}  // namespace
}  // namespace vfilter::test
