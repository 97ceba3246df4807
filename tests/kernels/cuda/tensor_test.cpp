// The tensor-core kernels: in which form they get the taps, and that each makes the bytes of the scalar code. Few
// cases, as they are all that the emulator has time for; smoothing_test.cpp and linear_filter_test.cpp have the many.

#include <set>

#include "filters/borders.h"
#include "kernels/cuda/check.h"
#include "kernels/cuda/code/code.h"
#include "kernels/cuda/tensor/filter.h"
#include "kernels/cuda/tensor/fragments.h"
#include "tests/kernels/cuda/cuda_pictures.h"

namespace vfilter::test {

namespace {

using cuda::tensor::Band;
using cuda::tensor::FinishKind;
using cuda::tensor::Order;
using cuda::tensor::TapForm;
using CudaTensor = Cuda;

struct Row {
    Kernel kernel;
    const char* family;
    const char* family_at_16_bits;
};

// Each form of the taps, each finish, one and two terms, in windows of each radius of registers; shared memory with few
// taps, many, split ones and several terms. Most filters of 16 bits that are no smoothings are int64, which no tensor
// core can do.
constexpr Row rows[] = {
    {{"gaussian", "1"}, "tensor chain", "tensor chain"},
    {{"gaussian", "5"}, "tensor chain", "tensor chain"},
    {{"gaussian", "7"}, "tensor chain", "tensor chain"},
    {{"gaussian", "15"}, "tensor chain", "tensor tile"},
    {{"gaussian", "31"}, "tensor chain", "tensor tile"},
    {{"gaussian", "63"}, "tensor chain", "tensor tile"},
    {{"gaussian", "31", 2, 1}, "tensor chain", "tensor tile"},
    {{"gaussian", "255"}, "coarse grid of 8", "tensor tile"},
    {{"box", "9"}, "tensor chain", "tensor tile"},
    {{"box", "31"}, "tensor chain", "tensor tile"},
    {{"box", "63"}, "tensor chain", "tensor tile"},
    {{"box", "255"}, "tensor tile", "tensor tile"},
    {{"motion", "9:direction=y"}, "tensor chain", "tensor tile"},
    {{"motion", "255"}, "tensor tile", "tensor tile"},
    {{"sobel", ""}, "tensor tile", "general"},
    {{"sobel", "5:scale=0.25"}, "tensor tile", "general"},
    {{"sobel", "direction=x:scale=0.25"}, "tensor chain", "general"},
    {{"scharr", "scale=0.3:bias=-20"}, "tensor tile", "general"},
    {{"laplacian", ""}, "tensor chain", "general"},
    {{"kernel", "1; 2; -1"}, "tensor chain", "tensor chain"},
    {{"kernel", "1 2 1; 0 0 0; -1 2 3"}, "tensor chain", "general"},
    {{"kernel", "0 1 0; 1 2 1; 0 1 2"}, "tensor tile", "tensor tile"},
    {{"kernel", "0:bias=99"}, "tensor chain", "tensor chain"},
    {{"kernel", "1 2 3; 4 5 6; 7 8 10"}, "tensor tile", "general"},
    {{"sharpen", "1:size=5"}, "tensor chain", "tensor chain"},
    {{"sharpen", "1:size=15:threshold=7"}, "tensor chain", "general"},
    {{"sharpen", "1:size=31"}, "tensor chain", "general"},
    {{"sharpen", "1:size=63"}, "tensor chain", "general"},
    {{"dog", "0.7:bias=100", 2, 1}, "tensor chain", "general"},
};
constexpr Row large_rows[] = {
    {{"dog", "26"}, "tensor tile", "general"},
    {{"sharpen", "2:size=255:threshold=3"}, "tensor tile", "general"},
};
constexpr Storage row_storages[] = {{8, 0}, {10, 6}, {16, 0}};

std::string family_of(const CudaFilter& cuda_filter) {
    const std::string name = cuda_filter.name();
    return name.substr(0, name.find(','));
}

TEST_F(CudaTensor, EveryForm) {
    Variety variety(41);
    std::size_t next = 0;
    for (const Row& row : rows) {
        for (const Storage storage : row_storages) {
            const Operation made = operation_at(row.kernel, storage.depth);
            for (const int step : {1, 2}) {
                const Border border = border_names[next++ % border_names.size()].border;
                Case picture = variety.picture(1 + variety.below(300) / step, 1 + variety.below(80), storage, border);
                picture.step = step;
                const CudaFilter cuda_filter({made}, border, KernelChoice::tensor_cores);
                EXPECT_EQ(family_of(cuda_filter), storage.depth == 16 ? row.family_at_16_bits : row.family)
                    << row.kernel.filter << ' ' << row.kernel.arguments << ", " << storage.depth << " bits";
                ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(made, picture))
                    << row.kernel.filter << ' ' << row.kernel.arguments;
            }
        }
    }
}

TEST_F(CudaTensor, TinyPictures) {
    Variety variety(42);
    const auto expect = [&](const Row& row, const Case& picture) {
        const Operation made = operation_at(row.kernel, picture.depth);
        EXPECT_EQ(family_of(CudaFilter({made}, picture.border, KernelChoice::tensor_cores)),
                  picture.depth == 16 ? row.family_at_16_bits : row.family);
        ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(made, picture))
            << row.kernel.filter << ' ' << row.kernel.arguments;
    };
    for (const BorderName& border : border_names) {
        for (const Row& row : rows) {
            expect(row, variety.picture(1 + variety.below(9), 1 + variety.below(5), variety.any(row_storages),
                                        border.border));
        }
        for (const Row& row : large_rows) {
            expect(row, variety.picture(1 + variety.below(70), 1 + variety.below(5), {8, 0}, border.border));
        }
    }
}

