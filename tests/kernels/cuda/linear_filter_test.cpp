// The CUDA kernels for all filters that are no smoothings, and for regions, byte for byte the same as the scalar code.

#include <stdexcept>

#include "filters/borders.h"
#include "kernels/cuda/blend/blender.h"
#include "tests/kernels/cuda/cuda_pictures.h"

namespace vfilter::test {

namespace {

using CudaLinearFilter = Cuda;

// Of radius 3 at most; magnitudes whose squares need many bits, that reach far beyond the range, or below it.
constexpr Kernel stencils[] = {
    {"sobel", ""},
    {"sobel", "bias=-255"},
    {"sobel", "scale=0.25:bias=255"},
    {"sobel", "scale=0.1:bias=17"},
    {"sobel", "scale=20"},
    {"sobel", "scale=100:bias=-100"},
    {"sobel", "5"},
    {"sobel", "7"},
    {"sobel", "7:scale=100"},
    {"sobel", "direction=y"},
    {"scharr", ""},
    {"prewitt", "scale=0.7"},
    {"laplacian", "bias=128"},
    {"laplacian", "8"},
    {"sharpen", "1:size=3"},
    {"sharpen", "1:size=5"},
    {"sharpen", "4:size=7:threshold=7"},
    {"dog", "0.5:scale=2"},
    {"emboss", "10:angle=77"},
    {"kernel", "0 -1 0; -1 5 -1; 0 -1 0"},
    {"kernel", "1 2 1"},
    {"kernel", "0.3; -0.1; 0.3"},
};

TEST_F(CudaLinearFilter, EveryKernelDepthAndBorder) {
    Variety variety(31);
    for (const Kernel& kernel : term_kernels) {
        for (const Storage storage : storages) {
            const LinearFilter made = kernel.at(storage.depth);
            for (const BorderName& border : border_names) {
                const Case picture =
                    variety.picture(1 + variety.below(90), 1 + variety.below(60), storage, border.border);
                ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(made, picture))
                    << kernel.filter << ' ' << kernel.arguments;
            }
        }
    }
}

TEST_F(CudaLinearFilter, EveryWidthAndHeight) {
    Variety variety(32);
    for (int n = 1; n <= 67; ++n) {
        const int height = n * 29 % 67 + 1;  // 67 is prime: every height comes once
        for (const BorderName& border : border_names) {
            for (const Kernel& kernel : {variety.any(term_kernels), variety.any(stencils), variety.any(stencils)}) {
                const Case picture = variety.picture(n, height, variety.any(storages), border.border);
                ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(kernel.at(picture.depth), picture))
                    << kernel.filter << ' ' << kernel.arguments;
            }
        }
        // The commonest cases of all, at every width.
        for (const Kernel& kernel : {Kernel{"sobel", ""}, Kernel{"sharpen", "1:size=5"}, Kernel{"laplacian", ""}}) {
            Case picture = variety.picture(n, height, {8, 0}, variety.any(border_names).border);
            picture.step = 1;
            picture.pattern = Pattern::random;
            ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(kernel.at(8), picture))
                << kernel.filter << ' ' << kernel.arguments;
        }
    }
}

TEST_F(CudaLinearFilter, StencilsAtEveryDepth) {
    Variety variety(33);
    for (const Kernel& kernel : stencils) {
        for (const Storage storage : storages) {
            for (int n = 0; n < 4; ++n) {
                const Case picture = variety.picture(200 + variety.below(300), 100 + variety.below(200), storage,
                                                     variety.any(border_names).border);
                ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(kernel.at(storage.depth), picture))
                    << kernel.filter << ' ' << kernel.arguments;
            }
        }
    }
}

// Of three and four components the samples of a window lie far apart.
TEST_F(CudaLinearFilter, StencilsOfPixels) {
    Variety variety(38);
    constexpr Kernel kernels[] = {
        {"sobel", ""},
        {"prewitt", "bias=-9"},
        {"scharr", "scale=0.3"},
        {"sobel", "direction=y:bias=99"},
        {"laplacian", "scale=0.5"},
        {"laplacian", "8"},
        {"kernel", "0 -1 0; -1 5 -1; 0 -1 0"},
        {"kernel", "1 2 3; 4 5 6; 7 8 10"},
        {"emboss", "10:angle=77"},
        {"sharpen", "1:size=3"},
        {"sharpen", "1:size=5"},
        {"sharpen", "4:size=5:threshold=7"},
        {"kernel", "0:bias=99"},
    };
    for (int n = 1; n <= 200; ++n) {
        const Kernel& kernel = variety.any(kernels);
        const Operation made = operation_at(kernel, 8);
        // At most two tiles beside each other; every second one ends with a lane's own samples.
        const int width = n % 2 == 0 ? 8 * (1 + variety.below(20)) : 1 + variety.below(170);
        Case picture = variety.picture(width, 1 + variety.below(80), {8, 0}, border_names[n % 5].border);
        picture.step = 3 + n / 2 % 2;
        picture.pattern = Pattern::random;
        const Samples samples = make_samples(picture);
        DevicePicture src(picture, 1);
        src.write(samples);
        const CudaFilter cuda_filter({made}, picture.border, KernelChoice::automatic, picture.step);
        ASSERT_TRUE(cuda_filter.name().starts_with("quick, radius")) << cuda_filter.name();
        ASSERT_NO_FATAL_FAILURE(expect_equals(cuda_filter, src, picture, filter(made, picture, samples, "scalar")))
            << kernel.filter << ' ' << kernel.arguments;
    }
}

