// Pixelation and fill on the GPU.

#include "tests/kernels/cuda/cuda_pictures.h"

namespace vfilter::test {
namespace {

using CudaBlocks = Cuda;

TEST_F(CudaBlocks, EveryDepthStepSizeAndPhase) {
    Variety variety(71);
    for (int n = 0; n < 60; ++n) {
        const Storage storage = variety.any(storages);
        const Case picture = variety.picture(1 + variety.below(max_width_of_planes),
                                             1 + variety.below(max_height_of_planes), storage, Border::constant);
        const int size = 2 + variety.below(n % 2 == 0 ? 12 : 80);
        const auto grid = [&] {
            return BlockGrid{size, 1 << variety.below(3), variety.below(2) * variety.below(size)};
        };
        const Pixelation pixelation{storage.depth, grid(), grid()};
        ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(pixelation, picture)) << "size " << size;
        const Fill fill{storage.depth, {variety.below(picture.max_value() + 1), picture.max_value()}};
        ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(fill, picture));
    }
}

TEST_F(CudaBlocks, PlanesTogether) {
    Variety variety(72);
    for (const Storage storage : {Storage{8, 0}, Storage{10, 6}, Storage{16, 0}}) {
        const int depth = storage.depth;
        PlanesOfOneLaunch blocks({Pixelation{depth, {24}, {24}}, Pixelation{depth, {24, 2}, {24, 2}}}, storage,
                                 Border::wrap, variety, KernelChoice::automatic);
        EXPECT_EQ(blocks.launch(), 1);
        blocks.expect_equals_scalar();
        PlanesOfOneLaunch fills({Fill{depth, {1, 2}}, Fill{depth, {3, 4}}, Fill{depth, {5, 6}}}, storage, Border::wrap,
                                variety, KernelChoice::automatic);
        EXPECT_EQ(fills.launch(), 1);
        fills.expect_equals_scalar();
    }
}

}  // namespace
}  // namespace vfilter::test