// Several blocks of either pass, and inner ones, whose samples all lie within the picture.
TEST_F(CudaTensor, SeveralBlocks) {
    Variety variety(43);
    for (const Kernel& kernel : {Kernel{"gaussian", "5"}, Kernel{"gaussian", "15"}, Kernel{"sobel", ""},
                                 Kernel{"box", "31"}, Kernel{"kernel", "1 2 3; 4 5 6; 7 8 10"}}) {
        for (const Storage storage : {Storage{8, 0}, Storage{10, 6}}) {
            const Case picture =
                variety.picture(500 + variety.below(100), 150 + variety.below(50), storage, Border::wrap);
            ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(operation_at(kernel, storage.depth), picture))
                << kernel.filter << ' ' << kernel.arguments;
        }
    }
}

// More rows than all multiprocessors hold at once: tall strips first, then short ones.
TEST_F(CudaTensor, TallAndShortStrips) {
    Variety variety(45);
    const int max_at_once = 8 * cuda::device_attribute(cudaDevAttrMultiProcessorCount);
    const Kernel kernel{"gaussian", "15"};
    const Operation made = operation_at(kernel, 8);
    for (const Border border : {Border::reflect_101, Border::constant}) {
        const Case picture = variety.picture(40, 192 * (max_at_once + 1) + 7, {8, 0}, border);
        const Samples samples = make_samples(picture);
        DevicePicture src(picture, 1);
        src.write(samples);
        const CudaFilter cuda_filter({made}, border, KernelChoice::tensor_cores);
        EXPECT_EQ(family_of(cuda_filter), "tensor chain");
        ASSERT_NO_FATAL_FAILURE(
            expect_equals(cuda_filter, src, picture, filter(made, picture, samples, "scalar"), kernels_of(made)));
    }
}

