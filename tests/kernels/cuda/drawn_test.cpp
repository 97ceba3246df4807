// Filters with arguments from all of their ranges: CUDA has the bytes of the scalar code.

#include "tests/kernels/drawn.h"

#include "tests/kernels/cuda/cuda_pictures.h"

namespace vfilter::test {
namespace {

#ifdef VFILTER_CUDA_EMULATOR
constexpr unsigned usual_cuda_seeds = 100;
constexpr std::int64_t most_cuda_work = 20'000;
#else
constexpr unsigned usual_cuda_seeds = 2000;
constexpr std::int64_t most_cuda_work = 500'000;
#endif

using CudaDrawn = Cuda;

TEST_F(CudaDrawn, FiltersHaveTheBytesOfTheScalarCode) {
    const Seeds seeds = seeds_to_draw(usual_cuda_seeds);
    for (unsigned seed = seeds.first; seed != seeds.last; ++seed) {
        DrawnCase drawn = draw_case(seed, most_cuda_work);
        if (drawn.window.picture.step > 2 &&
            !CudaFilter::takes_interleaved({drawn.operation}, drawn.window.picture.step)) {
            drawn = draw_case(seed, most_cuda_work, 2);
        }
        ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(drawn.operation, drawn.window)) << drawn;
    }
}

}  // namespace
}  // namespace vfilter::test
