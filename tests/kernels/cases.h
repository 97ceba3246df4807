#pragma once
// What the tests of every implementation draw their cases from.

#include <iterator>
#include <random>

#include "tests/kernels/harness.h"

namespace vfilter::test {

struct Kernel {
    const char* filter;
    const char* arguments;
    double pitch_x = 1;
    double pitch_y = 1;

    /// Not decimated, however large.
    [[nodiscard]] LinearFilter at(int depth) const {
        return make_linear_filter(filter_kernel_of(filter, arguments, pitch_x, pitch_y), depth);
    }
};

// Filters that are no smoothings: one and several terms, each way of combining them, gain, bias, threshold; int16
// and, at great depths, int64; no term at all.
inline constexpr Kernel term_kernels[] = {
    {"sobel", ""},
    {"sobel", "direction=x"},
    {"sobel", "5:scale=0.25"},
    {"sobel", "7:scale=0.01:direction=y"},
    {"scharr", ""},
    {"scharr", "scale=0.3:bias=-20"},
    {"prewitt", "y:bias=30"},
    // Sums of small scale are kept in many bits, in which a bias is a large number.
    {"sobel", "scale=0.02:bias=128"},
    {"sobel", "scale=0:bias=100"},
    {"scharr", "scale=0.01:bias=-200"},
    {"prewitt", "scale=0.06:bias=255"},
    {"laplacian", ""},
    {"laplacian", "8:bias=128"},
    {"sharpen", "0.8"},
    {"sharpen", "3:size=3:threshold=5"},
    {"sharpen", "1:size=5", 2, 2},
    {"sharpen", "2.5:sigma=2.2:threshold=1.5"},
    {"dog", "1:scale=4"},
    {"dog", "0.7:bias=100", 2, 1},
    {"log", ""},
    {"log", "1:bias=128:scale=3"},
    {"emboss", ""},
    {"emboss", "2:angle=30:style=relief"},
    {"kernel", "-1 0 1"},
    {"kernel", "1; 2; -1"},
    {"kernel", "1 2 3; 4 5 6; 7 8 10"},
    {"kernel", "0 0 0 0 1; 0 0 0 2 0; 0 0 3 0 0; 0 -4 0 0 0; 5 0 0 0 0:bias=-7"},
    {"kernel", "1000 -1000 1:normalise=no:bias=50"},
    {"kernel", "0:bias=99"},
};
inline constexpr Kernel large_term_kernels[] = {
    {"sharpen", "1:size=31"}, {"sharpen", "10:sigma=20"}, {"dog", "26"},
    {"log", "31:scale=3"},    {"sharpen", "2:size=255"},
};
inline constexpr Kernel largest_term_kernels[] = {{"sharpen", "1:sigma=100"}, {"dog", "60"}, {"log", "75"}};

// Sizes that have code of their own, their neighbours, one tap, unequal sides, wide taps at great depth.
inline constexpr Kernel small_kernels[] = {
    {"gaussian", "1"},
    {"gaussian", "3"},
    {"gaussian", "5"},
    {"gaussian", "7"},
    {"gaussian", "9"},
    {"gaussian", "11"},
    {"gaussian", "sigma=0.05"},
    {"gaussian", "sigma=1.3"},
    {"gaussian", "5", 2, 2},
    {"gaussian", "5", 2, 1},
    {"gaussian", "3", 1, 2},
    {"gaussian", "7", 2, 1},
    {"box", "3"},
    {"box", "5", 2, 2},
    {"box", "7"},
    {"box", "9", 1, 2},
    {"box", "9"},
    {"box", "31"},
    {"motion", "5"},
    {"motion", "9:direction=y"},
    {"gaussian", "15"},
    {"gaussian", "31", 2, 1},
};
inline constexpr Kernel large_kernels[] = {
    {"gaussian", "63"}, {"gaussian", "255"}, {"gaussian", "sigma=42"}, {"box", "33", 2, 1},
    {"box", "63"},      {"box", "255"},      {"motion", "255"},
};
inline constexpr Kernel largest_kernels[] = {
    {"gaussian", "sigma=50"},
    {"gaussian", "sigma=100"},
    {"box", "601"},
    {"motion", "601:direction=y"},
};

struct Storage {
    int depth;
    int lsb;
};

// The depths as they lie in memory: at the bottom of the storage, or at the top as P010 and its family have it.
inline constexpr Storage storages[] = {{8, 0},  {9, 0},  {10, 0}, {10, 6}, {11, 0}, {12, 0}, {12, 4},
                                       {13, 0}, {14, 0}, {14, 2}, {15, 0}, {15, 1}, {16, 0}};

inline constexpr Pattern patterns[] = {Pattern::random,       Pattern::random,   Pattern::random, Pattern::maxima,
                                       Pattern::checkerboard, Pattern::impulses, Pattern::zeros,  Pattern::half};

// Whatever the test does not vary on purpose.
class Variety {
public:
    /// Pictures have planes of 1 to `components`.
    explicit Variety(unsigned seed, int components = 2) : random_(seed), components_(components) {}

    const auto& any(const auto& list) { return list[random_() % std::size(list)]; }
    int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

    Case picture(int width, int height, Storage storage, Border border) {
        Case made{.width = width, .height = height, .depth = storage.depth, .lsb = storage.lsb, .border = border};
        made.step = below(2) == 0 ? 1 : 2 + below(components_ - 1);
        made.gap = below(2) * below(80);
        made.upside_down = below(5) == 0;
        made.pattern = any(patterns);
        for (int row = 1 + below(height); row < height; row += 1 + below(height)) {
            made.cuts.push_back(row);
        }
        made.seed = static_cast<unsigned>(random_());
        return made;
    }

private:
    std::mt19937 random_;
    int components_;
};

}  // namespace vfilter::test
