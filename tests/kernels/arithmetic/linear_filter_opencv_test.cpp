// Filters that are no smoothings: never more than 1 from what OpenCV computes in double precision. The table of
// witnesses has a way with OpenCV for each filter.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "filters/borders.h"
#include "kernels/arithmetic/reference.h"
#include "kernels/cpu/simd.h"
#include "tests/kernels/cases.h"
#include "tests/kernels/opencv_border.h"

namespace vfilter::test {

namespace {

constexpr int margin = 40;

// The picture in double precision with a margin, as the border has it.
cv::Mat extended(const Case& picture, const Samples& samples) {
    cv::Mat plain;
    cv::Mat(picture.height, picture.width, CV_16UC1, const_cast<std::uint16_t*>(samples.data()))
        .convertTo(plain, CV_64F);
    cv::Mat result;
    cv::copyMakeBorder(plain, result, margin, margin, margin, margin, opencv_border(picture.border),
                       cv::Scalar(picture.black()));
    return result;
}

cv::Mat gauss(const cv::Mat& in, int size, double sigma) {
    const cv::Mat taps = cv::getGaussianKernel(size, sigma, CV_64F);
    cv::Mat out;
    cv::sepFilter2D(in, out, CV_64F, taps, taps);
    return out;
}

cv::Mat gauss(const cv::Mat& in, double sigma) {
    return gauss(in, 2 * static_cast<int>(std::ceil(3 * sigma)) + 1, sigma);
}

cv::Mat matrix(const cv::Mat& in, const cv::Mat& taps) {
    cv::Mat out;
    cv::filter2D(in, out, CV_64F, taps);
    return out;
}

cv::Mat magnitude(const cv::Mat& x, const cv::Mat& y) {
    cv::Mat out;
    cv::magnitude(x, y, out);
    return out;
}

cv::Mat sobel(const cv::Mat& in, int dx, int dy, int size) {
    cv::Mat out;
    cv::Sobel(in, out, CV_64F, dx, dy, size);
    return out;
}

cv::Mat prewitt(const cv::Mat& in, bool along_x) {
    const cv::Mat x = (cv::Mat_<double>(3, 3) << -1, 0, 1, -1, 0, 1, -1, 0, 1);
    return matrix(in, along_x ? x : cv::Mat(x.t()));
}

cv::Mat scharr(const cv::Mat& in, bool along_x) {
    cv::Mat out;
    cv::Scharr(in, out, CV_64F, along_x ? 1 : 0, along_x ? 0 : 1);
    return out;
}

// The two-dimensional Laplacian of Gaussian, sampled; what is left of its sum taken out as the filter does.
cv::Mat laplacian_of_gaussian(const cv::Mat& in, double sigma) {
    const int radius = static_cast<int>(std::ceil(4 * sigma));
    const cv::Mat g = cv::getGaussianKernel(2 * radius + 1, sigma, CV_64F);
    cv::Mat second = g.clone();
    for (int i = -radius; i <= radius; ++i) {
        second.at<double>(i + radius) *= i * i / (sigma * sigma) - 1;
    }
    second -= cv::sum(second)[0] * g;
    return matrix(in, cv::Mat(second * g.t() + g * second.t()));
}

/// A filter, and what OpenCV makes of a picture with a margin: `one` is the depth's unit for levels of 256.
struct Witness {
    const char* filter;
    const char* arguments;
    std::function<cv::Mat(const cv::Mat& in, double one)> make;
};

std::vector<Witness> witnesses() {
    const auto mat3 = [](std::initializer_list<double> taps) {
        return cv::Mat(std::vector<double>(taps), true).reshape(1, 3);
    };
    return {
        {"gaussian", "9:sigma=2", [](const cv::Mat& in, double) { return gauss(in, 9, 2); }},
        {"box", "7",
         [](const cv::Mat& in, double) {
             cv::Mat out;
             cv::blur(in, out, {7, 7});
             return out;
         }},
        {"motion", "15",
         [](const cv::Mat& in, double) {
             cv::Mat out;
             cv::blur(in, out, {15, 1});
             return out;
         }},
        {"motion", "9:direction=y",
         [](const cv::Mat& in, double) {
             cv::Mat out;
             cv::blur(in, out, {1, 9});
             return out;
         }},
        {"sharpen", "0.8", [](const cv::Mat& in, double) { return cv::Mat(in + 0.8 * (in - gauss(in, 5, 0))); }},
        {"sharpen", "3.5:sigma=2.5",
         [](const cv::Mat& in, double) { return cv::Mat(in + 3.5 * (in - gauss(in, 2.5))); }},
        {"sobel", "", [](const cv::Mat& in, double) { return magnitude(sobel(in, 1, 0, 3), sobel(in, 0, 1, 3)); }},
        {"sobel", "direction=x", [](const cv::Mat& in, double) { return cv::Mat(cv::abs(sobel(in, 1, 0, 3))); }},
        {"sobel", "5:scale=0.1:direction=y",
         [](const cv::Mat& in, double) { return cv::Mat(0.1 * cv::abs(sobel(in, 0, 1, 5))); }},
        {"sobel", "7:scale=0.01",
         [](const cv::Mat& in, double) { return cv::Mat(0.01 * magnitude(sobel(in, 1, 0, 7), sobel(in, 0, 1, 7))); }},
        {"scharr", "scale=0.25:bias=-10",
         [](const cv::Mat& in, double one) {
             return cv::Mat(0.25 * magnitude(scharr(in, true), scharr(in, false)) - 10 * one);
         }},
        {"prewitt", "", [](const cv::Mat& in, double) { return magnitude(prewitt(in, true), prewitt(in, false)); }},
        {"laplacian", "",
         [](const cv::Mat& in, double) {
             cv::Mat out;
             cv::Laplacian(in, out, CV_64F, 1);
             return cv::Mat(cv::abs(out));
         }},
        {"laplacian", "8:bias=128:scale=0.7",
         [mat3](const cv::Mat& in, double one) {
             return cv::Mat(0.7 * matrix(in, mat3({1, 1, 1, 1, -8, 1, 1, 1, 1})) + 128 * one);
         }},
        {"log", "1.4:scale=2",
         [](const cv::Mat& in, double) { return cv::Mat(2 * cv::abs(laplacian_of_gaussian(in, 1.4))); }},
        {"log", "3:bias=128",
         [](const cv::Mat& in, double one) { return cv::Mat(laplacian_of_gaussian(in, 3) + 128 * one); }},
        {"dog", "1:scale=4",
         [](const cv::Mat& in, double) { return cv::Mat(4 * cv::abs(gauss(in, 1.0) - gauss(in, 1.6))); }},
        {"dog", "2:sigma2=5:bias=100",
         [](const cv::Mat& in, double one) { return cv::Mat(gauss(in, 2.0) - gauss(in, 5.0) + 100 * one); }},
        {"emboss", "",
         [mat3](const cv::Mat& in, double) {
             return matrix(in, mat3({-2, -1, 0, -1, 1, 1, 0, 1, 2}));
         }},
        {"emboss", "2:angle=0:style=relief",
         [](const cv::Mat& in, double one) {
             return cv::Mat(2 * std::numbers::sqrt2 * prewitt(in, true) + 128 * one);
         }},
        {"kernel", "1 2 1; 2 4 2; 1 2 1", [](const cv::Mat& in, double) { return gauss(in, 3, 0); }},
        {"kernel", "0 -1 0; -1 5 -1; 0 -1 0",
         [mat3](const cv::Mat& in, double) {
             return matrix(in, mat3({0, -1, 0, -1, 5, -1, 0, -1, 0}));
         }},
        {"kernel", "1 2 3; 4 5 6; 7 8 10:normalise=no:bias=-40",
         [mat3](const cv::Mat& in, double one) {
             return cv::Mat(matrix(in, mat3({1, 2, 3, 4, 5, 6, 7, 8, 10})) - 40 * one);
         }},
        {"identity", "", [](const cv::Mat& in, double) { return in; }},
    };
}

TEST(LinearFilter, WithinOneOfOpenCvForEveryFilterDepthAndBorder) {
    unsigned seed = 0;
    std::vector<std::string_view> seen;
    for (const Witness& witness : witnesses()) {
        seen.push_back(witness.filter);
        for (int depth = 8; depth <= 16; ++depth) {
            const FilterKernel kernel = filter_kernel_of(witness.filter, witness.arguments);
            for (const BorderName& border : border_names) {
                Case picture{.width = 47, .height = 29, .depth = depth, .border = border.border, .seed = ++seed};
                picture.pattern = patterns[seed % std::size(patterns)];
                const Samples samples = make_samples(picture);
                const cv::Rect inner(margin, margin, picture.width, picture.height);
                const cv::Mat exact = witness.make(extended(picture, samples), std::ldexp(1, depth - 8))(inner).clone();
                const Samples result = filter(make_operation(kernel, depth), picture, samples, simd_targets().front());
                for (std::size_t i = 0; i < result.size(); ++i) {
                    const double rounded = std::floor(exact.ptr<double>()[i] + 0.5);
                    const double wanted = std::clamp(rounded, 0.0, double{1} * picture.max_value());
                    ASSERT_LE(std::abs(result[i] - wanted), 1)
                        << witness.filter << ' ' << witness.arguments << ' ' << picture << " at " << i;
                }
            }
        }
    }
    for (const FilterDef& def : filter_table()) {
        EXPECT_TRUE(def.make == nullptr || std::ranges::find(seen, def.name) != seen.end())
            << def.name << " has no witness";
    }
}

}  // namespace

}  // namespace vfilter::test
