// Non-local means on the GPU.

#include <cmath>

#include "tests/kernels/cuda/cuda_pictures.h"

namespace vfilter::test {
namespace {

using CudaNlMeans = Cuda;

NlMeans any_nl_means(Variety& variety, int depth) {
    const int patch = min_nl_means_size + 2 * variety.below((max_patch_size - min_nl_means_size) / 2 + 1);
    const int search = min_nl_means_size + 2 * variety.below((max_search_size - min_nl_means_size) / 2 + 1);
    // Random samples differ so much that it takes a large sigma for a weight.
    return make_nl_means(depth, 2 * std::exp2(variety.below(7)), patch, search);
}

TEST_F(CudaNlMeans, EveryDepthStepSizeAndBorder) {
    constexpr Border all[] = {Border::reflect_101, Border::reflect, Border::replicate, Border::constant, Border::wrap};
    Variety variety(91);
#ifdef VFILTER_CUDA_EMULATOR
    constexpr int count = 10;
    constexpr int side = 40;
#else
    constexpr int count = 60;
    constexpr int side = 150;
#endif
    for (int n = 0; n < count; ++n) {
        const Storage storage = variety.any(storages);
        const Case picture = variety.picture(1 + variety.below(n % 5 == 0 ? 5 : side),
                                             1 + variety.below(n % 5 == 0 ? 5 : 80), storage, variety.any(all));
        const NlMeans made = any_nl_means(variety, storage.depth);
        ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(made, picture))
            << "patch " << made.patch << ", search " << made.search;
    }
}

TEST_F(CudaNlMeans, PlanesTogether) {
    Variety variety(92);
    for (const Storage storage : {Storage{8, 0}, Storage{10, 6}}) {
        const int depth = storage.depth;
        PlanesOfOneLaunch same({make_nl_means(depth, 40, 3, 3), make_nl_means(depth, 80, 3, 5)}, storage, Border::wrap,
                               variety, KernelChoice::automatic);
        EXPECT_EQ(same.launch(), 1);
        same.expect_equals_scalar();
    }
    PlanesOfOneLaunch two({make_nl_means(8, 40, 3, 3), make_nl_means(8, 80, 5, 3)}, {8, 0}, Border::wrap, variety,
                          KernelChoice::automatic);
    EXPECT_EQ(two.launch(), 2);
    two.expect_equals_scalar();
}

}  // namespace
}  // namespace vfilter::test
