// The filter ladder's rungs on the CPU, and what every rung's picture is compared with.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <random>
#include <utility>

#include "bench/ladder.h"
#include "filters/filters.h"
#include "kernels/arithmetic/arithmetic.h"
#include "kernels/cpu/scalar.h"
#include "kernels/cpu/simd.h"
#include "kernels/plane.h"

namespace vfilter::bench {

namespace {

constexpr int checked_rows = 16;

int clamped(int index, int size) {
    return std::clamp(index, 0, size - 1);
}

// The column first: only the rows that are wanted are worked on.
std::vector<double> real_row(const std::vector<double>& taps, PlaneView<const std::uint8_t> picture, int y) {
    const int radius = static_cast<int>(taps.size() / 2);
    std::vector<double> sums(static_cast<std::size_t>(picture.width));
    for (int j = -radius; j <= radius; ++j) {
        const std::uint8_t* const from = picture.row(clamped(y + j, picture.height));
        for (std::size_t x = 0; x < sums.size(); ++x) {
            sums[x] += taps[static_cast<std::size_t>(j + radius)] * from[x];
        }
    }
    std::vector<double> result(sums.size());
    for (int x = 0; x < picture.width; ++x) {
        for (int i = -radius; i <= radius; ++i) {
            result[static_cast<std::size_t>(x)] += taps[static_cast<std::size_t>(i + radius)] *
                                                   sums[static_cast<std::size_t>(clamped(x + i, picture.width))];
        }
    }
    return result;
}

// One picture, where the CPU's rungs put theirs, and what lies between.
struct Bench {
    const FilterCase& filter;
    int threads;
    // In parentheses: in braces they would be the elements of a matrix.
    cv::Mat src = cv::Mat(filter.height, filter.width, CV_8UC1);
    cv::Mat dst = cv::Mat(filter.height, filter.width, CV_8UC1);
    cv::Mat between = cv::Mat(filter.height, filter.width, CV_32FC1);
    PlaneFilter made = filter_of(filter);
    SimdFilter simd{made};
    cv::Mat line = cv::Mat(1, 2 * filter.radius + 1, CV_32FC1);
    cv::Mat square{};

    Bench(const FilterCase& which, int thread_count) : filter(which), threads(thread_count) {
        std::mt19937 random(1);
        for (int y = 0; y < src.rows; ++y) {
            std::generate_n(src.ptr(y), src.cols, [&] { return static_cast<std::uint8_t>(random() >> 24); });
        }
        std::ranges::transform(taps_of(filter), line.ptr<float>(), [](double tap) { return static_cast<float>(tap); });
        square = line.t() * line;
    }

