// Operations with time: which pictures a window holds, the contracts by their definitions, every implementation the
// same.

#include "kernels/arithmetic/temporal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <vector>

#include "kernels/arithmetic/reference.h"
#include "kernels/cpu/scalar.h"
#include "kernels/cpu/simd.h"
#include "tests/kernels/harness.h"

namespace vfilter::test {
namespace {

std::vector<std::int64_t> window_of(std::int64_t middle, TimeReach reach, std::int64_t count) {
    std::vector<std::int64_t> seen;
    for (int offset = -reach.before; offset <= reach.after; ++offset) {
        seen.push_back(picture_in_time(middle, offset, reach, count));
    }
    return seen;
}

using Numbers = std::vector<std::int64_t>;

TEST(PictureInTime, MirrorsAtTheEndsAndStaysInTheWindow) {
    EXPECT_EQ(window_of(5, {2, 2}, 9), (Numbers{3, 4, 5, 6, 7}));
    EXPECT_EQ(window_of(0, {2, 2}, 9), (Numbers{2, 1, 0, 1, 2}));
    EXPECT_EQ(window_of(1, {2, 2}, 9), (Numbers{1, 0, 1, 2, 3}));
    EXPECT_EQ(window_of(8, {2, 2}, 9), (Numbers{6, 7, 8, 7, 6}));
    EXPECT_EQ(window_of(7, {2, 2}, 9), (Numbers{5, 6, 7, 8, 7}));
    // With nothing after, the mirror may show what is still to come.
    EXPECT_EQ(window_of(0, {2, 0}, 1), (Numbers{0, 0, 0}));
    EXPECT_EQ(window_of(1, {2, 0}, 2), (Numbers{1, 0, 1}));
    EXPECT_EQ(window_of(2, {4, 0}, 3), (Numbers{2, 1, 0, 1, 2}));
    // Fewer pictures than the window has.
    EXPECT_EQ(window_of(0, {3, 3}, 1), (Numbers{0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(window_of(1, {3, 3}, 2), (Numbers{1, 1, 0, 1, 0, 0, 0}));
}

// The rule does not ask how long the video is as long as the window ends before it does.
TEST(PictureInTime, IsTheSameWhileMorePicturesCome) {
    for (int before = 0; before <= 4; ++before) {
        for (int after = 0; after <= 4; ++after) {
            for (std::int64_t middle = 0; middle < 9; ++middle) {
                EXPECT_EQ(window_of(middle, {before, after}, middle + after + 1),
                          window_of(middle, {before, after}, 1000));
            }
        }
    }
}

struct Clip {
    int width = 45;
    int height = 19;
    int depth = 8;
    int step = 1;
    int lsb = 0;
    double sigma = 6;
    Border border = Border::reflect_101;
};

// A pattern that moves, with noise. What is not the sample's is garbage.
template <class T>
class Planes {
public:
    Planes(const Clip& clip, int count) : clip_(clip) {
        std::mt19937 random(5);
        std::normal_distribution<double> noise(0, clip.sigma);
        const auto samples = static_cast<std::size_t>(clip.width * clip.step);
        for (int n = 0; n < count; ++n) {
            std::vector<T>& plane = planes_.emplace_back(samples * static_cast<std::size_t>(clip.height));
            for (std::size_t i = 0; i < plane.size(); ++i) {
                const auto x = static_cast<int>(i % samples) / clip.step + 2 * n;
                const int y = static_cast<int>(i / samples);
                const double clean = 70 + (x / 9 + y / 7) % 2 * 80 + static_cast<double>(i % 2) * 10;
                const int levels = (1 << clip.depth) - 1;
                const double level = std::clamp((clean + noise(random)) / 255, 0.0, 1.0);
                const auto garbage = static_cast<unsigned>(random()) & ((1U << clip.lsb) - 1);
                plane[i] = static_cast<T>((static_cast<unsigned>(std::lround(level * levels)) << clip.lsb) | garbage);
            }
        }
    }
    [[nodiscard]] PlaneView<const T> view(int n) const {
        return view_of<const T>(planes_[static_cast<std::size_t>(n)]);
    }
    [[nodiscard]] std::vector<PlaneView<const T>> others() const {
        std::vector<PlaneView<const T>> views;
        for (std::size_t n = 1; n < planes_.size(); ++n) {
            views.push_back(view(static_cast<int>(n)));
        }
        return views;
    }
    // Filters the first plane in two bands.
    [[nodiscard]] std::vector<T> filter(const auto& run) const {
        std::vector<T> made(planes_[0].size());
        const PlaneView<T> to = view_of<T>(made);
        run(to, 0, 6);
        run(to, 6, clip_.height);
        return made;
    }
    [[nodiscard]] int sample(int n, int x, int y) const {
        return view(n).row(y)[x] >> clip_.lsb & ((1 << clip_.depth) - 1);
    }

private:
    template <class U>
    PlaneView<U> view_of(auto& samples) const {
        return {samples.data(), clip_.width,
                clip_.height,   clip_.width * clip_.step * static_cast<std::ptrdiff_t>(sizeof(T)),
                clip_.step,     clip_.lsb};
    }

    Clip clip_;
    std::vector<std::vector<T>> planes_;
};

constexpr int black = 17;

// Scalar code and every target, byte for byte, and the reference; returns the samples.
template <class T>
std::vector<T> expect_one_result(const Operation& made, const Clip& clip, const Planes<T>& planes) {
    const std::vector<PlaneView<const T>> others = planes.others();
    const std::vector<T> expected = planes.filter([&](const PlaneView<T>& to, int first, int last) {
        filter_scalar<T>(made, planes.view(0), others, to, clip.border, black, first, last);
    });
    const SimdFilter simd(made);
    for (const std::string& target : simd_targets()) {
        force_simd_target(target);
        const std::vector<T> result = planes.filter([&](const PlaneView<T>& to, int first, int last) {
            simd.run<T>(planes.view(0), others, to, clip.border, black, first, last);
        });
        EXPECT_EQ(result, expected) << target << ", depth " << clip.depth << ", step " << clip.step;
    }
    force_simd_target("");
    const std::vector<double> real = reference_operation<T>(made, planes.view(0), clip.border, black, others);
    for (std::size_t i = 0; i < real.size(); ++i) {
        const int width = clip.width * clip.step;
        const int own = planes.sample(0, static_cast<int>(i) % width, static_cast<int>(i) / width);
        EXPECT_EQ(miss(made, real[i], own, expected[i] >> clip.lsb, 0), 0) << "depth " << clip.depth << " at " << i;
    }
    return expected;
}

template <class T>
void expect_medians_and_means(const Clip& clip) {
    for (const TimeReach time : {TimeReach{1, 1}, TimeReach{4, 0}, TimeReach{3, 3}, TimeReach{8, 0}, TimeReach{5, 5},
                                 TimeReach{6, 6}, TimeReach{7, 7}, TimeReach{8, 8}}) {
        const Planes<T> planes(clip, time.pictures());
        const int limit = 9 << (clip.depth - 8);
        const std::vector<T> medians =
            expect_one_result<T>(TemporalMedian{.depth = clip.depth, .time = time}, clip, planes);
        const std::vector<T> means =
            expect_one_result<T>(TemporalMean{.depth = clip.depth, .time = time, .limit = limit}, clip, planes);
        int at = 0;
        for (int y = 0; y < clip.height; ++y) {
            for (int x = 0; x < clip.width * clip.step; ++x, ++at) {
                std::vector<int> seen;
                int sum = 0;
                int count = 0;
                for (int n = 0; n < time.pictures(); ++n) {
                    seen.push_back(planes.sample(n, x, y));
                    if (std::abs(seen.back() - seen.front()) <= limit) {
                        sum += seen.back();
                        ++count;
                    }
                }
                std::ranges::sort(seen);
                ASSERT_EQ(medians[static_cast<std::size_t>(at)] >> clip.lsb, seen[seen.size() / 2]);
                ASSERT_EQ(means[static_cast<std::size_t>(at)] >> clip.lsb, (2 * sum + count) / (2 * count));
            }
        }
    }
}

TEST(Temporal, MediansAndMeansAreThoseOfTheDefinition) {
    expect_medians_and_means<std::uint8_t>({});
    expect_medians_and_means<std::uint8_t>({.width = 300, .height = 7, .step = 2});
    expect_medians_and_means<std::uint16_t>({.depth = 10, .step = 2, .lsb = 6});
    expect_medians_and_means<std::uint16_t>({.depth = 16, .sigma = 60});
    expect_medians_and_means<std::uint8_t>({.width = 5});
    expect_medians_and_means<std::uint16_t>({.width = 3, .depth = 12});
}

// As many pictures count as there are, or one less, which is further away than the limit; one row has every sum.
template <class T>
void expect_every_mean(int depth, int pictures, int excluded) {
    const int limit = (1 << depth) - 1 - excluded;
    const int terms = pictures - 2 * excluded;  // where one does not count, the picture's own sample is 0
    const int width = terms * limit + 1;
    std::vector<std::vector<T>> samples(static_cast<std::size_t>(pictures), std::vector<T>(width));
    for (int n = 0; n < terms; ++n) {
        for (int sum = 0; sum < width; ++sum) {
            samples[static_cast<std::size_t>(n + excluded)][static_cast<std::size_t>(sum)] =
                static_cast<T>(std::clamp(sum - n * limit, 0, limit));
        }
    }
    if (excluded > 0) {
        std::ranges::fill(samples.back(), static_cast<T>(limit + 1));
    }
    std::vector<PlaneView<const T>> planes;
    const std::ptrdiff_t pitch = width * static_cast<std::ptrdiff_t>(sizeof(T));
    for (const std::vector<T>& one : samples) {
        planes.push_back({one.data(), width, 1, pitch});
    }
    const SimdFilter simd(TemporalMean{.depth = depth, .time = {pictures - 1, 0}, .limit = limit});
    for (const std::string& target : simd_targets()) {
        force_simd_target(target);
        std::vector<T> means(width);
        simd.run<T>(planes[0], std::span(planes).subspan(1), {means.data(), width, 1, pitch}, Border::reflect_101, 0, 0,
                    1);
        const int count = pictures - excluded;
        for (int sum = 0; sum < width; ++sum) {
            ASSERT_EQ(means[static_cast<std::size_t>(sum)], (2 * sum + count) / (2 * count))
                << target << ", " << sum << " / " << count << ", depth " << depth;
        }
    }
    force_simd_target("");
}

TEST(Temporal, MeansOfEverySumAndCount) {
    for (int pictures = 3; pictures <= max_neighbours + 1; pictures += 2) {
        for (const int excluded : {0, 1}) {
            expect_every_mean<std::uint8_t>(8, pictures, excluded);
            expect_every_mean<std::uint16_t>(10, pictures, excluded);
            expect_every_mean<std::uint16_t>(12, pictures, excluded);
            if (pictures == 3) {
                expect_every_mean<std::uint16_t>(14, pictures, excluded);
                expect_every_mean<std::uint16_t>(16, pictures, excluded);
            }
        }
    }
}

template <class T>
void expect_nl_means(const Clip& clip, TimeReach time, int patch, int search) {
    const Planes<T> planes(clip, time.pictures());
    const NlMeans made = make_nl_means(clip.depth, clip.sigma, patch, search, time);
    const std::vector<T> result = expect_one_result<T>(made, clip, planes);
    // By the definition, at some places.
    const auto at = [&](int n, int column, int row, int component) {
        const int from = border_index(column, clip.width, clip.border);
        const int from_row = border_index(row, clip.height, clip.border);
        return from < 0 || from_row < 0 ? black : planes.sample(n, from * clip.step + component, from_row);
    };
    for (int y = 0; y < clip.height; y += 5) {
        for (int x = 0; x < clip.width; x += 7) {
            std::int64_t sum = 0;
            std::int64_t weights = 0;
            for (int n = 0; n < time.pictures(); ++n) {
                for (int dy = -made.search_radius(); dy <= made.search_radius(); ++dy) {
                    for (int dx = -made.search_radius(); dx <= made.search_radius(); ++dx) {
                        int distance = 0;
                        for (int j = -made.patch_radius(); j <= made.patch_radius(); ++j) {
                            for (int i = -made.patch_radius(); i <= made.patch_radius(); ++i) {
                                distance += std::abs(made.guide(at(0, x + i, y + j, 0)) -
                                                     made.guide(at(n, x + i + dx, y + j + dy, 0)));
                            }
                        }
                        const int weight = made.weight(distance);
                        sum += std::int64_t{weight} * at(n, x + dx, y + dy, 0);
                        weights += weight;
                    }
                }
            }
            const int stored = result[static_cast<std::size_t>((y * clip.width + x) * clip.step)];
            ASSERT_EQ(stored >> clip.lsb, (2 * sum + weights) / (2 * weights)) << x << ',' << y;
        }
    }
}

TEST(Temporal, NlMeansIsThatOfTheDefinition) {
    expect_nl_means<std::uint8_t>({}, {1, 1}, 7, 11);
    expect_nl_means<std::uint8_t>({.step = 2, .border = Border::constant}, {2, 0}, 3, 5);
    expect_nl_means<std::uint16_t>({.depth = 10, .lsb = 6, .border = Border::wrap}, {1, 1}, 5, 7);
    expect_nl_means<std::uint16_t>({.depth = 16, .sigma = 9}, {1, 1}, 9, 3);
}

// Nothing moves and there is no noise: all weights are 255, and all samples the largest.
TEST(Temporal, TheLargestSumsOfNlMeansFit) {
    for (const int depth : {8, 15, 16}) {
        const Clip clip{.width = 40, .height = 9, .depth = depth};
        const NlMeans made = make_nl_means(depth, 50, max_patch_size, max_search_size, {4, 4});
        const auto expect_same = [&]<class T>(T most) {
            const std::vector<T> samples(std::size_t{40} * 9, most);
            const PlaneView<const T> plane{samples.data(), 40, 9, 40 * static_cast<std::ptrdiff_t>(sizeof(T))};
            const std::vector<PlaneView<const T>> others(8, plane);
            std::vector<T> result(samples.size());
            const PlaneView<T> to{result.data(), 40, 9, plane.stride};
            SimdFilter(made).run<T>(plane, others, to, clip.border, black, 0, 9);
            // The border's constant is not looked at.
            EXPECT_EQ(result, samples) << depth;
        };
        if (depth == 8) {
            expect_same(std::uint8_t{255});
        } else {
            expect_same(static_cast<std::uint16_t>((1 << depth) - 1));
        }
    }
}

TEST(Temporal, AWindowOfAnotherSizeIsRefused) {
    const Planes<std::uint8_t> planes({}, 4);
    const SimdFilter median(TemporalMedian{.depth = 8, .time = {1, 1}});
    const auto others = planes.others();
    const auto run = [&](const SimdFilter& filter, std::size_t count) {
        static_cast<void>(planes.filter([&](const PlaneView<std::uint8_t>& to, int first, int last) {
            filter.run<std::uint8_t>(planes.view(0), std::span(others).first(count), to, Border::wrap, 0, first, last);
        }));
    };
    EXPECT_NO_THROW(run(median, 2));
    EXPECT_THROW(run(median, 0), std::invalid_argument);
    EXPECT_THROW(run(median, 3), std::invalid_argument);
    EXPECT_THROW(run(SimdFilter(MedianFilter{}), 1), std::invalid_argument);
}

}  // namespace
}  // namespace vfilter::test