TEST_F(CudaLinearFilter, KernelsMuchLargerThanThePicture) {
    Variety variety(34);
    for (const Kernel& kernel : large_term_kernels) {
        for (const int depth : {8, 10, 13, 16}) {
            const LinearFilter made = kernel.at(depth);
            for (const BorderName& border : border_names) {
                const Case picture =
                    variety.picture(1 + variety.below(9), 1 + variety.below(5), {depth, 0}, border.border);
                ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(made, picture))
                    << kernel.filter << ' ' << kernel.arguments;
            }
        }
    }
}

TEST_F(CudaLinearFilter, LargestKernels) {
    Variety variety(36);
    for (const Kernel& kernel : largest_term_kernels) {
        for (int depth = 8; depth <= 16; ++depth) {
            const LinearFilter made = kernel.at(depth);
            for (const auto& [width, height] : {std::pair{1, 1}, {5, 3}, {21, 4}}) {
                const Case picture = variety.picture(width, height, {depth, 0}, variety.any(border_names).border);
                ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(made, picture))
                    << kernel.filter << ' ' << kernel.arguments;
            }
        }
    }
    // Several tiles one below the other, and inner ones.
    for (const int depth : {8, 16}) {
        for (const bool along_x : {true, false}) {
            FilterKernel kernel = filter_kernel_of("sharpen", "1:sigma=100");
            SeparableKernel& term = kernel.terms.at(0);
            (along_x ? term.columns : term.rows) = {-1};
            (along_x ? term.rows : term.columns) = kernel_of("gaussian", "sigma=100").rows;
            const Case picture = variety.picture(740, 203, {depth, 0}, Border::reflect);
            ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(make_linear_filter(kernel, depth), picture));
        }
    }
}

TEST_F(CudaLinearFilter, LargePictures) {
    Variety variety(35);
    for (const Kernel& kernel :
         {Kernel{"sobel", ""}, Kernel{"sobel", "5"}, Kernel{"sharpen", "1:size=5"}, Kernel{"sharpen", "1:size=7"},
          Kernel{"emboss", ""}, Kernel{"sharpen", "1:size=31"}, Kernel{"kernel", "1 2 3; 4 5 6; 7 8 10"}}) {
        for (const Storage storage : {Storage{8, 0}, Storage{10, 6}, Storage{16, 0}}) {
            const Case picture = variety.picture(1000 + variety.below(200), 500 + variety.below(200), storage,
                                                 variety.any(border_names).border);
            ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(kernel.at(storage.depth), picture))
                << kernel.filter << ' ' << kernel.arguments;
        }
    }
}

// As many terms as a user's matrix can have: one for each of its rows.
TEST_F(CudaLinearFilter, TermsOfAMatrixOfFullRank) {
    Variety variety(36);
    std::mt19937 random(36);
    std::uniform_real_distribution<double> tap(-1, 1);
    for (const std::size_t size : {3U, 9U, 63U}) {
        FilterKernel kernel;
        for (std::size_t y = 0; y < size; ++y) {
            SeparableKernel term{std::vector<double>(size), std::vector<double>(size)};
            std::ranges::generate(term.rows, [&] { return tap(random) / static_cast<double>(size); });
            term.columns[y] = 1;
            kernel.terms.push_back(term);
        }
        kernel.gain = 0.5;
        kernel.bias = 26.0 / 256;  // whole levels, as magnitudes need
        for (const Combine combine : {Combine::sum, Combine::absolute, Combine::magnitude}) {
            if (combine == Combine::magnitude && size > 9) {
                continue;  // each of its terms is rounded to a half: so many together miss by more than 1
            }
            kernel.combine = combine;
            kernel.gain = combine == Combine::magnitude ? 0 : 0.5;
            for (const Storage storage : {Storage{8, 0}, Storage{12, 4}, Storage{16, 0}}) {
                const Case picture = variety.picture(1 + variety.below(120), 1 + variety.below(120), storage,
                                                     variety.any(border_names).border);
                ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(make_linear_filter(kernel, storage.depth), picture))
                    << size << " terms";
            }
        }
    }
}

