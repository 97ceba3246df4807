#pragma once

#include <opencv2/core.hpp>
#include <stdexcept>

#include "kernels/arithmetic/arithmetic.h"

namespace vfilter::test {

/// OpenCV's number of a border.
inline int opencv_border(Border border) {
    switch (border) {
        case Border::reflect_101:
            return cv::BORDER_REFLECT_101;
        case Border::reflect:
            return cv::BORDER_REFLECT;
        case Border::replicate:
            return cv::BORDER_REPLICATE;
        case Border::constant:
            return cv::BORDER_CONSTANT;
        case Border::wrap:
            return cv::BORDER_WRAP;
    }
    throw std::logic_error("opencv_border: not a border");
}

}  // namespace vfilter::test
