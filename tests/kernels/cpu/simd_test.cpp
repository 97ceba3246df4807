// Every SIMD target that this processor has, byte for byte the same as the scalar code: awkward shapes, strides, bands.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <thread>

#include "filters/borders.h"
#include "kernels/cpu/simd.h"
#include "tests/kernels/cases.h"

namespace vfilter::test {

namespace {

TEST(Simd, HasTargets) {
    const auto targets = simd_targets();
    ASSERT_FALSE(targets.empty());
    for (const std::string& target : targets) {
        force_simd_target(target);
        EXPECT_EQ(simd_target(), target);
    }
    force_simd_target("");
    EXPECT_EQ(simd_target(), targets.front());
    EXPECT_THROW(force_simd_target("MMX"), std::invalid_argument);
    EXPECT_EQ(simd_target(), targets.front());
}

TEST(Simd, EveryWidthAndHeight) {
    Variety variety(11, max_step);
    for (int n = 1; n <= 67; ++n) {
        const int height = n * 29 % 67 + 1;  // 67 is prime: every height comes once
        for (const BorderName& border : border_names) {
            const Kernel& kernel = variety.any(small_kernels);
            const Case picture = variety.picture(n, height, variety.any(storages), border.border);
            ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(kernel.at(picture.depth), picture));
        }
        // Code of its own for the commonest case of all, at every width.
        for (const char* size : {"3", "5", "7"}) {
            Case picture = variety.picture(n, height, {8, 0}, variety.any(border_names).border);
            picture.step = 1;
            ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(Kernel{"gaussian", size}.at(8), picture));
        }
    }
}

TEST(Simd, EveryDepthBorderAndKernel) {
    Variety variety(12, max_step);
    for (const Storage storage : storages) {
        for (const Kernel& kernel : small_kernels) {
            const LinearFilter made = kernel.at(storage.depth);
            for (const BorderName& border : border_names) {
                const Case picture =
                    variety.picture(1 + variety.below(67), 1 + variety.below(13), storage, border.border);
                ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(made, picture));
            }
        }
    }
}

TEST(Simd, KernelsMuchLargerThanThePicture) {
    Variety variety(13, max_step);
    for (const Kernel& kernel : large_kernels) {
        for (const int depth : {8, 10, 13, 16}) {
            const LinearFilter made = kernel.at(depth);
            for (const BorderName& border : border_names) {
                const Case picture =
                    variety.picture(1 + variety.below(9), 1 + variety.below(5), {depth, 0}, border.border);
                ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(made, picture));
            }
        }
    }
}

TEST(Simd, StripsOfWidePictures) {
    Variety variety(14, max_step);
    for (const Kernel& kernel : {Kernel{"gaussian", "3"}, Kernel{"gaussian", "5"}, Kernel{"gaussian", "7"},
                                 Kernel{"gaussian", "15"}, Kernel{"gaussian", "31"}, Kernel{"box", "5"}}) {
        for (const Storage storage : {Storage{8, 0}, Storage{10, 6}}) {
            const int width = 8000 + variety.below(3000);
            const Case picture = variety.picture(width, 3, storage, variety.any(border_names).border);
            ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(kernel.at(storage.depth), picture));
        }
    }
    for (const Kernel& kernel : large_kernels) {
        for (const int depth : {8, 16}) {
            const Case picture =
                variety.picture(600 + variety.below(200), 2, {depth, 0}, variety.any(border_names).border);
            ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(kernel.at(depth), picture));
        }
    }
}

// By running sums where the processor has the means, as the columns' sums fit words: of 12 bits up to size 15.
TEST(Simd, BoxesOfDeeperSamples) {
    Variety variety(15, max_step);
    for (const char* size : {"9", "11", "15", "31", "63", "65"}) {
        for (const Storage storage : {Storage{9, 0}, Storage{10, 0}, Storage{10, 6}, Storage{12, 4}, Storage{14, 0}}) {
            const LinearFilter made = Kernel{"box", size}.at(storage.depth);
            for (const BorderName& border : border_names) {
                const Case picture =
                    variety.picture(1 + variety.below(200), 1 + variety.below(40), storage, border.border);
                ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(made, picture));
            }
        }
    }
}

