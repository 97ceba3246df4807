#pragma once
// What users of OpenCV write for vfilter's filters.

#include <functional>
#include <opencv2/core.hpp>

#include "filters/filters.h"

namespace vfilter::bench {

/// A filter, and pictures of this depth for it.
struct Task {
    const FilterSpec& spec;
    const FilterKernel& kernel;  ///< none of a filter that is no sum with taps
    int depth;

    // Of the first term.
    [[nodiscard]] cv::Size size() const { return size(0); }
    [[nodiscard]] cv::Size size(std::size_t term) const {
        const SeparableKernel& taps = kernel.terms.at(term);
        return {static_cast<int>(taps.rows.size()), static_cast<int>(taps.columns.size())};
    }
};

/// Filters `src` into `dst`, which is of the same size and type. One thread at a time.
using Way = std::function<void(const cv::Mat& src, cv::Mat& dst)>;
/// A sum with taps that OpenCV has no function for is one of its matrices. Empty where it has nothing of the kind.
Way opencv_way(const Task& task);

}  // namespace vfilter::bench
