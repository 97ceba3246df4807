// The SIMD kernels beside OpenCV and memcpy.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <random>

#include "bench/kernels.h"
#include "kernels/cpu/scalar.h"
#include "kernels/cpu/simd.h"

namespace vfilter::bench {

namespace {

// Of sources and results together: more than the caches that a core has to itself.
constexpr std::size_t rotated_bytes = std::size_t{64} << 20;
constexpr std::size_t least_pictures = 3;
constexpr auto border = Border::reflect_101;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

double seconds(const auto& work) {
    const auto start = Clock::now();
    work();
    return seconds_since(start);
}

// What is noted of each round.
struct Rounds {
    std::vector<double> us;
    std::vector<double> copy_us;
    std::vector<double> of_copy;
    std::vector<double> rival_us;
    std::vector<double> ratio;
};

// How long to go on with a row.
struct Patience {
    double seconds;
    int least_rounds;
};

// ---------------------------------------------------------------------------------------------- the same by OpenCV

using Way = std::function<void(const cv::Mat& src, cv::Mat& dst)>;

struct Task {
    const FilterSpec& spec;
    const FilterKernel& kernel;
    int depth;

    // Of the first term.
    [[nodiscard]] cv::Size size() const { return size(0); }
    [[nodiscard]] cv::Size size(std::size_t term) const {
        const SeparableKernel& taps = kernel.terms.at(term);
        return {static_cast<int>(taps.rows.size()), static_cast<int>(taps.columns.size())};
    }
};

// What may be signed, as its amount.
void show_amount(cv::Mat& amount, cv::Mat& dst, double scale = 1) {
    if (dst.depth() == CV_8U) {
        cv::convertScaleAbs(amount, dst, scale);
        return;
    }
    cv::absdiff(amount, cv::Scalar::all(0), amount);
    amount.convertTo(dst, dst.type(), scale);
}

int signed_type(const cv::Mat& src) {
    return src.depth() == CV_8U ? CV_16S : CV_32F;
}

Way gaussian_way(const Task& task) {
    return [size = task.size()](const cv::Mat& src, cv::Mat& dst) {
        cv::GaussianBlur(src, dst, size, 0, 0, cv::BORDER_REFLECT_101);
    };
}

Way mean_way(const Task& task) {
    return [size = task.size()](const cv::Mat& src, cv::Mat& dst) {
        cv::blur(src, dst, size, {-1, -1}, cv::BORDER_REFLECT_101);
    };
}

Way sharpen_way(const Task& task) {
    return [size = task.size(), amount = task.kernel.gain - 1, blurred = cv::Mat()](const cv::Mat& src,
                                                                                    cv::Mat& dst) mutable {
        cv::GaussianBlur(src, blurred, size, 0, 0, cv::BORDER_REFLECT_101);
        cv::addWeighted(src, 1 + amount, blurred, -amount, 0, dst);
    };
}

// What users write: two derivatives and their magnitude, or one and its amount.
template <class Derive>
Way gradient_way(const Task& task, Derive derive) {
    if (task.kernel.combine == Combine::magnitude) {
        return [derive, x = cv::Mat(), y = cv::Mat()](const cv::Mat& src, cv::Mat& dst) mutable {
            derive(src, x, CV_32F, true);
            derive(src, y, CV_32F, false);
            cv::magnitude(x, y, x);
            x.convertTo(dst, dst.type());
        };
    }
    const bool along_x = task.kernel.terms.at(0).rows.front() < 0;
    return [derive, along_x, x = cv::Mat()](const cv::Mat& src, cv::Mat& dst) mutable {
        derive(src, x, signed_type(src), along_x);
        show_amount(x, dst);
    };
}

Way sobel_way(const Task& task) {
    return gradient_way(task, [size = task.size().width](const cv::Mat& src, cv::Mat& to, int type, bool along_x) {
        cv::Sobel(src, to, type, along_x ? 1 : 0, along_x ? 0 : 1, size);
    });
}

Way scharr_way(const Task& task) {
    return gradient_way(task, [](const cv::Mat& src, cv::Mat& to, int type, bool along_x) {
        cv::Scharr(src, to, type, along_x ? 1 : 0, along_x ? 0 : 1);
    });
}

Way prewitt_way(const Task& task) {
    return gradient_way(task, [](const cv::Mat& src, cv::Mat& to, int type, bool along_x) {
        const cv::Matx13f difference(-1, 0, 1);
        const cv::Matx13f smooth(1, 1, 1);
        cv::sepFilter2D(src, to, type, along_x ? difference : smooth, along_x ? smooth : difference);
    });
}

Way laplacian_way(const Task& /*task*/) {
    return [amount = cv::Mat()](const cv::Mat& src, cv::Mat& dst) mutable {
        cv::Laplacian(src, amount, signed_type(src));
        show_amount(amount, dst);
    };
}

// Blurred first, and the Laplacian of that.
Way log_way(const Task& task) {
    const double sigma = task.spec.value(0);
    return
        [size = task.size(), sigma, blurred = cv::Mat(), amount = cv::Mat()](const cv::Mat& src, cv::Mat& dst) mutable {
            cv::GaussianBlur(src, blurred, size, sigma);
            cv::Laplacian(blurred, amount, signed_type(src));
            show_amount(amount, dst, sigma * sigma);
        };
}

Way dog_way(const Task& task) {
    const std::array sizes{task.size(0), task.size(1)};
    return [sizes, wide = cv::Mat()](const cv::Mat& src, cv::Mat& dst) mutable {
        cv::GaussianBlur(src, dst, sizes[0], 0);
        cv::GaussianBlur(src, wide, sizes[1], 0);
        cv::absdiff(dst, wide, dst);
    };
}

Way copy_way(const Task& /*task*/) {
    return [](const cv::Mat& src, cv::Mat& dst) { src.copyTo(dst); };
}

// Any sum of terms as one matrix.
Way matrix_way(const Task& task) {
    cv::Size size(1, 1);
    for (std::size_t i = 0; i < task.kernel.terms.size(); ++i) {
        size = {std::max(size.width, task.size(i).width), std::max(size.height, task.size(i).height)};
    }
    cv::Mat matrix(size, CV_64F, cv::Scalar(0));
    matrix.at<double>(size.height / 2, size.width / 2) = task.kernel.gain;
    for (std::size_t i = 0; i < task.kernel.terms.size(); ++i) {
        const SeparableKernel& term = task.kernel.terms[i];
        const cv::Size own = task.size(i);
        const cv::Rect middle((size.width - own.width) / 2, (size.height - own.height) / 2, own.width, own.height);
        cv::Mat place = matrix(middle);
        place += cv::Mat(term.columns) * cv::Mat(term.rows).t();
    }
    const double bias = task.kernel.bias * (1 << task.depth);
    if (task.kernel.combine == Combine::sum) {
        return [matrix, bias](const cv::Mat& src, cv::Mat& dst) {
            cv::filter2D(src, dst, -1, matrix, {-1, -1}, bias, cv::BORDER_REFLECT_101);
        };
    }
    return [matrix, bias, amount = cv::Mat()](const cv::Mat& src, cv::Mat& dst) mutable {
        cv::filter2D(src, amount, signed_type(src), matrix, {-1, -1}, bias, cv::BORDER_REFLECT_101);
        show_amount(amount, dst);
    };
}

// What a user of OpenCV would write for a filter; one that is not here is a matrix.
Way opencv_way(const Task& task) {
    static const std::map<std::string_view, Way (*)(const Task&)> ways = {
        {"gaussian", gaussian_way},   {"box", mean_way},      {"motion", mean_way},     {"sharpen", sharpen_way},
        {"sobel", sobel_way},         {"scharr", scharr_way}, {"prewitt", prewitt_way}, {"dog", dog_way},
        {"laplacian", laplacian_way}, {"log", log_way},       {"identity", copy_way},
    };
    const auto found = ways.find(task.spec.def->name);
    return (found == ways.end() ? matrix_way : found->second)(task);
}

// ------------------------------------------------------------------------------------------------------- measuring

// The same random samples many times, and places for as many results. Samples lie as in a decoded frame: aligned, rows
// without padding.
struct Pictures {
    int height = 0;
    int depth = 0;
    std::vector<cv::Mat> src;
    std::vector<cv::Mat> ours;
    std::vector<cv::Mat> theirs;

