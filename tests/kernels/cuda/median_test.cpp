// Medians on the GPU.

#include "filters/borders.h"
#include "tests/kernels/cuda/cuda_pictures.h"

namespace vfilter::test {
namespace {

using CudaMedian = Cuda;

// The networks' windows, and others.
MedianFilter any_window(Variety& variety, int depth, int largest_radius) {
    struct Radii {
        int x;
        int y;
    };
    constexpr Radii small[] = {{1, 1}, {2, 2}, {3, 3}, {1, 2}, {2, 3}};
    const Radii own = variety.any(small);
    switch (variety.below(4)) {
        case 0:
            return {depth, variety.below(largest_radius), variety.below(largest_radius), WindowShape::cross};
        case 1:
            return {depth, variety.below(largest_radius), variety.below(largest_radius)};
        default:
            return {depth, own.x, own.y};
    }
}

TEST_F(CudaMedian, EveryDepthStepWindowAndBorder) {
    Variety variety(91);
    for (int n = 0; n < 80; ++n) {
        const Storage storage = n % 2 == 0 ? Storage{8, 0} : variety.any(storages);
        const Case picture =
            variety.picture(1 + variety.below(90), 1 + variety.below(30), storage, variety.any(border_names).border);
        const MedianFilter median = any_window(variety, storage.depth, n % 4 == 0 ? 10 : 5);
        ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(median, picture)) << median.width() << 'x' << median.height();
    }
}

// Several blocks next to and above each other, and the interior of a picture, which is copied as it lies.
TEST_F(CudaMedian, WidePictures) {
    for (const int radius : {2, 6}) {
        const Case bytes{.width = 300, .height = 70, .border = Border::wrap};
        ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(MedianFilter{8, radius, radius}, bytes));
    }
    const Case words{.width = 290, .height = 17, .depth = 10, .step = 2, .lsb = 6};
    ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(MedianFilter{10, 3, 3}, words));
}

// Blocks that walk down, as there are enough of them: on devices of few multiprocessors, such as the emulator. On
// others the benches look at the bytes.
TEST_F(CudaMedian, HighPictures) {
    for (const int radius : {1, 3}) {
        const Case bytes{.width = 21, .height = 700, .border = Border::reflect};
        ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(MedianFilter{8, radius, radius}, bytes));
        const Case words{.width = 9, .height = 645, .depth = 12, .step = 2, .border = Border::constant};
        ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(MedianFilter{12, radius, radius}, words));
    }
}

// Three and four components, in one block and in several next to and above each other.
TEST_F(CudaMedian, PixelsAsTheyLie) {
    Variety variety(94);
    for (const Storage storage : {Storage{8, 0}, Storage{10, 6}, Storage{16, 0}}) {
        for (const int step : {3, 4}) {
            for (const int radius : {1, 2, 3}) {
                const MedianFilter median{storage.depth, radius, radius};
                ASSERT_TRUE(CudaFilter::takes_interleaved({median}, step));
                for (const auto& border : border_names) {
                    Case picture =
                        variety.picture(1 + variety.below(60), 1 + variety.below(40), storage, border.border);
                    picture.step = step;
                    ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(median, picture)) << median.width();
                }
                Case wide = variety.picture(270, 19, storage, Border::wrap);
                wide.step = step;
                ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(median, wide)) << median.width();
            }
        }
        Case high = variety.picture(11, 700, storage, Border::reflect);
        high.step = 3;
        ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(MedianFilter{storage.depth, 1, 1}, high));
    }
    EXPECT_THROW(CudaFilter({MedianFilter{8, 4, 4}}, Border::wrap, KernelChoice::automatic, 3), std::invalid_argument);
    EXPECT_THROW(CudaFilter({MedianFilter{8, 1, 1}, MedianFilter{8, 2, 2}}, Border::wrap, KernelChoice::automatic, 3),
                 std::invalid_argument);
}

// Histograms have kernels for single widths and heights, and for ranges of them.
TEST_F(CudaMedian, EveryKindOfHistogram) {
    struct Size {
        int width;
        int height;
    };
    std::vector<Size> sizes{{5, 11}, {11, 5}, {5, 21}, {21, 5}, {33, 9}, {9, 33}, {41, 41}, {63, 33}, {127, 35}};
    for (int size = 9; size <= 31; size += 2) {
        sizes.push_back({size, size});
    }
    Variety variety(93);
    for (const auto& [width, height] : sizes) {
        const Case picture{.width = 140 + variety.below(16),
                           .height = 5,
                           .step = 1 + variety.below(2),
                           .border = variety.any(border_names).border,
                           .seed = static_cast<unsigned>(width)};
        ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(MedianFilter{8, width / 2, height / 2}, picture))
            << width << 'x' << height;
    }
}

TEST_F(CudaMedian, OfTheWidestWindow) {
    const Case picture{.width = 9, .height = 3, .step = 2, .border = Border::constant};
    ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(MedianFilter{8, max_median_size / 2, max_median_size / 2}, picture));
}

// Windows of many sizes share a kernel, whose limit of shared memory is set when one of them is made.
TEST_F(CudaMedian, ALaterOneOfASmallerWindowLeavesItAlone) {
    constexpr int width = 64;
    constexpr int height = 40;
    constexpr int step = 2;
    constexpr std::ptrdiff_t pitch = width * step;
    const DeviceMemory memory = allocate(std::size_t{2} * pitch * height + 16);
    auto* const from = static_cast<unsigned char*>(memory.get());
    const PlaneJob job{{from, width, height, pitch, step, 0}, {from + pitch * height, width, height, pitch, step, 0}};
    const CudaFilter large({MedianFilter{8, 32, 32}}, Border::reflect_101);
    const CudaFilter small({MedianFilter{8, 16, 16}}, Border::reflect_101);
    const Stream stream;
    EXPECT_NO_THROW(large.launch({&job, 1}, stream));
    EXPECT_NO_THROW(small.launch({&job, 1}, stream));
    stream.wait();
}

TEST_F(CudaMedian, PlanesTogether) {
    Variety variety(92);
    for (const Storage storage : {Storage{8, 0}, Storage{10, 6}, Storage{16, 0}}) {
        const int depth = storage.depth;
        PlanesOfOneLaunch planes({MedianFilter{depth, 2, 2}, MedianFilter{depth, 1, 1}}, storage, Border::reflect,
                                 variety, KernelChoice::automatic);
        EXPECT_EQ(planes.launch(), 2) << "one for each window";
        planes.expect_equals_scalar();
    }
}

}  // namespace
}  // namespace vfilter::test