// Between white and black, where the sums of int64 arithmetic are the largest: with taps of 4096 they reach 2^31.
TEST(Simd, SumsOfInt64ArithmeticOnBothSidesOf32Bits) {
    constexpr int width = 70;
    constexpr int height = 35;
    for (const Combine combine : {Combine::sum, Combine::absolute, Combine::magnitude}) {
        for (const std::int32_t tap : {1, 3, 1000, 4095, 4096, 4097, 8191, 8192, 20000, 32767}) {
            LinearFilter made = Kernel{"laplacian", ""}.at(16);
            made.arithmetic = Arithmetic::int64;
            made.terms = {{.rows = {-tap, 0, tap}, .columns = {1, 2, 1}}};
            if (combine == Combine::magnitude) {
                made.terms.push_back({.rows = {1, 2, 1}, .columns = {-tap, 0, tap}});
            }
            made.finish.combine = combine;
            made.finish.shift = 1 + static_cast<int>(std::bit_width(static_cast<unsigned>(tap)));
            made.finish.bias = combine == Combine::sum ? std::int64_t{0x7fff} << made.finish.shift : 0;
            Samples samples;
            for (int i = 0; i < width * height; ++i) {
                samples.push_back((i % width / 9 + i / width / 5) % 2 == 0 ? 0 : 0xffff);
            }
            const Case picture{.width = width, .height = height, .depth = 16};
            const Samples expected = filter(made, picture, samples, "scalar");
            for (const std::string& target : simd_targets()) {
                ASSERT_EQ(filter(made, picture, samples, target), expected) << target << ' ' << tap;
            }
        }
    }
}

// The sums over the low parts of split taps at their largest: one pass over a row or a column that is at its maximum
// where they are at least 0 and black elsewhere, so that in the middle no two of them cancel.
TEST(Simd, LargeSumsOverLowPartsAreCarried) {
    int beyond[2] = {0, 0};  // sums that 32 bits do not hold, for low parts of 8 and 10 bits
    for (const Kernel& kernel : {Kernel{"gaussian", "sigma=100"}, Kernel{"gaussian", "411"}, Kernel{"box", "601"},
                                 Kernel{"box", "593"}, Kernel{"box", "301"}}) {
        for (const int depth : {15, 16}) {
            for (const bool along_x : {true, false}) {
                LinearFilter made = kernel.at(depth);
                ASSERT_EQ(made.arithmetic, Arithmetic::split);
                const Term term = made.terms[0];
                const std::vector<std::int32_t>& taps = along_x ? term.rows : term.columns;
                const int fraction = fraction_bits(made);
                // The other pass has one tap of 1.
                (along_x ? made.terms[0].columns : made.terms[0].rows) = {1 << 20};
                (along_x ? made.finish.shift : made.terms[0].row_shift) = 20 + (along_x ? fraction : -fraction);
                const auto side = static_cast<int>(taps.size());
                const Case picture{.width = along_x ? side : 1, .height = along_x ? 1 : side, .depth = depth};
                for (const bool inverse : {false, true}) {
                    Samples samples;
                    double sum = 0;
                    for (const std::int32_t tap : taps) {
                        const std::int32_t low = low_part(tap, made.low_bits);
                        samples.push_back(static_cast<std::uint16_t>((low >= 0) != inverse ? made.max_value() : 0));
                        const int read = depth == 16 ? samples.back() - 0x8000 : samples.back();
                        const int mid = (samples.back() << fraction) - term.centre;
                        sum += double{1} * low * (along_x ? read : mid);
                    }
                    beyond[made.low_bits == 8 ? 0 : 1] += std::abs(sum) >= 0x1p31 ? 1 : 0;
                    const Samples expected = filter(made, picture, samples, "scalar");
                    for (const std::string& target : simd_targets()) {
                        ASSERT_EQ(filter(made, picture, samples, target), expected)
                            << target << ' ' << kernel.filter << ' ' << kernel.arguments << ' ' << picture;
                    }
                }
            }
        }
    }
    EXPECT_GT(beyond[0], 0);
    EXPECT_GT(beyond[1], 0);
}