    template <class T>
    void make(const KernelRow& row) {
        if (height == row.height && depth == row.depth) {
            return;
        }
        *this = {};
        height = row.height;
        depth = row.depth;
        cv::Mat first(height, row.width(), sizeof(T) == 1 ? CV_8UC1 : CV_16UC1);
        std::mt19937 random(1);
        for (auto sample = first.begin<T>(); sample != first.end<T>(); ++sample) {
            *sample = static_cast<T>(random() & ((1U << depth) - 1));
        }
        const std::size_t bytes = first.total() * sizeof(T);
        const std::size_t count = std::max(least_pictures, (rotated_bytes / 2 + bytes - 1) / bytes);
        for (std::size_t i = 0; i < count; ++i) {
            src.push_back(i == 0 ? first : first.clone());
            ours.emplace_back(first.size(), first.type(), cv::Scalar(0));
            theirs.emplace_back(first.size(), first.type(), cv::Scalar(0));
        }
    }
};

template <class T>
PlaneView<T> view(const cv::Mat& mat) {
    return {const_cast<T*>(mat.ptr<T>()), mat.cols, mat.rows, static_cast<std::ptrdiff_t>(mat.step)};
}

template <class T>
void filter(const SimdFilter& made, const cv::Mat& src, const cv::Mat& dst, int threads) {
    const int height = src.rows;
    const int bands = threads == 1 ? 1 : made.bands(height, threads);
    const auto cut = [&](int i) { return i == bands ? height : height * i / bands & ~1; };
    const auto work = [&](const cv::Range& range) {
        made.run<T>(PlaneView<const T>(view<T>(src)), view<T>(dst), border, 0, cut(range.start), cut(range.end));
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
KernelTimes measure(const KernelRow& row, Pictures& pictures, const Patience& patience, int threads) {
    const FilterSpec spec = parse_filter(*row.def, row.arguments);
    const FilterKernel kernel = row.def->make(spec, 1, 1);
    const Operation made = make_operation(kernel, row.depth);
    const SimdFilter simd(made);
    const Way opencv = opencv_way({spec, kernel, row.depth});
    pictures.make<T>(row);
    const std::size_t bytes = pictures.src[0].total() * sizeof(T);

    std::size_t n = 0;
    std::size_t step = 1;
    const auto next = [&] { return n = (n + step) % pictures.src.size(); };
    const auto ours = [&](int with) {
        next();
        return seconds([&] { filter<T>(simd, pictures.src[n], pictures.ours[n], with); });
    };
    const auto theirs = [&] {
        next();
        return seconds([&] { opencv(pictures.src[n], pictures.theirs[n]); });
    };
    const auto copy = [&] {
        next();
        return seconds([&] { std::memcpy(pictures.theirs[n].data, pictures.src[n].data, bytes); });
    };
    std::size_t last = 0;  // that is ours
    const auto contest = [&](double wait) {
        const ThreadsOfOpenCv one(1);
        for (int warm = 0; warm < 2; ++warm) {
            ours(1);
            copy();
        }
        theirs();
        Rounds rounds;
        const auto start = Clock::now();
        for (int round = 0; round < patience.least_rounds || seconds_since(start) < wait; ++round) {
            double mine = 0;
            double rival = 0;
            double plain = 0;
            const std::array<std::function<void()>, 3> turns{[&] {
                                                                 mine = ours(1);
                                                                 last = n;
                                                             },
                                                             [&] { rival = theirs(); },
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
    times.rivals.push_back({"OpenCV", spread_of(rotating.rival_us), spread_of(rotating.ratio)});
    step = 0;
    const Rounds cached = contest(patience.seconds / 2);
    times.cached = {spread_of(cached.us), spread_of(cached.of_copy), spread_of(cached.ratio)};
    step = 1;
    times.right = holds_contract<T>(made, view<T>(pictures.src[last]), view<T>(pictures.ours[last]));

    if (threads > 1) {
        const cv::Mat expected = pictures.ours[last].clone();  // of all sources, which are the same
        const ThreadsOfOpenCv many(threads);
        ours(threads);
        std::vector<double> threads_us;
        const auto start = Clock::now();
        for (int round = 0; round < patience.least_rounds || seconds_since(start) < patience.seconds / 3; ++round) {
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
Spread two_threads(const KernelRow& row, Pictures& pictures, const Patience& patience) {
    constexpr int planes = 32;
    const FilterSpec spec = parse_filter(*row.def, row.arguments);
    const SimdFilter simd(make_operation(row.def->make(spec, 1, 1), row.depth));
    pictures.make<T>(row);
    const ThreadsOfOpenCv two(2);
    const auto time = [&](int threads) {
        return seconds([&] {
            for (int i = 0; i < planes; ++i) {
                filter<T>(simd, pictures.src[0], pictures.ours[0], threads);
            }
        });
    };
    time(1);
    time(2);
    std::vector<double> speed_up;
    const auto start = Clock::now();
    for (int round = 0; round < patience.least_rounds || seconds_since(start) < patience.seconds; ++round) {
        const double alone = time(1);
        speed_up.push_back(alone / time(2));
    }
    return spread_of(speed_up);
}

}  // namespace

template <class T>
bool holds_contract(const Operation& filter, PlaneView<const T> src, PlaneView<const T> result) {
    constexpr int rows = 4;
    const int height = src.height;
    const int width = src.samples();
    std::vector<T> expected(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    const PlaneView<T> right{expected.data(), src.width, height, static_cast<std::ptrdiff_t>(sizeof(T)) * width,
                             src.step,        src.lsb};
    for (const int wish : {0, height / 2 - rows / 2, height - rows}) {
        const int first = std::clamp(wish, 0, height);
        const int last = std::min(first + rows, height);
        filter_scalar<T>(filter, src, right, border, 0, first, last);
        for (int y = first; y < last; ++y) {
            if (!std::equal(right.row(y), right.row(y) + width, result.row(y))) {
                return false;
            }
        }
    }
    return true;
}

template bool holds_contract(const Operation&, PlaneView<const std::uint8_t>, PlaneView<const std::uint8_t>);
template bool holds_contract(const Operation&, PlaneView<const std::uint16_t>, PlaneView<const std::uint16_t>);

KernelMeter cpu_meter(const Wishes& wishes) {
    const Patience patience = wishes.quick ? Patience{0.04, 3} : Patience{0.3, 5};
    const int processors = cv::getNumberOfCPUs();
    const int threads = wishes.threads > 0 ? wishes.threads : processors;
    const auto pictures = std::make_shared<Pictures>();
    KernelMeter meter;
    meter.backend = Backend::cpu;
    meter.kind = simd_target() == simd_targets().front() ? best_simd : simd_target();
    meter.text = fmt::format(
        "One plane, border reflect_101, one thread but for the last column, which has {}. Sources and results rotate "
        "through {} MB or more; those in cache are the same plane again and again. A copy is memcpy of the plane, the "
        "faster one of two; OpenCV {} does what its users "
        "write for the same filter, on one thread. Rounds go on for {} s, {} at least.",
        threads, rotated_bytes >> 20, CV_VERSION, patience.seconds, patience.least_rounds);
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
