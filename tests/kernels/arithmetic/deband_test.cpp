// Debanding: the contract, its witnesses, every implementation the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "filters/borders.h"
#include "kernels/arithmetic/reference.h"
#include "kernels/cpu/simd.h"
#include "tests/kernels/cases.h"

namespace vfilter::test {
namespace {

Deband deband_of(const char* arguments, int depth = 8, int pitch_x = 1, int pitch_y = 1) {
    const TargetPlane plane{.depth = depth, .pitch_x = pitch_x, .pitch_y = pitch_y};
    return std::get<Deband>(operation_of(parse_filter(*find_filter("deband"), arguments), plane).value());
}

TEST(Deband, ArgumentsAreLevelsAndPixels) {
    EXPECT_EQ(deband_of(""), (Deband{8, 16, 16, 1, false, true}));
    EXPECT_EQ(deband_of("3:range=20:blur=on:dither=off"), (Deband{8, 20, 20, 3, true, false}));
    EXPECT_EQ(deband_of("1.5:range=9", 10, 2, 1), (Deband{10, 5, 9, 6, false, true}));
}

// Places fill the rectangle evenly: each quarter of it has a quarter of them, and those of three rows, too, nearly.
TEST(Deband, PlacesLieEvenlyWithinTheRange) {
    const Deband made{.radius_x = 15, .radius_y = 3};
    std::set<std::pair<int, int>> seen;
    std::array<int, 4> quarters{};
    for (int y = 0; y < deband_period; ++y) {
        for (int n = 0; n < deband_places; ++n) {
            const Deband::Place place = made.place(n, y);
            ASSERT_TRUE(place.x >= 0 && place.x <= 15 && place.y >= 0 && place.y <= 3) << n << ' ' << y;
            EXPECT_EQ(made.place(n, y + deband_period).x, place.x);
            seen.emplace(place.x, place.y);
            ++quarters[static_cast<std::size_t>(place.x / 8 + place.y / 2 * 2)];
        }
    }
    EXPECT_EQ(seen.size(), 16U * 4);
    for (const int count : quarters) {
        EXPECT_NEAR(count, 64, 2);
    }
}

// Four samples side by side take all four of them, in orders that differ.
TEST(Deband, NeighboursTakeDifferentPlaces) {
    std::set<int> orders;
    for (int y = 0; y < deband_period; ++y) {
        for (int x = 0; x < deband_period; x += 4) {
            int seen = 0;
            for (int i = 0; i < 4; ++i) {
                seen |= 1 << Deband::choice(x + i, y);
                EXPECT_EQ(Deband::choice(x + i + deband_period, y + 3 * deband_period), Deband::choice(x + i, y));
            }
            EXPECT_EQ(seen, 15);
            orders.insert(Deband::choice(x, y));
        }
    }
    EXPECT_EQ(orders.size(), 4U);
}

TEST(Deband, ReplacesWhatIsAlikeAllAround) {
    const Deband made{.threshold = 2};
    EXPECT_EQ(made.result(100, 101, 102, 99, 100, 0), 100);
    EXPECT_EQ(made.result(100, 101, 102, 99, 100, 2), 101);
    EXPECT_EQ(made.result(100, 101, 103, 99, 100, 2), 100) << "3 away";
    EXPECT_EQ(made.result(100, 97, 100, 100, 100, 3), 100);
    const Deband blur{.threshold = 2, .blur = true};
    EXPECT_EQ(blur.result(100, 101, 105, 99, 103, 2), 102) << "their mean is 2 away";
    EXPECT_EQ(blur.result(100, 101, 106, 100, 103, 2), 100) << "2.5, which is 3";
    EXPECT_EQ(made.added(0, 0) + made.added(1, 0) + made.added(0, 1) + made.added(1, 1), 6);
    EXPECT_EQ(Deband{.dither = false}.added(1, 0), 2);
}

// The mean of each column of a picture, over so many columns.
double mean_of_columns(const Samples& samples, int width, int first, int count) {
    double sum = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const int x = static_cast<int>(i) % width;
        sum += x >= first && x < first + count ? samples[i] : 0;
    }
    return sum * width / (static_cast<double>(samples.size()) * count);
}

// A ramp of 32 samples to a level: bands before; after it, their local mean follows the ramp.
TEST(Deband, RampsComeBack) {
    const Case picture{.width = 512, .height = 128, .border = Border::replicate};
    Samples bands;
    for (int i = 0; i < picture.width * picture.height; ++i) {
        bands.push_back(static_cast<std::uint16_t>(40 + i % picture.width / 32));
    }
    const auto farthest = [&](const Samples& made) {
        double most = 0;
        for (int x = 64; x < 448; x += 4) {
            const double ramp = 40 - 0.5 + (x + 2) / 32.0;
            most = std::max(most, std::abs(mean_of_columns(made, picture.width, x, 4) - ramp));
        }
        return most;
    };
    EXPECT_NEAR(farthest(bands), 0.44, 0.01);
    const Deband made{.radius_x = 32, .radius_y = 16};
    EXPECT_LT(farthest(filter(made, picture, bands, simd_targets().front())), 0.1);
    EXPECT_EQ(filter(Deband{.threshold = 0}, picture, bands, "scalar"), bands) << "flat, or kept";
}

TEST(Deband, OfEveryRangeIsTheScalarCodes) {
    Variety variety(85, max_step);
    for (int n = 0; n < 100; ++n) {
        const Storage storage = n % 2 == 0 ? Storage{8, 0} : variety.any(storages);
        const Case picture =
            variety.picture(1 + variety.below(150), 1 + variety.below(20), storage, variety.any(border_names).border);
        const int most = n % 4 == 0 ? max_deband_radius + 1 : 9;
        const Deband made{storage.depth,         variety.below(most),
                          variety.below(most),   picture.max_value() >> variety.below(4),
                          variety.below(2) == 0, variety.below(2) == 0};
        ASSERT_NO_FATAL_FAILURE(expect_simd_equals_scalar(made, picture)) << made.radius_x << 'x' << made.radius_y;
    }
}

template <class T>
void expect_deband(const Deband& made, const Case& picture) {
    const Samples samples = make_samples(picture);
    std::vector<T> stored(samples.begin(), samples.end());
    const PlaneView<const T> view{stored.data(), picture.width, picture.height,
                                  picture.samples() * static_cast<std::ptrdiff_t>(sizeof(T)), picture.step};
    const std::vector<double> real = reference_operation<T>(made, view, picture.border, picture.black());
    EXPECT_TRUE(std::ranges::equal(real, filter(made, picture, samples, "scalar"))) << picture;
}

TEST(Deband, EqualsTheReference) {
    for (const BorderName& border : border_names) {
        expect_deband<std::uint8_t>({8, 9, 4, 128, false, true}, {.width = 70, .height = 9, .border = border.border});
        expect_deband<std::uint16_t>({16, 3, 20, 20000, true, false},
                                     {.width = 17, .height = 70, .depth = 16, .step = 3, .border = border.border});
    }
}

}  // namespace
}  // namespace vfilter::test
