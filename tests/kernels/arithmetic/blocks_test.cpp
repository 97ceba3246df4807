// Pixelation and fill: the grid of blocks, exact means, every implementation the same.

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "kernels/arithmetic/reference.h"
#include "kernels/cpu/simd.h"
#include "tests/kernels/cases.h"

namespace vfilter::test {
namespace {

Pixelation pixelation(int depth, int size, int pitch_x = 1, int pitch_y = 1, int phase_x = 0, int phase_y = 0) {
    return {depth, {size, pitch_x, phase_x % size}, {size, pitch_y, phase_y % size}};
}

// Every sample of a block has the mean of the block, from the definition: no grid, but a map from places to samples.
Samples by_definition(const Pixelation& made, const Case& picture, const Samples& samples) {
    const auto block = [](const BlockGrid& grid, int sample) { return (sample * grid.pitch + grid.phase) / grid.size; };
    std::map<std::tuple<int, int, int>, std::pair<std::uint64_t, std::uint64_t>> sums;
    const auto place = [&](std::size_t i) {
        const int x = static_cast<int>(i) % picture.samples();
        const int y = static_cast<int>(i) / picture.samples();
        return std::tuple{block(made.columns, x / picture.step), block(made.rows, y), x % picture.step};
    };
    for (std::size_t i = 0; i < samples.size(); ++i) {
        auto& [sum, count] = sums[place(i)];
        sum += samples[i];
        ++count;
    }
    Samples result;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const auto& [sum, count] = sums[place(i)];
        result.push_back(static_cast<std::uint16_t>((2 * sum + count) / (2 * count)));
    }
    return result;
}

TEST(Blocks, AreMeansRoundedHalfUp) {
    Variety variety(61, max_step);
    for (int n = 0; n < 300; ++n) {
        const Storage storage = variety.any(storages);
        const Case picture = variety.picture(1 + variety.below(90), 1 + variety.below(50), storage,
                                             n % 2 == 0 ? Border::wrap : Border::constant);
        const int size = 2 + variety.below(40);
        const Pixelation made = pixelation(storage.depth, size, 1 + variety.below(4), 1 + variety.below(4),
                                           variety.below(size), variety.below(size));
        const Samples samples = make_samples(picture);
        const Samples expected = by_definition(made, picture, samples);
        ASSERT_EQ(filter(made, picture, samples, "scalar"), expected) << "size " << size << ' ' << picture;
        ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(made, picture));
    }
    const Case pair{.width = 2, .height = 1};
    EXPECT_EQ(filter(pixelation(8, 2), pair, {0, 1}, "scalar"), (Samples{1, 1})) << "half of a step is rounded up";
}

TEST(Blocks, OfTheLargestSizeAndDepthDoNotOverflow) {
    const Case picture{.width = 1003, .height = 1001, .depth = 16, .pattern = Pattern::maxima};
    const Samples samples = make_samples(picture);
    EXPECT_EQ(filter(pixelation(16, max_block_size), picture, samples, simd_targets().front()), samples);
}

// Those of chroma cover what those of luma do, whatever the subsampling and the size.
TEST(Blocks, OfChromaCoverTheSameArea) {
    for (const int pitch : {2, 4}) {
        for (int size = 2; size < 20; ++size) {
            for (int phase = 0; phase < size; ++phase) {
                const BlockGrid luma{size, 1, phase};
                const BlockGrid chroma{size, pitch, phase};
                for (int sample = 0; sample < 50; ++sample) {
                    EXPECT_EQ(chroma.block_of(sample), luma.block_of(sample * pitch));
                    EXPECT_LE(chroma.begin(chroma.block_of(sample)), sample);
                    EXPECT_GT(chroma.begin(chroma.block_of(sample) + 1), sample);
                }
            }
        }
    }
}

TEST(Blocks, FillHasItsValueEverywhere) {
    Variety variety(62, max_step);
    for (int n = 0; n < 60; ++n) {
        const Storage storage = variety.any(storages);
        const Case picture = variety.picture(1 + variety.below(90), 1 + variety.below(20), storage, Border::reflect);
        const Fill made{storage.depth, {picture.max_value() / 3, picture.max_value(), 1, picture.max_value() / 2}};
        const Samples samples = make_samples(picture);
        for (const std::string& target : {std::string("scalar"), simd_targets().front()}) {
            const Samples result = filter(made, picture, samples, target);
            for (std::size_t i = 0; i < result.size(); ++i) {
                ASSERT_EQ(result[i], made.values.at(i % static_cast<std::size_t>(picture.step))) << picture;
            }
        }
    }
}

