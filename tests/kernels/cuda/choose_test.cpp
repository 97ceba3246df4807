// The table of kernels: which one runs a filter on which device. No GPU is needed.

#include "kernels/cuda/choose.h"

#include <gtest/gtest.h>

#include "tests/kernels/cases.h"

namespace vfilter::test {

namespace {

constexpr cuda::Device turing{7, 64 * 1024};
constexpr cuda::Device ada{8, 99 * 1024};
constexpr cuda::Device hopper{9, 227 * 1024};

struct Wish {
    KernelChoice choice = KernelChoice::automatic;
    int step = 1;
};

std::string family(const std::vector<Operation>& operations, const cuda::Device& device, const Wish& wish = {}) {
    std::vector<cuda::LaunchGroup> groups = cuda::launch_groups(operations);
    EXPECT_EQ(groups.size(), 1U);
    const cuda::Request request{
        .operations = std::move(groups.at(0).operations), .step = wish.step, .choice = wish.choice};
    return std::string(cuda::choose(request, device).family);
}

std::string family(const Kernel& kernel, int depth, const cuda::Device& device, const Wish& wish = {}) {
    const FilterKernel meant = filter_kernel_of(kernel.filter, kernel.arguments, kernel.pitch_x, kernel.pitch_y);
    return family({make_operation(meant, depth)}, device, wish);
}

struct Expected {
    Kernel kernel;
    int depth;
    const char* with_tensor_cores;
    const char* without;
};

// One term and several, each finish, each arithmetic, radii on both sides of each limit.
constexpr Expected table[] = {
    {{"gaussian", "1"}, 8, "tensor_registers", "stencil"},
    {{"gaussian", "5"}, 8, "tensor_registers", "stencil"},
    {{"gaussian", "7"}, 10, "tensor_registers", "stencil"},
    {{"gaussian", "9"}, 8, "tensor_registers", "fallback"},
    {{"gaussian", "15"}, 8, "tensor_registers", "fallback"},
    {{"gaussian", "15"}, 16, "tensor_shared", "fallback"},
    {{"gaussian", "65"}, 8, "tensor_registers", "fallback"},
    {{"gaussian", "67"}, 8, "decimated", "decimated"},
    {{"gaussian", "255"}, 8, "decimated", "decimated"},
    {{"gaussian", "255"}, 16, "tensor_shared", "fallback"},
    {{"box", "7"}, 8, "tensor_registers", "stencil"},
    {{"box", "9"}, 8, "tensor_registers", "fallback"},
    {{"box", "255"}, 8, "tensor_shared", "fallback"},
    {{"sobel", ""}, 8, "stencil", "stencil"},
    {{"sobel", "7"}, 8, "stencil", "stencil"},
    {{"sobel", ""}, 16, "fallback", "fallback"},  // int64
    {{"laplacian", ""}, 8, "stencil", "stencil"},
    {{"sharpen", "1:size=5"}, 8, "stencil", "stencil"},
    {{"sharpen", "1:size=15:threshold=7"}, 8, "tensor_registers", "fallback"},
    {{"sharpen", "2:size=255:threshold=3"}, 8, "tensor_shared", "fallback"},
    {{"kernel", "1 2 3; 4 5 6; 7 8 10"}, 8, "stencil", "stencil"},
    {{"kernel", "0 0 0 0 1; 0 0 0 2 0; 0 0 3 0 0; 0 4 0 0 0; 5 0 0 0 0"}, 8, "tensor_shared", "fallback"},
    {{"kernel", "1000 -1000 1:normalise=no:bias=50"}, 8, "fallback", "fallback"},  // int64
    {{"kernel", "0:bias=99"}, 8, "stencil", "stencil"},
    {{"dog", "26"}, 8, "tensor_shared", "fallback"},
};

TEST(CudaChoice, OneRowForEachFilterAndDevice) {
    for (const Expected& row : table) {
        const auto own = [&](const cuda::Device& device, KernelChoice choice = KernelChoice::automatic) {
            return family(row.kernel, row.depth, device, {.choice = choice});
        };
        const std::string name = std::string(row.kernel.filter) + ' ' + row.kernel.arguments;
        EXPECT_EQ(own(hopper), row.with_tensor_cores) << name;
        EXPECT_EQ(own(ada), row.with_tensor_cores) << name;
        EXPECT_EQ(own(turing), row.without) << name;
        EXPECT_EQ(own(hopper, KernelChoice::cuda_cores), row.without) << name;
        EXPECT_EQ(own(turing, KernelChoice::tensor_cores), row.without) << name;
    }
}

TEST(CudaChoice, TensorCoresWhereverTheyCanIfAskedFor) {
    const auto asked = [](const Kernel& kernel, int depth) {
        return family(kernel, depth, hopper, {.choice = KernelChoice::tensor_cores});
    };
    EXPECT_EQ(asked({"sobel", ""}, 8), "tensor_shared");
    EXPECT_EQ(asked({"laplacian", ""}, 8), "tensor_registers");
    EXPECT_EQ(asked({"sobel", ""}, 16), "fallback");
}

TEST(CudaChoice, InterleavedPlanesNeedWindowsTwiceAsWide) {
    const auto row_of = [](const char* size, int step) {
        return &cuda::choose({.operations = std::vector{Kernel{"gaussian", size}.at(8)}, .step = step}, hopper);
    };
    EXPECT_EQ(row_of("9", 1), row_of("9", 2));
    EXPECT_NE(row_of("15", 1), row_of("15", 2));
    EXPECT_EQ(row_of("15", 2), row_of("31", 1));
    EXPECT_EQ(row_of("63", 2)->family, "tensor_shared");
}

// What the others make of them takes longer than planes do with the copies there and back.
TEST(CudaChoice, PixelsOfThreeAndFourComponentsAsTheyLie) {
    const auto natively = [](const Kernel& kernel, int step, int depth = 8, const cuda::Device& device = hopper) {
        return cuda::takes_interleaved({.operations = std::vector{kernel.at(depth)}, .step = step}, device);
    };
    EXPECT_TRUE(natively({"gaussian", "31"}, 3));
    EXPECT_TRUE(natively({"gaussian", "25"}, 4));
    EXPECT_FALSE(natively({"gaussian", "35"}, 3));
    EXPECT_FALSE(natively({"gaussian", "27"}, 4));
    EXPECT_TRUE(natively({"sharpen", "1:size=5"}, 3));
    EXPECT_FALSE(natively({"gaussian", "15"}, 3, 8, turing));
    for (const int step : {3, 4}) {
        EXPECT_TRUE(natively({"sobel", ""}, step, 8, turing));
        EXPECT_TRUE(natively({"sobel", ""}, step));
        EXPECT_FALSE(natively({"sobel", "5"}, step));
        EXPECT_FALSE(natively({"sobel", ""}, step, 10));
    }
    // At 16 bits planes have no faster kernel.
    EXPECT_TRUE(natively({"gaussian", "31"}, 3, 16));
    EXPECT_FALSE(natively({"gaussian", "45"}, 3, 16));
    EXPECT_FALSE(natively({"gaussian", "31"}, 3, 10));
    const auto median = [](MedianFilter filter, int step) {
        return cuda::takes_interleaved({.operations = std::vector{filter}, .step = step}, turing);
    };
    EXPECT_TRUE(median({8, 3, 3}, 3));
    EXPECT_TRUE(median({8, 1, 1}, 4));
    EXPECT_TRUE(median({16, 1, 1}, 3));
    EXPECT_FALSE(median({8, 4, 4}, 3));
    EXPECT_FALSE(median({16, 4, 4}, 3));
}

// One kernel runs all filters of a step that are not decimated.
TEST(CudaChoice, MixedFilters) {
    const auto both = [](const Kernel& luma, const Kernel& chroma, const cuda::Device& device) {
        return family({luma.at(8), chroma.at(8)}, device);
    };
    EXPECT_EQ(both({"sobel", ""}, {"sobel", "5"}, hopper), "stencil");
    EXPECT_EQ(both({"gaussian", "5"}, {"sharpen", "1:size=5"}, hopper), "tensor_registers");
    EXPECT_EQ(both({"gaussian", "5"}, {"sobel", ""}, hopper), "tensor_shared");
    EXPECT_EQ(both({"gaussian", "5"}, {"sharpen", "1:size=5"}, turing), "stencil");
    EXPECT_EQ(both({"gaussian", "5"}, {"kernel", "1000 -1000 1:normalise=no:bias=50"}, hopper), "fallback");
}

TEST(CudaChoice, SharedMemoryMustHoldTheTaps) {
    const LinearFilter large = Kernel{"gaussian", "sigma=100"}.at(16);
    EXPECT_EQ(family({large}, hopper), "tensor_shared");
    EXPECT_EQ(family({large}, {8, 48 * 1024}), "fallback");
}

TEST(CudaChoice, WhatHasARowOfItsOwn) {
    for (const cuda::Device& device : {turing, ada, hopper}) {
        EXPECT_EQ(family({Guided{}}, device), "guided");
        EXPECT_EQ(family({Deband{}}, device), "deband");
        EXPECT_EQ(family({Dithered{}}, device), "dithered");
    }
}

template <std::size_t... kinds>
void expect_rows(std::index_sequence<kinds...> /*all*/) {
    for (const cuda::Operations& operations : {cuda::Operations(std::in_place_index<kinds>, 1)...}) {
        EXPECT_NO_THROW(cuda::choose({.operations = operations}, turing)) << operations.index();
    }
}

TEST(CudaChoice, EveryKindHasARow) {
    expect_rows(std::make_index_sequence<std::variant_size_v<Operation>>());
}

// Kinds are launched apart, and of one kind what its kernels are made for.
TEST(CudaChoice, WhatIsLaunchedTogether) {
    const LinearFilter linear = Kernel{"gaussian", "5"}.at(8);
    const std::vector<cuda::LaunchGroup> groups = cuda::launch_groups(
        {linear, MedianFilter{8, 3, 3}, Fill{}, MedianFilter{8, 1, 3}, Fill{}, linear, MedianFilter{8, 3, 3}});
    std::vector<std::vector<int>> indices;
    for (const cuda::LaunchGroup& group : groups) {
        indices.push_back(group.indices);
    }
    const std::vector<std::vector<int>> expected = {{-1, 0, -1, -1, -1, -1, 1},
                                                    {-1, -1, -1, 0, -1, -1, -1},
                                                    {-1, -1, 0, -1, 1, -1, -1},
                                                    {0, -1, -1, -1, -1, 1, -1}};
    EXPECT_EQ(indices, expected);
    EXPECT_TRUE(std::holds_alternative<std::vector<LinearFilter>>(groups.back().operations));
}

TEST(CudaChoice, LastRowTakesAnyLinearFilters) {
    EXPECT_EQ(cuda::rows().back().family, "fallback");
    EXPECT_TRUE(cuda::rows().back().takes({}, turing));
}

}  // namespace

}  // namespace vfilter::test
