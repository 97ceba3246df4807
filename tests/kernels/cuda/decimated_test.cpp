// The CUDA kernels for decimated filters, byte for byte the same as the scalar code.

#include <optional>

#include "filters/borders.h"
#include "tests/kernels/cuda/cuda_pictures.h"

namespace vfilter::test {

namespace {

using CudaDecimated = Cuda;

std::optional<DecimatedFilter> decimated_at(const char* arguments, int depth, double pitch_x = 1, double pitch_y = 1) {
    return make_decimated_filter(filter_kernel_of("gaussian", arguments, pitch_x, pitch_y), depth);
}

// Both factors; radii of the inner filter in the windows of registers and beyond, unequal ones.
TEST_F(CudaDecimated, SigmasDepthsStepsAndBorders) {
    Variety variety(61);
    std::size_t next = 0;
    for (const char* const sigma : {"sigma=11", "sigma=20", "sigma=34", "sigma=60", "sigma=100"}) {
        for (const Storage storage : {Storage{8, 0}, Storage{9, 0}, Storage{10, 0}, Storage{10, 6}}) {
            const auto made = decimated_at(sigma, storage.depth);
            for (const int step : {1, 2}) {
                if (made) {
                    Case picture = variety.picture(1 + variety.below(150), 1 + variety.below(60), storage,
                                                   border_names[next++ % border_names.size()].border);
                    picture.step = step;
                    ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(*made, picture)) << sigma;
                }
            }
        }
    }
    for (const BorderName& border : border_names) {
        for (const int step : {1, 2}) {
            Case picture = variety.picture(1 + variety.below(150), 1 + variety.below(60), {8, 0}, border.border);
            picture.step = step;
            ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(*decimated_at("sigma=20", 8), picture));
        }
    }
    const auto unequal = decimated_at("sigma=60", 8, 1, 1.7);
    ASSERT_TRUE(unequal);
    ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(*unequal, variety.picture(60, 50, {8, 0}, Border::reflect)));
}

TEST_F(CudaDecimated, TinyPictures) {
    Variety variety(62);
    for (const BorderName& border : border_names) {
        for (const char* const sigma : {"sigma=12", "sigma=50"}) {
            const auto made = decimated_at(sigma, 8);
            for (const auto& [width, height] : {std::pair{1, 1}, {2, 1}, {1, 2}, {3, 3}, {4, 9}, {7, 2}, {9, 8}}) {
                ASSERT_NO_FATAL_FAILURE(
                    expect_equals_scalar(*made, variety.picture(width, height, {8, 0}, border.border)));
            }
        }
    }
}

TEST_F(CudaDecimated, EveryRemainderOfTheWidth) {
    Variety variety(63);
    for (const char* const sigma : {"sigma=12", "sigma=40"}) {
        for (int width = 100; width <= 132; width += 3) {
            const Case picture =
                variety.picture(width, 1 + variety.below(40), {8, 0}, variety.any(border_names).border);
            ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(*decimated_at(sigma, 8), picture)) << sigma;
        }
    }
}

// Several tiles next to and below each other, and inner ones, whose samples all lie within the picture.
TEST_F(CudaDecimated, SeveralTiles) {
    Variety variety(64);
    for (const char* const sigma : {"sigma=11", "sigma=40"}) {
        for (const int step : {1, 2}) {
            Case picture = variety.picture(1300 / step, 210, {8, 0}, variety.any(border_names).border);
            picture.step = step;
            ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(*decimated_at(sigma, 8), picture)) << sigma;
        }
    }
    const Case picture = variety.picture(1100, 150, {10, 6}, Border::wrap);
    ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(*decimated_at("sigma=60", 10), picture));
}

// The sums at their largest.
TEST_F(CudaDecimated, FlatPicturesStayFlat) {
    for (const Storage storage : {Storage{8, 0}, Storage{10, 0}, Storage{11, 5}}) {
        for (const Pattern pattern : {Pattern::zeros, Pattern::maxima}) {
            const Case picture{.width = 61,
                               .height = 23,
                               .depth = storage.depth,
                               .lsb = storage.lsb,
                               .border = Border::replicate,
                               .pattern = pattern};
            const Samples samples = make_samples(picture);
            DevicePicture src(picture, 1);
            src.write(samples);
            for (const char* const size : {"255", "601"}) {
                const auto made = decimated_at(size, storage.depth);
                ASSERT_TRUE(made);
                ASSERT_NO_FATAL_FAILURE(
                    expect_equals(CudaFilter({*made}, picture.border), src, picture, samples, kernels_of(*made)));
            }
        }
    }
}

// Luma decimated by one factor and chroma by the same, by the other, or not at all; planes of any sizes in one launch;
// several streams at once, again and again.
TEST_F(CudaDecimated, PlanesOfOneLaunchOnSeveralStreams) {
    Variety variety(65);
    const auto made = [](const Kernel& kernel) { return operation_at(kernel, 8); };
    struct Pair {
        std::vector<Operation> filters;
        int kernels;
    };
    const Pair pairs[] = {
        {{made({"gaussian", "sigma=90"}), made({"gaussian", "sigma=90", 2, 2})}, 3},
        {{made({"gaussian", "sigma=40"}), made({"gaussian", "sigma=40", 2, 2})}, 6},
        {{made({"gaussian", "sigma=15"}), made({"gaussian", "sigma=15", 2, 2})}, 4},
        {{made({"sobel", ""}), made({"gaussian", "sigma=15"})}, 4},
    };
    std::vector<std::unique_ptr<PlanesOfOneLaunch>> pictures;
    for (const Pair& pair : pairs) {
        pictures.push_back(std::make_unique<PlanesOfOneLaunch>(pair.filters, Storage{8, 0}, Border::wrap, variety,
                                                               KernelChoice::automatic));
    }
    for (int again = 0; again < 3; ++again) {
        for (std::size_t i = 0; i < pictures.size(); ++i) {
            EXPECT_EQ(pictures[i]->launch(), pairs[i].kernels) << i;
        }
    }
    for (const auto& picture : pictures) {
        picture->expect_equals_scalar();
    }
}

TEST_F(CudaDecimated, TellsWhatItBorrows) {
    const Operation made = *decimated_at("sigma=20", 8);
    const Case picture{.width = 300, .height = 200, .depth = 8};
    const Samples samples = make_samples(picture);
    DevicePicture src(picture, 1);
    src.write(samples);
    const CudaFilter decimated({made}, picture.border);
    EXPECT_EQ(decimated.device_bytes(), 0U);
    ASSERT_NO_FATAL_FAILURE(expect_equals(decimated, src, picture, filter(made, picture, samples, "scalar"), 3));
    // The decimated picture at least: every fourth sample of every fourth row, two bytes each.
    EXPECT_GE(decimated.device_bytes(), 300U / 4 * 200 / 4 * 2);
}

TEST_F(CudaDecimated, NameSaysTheFactor) {
    const auto name = [](const char* sigma, double pitch = 1) {
        return CudaFilter({*decimated_at(sigma, 8, pitch, pitch)}, Border::wrap).name();
    };
    EXPECT_EQ(name("sigma=50").find("coarse grid of 8, tensor chain"), 0U) << name("sigma=50");
    EXPECT_EQ(name("sigma=50", 4).find("coarse grid of 4, tensor chain"), 0U) << name("sigma=50", 4);
}

}  // namespace

}  // namespace vfilter::test