TEST(Simd, LargestSizesAtEveryDepth) {
    Variety variety(16, max_step);
    for (const Kernel& kernel : largest_kernels) {
        for (int depth = 8; depth <= 16; ++depth) {
            const LinearFilter made = kernel.at(depth);
            for (const Pattern pattern : {Pattern::random, Pattern::maxima, Pattern::checkerboard}) {
                const bool plain = pattern == Pattern::maxima;
                Case picture =
                    variety.picture(plain ? 1 : 5, plain ? 1 : 3, {depth, 0}, variety.any(border_names).border);
                picture.pattern = pattern;
                ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(made, picture));
            }
        }
    }
    // Wider than the kernel, so that most of a row is read where it is.
    for (const int depth : {8, 11, 16}) {
        const Case picture =
            variety.picture(1200 + variety.below(200), 3, {depth, 0}, variety.any(border_names).border);
        ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(Kernel{"motion", "601"}.at(depth), picture));
    }
}

TEST(Simd, TallPicturesTurnTheRingOver) {
    Variety variety(15, max_step);
    for (const Kernel& kernel : small_kernels) {
        for (const int depth : {8, 12}) {
            const Case picture =
                variety.picture(1 + variety.below(40), 190 + variety.below(9), {depth, 0}, Border::reflect);
            ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(kernel.at(depth), picture));
        }
    }
}

TEST(Simd, EveryBandOfASmallPicture) {
    for (const Kernel& kernel : {Kernel{"gaussian", "5"}, Kernel{"gaussian", "9"}}) {
        for (int first = 0; first < 9; ++first) {
            for (int last = first + 1; last <= 9; ++last) {
                Case picture{.width = 33, .height = 9, .depth = 8};
                for (const int cut : {first, last}) {
                    if (cut > 0 && cut < picture.height) {
                        picture.cuts.push_back(cut);
                    }
                }
                ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(kernel.at(8), picture));
            }
        }
    }
}

// Each of the codes, at every number of components. What a step does to a row shows at its ends and where vectors and
// strips meet, so pictures are narrow and wide.
TEST(Simd, InterleavedComponents) {
    Variety variety(17);
    const auto try_at = [&](const Kernel& kernel, Storage storage) {
        const LinearFilter made = kernel.at(storage.depth);
        for (int step = 2; step <= max_step; ++step) {
            for (const BorderName& border : border_names) {
                const int width = variety.below(4) == 0 ? 500 + variety.below(900) : 1 + variety.below(67);
                Case picture = variety.picture(width, 1 + variety.below(9), storage, border.border);
                picture.step = step;
                ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(made, picture));
            }
        }
    };
    for (const Storage storage : {Storage{8, 0}, Storage{10, 6}, Storage{16, 0}}) {
        for (const Kernel& kernel : small_kernels) {
            ASSERT_NO_FATAL_FAILURE(try_at(kernel, storage));
        }
        for (const Kernel& kernel : term_kernels) {
            ASSERT_NO_FATAL_FAILURE(try_at(kernel, storage));
        }
    }
}

// The rows of a smaller term begin within those of a larger one, at an odd sample if radii and step say so.
TEST(Simd, InterleavedTermsOfUnequalRadii) {
    Variety variety(18);
    const SeparableKernel small{{0.25, 0.5, 0.25}, {1}};
    const SeparableKernel large{{0.1, 0.2, 0.4, 0.2, 0.1}, {-1}};
    const LinearFilter made = make_linear_filter({.terms = {small, large}, .bias = 0.5}, 8);
    ASSERT_EQ(made.terms.size(), 2U);
    for (int step = 1; step <= max_step; ++step) {
        for (int width = 1; width <= 70; ++width) {
            Case picture = variety.picture(width, 3, {8, 0}, variety.any(border_names).border);
            picture.step = step;
            ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(made, picture));
        }
    }
}

TEST(Simd, InterleavedComponentsDoNotMix) {
    for (const BorderName& border : border_names) {
        for (int step = 2; step <= max_step; ++step) {
            const int depth = step % 2 == 0 ? 8 : 10;
            const LinearFilter made = Kernel{"gaussian", "5"}.at(depth);
            const Case all{.width = 35, .height = 11, .depth = depth, .step = step, .border = border.border};
            Case one = all;
            one.step = 1;
            const Samples interleaved = make_samples(all);
            const auto count = static_cast<std::size_t>(step);
            std::vector<Samples> components(count);
            for (std::size_t i = 0; i < interleaved.size(); ++i) {
                components[i % count].push_back(interleaved[i]);
            }
            for (Samples& component : components) {
                component = filter(made, one, component, "scalar");
            }
            const Samples result = filter(made, all, interleaved, "scalar");
            for (std::size_t i = 0; i < result.size(); ++i) {
                ASSERT_EQ(result[i], components[i % count][i / count]) << all << " at " << i;
            }
        }
    }
}

