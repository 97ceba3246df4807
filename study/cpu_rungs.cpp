// The filter ladder's rungs on the CPU.

#include <algorithm>
#include <chrono>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <random>

#include "kernels/arithmetic/arithmetic.h"
#include "kernels/cpu/plane_filter.h"
#include "kernels/cpu/scalar.h"
#include "kernels/cpu/simd.h"
#include "kernels/plane.h"
#include "study/reference.h"

namespace vfilter::study {

namespace {

int clamped(int index, int size) {
    return std::clamp(index, 0, size - 1);
}

std::uint8_t rounded(float value) {
    return static_cast<std::uint8_t>(value + 0.5F);  // NOLINT(bugprone-incorrect-roundings): never below 0
}

// One picture, where the CPU's rungs put theirs, and what lies between the passes.
struct Bench {
    const FilterCase& filter;
    int threads;
    // In parentheses: in braces they would be the elements of a matrix.
    cv::Mat src = cv::Mat(filter.height, filter.width, CV_8UC1);
    cv::Mat dst = cv::Mat(filter.height, filter.width, CV_8UC1);
    cv::Mat intermediate = cv::Mat(filter.height, filter.width, CV_32FC1);
    Operation made = filter_of(filter);
    SimdFilter simd{made};
    cv::Mat line = cv::Mat(1, filter.size(), CV_32FC1);
    cv::Mat square{};

    Bench(const FilterCase& which, int thread_count) : filter(which), threads(thread_count) {
        std::mt19937 random(1);
        std::generate_n(src.ptr(), src.total(), [&] { return static_cast<std::uint8_t>(random() >> 24); });
        std::ranges::transform(taps_of(filter), line.ptr<float>(), [](double tap) { return static_cast<float>(tap); });
        square = line.t() * line;
    }

    [[nodiscard]] PlaneView<const std::uint8_t> from() const { return {src.ptr(), src.cols, src.rows, src.cols}; }
    [[nodiscard]] PlaneView<std::uint8_t> to() { return {dst.ptr(), dst.cols, dst.rows, dst.cols}; }
};

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
            bench.intermediate.ptr<float>(y)[x] = sum;
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
                sum += taps[j] * bench.intermediate.ptr<float>(clamped(y + j, bench.filter.height))[x];
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
    const auto cut = [&](int i) { return band_begin(height, i, bands); };
    cv::parallel_for_(
        {0, bands}, [&](const cv::Range& range) { ours_one(bench, cut(range.start), cut(range.end)); }, bands);
}

void opencv_square(Bench& bench, int /*first*/, int /*last*/) {
    cv::filter2D(bench.src, bench.dst, -1, bench.square, {-1, -1}, 0, cv::BORDER_REPLICATE);
}

void opencv_gaussian(Bench& bench, int /*first*/, int /*last*/) {
    cv::GaussianBlur(bench.src, bench.dst, {bench.filter.size(), bench.filter.size()}, 0, 0, cv::BORDER_REPLICATE);
}

struct CpuRung {
    Rung rung;
    void (*work)(Bench&, int first, int last);
    double (FilterCase::*flops)() const;
    bool in_parts = false;  ///< some rows of a picture may stand for the whole
    int halo = 0;           ///< radii of rows that it computes outside of its rows
    double allowed = 1;     ///< LSB; 0: the contract's bytes
};

constexpr auto square = &FilterCase::square_flops;
constexpr auto separable = &FilterCase::separable_flops;
constexpr CpuRung rungs[] = {
    {{"CPU loop", "the definition as four nested loops, in fp32, on one thread"}, loop, square, true},
    {{"CPU loop, separable", "a Gaussian is a row and then a column: 2k multiply-adds instead of k x k"},
     separable_loop,
     separable,
     true},
    {{"ours, scalar", "whole numbers in place of fp32: the bytes no longer depend on who computes them", true},
     ours_scalar,
     separable,
     true,
     2,
     0},
    {{"ours, SIMD, one thread", "the widest vectors of the processor", true}, ours_one, separable, true, 2, 0},
    {{"ours, SIMD, all threads", "bands of the picture on all processors", true}, ours_all, separable, false, 0, 0},
    {{"OpenCV filter2D", "the definition, with a Fourier transform for large kernels; all threads"},
     opencv_square,
     square},
    // Its own fixed-point taps are of 8 bits.
    {{"OpenCV GaussianBlur", "separable, in vectors; all threads"}, opencv_gaussian, separable, false, 0, 3},
};

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

void check(const CpuRung& rung, const Bench& bench, const Reference& reference, Climb& climb) {
    bool exact = true;
    for (std::size_t i = 0; i < reference.rows().size(); ++i) {
        const std::uint8_t* const row = bench.dst.ptr(reference.rows()[i]);
        const std::vector<float> values(row, row + bench.filter.width);
        climb.difference = std::max(climb.difference, reference.difference(i, values, true, 0));
        exact = exact && reference.exact(i, values);
    }
    if (rung.allowed == 0 ? !exact : climb.difference > rung.allowed) {
        climb.refute(off_by(climb.difference, "LSB"));
    }
}

// In rounds of at least one call; a slow rung's of as many rows as take a third of the time that it gets.
Spread time(const CpuRung& rung, Bench& bench) {
    constexpr double budget = 0.1;
    const int height = bench.filter.height;
    const int min_rows = std::clamp(16 * rung.halo * bench.filter.radius, 8, height);
    const int start = (height - min_rows) / 2;
    int rows = height;
    if (rung.in_parts) {
        const double row = seconds([&] { rung.work(bench, start, start + min_rows); }) / min_rows;
        rows = std::clamp(static_cast<int>(budget / 3 / row), min_rows, height);
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
    return spread_of(times);
}

}  // namespace

std::vector<Rung> cpu_rungs() {
    return rungs_of(rungs);
}

std::vector<Climb> climb_cpu(const FilterCase& filter, int threads, const Begin& begin) {
    cv::setNumThreads(threads);
    Bench bench(filter, threads);
    const Reference reference(filter, bench.src.ptr(), bench.src.cols);
    return climb_rungs<CpuRung>(rungs, begin, [&](const CpuRung& rung, Climb& climb) {
        climb.flops = (filter.*rung.flops)();
        climb.bytes = filter.bytes();
        bench.dst.setTo(0xEE);
        filter_checked(rung, bench, reference.rows());
        check(rung, bench, reference, climb);
        if (!climb.wrong) {
            climb.microseconds = time(rung, bench);
        }
    });
}

}  // namespace vfilter::study
