// Kernels beside OpenCV's and a plain copy, one plane, in one run.
//
//   bench_kernels [--simd NAME] [google benchmark's options]
//
// Counters: `ns/px`, `copy` (time / a memcpy of the plane, measured just before), `opencv` (time / cv::GaussianBlur).

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iostream>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <random>
#include <string>
#include <vector>

#include "kernels/cpu/simd.h"
#include "kernels/filters.h"

namespace {

using namespace vfilter;

template <class T>
struct Picture {
    int width, height;
    std::vector<T> samples;
    Picture(int w, int h, int depth) : width(w), height(h), samples(static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {
        std::mt19937 random(1);
        for (T& sample : samples) {
            sample = static_cast<T>(random() & ((1U << depth) - 1));
        }
    }
    PlaneView<T> view() { return {samples.data(), width, height, static_cast<std::ptrdiff_t>(sizeof(T)) * width}; }
    cv::Mat mat() { return {height, width, sizeof(T) == 1 ? CV_8UC1 : CV_16UC1, samples.data()}; }
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

// All four contestants take turns, so that a change of the machine's speed meets them all.
template <class T>
void compare(benchmark::State& state, const char* filter, int threads) {
    const auto height = static_cast<int>(state.range(0));
    const int width = height * 16 / 9;
    const auto size = static_cast<int>(state.range(1));
    const auto depth = static_cast<int>(state.range(2));
    const FilterDef& def = *find_filter(filter);
    const FilterSpec spec = parse_filter(def, std::to_string(size));
    const SimdConvolution convolution(make_convolution(def.make(spec.values, 1, 1), depth));
    Picture<T> src(width, height, depth);
    Picture<T> dst(width, height, depth);
    cv::Mat from = src.mat();
    cv::Mat to = dst.mat();
    cv::setNumThreads(threads);
    const auto ours = [&] {
        const auto band = [&](int first, int last) {
            convolution.run(PlaneView<const T>(src.view()), dst.view(), Border::reflect_101, 0, first, last);
        };
        if (threads == 1) {
            band(0, height);
        } else {
            cv::parallel_for_(cv::Range(0, threads * 4), [&](const cv::Range& range) {
                band(height * range.start / (threads * 4) & ~1,
                     range.end == threads * 4 ? height : height * range.end / (threads * 4) & ~1);
            });
        }
    };
    const auto opencv = [&] {
        if (def.name == "box") {
            cv::blur(from, to, {size, size}, {-1, -1}, cv::BORDER_REFLECT_101);
        } else {
            cv::GaussianBlur(from, to, {size, size}, 0, 0, cv::BORDER_REFLECT_101);
        }
    };
    const auto copy = [&] { std::memcpy(dst.samples.data(), src.samples.data(), src.samples.size() * sizeof(T)); };
    for (const auto& warm : {0, 1}) {
        static_cast<void>(warm);
        ours();
        opencv();
        copy();
    }
    std::vector<double> times;
    std::vector<double> to_opencv;
    std::vector<double> to_copy;
    for (auto _ : state) {
        const double mine = seconds(ours);
        const double theirs = seconds(opencv);
        const double plain = std::min(seconds(copy), seconds(copy));
        state.SetIterationTime(mine);
        times.push_back(mine);
        to_opencv.push_back(mine / theirs);
        to_copy.push_back(mine / plain);
    }
    state.counters["us"] = median(times) * 1e6;
    state.counters["opencv"] = median(to_opencv);
    state.counters["copy"] = median(to_copy);
    state.counters["GB/s"] =
        2.0 * static_cast<double>(src.samples.size() * sizeof(T)) / median(times) / 1e9;
    state.SetLabel(simd_target());
}

void gaussian_8(benchmark::State& state) { compare<std::uint8_t>(state, "gaussian", 1); }
void gaussian_16(benchmark::State& state) { compare<std::uint16_t>(state, "gaussian", 1); }
void gaussian_8_two_threads(benchmark::State& state) { compare<std::uint8_t>(state, "gaussian", 2); }
void box_8(benchmark::State& state) { compare<std::uint8_t>(state, "box", 1); }

const std::vector<std::int64_t> sizes{3, 5, 7, 15, 31, 63};

BENCHMARK(gaussian_8)->ArgsProduct({{1080}, sizes, {8}})->ArgNames({"rows", "size", "depth"})->UseManualTime();
BENCHMARK(gaussian_16)->ArgsProduct({{1080}, sizes, {10}})->ArgNames({"rows", "size", "depth"})->UseManualTime();
BENCHMARK(gaussian_16)->ArgsProduct({{1080}, {5, 31}, {16}})->ArgNames({"rows", "size", "depth"})->UseManualTime();
BENCHMARK(gaussian_8_two_threads)->ArgsProduct({{1080}, sizes, {8}})->ArgNames({"rows", "size", "depth"})->UseManualTime();
BENCHMARK(gaussian_8)->ArgsProduct({{2160}, {5, 31}, {8}})->ArgNames({"rows", "size", "depth"})->UseManualTime();
BENCHMARK(box_8)->ArgsProduct({{1080}, {5, 31}, {8}})->ArgNames({"rows", "size", "depth"})->UseManualTime();

}  // namespace

int main(int argc, char** argv) {
    for (int i = 1; i + 1 < argc; ++i) {
        if (std::string(argv[i]) == "--simd") {
            vfilter::force_simd_target(argv[i + 1]);
            std::move(argv + i + 2, argv + argc, argv + i);
            argc -= 2;
            break;
        }
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 2;
    }
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