TEST(Simd, BandsAreNeitherEmptyNorTooMany) {
    for (const Kernel& kernel : {Kernel{"gaussian", "5"}, Kernel{"gaussian", "63"}, Kernel{"gaussian", "601"}}) {
        const SimdFilter made(kernel.at(8));
        for (int threads = 1; threads <= 130; ++threads) {
            for (const int height : {1, 2, 31, 32, 67, 540, 1080, 2160, 4320}) {
                const int bands = made.bands(height, threads);
                ASSERT_GE(bands, 1);
                ASSERT_LE(bands, std::max(1, height / 32)) << height << " rows, " << threads << " threads";
                ASSERT_LE(bands, threads == 1 ? 1 : 4 * threads);
                ASSERT_GE(bands, std::clamp(height / 32, 1, threads)) << "threads without work";
            }
        }
    }
}

TEST(Simd, DecimatedFiltersAtEveryDepthAndBorder) {
    Variety variety(32, max_step);
    for (const char* const sigma :
         {"sigma=10.7", "sigma=14", "sigma=20", "sigma=35", "sigma=50", "sigma=70", "sigma=100"}) {
        for (const Storage storage : storages) {
            const auto made = make_decimated_filter(filter_kernel_of("gaussian", sigma), storage.depth);
            for (const BorderName& border : border_names) {
                if (made) {
                    const Case picture =
                        variety.picture(1 + variety.below(150), 1 + variety.below(70), storage, border.border);
                    ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(*made, picture)) << sigma;
                }
            }
        }
    }
}

TEST(Simd, DecimatedFiltersAtEveryWidth) {
    Variety variety(33, max_step);
    for (int n = 1; n <= 67; ++n) {
        for (const char* const sigma : {"sigma=12", "sigma=60"}) {
            const Case picture = variety.picture(n, n * 29 % 67 + 1, {8, 0}, variety.any(border_names).border);
            ASSERT_NO_FATAL_FAILURE(
                expect_simd_equals_scalar(*make_decimated_filter(filter_kernel_of("gaussian", sigma), 8), picture));
        }
    }
    for (const Storage storage : {Storage{8, 0}, Storage{10, 6}}) {
        const Case picture = variety.picture(5000 + variety.below(3000), 3, storage, variety.any(border_names).border);
        ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(
            *make_decimated_filter(filter_kernel_of("gaussian", "sigma=60"), storage.depth), picture));
    }
}

TEST(Simd, BandsOfDecimatedFiltersAreNeitherEmptyNorTooMany) {
    const SimdFilter made(*make_decimated_filter(filter_kernel_of("gaussian", "sigma=50"), 8));
    for (int threads = 1; threads <= 130; ++threads) {
        for (const int height : {1, 2, 31, 32, 67, 540, 1080, 2160, 4320}) {
            const int bands = made.bands(height, threads);
            ASSERT_GE(bands, 1);
            ASSERT_LE(bands, std::max(1, height / 32)) << height << " rows, " << threads << " threads";
            ASSERT_LE(bands, threads == 1 ? 1 : threads);
        }
    }
}

TEST(Simd, OneFilterServesManyThreads) {
    constexpr int side = 301;
    const SimdFilter made(Kernel{"gaussian", "9"}.at(8));
    const Samples samples = natural_samples(side, side);
    const std::vector<std::uint8_t> source(samples.begin(), samples.end());
    const PlaneView<const std::uint8_t> src{source.data(), side, side, side};
    std::vector<std::uint8_t> alone(source.size());
    made.run(src, PlaneView<std::uint8_t>{alone.data(), side, side, side}, Border::wrap, 0, 0, side);

    std::vector<std::uint8_t> together(source.size());
    const PlaneView<std::uint8_t> dst{together.data(), side, side, side};
    std::vector<std::thread> threads;
    for (const auto& [first, last] : {std::pair{0, 77}, {77, 150}, {150, 225}, {225, side}}) {
        threads.emplace_back([&, first = first, last = last] {
            for (int again = 0; again < 3; ++again) {
                made.run(src, dst, Border::wrap, 0, first, last);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(together, alone);
}

}  // namespace

}  // namespace vfilter::test