// Components of a pixel lie far apart in a row, and in it alone: windows are wider than they are high.
TEST_F(CudaTensor, InterleavedComponents) {
    struct Window {
        Kernel kernel;
        int step;
        const char* name;
        int depth = 8;
    };
    constexpr Window windows[] = {
        {{"gaussian", "5"}, 3, "tensor chain, radius 8, 8-bit taps"},
        {{"gaussian", "9"}, 3, "tensor chain, radius 16 by 8"},
        {{"gaussian", "15"}, 3, "tensor chain, radius 24 by 8"},
        {{"gaussian", "13"}, 4, "tensor chain, radius 24 by 8"},
        {{"gaussian", "17"}, 3, "tensor chain, radius 24 by 8"},
        {{"gaussian", "17"}, 4, "tensor chain, radius 32 by 8"},
        {{"box", "5"}, 3, "tensor chain, radius 8, 8-bit taps"},
        {{"box", "11"}, 3, "tensor chain, radius 16 by 8, 8-bit taps"},
        {{"box", "15"}, 3, "tensor chain, radius 24 by 8, 8-bit taps"},
        {{"box", "15"}, 4, "tensor chain, radius 32 by 8, 8-bit taps"},
        {{"gaussian", "31"}, 3, "tensor chain, radius 48 by 16"},
        {{"gaussian", "25"}, 4, "tensor chain, radius 48 by 16"},
        {{"box", "31"}, 3, "tensor chain, radius 48 by 16, 8-bit taps"},
        {{"gaussian", "9"}, 3, "tensor chain, radius 16 by 8", 10},
        {{"gaussian", "15"}, 3, "tensor chain, radius 32 by 8", 10},
        {{"box", "5"}, 3, "tensor chain, radius 8, 8-bit taps", 10},
        {{"box", "9"}, 4, "tensor chain, radius 16 by 8, 8-bit taps", 10},
        {{"box", "15"}, 4, "tensor chain, radius 32 by 8, 8-bit taps", 10},
    };
    Variety variety(47);
    for (const Window& window : windows) {
        const Operation made = operation_at(window.kernel, window.depth);
        for (const BorderName& border : border_names) {
            // High enough for every slot of the ring to be used again.
            Case picture =
                variety.picture(1 + variety.below(160), 200 + variety.below(80), {window.depth, 0}, border.border);
            picture.step = window.step;
            const Samples samples = make_samples(picture);
            DevicePicture src(picture, 1);
            src.write(samples);
            const CudaFilter cuda_filter({made}, border.border, KernelChoice::tensor_cores, window.step);
            EXPECT_EQ(cuda_filter.name(), window.name) << window.kernel.arguments;
            ASSERT_NO_FATAL_FAILURE(expect_equals(cuda_filter, src, picture, filter(made, picture, samples, "scalar")))
                << window.kernel.filter << ' ' << window.kernel.arguments << ", step " << window.step;
        }
    }
}

// No filter of the table has a gradient as large as that.
TEST_F(CudaTensor, SharedMemoryFinishesInEveryWay) {
    Variety variety(44);
    SeparableKernel along_x = kernel_of("gaussian", "41");
    for (std::size_t i = 0; i < along_x.rows.size(); ++i) {
        along_x.rows[i] *= 0.2 * (static_cast<double>(i) - 20);
    }
    const SeparableKernel along_y{along_x.columns, along_x.rows};
    for (const Combine combine : {Combine::sum, Combine::absolute, Combine::magnitude}) {
        const FilterKernel kernel{.terms = {along_x, along_y}, .combine = combine, .bias = 26.0 / 256};
        for (const int depth : {8, 10}) {
            const Operation made = make_operation(kernel, depth);
            const Case picture = variety.picture(1 + variety.below(200), 1 + variety.below(70), {depth, 0},
                                                 variety.any(border_names).border);
            EXPECT_EQ(family_of(CudaFilter({made}, picture.border)), "tensor tile");
            ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(made, picture));
        }
    }
}

// ------------------------------------------------------------------------------------------------- taps for them

