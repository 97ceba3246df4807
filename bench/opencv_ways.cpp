#include "bench/opencv_ways.h"

#include <algorithm>
#include <array>
#include <map>
#include <opencv2/imgproc.hpp>
#include <string_view>

namespace vfilter::bench {

namespace {

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

// With more than 8 bits up to size 5, and squares alone.
Way median_way(const Task& task) {
    constexpr int largest_deep = 5;
    const int size = static_cast<int>(task.spec.value(0));
    if (task.spec.value(1) != 0 || (task.depth > 8 && size > largest_deep)) {
        return {};
    }
    return [size](const cv::Mat& src, cv::Mat& dst) { cv::medianBlur(src, dst, size); };
}

Way bilateral_way(const Task& task) {
    if (task.depth > 8) {
        return {};
    }
    const int size = static_cast<int>(task.spec.value(1));
    const double sigma = task.spec.value(0);
    const double space = task.spec.value(2);
    return [=](const cv::Mat& src, cv::Mat& dst) {
        cv::bilateralFilter(src, dst, size, sigma, space, cv::BORDER_REFLECT_101);
    };
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

}  // namespace

Way opencv_way(const Task& task) {
    static const std::map<std::string_view, Way (*)(const Task&)> ways = {
        {"gaussian", gaussian_way},   {"box", mean_way},      {"motion", mean_way},     {"sharpen", sharpen_way},
        {"sobel", sobel_way},         {"scharr", scharr_way}, {"prewitt", prewitt_way}, {"dog", dog_way},
        {"laplacian", laplacian_way}, {"log", log_way},       {"identity", copy_way},   {"median", median_way},
        {"bilateral", bilateral_way},
    };
    const auto found = ways.find(task.spec.def->name);
    if (found == ways.end() && task.spec.def->make == nullptr) {
        return {};
    }
    return (found == ways.end() ? matrix_way : found->second)(task);
}

}  // namespace vfilter::bench
