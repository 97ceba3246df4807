// The SIMD kernels next to OpenCV and memcpy.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <opencv2/core.hpp>
#include <random>

#include "bench/clock.h"
#include "bench/kernels.h"
#include "bench/opencv_ways.h"
#include "kernels/cpu/plane_filter.h"
#include "kernels/cpu/scalar.h"
#include "kernels/cpu/simd.h"

namespace vfilter::bench {

namespace {

// Of sources and results together: more than the caches that a core has to itself.
constexpr std::size_t cpu_rotated_bytes = std::size_t{64} << 20;
constexpr std::size_t min_pictures = 3;
constexpr auto border = Border::reflect_101;

// What is noted of each round.
struct Rounds {
    std::vector<double> us;
    std::vector<double> copy_us;
    std::vector<double> of_copy;
    std::vector<double> rival_us;
    std::vector<double> ratio;
};

// How long to go on with a row.
struct CpuPatience {
    double seconds;
    int min_rounds;
};

// The same random samples many times, and places for as many results. Samples lie as in a decoded frame: aligned, rows
// without padding.
struct CpuPictures {
    int height = 0;
    int depth = 0;
    int components = 0;
    std::vector<cv::Mat> src;
    std::vector<cv::Mat> around;  // other samples: what each source has before and after it in time
    std::vector<cv::Mat> ours;
    std::vector<cv::Mat> theirs;