template <class T>
void expect_reference(const Operation& made, const Case& picture) {
    const Samples samples = make_samples(picture);
    std::vector<T> stored(samples.begin(), samples.end());
    const PlaneView<const T> view{stored.data(), picture.width, picture.height,
                                  picture.samples() * static_cast<std::ptrdiff_t>(sizeof(T)), picture.step};
    const std::vector<double> real = reference_operation<T>(made, view, picture.border, picture.black());
    const Samples result = filter(made, picture, samples, "scalar");
    for (std::size_t i = 0; i < real.size(); ++i) {
        ASSERT_EQ(miss(made, real[i], samples[i], result[i], 0), 0) << picture << " at " << i;
    }
}

TEST(Blocks, EqualTheReference) {
    for (const int step : {1, 2, max_step}) {
        for (const int size : {2, 5, 16}) {
            const Case small{.width = 37, .height = 21, .step = step};
            const Case deep{.width = 37, .height = 21, .depth = 16, .step = step};
            expect_reference<std::uint8_t>(pixelation(8, size, 2, 1, 1, 3), small);
            expect_reference<std::uint16_t>(pixelation(16, size, 1, 2), deep);
            expect_reference<std::uint16_t>(Fill{16, {1, 65535, 7, 300}}, deep);
        }
    }
}

// The results of a part, as reach_x and reach_y promise them: engines filter the part where a region is.
TEST(Operations, APartHasTheResultsOfTheWhole) {
    const Case whole{.width = 700, .height = 500};
    const Samples samples = make_samples(whole);
    const auto made = [](const char* name, const char* arguments) {
        return make_operation(filter_kernel_of(name, arguments), 8);
    };
    const Operation operations[] = {
        made("gaussian", "9"),
        made("box", "31"),
        made("gaussian", "sigma=14"),
        made("gaussian", "sigma=35"),
        made("sobel", "5:scale=0.1"),
        made("motion", "15"),
        pixelation(8, 24),
        pixelation(8, 9, 2, 2),
        pixelation(8, 24, 1, 1, 5, 7),
        Fill{8, {3, 4}},
        make_nl_means(8, 30, 5, 3),
        make_bilateral(8, 25, {3, 2, 1.5, 1}),
        Deband{.radius_x = 30, .radius_y = 20, .threshold = 90},
        make_dithered(make_linear_filter(filter_kernel_of("gaussian", "9"), 12), 8),
        make_dithered(pixelation(12, 9, 2, 2), 8),
        make_guided(8, 20, 7, 4),
        MedianFilter{8, 3, 5},
        MedianFilter{8, 12, 9},
    };
    for (const Operation& operation : operations) {
        const Samples expected = filter(operation, whole, samples, simd_targets().front());
        const Reach across = reach_x(operation);
        const Reach down = reach_y(operation);
        const int left = 216 / across.unit * across.unit;
        const int top = 144 / down.unit * down.unit;
        const int right = std::min(left + round_up(300 + across.radius, across.unit), whole.width);
        const int bottom = std::min(top + round_up(250 + down.radius, down.unit), whole.height);
        const Case part{.width = right - left, .height = bottom - top};
        Samples own;
        for (int y = top; y < bottom; ++y) {
            const auto row = samples.begin() + std::ptrdiff_t{y} * whole.width;
            own.insert(own.end(), row + left, row + right);
        }
        const Samples result = filter(operation, part, own, simd_targets().front());
        const int inner_right = right == whole.width ? part.width : part.width - across.radius;
        const int inner_bottom = bottom == whole.height ? part.height : part.height - down.radius;
        ASSERT_LT(across.radius, inner_right) << operation.index();
        for (int y = down.radius; y < inner_bottom; ++y) {
            for (int x = across.radius; x < inner_right; ++x) {
                ASSERT_EQ(result[static_cast<std::size_t>(y * part.width + x)],
                          expected[static_cast<std::size_t>((y + top) * whole.width + x + left)])
                    << operation.index() << ": " << x << ',' << y;
            }
        }
    }
}

}  // namespace
}  // namespace vfilter::test