// The two components of a gradient as what stands left and right of a sample, so that every pair of bytes comes.
TEST_F(CudaLinearFilter, EveryMagnitude) {
    for (const double factor : {0.5, 1.0, 1.5, 2.0, 3.7, 30.0, 120.0}) {
        for (const double bias : {0.0, -253.0 / 256, 51.0 / 256}) {
            const FilterKernel kernel{
                .terms = {{{factor, 0, 0}, {1}}, {{0, 0, factor}, {1}}}, .combine = Combine::magnitude, .bias = bias};
            for (const int depth : {8, 10, 14}) {
                const LinearFilter made = make_linear_filter(kernel, depth);
                const Case picture{.width = 1024, .height = 256, .depth = depth};
                Samples samples = make_samples(picture);
                for (std::size_t i = 0; depth == 8 && i < samples.size(); i += 2) {
                    samples[i] = static_cast<std::uint16_t>(i % 4 == 0 ? i / 1024 : i % 1024 / 4);
                }
                DevicePicture src(picture, 1);
                src.write(samples);
                ASSERT_NO_FATAL_FAILURE(expect_equals(CudaFilter({made}, picture.border), src, picture,
                                                      filter(made, picture, samples, "scalar")))
                    << "factor " << factor << ", bias " << bias;
            }
        }
    }
}

// The stencil knows the columns of Sobel and Prewitt, whichever of the two comes first, and no others for them.
TEST_F(CudaLinearFilter, GradientsOfAnyOrderAndSign) {
    Variety variety(38);
    for (const double middle : {2.0, 1.0, -2.0, 0.0}) {
        for (const double scale : {1.0, 0.25, 0.3, 3.0}) {
            for (const double sign : {1.0, -1.0}) {
                const std::vector<double> sum{scale, middle * scale, scale};
                const std::vector<double> difference{-sign * scale, 0, sign * scale};
                const SeparableKernel x{{-1, 0, 1}, sum};
                const SeparableKernel y{{1, middle, 1}, difference};
                const SeparableKernel uneven{{-1, 0, 1}, {scale, middle * scale, 2 * scale}};
                const SeparableKernel tilted{{1, middle, 1}, {-sign * scale, scale, sign * scale}};
                for (const auto& terms : {std::vector{x, y}, {y, x}, {y, y}, {x}, {uneven, y}, {x, tilted}}) {
                    const FilterKernel kernel{.terms = terms, .combine = Combine::magnitude};
                    const Storage storage = variety.below(2) == 0 ? Storage{8, 0} : variety.any(storages);
                    const Case picture = variety.picture(20 + variety.below(80), 5 + variety.below(15), storage,
                                                         variety.any(border_names).border);
                    ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(make_linear_filter(kernel, storage.depth), picture))
                        << middle << ' ' << scale << ' ' << sign << ' ' << terms.size();
                }
            }
        }
    }
}

// Planes with different filters, and with different numbers of terms, in one launch.
TEST_F(CudaLinearFilter, PlanesWithDifferentFilters) {
    Variety variety(37);
    const FilterKernel grey{.bias = 0.5};
    const auto kernel = [](const Kernel& of) {
        return filter_kernel_of(of.filter, of.arguments, of.pitch_x, of.pitch_y);
    };
    const std::pair<FilterKernel, FilterKernel> pairs[] = {
        {kernel({"sobel", ""}), grey},
        {grey, grey},
        {kernel({"sobel", ""}), kernel({"sobel", "5"})},
        {kernel({"sobel", ""}), kernel({"laplacian", "bias=100"})},
        {kernel({"sobel", "direction=y"}), kernel({"sharpen", "1:size=5:threshold=4"})},
        {kernel({"sharpen", "1:size=5"}), kernel({"sharpen", "1:size=5", 2, 2})},
        {kernel({"sharpen", "1:size=31"}), kernel({"emboss", ""})},
        {kernel({"kernel", "1 2 3; 4 5 6; 7 8 10"}), kernel({"sobel", "7:scale=0.1"})},
        {kernel({"gaussian", "5"}), grey},
        {kernel({"sobel", ""}), kernel({"gaussian", "65"})},
        {kernel({"gaussian", "7"}), kernel({"sharpen", "1:size=5"})},
    };
    for (const auto& [luma, chroma] : pairs) {
        for (const Storage storage : {Storage{8, 0}, Storage{10, 0}, Storage{10, 6}, Storage{16, 0}}) {
            const std::vector<Operation> filters{make_linear_filter(luma, storage.depth),
                                                 make_linear_filter(chroma, storage.depth)};
            const Border border = variety.any(border_names).border;
            for (const KernelChoice choice :
                 {KernelChoice::cuda_cores, KernelChoice::tensor_cores, KernelChoice::automatic}) {
                PlanesOfOneLaunch picture(filters, storage, border, variety, choice);
                EXPECT_EQ(picture.launch(), 1);
                picture.expect_equals_scalar();
            }
        }
    }
}