    template <class T>
    void make(const KernelRow& row) {
        if (height == row.height && depth == row.depth && components == row.components) {
            return;
        }
        *this = {};
        height = row.height;
        depth = row.depth;
        components = row.components;
        std::mt19937 random(1);
        const auto random_picture = [&] {
            cv::Mat picture(height, row.width(), CV_MAKETYPE(sizeof(T) == 1 ? CV_8U : CV_16U, components));
            cv::Mat samples = picture.reshape(1);
            for (auto sample = samples.begin<T>(); sample != samples.end<T>(); ++sample) {
                *sample = static_cast<T>(random() & ((1U << depth) - 1));
            }
            return picture;
        };
        const cv::Mat first = random_picture();
        for (int i = 0; i < max_neighbours; ++i) {
            around.push_back(random_picture());
        }
        const std::size_t bytes = first.total() * first.elemSize();
        const std::size_t count = std::max(min_pictures, (cpu_rotated_bytes / 2 + bytes - 1) / bytes);
        for (std::size_t i = 0; i < count; ++i) {
            src.push_back(i == 0 ? first : first.clone());
            ours.emplace_back(first.size(), first.type(), cv::Scalar(0));
            theirs.emplace_back(first.size(), first.type(), cv::Scalar(0));
        }
    }
};

template <class T>
PlaneView<T> view(const cv::Mat& mat) {
    return {const_cast<T*>(mat.ptr<T>()), mat.cols, mat.rows, static_cast<std::ptrdiff_t>(mat.step), mat.channels()};
}

template <class T>
using Around = std::vector<PlaneView<const T>>;

// The other pictures of an operation's window.
template <class T>
Around<T> around(const CpuPictures& pictures, const Operation& operation) {
    Around<T> views;
    for (int i = 0; i < time_reach(operation).neighbours(); ++i) {
        views.push_back(view<T>(pictures.around[static_cast<std::size_t>(i)]));
    }
    return views;
}

template <class T>
void filter(const SimdFilter& made, const cv::Mat& src, const Around<T>& around, const cv::Mat& dst, int threads) {
    const int height = src.rows;
    const int bands = threads == 1 ? 1 : made.bands(height, threads);
    const auto cut = [&](int i) { return band_begin(height, i, bands); };
    const auto work = [&](const cv::Range& range) {
        made.run<T>(PlaneView<const T>(view<T>(src)), around, view<T>(dst), border, 0, cut(range.start),
                    cut(range.end));
    };
    if (bands == 1) {
        work({0, 1});
    } else {
        cv::parallel_for_({0, bands}, work, bands);
    }
}

struct ThreadsOfOpenCv {
    explicit ThreadsOfOpenCv(int threads) { cv::setNumThreads(threads); }
    ThreadsOfOpenCv(const ThreadsOfOpenCv&) = delete;
    ThreadsOfOpenCv& operator=(const ThreadsOfOpenCv&) = delete;
    ~ThreadsOfOpenCv() { cv::setNumThreads(-1); }
};

template <class T>
KernelTimes measure(const KernelRow& row, CpuPictures& pictures, const CpuPatience& patience, int threads) {
    const FilterSpec spec = parse_filter(*row.def, row.arguments);
    const FilterKernel kernel = row.def->make != nullptr ? row.def->make(spec, 1, 1) : FilterKernel{};
    const Operation made = make_filters(*row.def, row.arguments, row.depth, false).front();
    const SimdFilter simd(made);
    const Way opencv = opencv_way({spec, kernel, row.depth});
    pictures.make<T>(row);
    const Around<T> neighbours = around<T>(pictures, made);
    const std::size_t bytes = pictures.src[0].total() * pictures.src[0].elemSize();

    std::size_t n = 0;
    std::size_t step = 1;
    const auto next = [&] { return n = (n + step) % pictures.src.size(); };
    const auto ours = [&](int with) {
        next();
        return seconds_of([&] { filter<T>(simd, pictures.src[n], neighbours, pictures.ours[n], with); });
    };
    const auto theirs = [&] {
        next();
        return seconds_of([&] { opencv(pictures.src[n], pictures.theirs[n]); });
    };
    const auto copy = [&] {
        next();
        return seconds_of([&] { std::memcpy(pictures.theirs[n].data, pictures.src[n].data, bytes); });
    };
    std::size_t last = 0;  // that is ours
    const auto contest = [&](double wait) {
        const ThreadsOfOpenCv one(1);
        for (int warm = 0; warm < 2; ++warm) {
            ours(1);
            copy();
        }
        if (opencv) {
            theirs();
        }
        Rounds rounds;
        const auto start = Clock::now();
        for (int round = 0; round < patience.min_rounds || seconds_since(start) < wait; ++round) {
            double mine = 0;
            double rival = 0;
            double plain = 0;
            const std::array<std::function<void()>, 3> turns{[&] {
                                                                 mine = ours(1);
                                                                 last = n;
                                                             },
                                                             [&] { rival = opencv ? theirs() : 0; },
                                                             [&] { plain = std::min(copy(), copy()); }};
            for (std::size_t i = 0; i < turns.size(); ++i) {
                turns[round % 2 == 0 ? i : turns.size() - 1 - i]();
            }
            rounds.us.push_back(1e6 * mine);
            rounds.copy_us.push_back(1e6 * plain);
            rounds.of_copy.push_back(mine / plain);
            rounds.rival_us.push_back(1e6 * rival);
            rounds.ratio.push_back(rival / mine);
        }
        return rounds;
    };

    KernelTimes times;
    times.kernel = simd_target();
    times.bytes = 2 * static_cast<double>(bytes);
    const Rounds rotating = contest(patience.seconds);
    times.us = spread_of(rotating.us);
    times.copy_us = spread_of(rotating.copy_us);
    times.of_copy = spread_of(rotating.of_copy);
    if (opencv) {
        times.rivals.push_back({"OpenCV", spread_of(rotating.rival_us), spread_of(rotating.ratio)});
    }
    step = 0;
    const Rounds cached = contest(patience.seconds / 2);
    times.cached = {spread_of(cached.us), spread_of(cached.of_copy), spread_of(cached.ratio)};
    step = 1;
    times.right = holds_contract<T>(made, view<T>(pictures.src[last]), view<T>(pictures.ours[last]), neighbours);

    if (threads > 1) {
        const cv::Mat expected = pictures.ours[last].clone();  // of all sources, which are the same
        const ThreadsOfOpenCv many(threads);
        ours(threads);
        std::vector<double> threads_us;
        const auto start = Clock::now();
        for (int round = 0; round < patience.min_rounds || seconds_since(start) < patience.seconds / 3; ++round) {
            threads_us.push_back(1e6 * ours(threads));
        }
        times.right = times.right && std::memcmp(pictures.ours[n].data, expected.data, bytes) == 0;
        times.threads_us = spread_of(threads_us);
    }
    return times;
}

// Planes come one after the other, as in a video: a thread woken for each alone would have slept for half of a small
// one.
template <class T>
Spread two_threads(const KernelRow& row, CpuPictures& pictures, const CpuPatience& patience) {
    constexpr int planes = 32;
    const SimdFilter simd(make_filters(*row.def, row.arguments, row.depth, false).front());
    pictures.make<T>(row);
    const ThreadsOfOpenCv two(2);
    const auto time = [&](int threads) {
        return seconds_of([&] {
            for (int i = 0; i < planes; ++i) {
                filter<T>(simd, pictures.src[0], {}, pictures.ours[0], threads);
            }
        });
    };
    time(1);
    time(2);
    std::vector<double> speed_up;
    const auto start = Clock::now();
    for (int round = 0; round < patience.min_rounds || seconds_since(start) < patience.seconds; ++round) {
        const double alone = time(1);
        speed_up.push_back(alone / time(2));
    }
    return spread_of(speed_up);
}

}  // namespace

template <class T>
bool holds_contract(const Operation& filter, PlaneView<const T> src, PlaneView<const T> result,
                    std::span<const PlaneView<const T>> neighbours) {
    constexpr int rows = 4;
    const int height = src.height;
    const int width = src.samples();
    std::vector<T> expected(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    const PlaneView<T> right{expected.data(), src.width, height, static_cast<std::ptrdiff_t>(sizeof(T)) * width,
                             src.step,        src.lsb};
    for (const int wish : {0, height / 2 - rows / 2, height - rows}) {
        const int first = std::clamp(wish, 0, height);
        const int last = std::min(first + rows, height);
        filter_scalar<T>(filter, src, neighbours, right, border, 0, first, last);
        for (int y = first; y < last; ++y) {
            if (!std::equal(right.row(y), right.row(y) + width, result.row(y))) {
                return false;
            }
        }
    }
    return true;
}

template bool holds_contract(const Operation&, PlaneView<const std::uint8_t>, PlaneView<const std::uint8_t>,
                             std::span<const PlaneView<const std::uint8_t>>);
template bool holds_contract(const Operation&, PlaneView<const std::uint16_t>, PlaneView<const std::uint16_t>,
                             std::span<const PlaneView<const std::uint16_t>>);

KernelMeter cpu_meter(const Wishes& wishes) {
    const CpuPatience patience = wishes.quick ? CpuPatience{0.04, 3} : CpuPatience{0.3, 5};
    const int processors = cv::getNumberOfCPUs();
    const int threads = wishes.threads > 0 ? wishes.threads : processors;
    const auto pictures = std::make_shared<CpuPictures>();
    KernelMeter meter;
    meter.backend = Backend::cpu;
    meter.kind = simd_target() == simd_targets().front() ? best_simd : simd_target();
    meter.text = fmt::format(
        "One plane, or an interleaved picture, border reflect_101, one thread but for the last column, which has {}. "
        "Sources and results rotate through {} MB or more; those in cache are the same plane again and again. A copy "
        "is memcpy of the plane, the faster one of two; OpenCV {} does what its users write for the same filter, on "
        "one thread. Rounds go on for {} s, {} at least.",
        threads, cpu_rotated_bytes >> 20, CV_VERSION, patience.seconds, patience.min_rounds);
    meter.rivals = {"OpenCV"};
    meter.measure = [=](const KernelRow& row) {
        return row.depth == 8 ? measure<std::uint8_t>(row, *pictures, patience, threads)
                              : measure<std::uint16_t>(row, *pictures, patience, threads);
    };
    if (processors > 1 && threads > 1) {
        meter.two_threads = [=](const KernelRow& row) {
            return row.depth == 8 ? two_threads<std::uint8_t>(row, *pictures, patience)
                                  : two_threads<std::uint16_t>(row, *pictures, patience);
        };
    } else {
        meter.left_out.push_back({"two threads over one", "there is one processor, or one thread was asked for"});
    }
    return meter;
}

}  // namespace vfilter::bench
