// Filters of deep samples that have code of their own: every SIMD target the same bytes as the scalar code.

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>

#include "filters/borders.h"
#include "tests/kernels/cases.h"

namespace vfilter::test {

namespace {

// By sums of 32 bits: of as many sizes as there are kinds of them, of which some are rounded means, some have a middle.
TEST(DeepSamples, BoxesOfEverySize) {
    Variety variety(19, max_step);
    const auto try_at = [&](const Kernel& kernel, Storage storage) {
        const Case picture =
            variety.picture(1 + variety.below(150), 1 + variety.below(40), storage, variety.any(border_names).border);
        ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(kernel.at(storage.depth), picture))
            << kernel.filter << ' ' << kernel.arguments;
    };
    for (int size = 3; size <= 257; size += size < 65 ? 2 : 12) {
        const std::string side = std::to_string(size);
        for (const Storage storage : storages) {
            if (storage.depth > 8) {
                ASSERT_NO_FATAL_FAILURE(try_at({"box", side.c_str()}, storage));
            }
        }
        const std::string down = side + ":direction=y";
        for (const Kernel& kernel : {Kernel{"box", side.c_str(), 2, 1}, Kernel{"box", side.c_str(), 1, 2},
                                     Kernel{"motion", side.c_str()}, Kernel{"motion", down.c_str()}}) {
            ASSERT_NO_FATAL_FAILURE(try_at(kernel, {16, 0}));
            ASSERT_NO_FATAL_FAILURE(try_at(kernel, variety.any(storages)));
        }
    }
}

TEST(DeepSamples, BoxesInStripsAndAtEveryBorder) {
    Variety variety(20, max_step);
    for (const char* size : {"3", "5", "15", "31", "101"}) {
        for (const BorderName& border : border_names) {
            const LinearFilter made = Kernel{"box", size}.at(16);
            ASSERT_NO_FATAL_FAILURE(
                expect_simd_equals_scalar(made, variety.picture(5 + variety.below(90), 70, {16, 0}, border.border)));
        }
    }
    for (const char* size : {"7", "31", "255"}) {
        const Case picture = variety.picture(4000 + variety.below(2000), 9, {16, 0}, variety.any(border_names).border);
        ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(Kernel{"box", size}.at(16), picture));
    }
}

// Sums of a few terms of whole numbers, small and less so: some are masks, some are not.
TEST(DeepSamples, MatricesOfWholeNumbers) {
    Variety variety(21, max_step);
    constexpr Combine ways[] = {Combine::sum, Combine::absolute, Combine::magnitude};
    const auto side = [&](int radius, double scale) {
        std::vector<double> taps;
        for (int i = 0; i < 2 * radius + 1; ++i) {
            taps.push_back(scale * (variety.below(9) - 4));
        }
        return taps;
    };
    for (int i = 0; i < 600; ++i) {
        const Storage storage = variety.any(storages);
        FilterKernel kernel{.combine = variety.any(ways)};
        const double scale = std::ldexp(1, -variety.below(6)) * (1 + variety.below(3));
        for (int terms = 1 + variety.below(3); terms > 0; --terms) {
            kernel.terms.push_back({side(variety.below(4), 1), side(variety.below(4), scale)});
        }
        if (kernel.combine != Combine::magnitude) {
            kernel.gain = variety.below(7) - 3;
            kernel.bias = variety.below(2) * (variety.below(256) - 100) / 256.0;
        }
        std::optional<LinearFilter> made;
        try {
            made = make_linear_filter(kernel, storage.depth);
        } catch (const std::invalid_argument&) {
            continue;  // sums that reach too far
        }
        const Case picture =
            variety.picture(1 + variety.below(150), 1 + variety.below(20), storage, variety.any(border_names).border);
        ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(*made, picture)) << i;
    }
}

}  // namespace

}  // namespace vfilter::test
