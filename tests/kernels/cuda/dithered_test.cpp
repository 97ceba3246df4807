// Dithered operations on the GPU; temporal_test.cpp has those with time.

#include <string>

#include "filters/borders.h"
#include "tests/kernels/cuda/cuda_pictures.h"

namespace vfilter::test {
namespace {

using CudaDithered = Cuda;

Operation made_dithered(const std::string& filter, const std::string& arguments, int depth) {
    return operation_of(parse_filter(*find_filter(filter), arguments + ":dither=on"), {.depth = depth}).value();
}

// Of every family that can run what is dithered: large ones are decimated.
constexpr std::pair<const char*, const char*> with_dither[] = {
    {"gaussian", "5"},
    {"gaussian", "31"},
    {"box", "9"},
    {"sobel", "scale=.3"},
    {"sharpen", "2"},
    {"log", "1:scale=4"},
    {"gaussian", "63"},
    {"pixelate", "9"},
    {"bilateral", "40"},
    {"guided", "20"},
    {"nlmeans", "10:patch=3:search=3"},
    {"gaussian", "sigma=14"},
};

TEST_F(CudaDithered, EveryFamilyDepthStepAndBorder) {
    Variety variety(191);
    for (int n = 0; n < 48; ++n) {
        const auto& [filter, arguments] = with_dither[static_cast<std::size_t>(n) % std::size(with_dither)];
        Storage storage = n % 3 == 0 ? Storage{8, 0} : variety.any(storages);
        storage = storage.depth == 16 ? Storage{15, 1} : storage;
        const Case picture =
            variety.picture(1 + variety.below(90), 1 + variety.below(40), storage, variety.any(border_names).border);
        ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(made_dithered(filter, arguments, storage.depth), picture))
            << filter << ' ' << arguments;
    }
}

TEST_F(CudaDithered, TinyPictures) {
    Variety variety(192);
    for (const Storage storage : {Storage{8, 0}, Storage{10, 6}, Storage{15, 0}}) {
        for (int width = 1; width <= 10; ++width) {
            const Case picture =
                variety.picture(width, 1 + variety.below(9), storage, variety.any(border_names).border);
            ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(made_dithered("box", "3", storage.depth), picture));
        }
    }
}

// Of a launch some planes are dithered and some not, as chroma=neutral has it.
TEST_F(CudaDithered, PlanesTogether) {
    Variety variety(193);
    for (const Storage storage : {Storage{8, 0}, Storage{10, 6}}) {
        const int depth = storage.depth;
        PlanesOfOneLaunch two({made_dithered("gaussian", "5", depth), made_dithered("gaussian", "3", depth)}, storage,
                              Border::reflect, variety, KernelChoice::automatic);
        EXPECT_EQ(two.launch(), 3);
        two.expect_equals_scalar();
        PlanesOfOneLaunch unlike({made_dithered("gaussian", "5", depth), made_dithered("bilateral", "30", depth)},
                                 storage, Border::wrap, variety, KernelChoice::automatic);
        EXPECT_EQ(unlike.launch(), 4);
        unlike.expect_equals_scalar();
        PlanesOfOneLaunch one({made_dithered("gaussian", "5", depth), Kernel{"box", "3"}.at(depth)}, storage,
                              Border::constant, variety, KernelChoice::automatic);
        EXPECT_EQ(one.launch(), 4);
        one.expect_equals_scalar();
    }
}

}  // namespace
}  // namespace vfilter::test
