// Kernels beside OpenCV's and a plain copy, one plane, in one run.
//
//   bench_kernels [--simd NAME] [google benchmark's options]
//
// Counters: `copy` (time / a memcpy of the plane), `opencv` (time / cv::GaussianBlur or cv::blur with as many threads),
// `speedup` (two threads over one), `GB/s` read and written. The contestants take turns, so that a change of the
// machine's speed meets them all, and each ratio is a median. What vfilter promises is printed at the end, with what
// was measured.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <random>
#include <string>
#include <vector>

#include "kernels/cpu/simd.h"
#include "kernels/filters.h"

namespace {

using namespace vfilter;

// Samples lie as in a decoded frame: aligned, rows without padding.
template <class T>
struct Picture {
    cv::Mat mat;
    Picture(int width, int height, int depth) : mat(height, width, sizeof(T) == 1 ? CV_8UC1 : CV_16UC1) {
        std::mt19937 random(1);
        for (auto sample = mat.begin<T>(); sample != mat.end<T>(); ++sample) {
            *sample = static_cast<T>(random() & ((1U << depth) - 1));
        }
    }
    PlaneView<T> view() { return {mat.ptr<T>(), mat.cols, mat.rows, static_cast<std::ptrdiff_t>(mat.step)}; }
    [[nodiscard]] std::size_t bytes() const { return mat.total() * sizeof(T); }
};

using Clock = std::chrono::steady_clock;

double seconds(const auto& work) {
    const auto start = Clock::now();
    work();
    return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
    std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
    return values[values.size() / 2];
}

// A promise, and what became of it.
struct Promise {
    std::string what;
    double measured;
    double limit;
    bool at_least = false;

    [[nodiscard]] bool kept() const { return at_least ? measured >= limit : measured <= limit; }
};

std::vector<Promise> promises;
bool simd_forced = false;

// Google Benchmark calls a function several times while it looks for the number of iterations: the last, longest one
// counts.
void note(Promise made) {
    std::erase_if(promises, [&](const Promise& row) { return row.what == made.what; });
    promises.push_back(std::move(made));
}

// The promises about a plane of 1080 rows: shares of OpenCV's time for the best target, looser ones for a forced AVX2.
void promise(const std::string& name, int size, int depth, double opencv, double copy) {
    const std::string what = name + " " + std::to_string(size) + ", " + std::to_string(depth) + " bits: ";
    if (simd_forced && simd_target() != "AVX2") {
        return;
    }
    note({what + "time / OpenCV", opencv, simd_forced ? 0.7 : depth == 8 ? 0.5 : 0.35});
    if (!simd_forced && size == 5 && depth == 8) {
        note({what + "time / memcpy", copy, 3});
    }
}

// One convolution and the planes it goes from and to, as the arguments of a row say.
template <class T>
struct Job {
    const FilterDef& def;
    int height;
    int size;
    int depth;
    SimdFilter convolution;
    Picture<T> src;
    Picture<T> dst;
    bool one_derivative;
    cv::Mat x;
    cv::Mat y;

    Job(const benchmark::State& state, const char* filter, const std::string& arguments = "")
        : def(*find_filter(filter)),
          height(static_cast<int>(state.range(0))),
          size(static_cast<int>(state.range(1))),
          depth(static_cast<int>(state.range(2))),
          convolution(make_plane_filter(def.make(parse_filter(def, arguments + std::to_string(size)), 1, 1), depth)),
          src(height * 16 / 9, height, depth),
          dst(height * 16 / 9, height, depth),
          one_derivative(!arguments.empty()) {}

