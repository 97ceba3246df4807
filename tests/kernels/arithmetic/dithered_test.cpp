// Dithering: the contract, its witnesses, every implementation the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "filters/borders.h"
#include "kernels/arithmetic/reference.h"
#include "kernels/cpu/scalar.h"
#include "kernels/cpu/simd.h"
#include "tests/kernels/cases.h"

namespace vfilter::test {
namespace {

struct FilterText {
    const char* filter;
    const char* arguments;
};

// Every kind of operation that can be dithered: linear ones of several terms, with a threshold, decimated, blocks,
// weights.
constexpr FilterText dithered_filters[] = {
    {"gaussian", "5"},     {"gaussian", "sigma=2.3:chroma=same"},    {"box", "9"},
    {"sobel", "scale=.3"}, {"sharpen", "2:size=5:threshold=3"},      {"gaussian", "sigma=30"},
    {"pixelate", "9"},     {"nlmeans", "10:patch=3:search=3"},       {"bilateral", "40"},
    {"dog", "0.7"},        {"kernel", "1 2 1:normalise=no:bias=-9"}, {"laplacian", "8:scale=0.4"},
};

Operation dithered_of(const FilterText& text, int depth) {
    const FilterSpec spec = parse_filter(*find_filter(text.filter), std::string(text.arguments) + ":dither=on");
    return operation_of(spec, {.depth = depth}).value();
}

std::string dither_refusal(const char* filter, const char* arguments, int depth = 8) {
    try {
        operation_of(parse_filter(*find_filter(filter), arguments), {.depth = depth});
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

TEST(Dithered, WhatRoundsNothingIsRefused) {
    for (const char* const filter : {"median", "tmedian", "fill", "identity"}) {
        const std::string arguments = std::string(find_filter(filter)->example);
        const char* const joint = arguments.empty() ? "" : ":";
        EXPECT_NE(dither_refusal(filter, (arguments + joint + "dither=on").c_str()).find("nothing to dither"),
                  std::string::npos)
            << filter;
        EXPECT_EQ(dither_refusal(filter, (arguments + joint + "dither=off").c_str()), "") << filter;
    }
    EXPECT_NE(dither_refusal("box", "3:dither=on", 16).find("16 bits"), std::string::npos);
    EXPECT_EQ(dither_refusal("box", "3:dither=on", 15), "");
    EXPECT_EQ(std::get<Dithered>(dithered_of({"box", "3"}, 14)).bits, 2);
    EXPECT_EQ(depth_of(std::get<Dithered>(dithered_of({"box", "3"}, 14)).inner->operation), 16);
    EXPECT_TRUE(std::holds_alternative<LinearFilter>(
        operation_of(parse_filter(*find_filter("box"), "3:dither=off"), {.depth = 8}).value()));
}

TEST(Dithered, ThresholdsAreAllOfThem) {
    for (int bits = 1; bits <= max_dither_bits; ++bits) {
        const Dithered made{.bits = bits};
        int sum = 0;
        for (int y = 0; y < dither_period; ++y) {
            for (int x = 0; x < dither_period; ++x) {
                sum += made.threshold(x + 4, y + 8);
                EXPECT_LT(made.threshold(x, y), 1 << bits);
            }
        }
        EXPECT_EQ(sum, 8 * ((1 << bits) - 1));
    }
    const Dithered made;
    EXPECT_EQ(made.result(16 * 255, 15), 255);
    EXPECT_EQ(made.result(16 * 255 + 1, 15), 255) << "and not 256";
    EXPECT_EQ(made.result(16 * 7 + 1, 14), 7);
    EXPECT_EQ(made.result(16 * 7 + 1, 15), 8);
}

// A slope of a level in 128 samples, of which a blur makes steps of a level, and with dither means that follow it.
TEST(Dithered, MeansFollowASlope) {
    const Case picture{.width = 512, .height = 16, .border = Border::replicate};
    Samples samples;
    for (int i = 0; i < picture.width * picture.height; ++i) {
        const int x = i % picture.width;
        samples.push_back(static_cast<std::uint16_t>(50 + x / 128 + ((x * 75) % 128 < x % 128 ? 1 : 0)));
    }
    const auto farthest = [&](const Operation& operation) {
        const Samples made = filter(operation, picture, samples, simd_targets().front());
        double most = 0;
        for (int x = 64; x < 448; x += 4) {
            double sum = 0;
            for (int i = 0; i < 16; ++i) {
                sum += made[static_cast<std::size_t>(i / 4 * picture.width + x + i % 4)];
            }
            most = std::max(most, std::abs(sum / 16 - (50 + (x + 1.5) / 128)));
        }
        return most;
    };
    EXPECT_GT(farthest(operation_of(parse_filter(*find_filter("box"), "63"), {}).value()), 0.45);
    EXPECT_LT(farthest(dithered_of({"box", "63"}, 8)), 0.1);
}

TEST(Dithered, FlatPicturesStay) {
    for (const int depth : {8, 15}) {
        for (const int level : {0, 100, (1 << depth) - 1}) {
            const Case picture{.width = 40, .height = 9, .depth = depth, .border = Border::replicate};
            const Samples samples(std::size_t{40} * 9, static_cast<std::uint16_t>(level));
            for (const FilterText text : {dithered_filters[0], dithered_filters[2], dithered_filters[4]}) {
                EXPECT_EQ(filter(dithered_of(text, depth), picture, samples, "scalar"), samples) << text.filter;
            }
        }
    }
}

TEST(Dithered, OfEveryOperationIsTheScalarCodes) {
    Variety variety(86, max_step);
    for (int n = 0; n < 60; ++n) {
        const FilterText& text = dithered_filters[static_cast<std::size_t>(n) % std::size(dithered_filters)];
        Storage storage = n % 2 == 0 ? Storage{8, 0} : variety.any(storages);
        storage = storage.depth == 16 ? Storage{9, 0} : storage;
        const Case picture = variety.picture(1 + variety.below(90), 1 + variety.below(n % 8 == 0 ? 150 : 20), storage,
                                             variety.any(border_names).border);
        ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(dithered_of(text, storage.depth), picture)) << text.filter;
    }
}

template <class T>
PlaneView<T> dithered_view(std::vector<T>& samples, const Case& picture) {
    return {samples.data(), picture.width, picture.height, picture.samples() * static_cast<std::ptrdiff_t>(sizeof(T)),
            picture.step};
}

// As near to the reference as the operations are by themselves: linear ones within a step of the finer samples.
template <class T>
void expect_dithered(const FilterText& text, const Case& picture) {
    const Operation made = dithered_of(text, picture.depth);
    const Samples samples = make_samples(picture);
    std::vector<T> stored(samples.begin(), samples.end());
    const std::vector<double> real = reference_operation<T>(made, dithered_view(stored, picture), picture.border, 16);
    std::vector<T> result(stored.size());
    filter_scalar<T>(made, dithered_view(stored, picture), dithered_view(result, picture), picture.border, 16, 0,
                     picture.height);
    std::size_t off = 0;
    for (std::size_t i = 0; i < real.size(); ++i) {
        const int missed = miss(made, real[i], samples[i], result[i], 1);
        off += missed == 0 ? 0 : 1;
        ASSERT_LE(missed, 1) << text.filter << ' ' << picture << " at " << i << ' ' << real[i];
    }
    EXPECT_LT(off, real.size() / 10) << text.filter;
}

TEST(Dithered, EqualsTheReference) {
    for (const FilterText& text : dithered_filters) {
        expect_dithered<std::uint8_t>(text, {.width = 37, .height = 21, .border = Border::constant});
        expect_dithered<std::uint16_t>(text, {.width = 17, .height = 13, .depth = 12, .step = 3});
    }
}

// A window's other pictures get their further bits, too.
TEST(Dithered, LooksAtOtherPictures) {
    const Operation made = dithered_of({"taverage", "1"}, 8);
    EXPECT_EQ(time_reach(made), (TimeReach{1, 1}));
    Case picture{.width = 70, .height = 9};
    std::vector<std::vector<std::uint8_t>> pictures;
    for (picture.seed = 1; picture.seed <= 3; ++picture.seed) {
        const Samples samples = make_samples(picture);
        pictures.emplace_back(samples.begin(), samples.end());
    }
    const std::vector<PlaneView<const std::uint8_t>> neighbours{dithered_view(pictures[0], picture),
                                                                dithered_view(pictures[2], picture)};
    std::vector<std::uint8_t> plain(pictures[0].size());
    std::vector<std::uint8_t> fast(plain.size());
    filter_scalar<std::uint8_t>(made, dithered_view(pictures[1], picture), neighbours, dithered_view(plain, picture),
                                picture.border, 0, 0, picture.height);
    SimdFilter(made).run<std::uint8_t>(dithered_view(pictures[1], picture), neighbours, dithered_view(fast, picture),
                                       picture.border, 0, 0, picture.height);
    EXPECT_EQ(plain, fast);
    const std::vector<double> real =
        reference_operation<std::uint8_t>(made, dithered_view(pictures[1], picture), picture.border, 0, neighbours);
    for (std::size_t i = 0; i < real.size(); ++i) {
        ASSERT_EQ(miss(made, real[i], 0, plain[i], 0), 0) << i;
        ASSERT_LE(std::abs(plain[i] - (pictures[0][i] + pictures[1][i] + pictures[2][i]) / 3.0), 1) << i;
    }
}

}  // namespace
}  // namespace vfilter::test
