// The CUDA kernels for smoothings, byte for byte the same as the scalar code. Without a GPU every test says that it was
// skipped.

#include "filters/borders.h"
#include "tests/kernels/cuda/cuda_pictures.h"

namespace vfilter::test {

namespace {

using CudaSmoothing = Cuda;

// Radii with a kernel of their own, and their neighbours.
constexpr const char* all_sizes[] = {"1",  "3",  "5",  "7",  "9",  "11", "13",  "15", "17", "19",
                                     "21", "23", "25", "27", "31", "33", "39",  "41", "47", "49",
                                     "61", "63", "65", "67", "95", "97", "127", "129"};

TEST_F(CudaSmoothing, EverySizeDepthAndBorder) {
    Variety variety(21);
    for (const char* const size : all_sizes) {
        for (const Storage storage : storages) {
            for (const BorderName& border : border_names) {
                const Case picture =
                    variety.picture(1 + variety.below(300), 1 + variety.below(90), storage, border.border);
                ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(Kernel{"gaussian", size}.at(storage.depth), picture));
            }
        }
    }
}

// On both sides of the stencil's largest radius.
TEST_F(CudaSmoothing, SmallSizesAtEveryDepth) {
    Variety variety(27);
    for (const Kernel& kernel : {Kernel{"gaussian", "3"}, Kernel{"gaussian", "7"}, Kernel{"gaussian", "9"},
                                 Kernel{"gaussian", "5", 2, 1}, Kernel{"box", "3"}, Kernel{"box", "7"}}) {
        for (const Storage storage : storages) {
            Case picture = variety.picture(1 + variety.below(40), 1 + variety.below(20), storage,
                                           variety.any(border_names).border);
            picture.pattern = storage.depth % 2 == 0 ? Pattern::maxima : Pattern::random;
            ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(kernel.at(storage.depth), picture));
        }
    }
}

// As large as int16 allows: row sums fit 32 bits with a sign because the intermediate is centred.
TEST_F(CudaSmoothing, LargestSumsOfInt16) {
    Variety variety(28);
    for (const std::size_t count : {3U, 9U}) {
        const auto tap = static_cast<std::int32_t>(65536 / count);
        Term term{std::vector<std::int32_t>(count, tap), std::vector<std::int32_t>(count, tap / 2), 16, 32768};
        const auto spread = static_cast<std::int32_t>(count) - 1;
        term.rows[count / 2] = 65536 - tap * spread;
        term.columns[count / 2] = 32768 - tap / 2 * spread;
        LinearFilter made;
        made.depth = 16;
        made.terms = {term};
        made.finish.shift = 15;
        for (const Pattern pattern : {Pattern::maxima, Pattern::random, Pattern::zeros}) {
            Case picture = variety.picture(50, 20, {16, 0}, Border::reflect);
            picture.pattern = pattern;
            ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(made, picture)) << count << " taps";
        }
    }
}

TEST_F(CudaSmoothing, EveryWidthAndHeight) {
    Variety variety(22);
    for (int n = 1; n <= 67; ++n) {
        const int height = n * 29 % 67 + 1;  // 67 is prime: every height comes once
        for (const BorderName& border : border_names) {
            const Kernel& kernel = variety.any(small_kernels);
            const Case picture = variety.picture(n, height, variety.any(storages), border.border);
            ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(kernel.at(picture.depth), picture));
        }
    }
}

TEST_F(CudaSmoothing, KernelsMuchLargerThanThePicture) {
    Variety variety(23);
    for (const Kernel& kernel : large_kernels) {
        for (const int depth : {8, 10, 13, 16}) {
            for (const BorderName& border : border_names) {
                const Case picture =
                    variety.picture(1 + variety.below(9), 1 + variety.below(5), {depth, 0}, border.border);
                ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(kernel.at(depth), picture));
            }
        }
    }
}

TEST_F(CudaSmoothing, LargestKernels) {
    Variety variety(26);
    for (const Kernel& kernel : largest_kernels) {
        for (int depth = 8; depth <= 16; ++depth) {
            const LinearFilter made = kernel.at(depth);
            for (const auto& [width, height] : {std::pair{1, 1}, {5, 3}, {70, 4}}) {
                const Case picture = variety.picture(width, height, {depth, 0}, variety.any(border_names).border);
                ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(made, picture));
            }
        }
    }
    // Several tiles one below the other, and inner ones.
    for (const int depth : {8, 16}) {
        const std::vector<double> one{1};
        const std::vector<double> taps = kernel_of("gaussian", "sigma=100").columns;
        for (const SeparableKernel& kernel : {SeparableKernel{taps, one}, SeparableKernel{one, taps}}) {
            const Case picture = variety.picture(740, 203, {depth, 0}, Border::reflect);
            ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(make_linear_filter(one_term(kernel), depth), picture));
        }
    }
}

TEST_F(CudaSmoothing, LargePictures) {
    Variety variety(24);
    for (const Kernel& kernel : {Kernel{"gaussian", "3"}, Kernel{"gaussian", "5"}, Kernel{"gaussian", "15"},
                                 Kernel{"gaussian", "63"}, Kernel{"box", "5"}, Kernel{"gaussian", "sigma=21"}}) {
        for (const Storage storage : {Storage{8, 0}, Storage{10, 6}, Storage{16, 0}}) {
            const Case picture = variety.picture(1000 + variety.below(200), 500 + variety.below(200), storage,
                                                 variety.any(border_names).border);
            ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(kernel.at(storage.depth), picture));
        }
    }
}

// One launch filters planes of any sizes. Streams with other taps run at the same time.
TEST_F(CudaSmoothing, PlanesOfOneLaunchOnSeveralStreams) {
    Variety variety(25);
    std::vector<std::unique_ptr<PlanesOfOneLaunch>> pictures;
    for (const Kernel& luma :
         {Kernel{"gaussian", "5"}, Kernel{"gaussian", "15"}, Kernel{"box", "9"}, Kernel{"gaussian", "75"}}) {
        const Kernel chroma{luma.filter, luma.arguments, 2, 2};
        const std::vector<Operation> filters{luma.at(8), chroma.at(8)};
        for (const KernelChoice choice : {KernelChoice::cuda_cores, KernelChoice::tensor_cores}) {
            pictures.push_back(
                std::make_unique<PlanesOfOneLaunch>(filters, Storage{8, 0}, Border::wrap, variety, choice));
        }
    }
    for (const auto& picture : pictures) {
        EXPECT_EQ(picture->launch(), 1);
    }
    for (const auto& picture : pictures) {
        picture->expect_equals_scalar();
    }
}

TEST_F(CudaSmoothing, RefusesWhatItCannotHold) {
    const LinearFilter eight = Kernel{"gaussian", "5"}.at(8);
    const LinearFilter ten = Kernel{"gaussian", "5"}.at(10);
    EXPECT_THROW(CudaFilter({}, Border::wrap), std::invalid_argument);
    EXPECT_THROW(CudaFilter({eight, ten}, Border::wrap), std::invalid_argument);
    EXPECT_THROW(CudaFilter({eight, eight, eight}, Border::wrap), std::invalid_argument);
}

}  // namespace

}  // namespace vfilter::test