TEST(TensorFilter, FormIsTheSmallestThatHolds) {
    const auto form = [](const Kernel& kernel) { return cuda::tensor::form_of(kernel.at(8)); };
    EXPECT_EQ(form({"gaussian", "5"}), TapForm::exact_byte);
    EXPECT_EQ(form({"kernel", "1; 2; -1"}), TapForm::exact_byte);
    EXPECT_EQ(form({"sobel", "5:scale=0.25"}), TapForm::exact_byte);
    EXPECT_EQ(form({"kernel", "1 2 1; 0 0 0; -1 2 3"}), TapForm::exact_byte);
    EXPECT_EQ(form({"sharpen", "1:size=5"}), TapForm::exact_byte);
    EXPECT_EQ(form({"box", "31"}), TapForm::byte);
    EXPECT_EQ(form({"sobel", ""}), TapForm::byte);
    EXPECT_EQ(form({"gaussian", "15"}), TapForm::bytes);
    EXPECT_EQ(form({"sharpen", "0.8"}), TapForm::bytes);
}

TEST(TensorFilter, AlignedResultsAreBytesOfTheSums) {
    for (const char* const arguments : {"3", "5", "9", "15", "31", "63", "sigma=2"}) {
        const LinearFilter filter = Kernel{"gaussian", arguments}.at(8);
        const TapForm form = cuda::tensor::form_of(filter);
        ASSERT_TRUE(cuda::tensor::aligns(filter, form)) << arguments;
        const cuda::tensor::TensorFilter plain = cuda::tensor::make_filter(filter, form);
        const cuda::tensor::TensorFilter aligned = cuda::tensor::make_filter(filter, form, FinishKind::aligned);
        const int up = aligned.finish.shift - plain.finish.shift;
        EXPECT_EQ(aligned.finish.shift % 8, 0) << arguments;
        EXPECT_GE(up, 0) << arguments;
        EXPECT_EQ(aligned.terms[0].rows, plain.terms[0].rows) << arguments;
        EXPECT_EQ(aligned.terms[0].numbers.start, plain.terms[0].numbers.start << up) << arguments;
        for (std::size_t i = 0; i < plain.terms[0].columns.size(); ++i) {
            EXPECT_EQ(aligned.terms[0].columns[i], plain.terms[0].columns[i] * (1 << up)) << arguments;
        }
    }
    const auto aligns = [](const Kernel& kernel, int depth, TapForm form) {
        return cuda::tensor::aligns(kernel.at(depth), form);
    };
    EXPECT_FALSE(aligns({"gaussian", "15"}, 10, TapForm::bytes));
    EXPECT_FALSE(aligns({"gaussian", "sigma=0.5"}, 8, TapForm::bytes));  // twice its largest tap is no int16_t
    EXPECT_FALSE(aligns({"gaussian", "7"}, 8, TapForm::exact_byte));
    EXPECT_FALSE(aligns({"sharpen", "1:size=5"}, 8, TapForm::bytes));  // results are out of range
}

TEST(TensorFilter, SplitTapsAreTheirParts) {
    std::mt19937 random(46);
    for (const int low_bits : {0, 8, 10}) {
        std::vector<std::int32_t> taps{0, 127, 128, -128, -129, 511, 512, -512, -513};
        std::ranges::generate_n(std::back_inserter(taps), 1000,
                                [&] { return static_cast<std::int32_t>(random() % (1U << 24)) - (1 << 23); });
        for (const std::int32_t tap : taps) {
            const std::int32_t low = low_part(tap, low_bits);
            ASSERT_EQ(high_part(tap, low_bits) * (1 << low_bits) + low, tap) << low_bits;
            ASSERT_LE(2 * low, (1 << low_bits) - 1) << low_bits;
            ASSERT_GE(2 * low, -(1 << low_bits)) << low_bits;
        }
    }
}

// One product of the tensor cores: where an instruction for 16 x 8 x 32 bytes wants an element of A.
int element_of(const std::vector<std::uint32_t>& words, int step, int m, int slot) {
    const int lane = m % 8 * 4 + slot % 16 / 4;
    const int number = m / 8 + slot / 16 * 2;
    return static_cast<int>(words.at(static_cast<std::size_t>((step * 32 + lane) * 4 + number)) >> (slot % 4 * 8)) &
           0xff;
}