// ------------------------------------------------------------------------------------------------------ regions

// Boxes side by side, and in them runs of 0 and of 255, and what lies between.
PlaneWeights random_weights(int width, int height, Variety& variety) {
    PlaneWeights weights;
    for (int left = variety.below(3) * 5; left < width;) {
        const int right = std::min(left + 1 + variety.below(150), width);
        const int top = variety.below(height);
        const int bottom = top + 1 + variety.below(height - top);
        weights.boxes.push_back({left, top, right - left, bottom - top, weights.samples.size()});
        const std::size_t count =
            weights.samples.size() + static_cast<std::size_t>(right - left) * static_cast<std::size_t>(bottom - top);
        while (weights.samples.size() < count) {
            const int kind = variety.below(3);
            for (int run = variety.below(40); run > 0 && weights.samples.size() < count; --run) {
                weights.samples.push_back(static_cast<std::uint8_t>(kind == 0   ? 0
                                                                    : kind == 1 ? 255
                                                                                : variety.below(256)));
            }
        }
        left = right + variety.below(2) * variety.below(70);
    }
    return weights;
}

// Blends two planes of stored samples, garbage and all, as blend_rows does.
template <class T>
Samples blended(const PlaneWeights& weights, int first, int step, const Case& picture, const Samples& src,
                const Samples& dst) {
    const auto packed = [&](const Samples& samples) {
        std::vector<T> stored(samples.begin(), samples.end());
        return stored;
    };
    std::vector<T> from = packed(src);
    std::vector<T> to = packed(dst);
    const auto view = [&](std::vector<T>& of) {
        return PlaneView<T>{of.data(),      picture.width,
                            picture.height, static_cast<std::ptrdiff_t>(sizeof(T)) * picture.samples(),
                            picture.step,   picture.lsb};
    };
    blend_rows<T>(weights, first, step, view(from), view(to), 0, picture.height);
    return Samples(to.begin(), to.end());
}

TEST_F(CudaLinearFilter, RegionsEqualTheCpus) {
    Variety variety(38);
    CudaWeights on_device;  // set again and again
    for (int n = 1; n <= 200; ++n) {
        const Storage storage = variety.any(storages);
        struct Plane {
            Case picture;
            Samples expected;
            DevicePicture src;
            DevicePicture dst;
        };
        std::vector<Plane> planes;
        std::vector<PlaneWeights> weights;
        std::vector<BlendJob> jobs;
        for (int i = 0; i < 1 + n % CudaBlender::max_planes; ++i) {
            const int width = n <= 67 ? n : 1 + variety.below(400);
            Case picture = variety.picture(width, 1 + variety.below(100), storage, Border::wrap);
            const int fields = 1 + variety.below(2);
            const int field = variety.below(fields);
            weights.push_back(random_weights(picture.width, picture.height * fields, variety));
            picture.pattern = Pattern::random;
            Plane plane{picture, {}, DevicePicture(picture, 1), DevicePicture(picture, 2)};
            const Samples given = make_samples(picture);
            picture.seed += 1000;
            const Samples made = make_samples(picture);
            plane.src.write(given);
            plane.dst.write(made);
            const Samples from = plane.src.stored();
            const Samples to = plane.dst.stored();
            plane.expected = storage.depth == 8
                                 ? blended<std::uint8_t>(weights.back(), field, fields, picture, from, to)
                                 : blended<std::uint16_t>(weights.back(), field, fields, picture, from, to);
            jobs.push_back({plane.src.plane(), plane.dst.plane(), i, field, fields});
            planes.push_back(std::move(plane));
        }
        on_device.set(weights, *stream_);
        for (Plane& plane : planes) {
            plane.src.upload(*stream_);
            plane.dst.upload(*stream_);
        }
        CudaBlender::launch(on_device, jobs, storage.depth, *stream_);
        for (Plane& plane : planes) {
            plane.dst.download(*stream_);
            stream_->wait();
            plane.dst.expect_guards();
            ASSERT_EQ(plane.dst.stored(), plane.expected) << plane.picture;
        }
    }
}

}  // namespace

}  // namespace vfilter::test