    [[nodiscard]] PlaneView<const std::uint8_t> from() const { return {src.ptr(), src.cols, src.rows, stride(src)}; }
    [[nodiscard]] PlaneView<std::uint8_t> to() { return {dst.ptr(), dst.cols, dst.rows, stride(dst)}; }
    static std::ptrdiff_t stride(const cv::Mat& mat) { return static_cast<std::ptrdiff_t>(mat.step); }
};

std::uint8_t rounded(float value) {
    return static_cast<std::uint8_t>(value + 0.5F);  // NOLINT(bugprone-incorrect-roundings): never below 0
}

// The definition.
void loop(Bench& bench, int first, int last) {
    const int radius = bench.filter.radius;
    for (int y = first; y < last; ++y) {
        for (int x = 0; x < bench.filter.width; ++x) {
            float sum = 0;
            for (int j = -radius; j <= radius; ++j) {
                const std::uint8_t* const from = bench.src.ptr(clamped(y + j, bench.filter.height));
                const float* const taps = bench.square.ptr<float>(j + radius) + radius;
                for (int i = -radius; i <= radius; ++i) {
                    sum += taps[i] * static_cast<float>(from[clamped(x + i, bench.filter.width)]);
                }
            }
            bench.dst.ptr(y)[x] = rounded(sum);
        }
    }
}

void loop_rows(Bench& bench, int first, int last) {
    const int radius = bench.filter.radius;
    const float* const taps = bench.line.ptr<float>() + radius;
    for (int y = first; y < last; ++y) {
        const std::uint8_t* const from = bench.src.ptr(y);
        for (int x = 0; x < bench.filter.width; ++x) {
            float sum = 0;
            for (int i = -radius; i <= radius; ++i) {
                sum += taps[i] * static_cast<float>(from[clamped(x + i, bench.filter.width)]);
            }
            bench.between.ptr<float>(y)[x] = sum;
        }
    }
}

void loop_columns(Bench& bench, int first, int last) {
    const int radius = bench.filter.radius;
    const float* const taps = bench.line.ptr<float>() + radius;
    for (int y = first; y < last; ++y) {
        for (int x = 0; x < bench.filter.width; ++x) {
            float sum = 0;
            for (int j = -radius; j <= radius; ++j) {
                sum += taps[j] * bench.between.ptr<float>(clamped(y + j, bench.filter.height))[x];
            }
            bench.dst.ptr(y)[x] = rounded(sum);
        }
    }
}

// As many rows of the one pass as of the other: what a part of a picture costs is then its share of the whole.
void separable_loop(Bench& bench, int first, int last) {
    loop_rows(bench, first, last);
    loop_columns(bench, first, last);
}

void ours_scalar(Bench& bench, int first, int last) {
    filter_scalar<std::uint8_t>(bench.made, bench.from(), bench.to(), Border::replicate, 0, first, last);
}

void ours_one(Bench& bench, int first, int last) {
    bench.simd.run<std::uint8_t>(bench.from(), bench.to(), Border::replicate, 0, first, last);
}

void ours_all(Bench& bench, int /*first*/, int /*last*/) {
    const int height = bench.filter.height;
    const int bands = bench.simd.bands(height, bench.threads);
    const auto cut = [&](int i) { return i == bands ? height : height * i / bands & ~1; };
    cv::parallel_for_(
        {0, bands}, [&](const cv::Range& range) { ours_one(bench, cut(range.start), cut(range.end)); }, bands);
}

void opencv_square(Bench& bench, int /*first*/, int /*last*/) {
    cv::filter2D(bench.src, bench.dst, -1, bench.square, {-1, -1}, 0, cv::BORDER_REPLICATE);
}

void opencv_gaussian(Bench& bench, int /*first*/, int /*last*/) {
    const int size = 2 * bench.filter.radius + 1;
    cv::GaussianBlur(bench.src, bench.dst, {size, size}, 0, 0, cv::BORDER_REPLICATE);
}

double square_flops(const FilterCase& filter) {
    return filter.square_flops();
}
double separable_flops(const FilterCase& filter) {
    return 2 * filter.line_flops();
}

// A part of a picture may stand for the whole where that is said; beside its rows it may compute `apron` radii of rows.
struct CpuRung {
    Rung rung;
    void (*work)(Bench&, int first, int last) = nullptr;
    double (*flops)(const FilterCase&) = nullptr;
    bool in_parts = false;
    int apron = 0;
    bool exact = false;
    double allowed = 1;  ///< LSB
};

constexpr CpuRung rungs[] = {
    {{"CPU loop", "the definition as four nested loops, in fp32, on one thread"}, loop, square_flops, true},
    {{"CPU loop, separable", "a Gaussian is a row and then a column: 2k multiply-adds instead of k x k"},
     separable_loop,
     separable_flops,
     true},
    {{"ours, scalar", "whole numbers in place of fp32: the bytes no longer depend on who computes them", true},
     ours_scalar,
     separable_flops,
     true,
     2,
     true},
    {{"ours, SIMD, one thread", "the widest vectors of the processor", true}, ours_one, separable_flops, true, 2, true},
    {{"ours, SIMD, all threads", "bands of the picture on all processors", true},
     ours_all,
     separable_flops,
     false,
     0,
     true},
    {{"OpenCV filter2D", "the definition, with a Fourier transform for large kernels; all threads"},
     opencv_square,
     square_flops,
     false},
    // Its own fixed-point taps are of 8 bits.
    {{"OpenCV GaussianBlur", "separable, in vectors; all threads"},
     opencv_gaussian,
     separable_flops,
     false,
     0,
     false,
     3},
};

constexpr auto names = [] {
    std::array<Rung, std::size(rungs)> result{};
    std::ranges::transform(rungs, result.begin(), [](const CpuRung& each) { return each.rung; });
    return result;
}();

double seconds(const auto& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Only the rows that are looked at, where a rung can do with them.
void filter_checked(const CpuRung& rung, Bench& bench, const std::vector<int>& rows) {
    if (!rung.in_parts) {
        rung.work(bench, 0, bench.filter.height);
        return;
    }
    for (const int y : rows) {
        if (rung.work == separable_loop) {
            const int first = std::max(y - bench.filter.radius, 0);
            loop_rows(bench, first, std::min(y + bench.filter.radius + 1, bench.filter.height));
            loop_columns(bench, y, y + 1);
        } else {
            rung.work(bench, y, y + 1);
        }
    }
}

void check(const CpuRung& rung, Bench& bench, const Expectation& expected, Climb& climb) {
    for (std::size_t i = 0; i < expected.rows().size(); ++i) {
        const std::uint8_t* const row = bench.dst.ptr(expected.rows()[i]);
        const std::vector<float> values(row, row + bench.filter.width);
        climb.difference = std::max(climb.difference, expected.difference(i, values, true, 0));
        climb.wrong = climb.wrong || climb.difference > rung.allowed || (rung.exact && !expected.exact(i, values));
    }
    if (climb.wrong) {
        climb.failure = wrong_by(climb.difference);
    }
}

// In rounds of at least one call; a slow rung's of as many rows as take a third of the time that it gets.
void time(const CpuRung& rung, Bench& bench, Climb& climb) {
    constexpr double budget = 0.1;
    const int height = bench.filter.height;
    const int least = std::clamp(16 * rung.apron * bench.filter.radius, 8, height);
    const int start = (height - least) / 2;
    int rows = height;
    if (rung.in_parts) {
        const double row = seconds([&] { rung.work(bench, start, start + least); }) / least;
        rows = std::clamp(static_cast<int>(budget / 3 / row), least, height);
    }
    const int first = (height - rows) / 2;
    const auto round = [&](int calls) {
        return seconds([&] {
                   for (int i = 0; i < calls; ++i) {
                       rung.work(bench, first, first + rows);
                   }
               }) /
               calls * height / rows;
    };
    const double once = round(1) * rows / height;
    const int rounds = std::clamp(static_cast<int>(budget / once), 2, 7);
    const int calls = std::max(static_cast<int>(budget / rounds / once), 1);
    std::vector<double> times(static_cast<std::size_t>(rounds));
    std::ranges::generate(times, [&] { return 1e6 * round(calls); });
    climb.microseconds = spread_of(times);
}

}  // namespace

std::string wrong_by(double difference) {
    char text[64];
    std::snprintf(text, sizeof text, "WRONG: off by %.3g", difference);
    return text;
}

std::vector<double> taps_of(const FilterCase& filter) {
    return exact_kernel(filter_of(filter)).terms.at(0).rows;
}

PlaneFilter filter_of(const FilterCase& filter) {
    const FilterDef& gaussian = *find_filter("gaussian");
    const FilterSpec spec = parse_filter(gaussian, std::to_string(2 * filter.radius + 1));
    return make_plane_filter(gaussian.make(spec, 1, 1), 8);
}

Expectation::Expectation(const FilterCase& filter, const std::uint8_t* picture, std::ptrdiff_t stride)
    : height_(filter.height) {
    const PlaneView<const std::uint8_t> from{picture, filter.width, filter.height, stride};
    const std::vector<double> taps = taps_of(filter);
    const PlaneFilter made = filter_of(filter);
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(filter.width) * static_cast<std::size_t>(height_));
    const PlaneView<std::uint8_t> to{bytes.data(), filter.width, height_, filter.width};
    for (int i = 0; i < checked_rows; ++i) {
        const int y = i * (height_ - 1) / (checked_rows - 1);
        rows_.push_back(y);
        real_.push_back(real_row(taps, from, y));
        filter_scalar<std::uint8_t>(made, from, to, Border::replicate, 0, y, y + 1);
        contract_.emplace_back(to.row(y), to.row(y) + filter.width);
    }
}

double Expectation::difference(std::size_t i, std::span<const float> row, bool whole, int margin) const {
    if (rows_[i] < margin || rows_[i] >= height_ - margin) {
        return 0;
    }
    double largest = 0;
    for (std::size_t x = static_cast<std::size_t>(margin); x + static_cast<std::size_t>(margin) < row.size(); ++x) {
        const double real = real_[i][x];
        const double difference = std::abs(static_cast<double>(row[x]) - (whole ? std::floor(real + 0.5) : real));
        if (!(difference <= largest)) {  // which is true of a NaN, too
            largest = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
        }
    }
    return largest;
}

bool Expectation::exact(std::size_t i, std::span<const float> row) const {
    return std::ranges::equal(row, contract_[i], [](float a, std::uint8_t b) { return a == static_cast<float>(b); });
}

std::span<const Rung> cpu_rungs() {
    return names;
}

std::vector<Climb> climb_cpu(const FilterCase& filter, int threads, const Begin& begin) {
    cv::setNumThreads(threads);
    Bench bench(filter, threads);
    const Expectation expected(filter, bench.src.ptr(), Bench::stride(bench.src));
    std::vector<Climb> result;
    for (const CpuRung& rung : rungs) {
        if (!begin(rung.rung)) {
            continue;
        }
        Climb climb{.rung = rung.rung, .flops = rung.flops(filter), .bytes = filter.bytes()};
        bench.dst.setTo(0xEE);
        filter_checked(rung, bench, expected.rows());
        check(rung, bench, expected, climb);
        if (!climb.wrong) {
            time(rung, bench, climb);
        }
        result.push_back(std::move(climb));
    }
    return result;
}

}  // namespace vfilter::bench