int as_signed(int byte) {
    return byte < 128 ? byte : byte - 256;
}

void expect_products_are_the_filter(const std::vector<std::int32_t>& taps, const Band& band, std::mt19937& random) {
    const auto steps = static_cast<int>((band.places + 31) / 32);
    std::vector<int> samples(static_cast<std::size_t>(32 * steps));
    std::ranges::generate(samples, [&] { return static_cast<int>(random() % 1000); });
    const auto low = cuda::tensor::band_fragments(taps, 0, band);
    const auto high = cuda::tensor::band_fragments(taps, 1, band);
    const auto own = cuda::tensor::band_fragments(taps, -1, band);
    ASSERT_EQ(low.size(), static_cast<std::size_t>(steps) * 128);
    const int radius = static_cast<int>(taps.size() / 2);
    for (int m = 0; m < 16; ++m) {
        int two_bytes = 0;
        int one_byte = 0;
        for (int i = 0; i < 32 * steps; ++i) {
            const int place = i / 32 * 32 + cuda::tensor::place_of(band.order, i % 32);
            const int sample = samples.at(static_cast<std::size_t>(place));
            two_bytes +=
                (256 * as_signed(element_of(high, i / 32, m, i % 32)) + element_of(low, i / 32, m, i % 32)) * sample;
            one_byte += as_signed(element_of(own, i / 32, m, i % 32)) * sample;
        }
        int expected = 0;
        int expected_of_one = 0;
        for (int j = -radius; j <= radius; ++j) {
            const int result = band.results_permuted ? cuda::tensor::result_of(m) : m;
            const int sample = samples.at(static_cast<std::size_t>(band.halo + result + j * band.spacing));
            const std::int32_t tap = taps[static_cast<std::size_t>(radius + j)];
            expected += tap * sample;
            expected_of_one += as_signed(tap & 0xff) * sample;
        }
        EXPECT_EQ(two_bytes, expected) << "result " << m << ", radius " << radius << ", spacing " << band.spacing;
        EXPECT_EQ(one_byte, expected_of_one) << "result " << m << ", radius " << radius << ", spacing " << band.spacing;
    }
}

TEST(TensorFilter, BandHasEachTapOnce) {
    std::mt19937 random(47);
    for (const int radius : {0, 1, 3, 8, 16, 40}) {
        std::vector<std::int32_t> taps(static_cast<std::size_t>(2 * radius + 1));
        std::ranges::generate(taps, [&] { return static_cast<std::int32_t>(random() % 65536) - 32768; });
        for (const Order order : {Order::natural, Order::eights, Order::halves}) {
            for (const int spacing : {1, 2}) {
                for (const bool permuted : {false, true}) {
                    const int halo = radius * spacing + static_cast<int>(random() % 9);
                    const int needed = halo + radius * spacing + 16;
                    const Band band{halo, spacing, (needed + 15) / 16 * 16, order, permuted};
                    ASSERT_NO_FATAL_FAILURE(expect_products_are_the_filter(taps, band, random));
                }
            }
        }
    }
}

TEST(TensorFilter, OrdersArePermutations) {
    for (const Order order : {Order::natural, Order::eights, Order::halves}) {
        std::set<int> places;
        for (int slot = 0; slot < 32; ++slot) {
            places.insert(cuda::tensor::place_of(order, slot));
        }
        EXPECT_EQ(places.size(), 32U);
        EXPECT_EQ(*places.begin(), 0);
        EXPECT_EQ(*places.rbegin(), 31);
    }
}

}  // namespace

// Where the program was compiled for this GPU, it is asked for kernels that were.
TEST_F(CudaTensor, CodeIsThatOfTheDevice) {
    constexpr int newest = 9;
    EXPECT_GE(cuda::code_capability(), std::min(newest, cuda::device_attribute(cudaDevAttrComputeCapabilityMajor)));
}

}  // namespace vfilter::test