    void ours(int first, int last) {
        convolution.run<T>(PlaneView<const T>(src.view()), dst.view(), Border::reflect_101, 0, first, last);
    }
    void ours(int threads) {
        const int bands = convolution.bands(height, threads);
        const auto cut = [&](int i) { return i == bands ? height : height * i / bands & ~1; };
        const auto work = [&](const cv::Range& range) { ours(cut(range.start), cut(range.end)); };
        if (threads == 1) {
            work({0, 1});
        } else {
            cv::parallel_for_({0, bands}, work, bands);
        }
    }
    // The same by OpenCV, of a gradient's magnitude by what its users write.
    void opencv() {
        if (def.name == "box") {
            cv::blur(src.mat, dst.mat, {size, size}, {-1, -1}, cv::BORDER_REFLECT_101);
        } else if (def.name == "sobel") {
            cv::Sobel(src.mat, x, one_derivative ? CV_16S : CV_32F, 1, 0, size);
            if (one_derivative) {
                cv::convertScaleAbs(x, dst.mat);
                return;
            }
            cv::Sobel(src.mat, y, CV_32F, 0, 1, size);
            cv::magnitude(x, y, x);
            x.convertTo(dst.mat, dst.mat.type());
        } else {
            cv::GaussianBlur(src.mat, dst.mat, {size, size}, 0, 0, cv::BORDER_REFLECT_101);
        }
    }
    void copy() { std::memcpy(dst.mat.data, src.mat.data, src.bytes()); }
};

template <class T>
void compare(benchmark::State& state, const char* filter, const std::string& arguments = "") {
    Job<T> job(state, filter, arguments);
    cv::setNumThreads(1);
    for (int warm = 0; warm < 2; ++warm) {
        job.ours(1);
        job.opencv();
        job.copy();
    }
    std::vector<double> times;
    std::vector<double> to_opencv;
    std::vector<double> to_copy;
    for (auto _ : state) {
        const double mine = seconds([&] { job.ours(1); });
        const double theirs = seconds([&] { job.opencv(); });
        const double plain = std::min(seconds([&] { job.copy(); }), seconds([&] { job.copy(); }));
        state.SetIterationTime(mine);
        times.push_back(mine);
        to_opencv.push_back(mine / theirs);
        to_copy.push_back(mine / plain);
    }
    state.counters["opencv"] = median(to_opencv);
    state.counters["copy"] = median(to_copy);
    state.counters["GB/s"] = 2 * static_cast<double>(job.src.bytes()) / median(times) / 1e9;
    state.SetLabel(simd_target());
    if (job.def.name != "gaussian" && job.height == 1080 && job.depth == 8 && !simd_forced &&
        (job.def.name == "sobel" || job.size == 31)) {
        const std::string what = std::string(job.def.name) + " " + arguments + std::to_string(job.size);
        note({what + ", 8 bits: time / OpenCV", median(to_opencv), 0.6});
    }
    if (job.def.name == "gaussian" && job.height == 1080 && job.depth <= 10) {
        promise(std::string(job.def.name), job.size, job.depth, median(to_opencv), median(to_copy));
    }
}

// Planes come one after the other, as in a video: a thread woken for each alone would have slept for half of a small
// one.
void two_threads(benchmark::State& state) {
    constexpr int planes = 32;
    Job<std::uint8_t> job(state, "gaussian");
    const auto time = [&](int threads) {
        return seconds([&] {
                   for (int i = 0; i < planes; ++i) {
                       job.ours(threads);
                   }
               }) /
               planes;
    };
    cv::setNumThreads(2);
    time(1);
    time(2);
    std::vector<double> speedup;
    for (auto _ : state) {
        const double alone = time(1);
        const double both = time(2);
        state.SetIterationTime(both);
        speedup.push_back(alone / both);
    }
    state.counters["speedup"] = median(speedup);
    state.SetLabel(simd_target());
    note({"gaussian " + std::to_string(job.size) + ": two threads over one", median(speedup), 1.8, true});
}

void gaussian_8(benchmark::State& state) {
    compare<std::uint8_t>(state, "gaussian");
}
void gaussian_16(benchmark::State& state) {
    compare<std::uint16_t>(state, "gaussian");
}
void box_8(benchmark::State& state) {
    compare<std::uint8_t>(state, "box");
}

void sobel_8(benchmark::State& state) {
    compare<std::uint8_t>(state, "sobel");
}
void sobel_16(benchmark::State& state) {
    compare<std::uint16_t>(state, "sobel");
}
void sobel_x_8(benchmark::State& state) {
    compare<std::uint8_t>(state, "sobel", "direction=x:size=");
}

using Sizes = std::vector<std::int64_t>;

void planes(benchmark::internal::Benchmark* rows, std::int64_t height, const Sizes& sizes, std::int64_t depth) {
    rows->ArgsProduct({{height}, sizes, {depth}})->ArgNames({"rows", "size", "depth"});
    rows->UseManualTime()->Unit(benchmark::kMicrosecond);
}

void register_all() {
    const Sizes all{3, 5, 7, 15, 31, 63};
    const auto add = [](const char* name, void (*function)(benchmark::State&)) {
        return benchmark::RegisterBenchmark(name, function);
    };
    planes(add("gaussian_8", gaussian_8), 1080, all, 8);
    planes(add("gaussian_16", gaussian_16), 1080, all, 10);
    planes(add("gaussian_16", gaussian_16), 1080, {5, 31}, 16);
    planes(add("gaussian_8", gaussian_8), 2160, {5, 31}, 8);
    planes(add("box_8", box_8), 1080, {5, 31}, 8);
    planes(add("sobel_8", sobel_8), 1080, {3, 5}, 8);
    planes(add("sobel_x_8", sobel_x_8), 1080, {3}, 8);
    planes(add("sobel_16", sobel_16), 1080, {3}, 10);
    planes(add("two_threads", two_threads), 1080, all, 8);
}

void print_promises() {
    if (promises.empty()) {
        return;
    }
    std::printf("\n%-44s %9s %9s\n", ("promised, " + simd_target()).c_str(), "measured", "target");
    for (const Promise& row : promises) {
        std::printf("%-44s %9.2f %2s %6.2f  %s\n", row.what.c_str(), row.measured,
                    row.at_least ? ">=" : "<=", row.limit, row.kept() ? "ok" : "MISS");
    }
}

}  // namespace

int main(int argc, char** argv) {
    for (int i = 1; i + 1 < argc; ++i) {
        if (std::string(argv[i]) == "--simd") {
            force_simd_target(argv[i + 1]);
            simd_forced = true;
            std::move(argv + i + 2, argv + argc, argv + i);
            argc -= 2;
            break;
        }
    }
    register_all();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 2;
    }
    benchmark::RunSpecifiedBenchmarks();
    print_promises();
    return 0;
}
