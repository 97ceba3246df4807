#pragma once
// What the library has to make of pictures, by the plain loops. Includes nothing of the library, which has the same
// names.

#include <cstdint>
#include <string>
#include <vector>

namespace vfilter::test {

/// Samples of one channel, row by row.
using PlainPlane = std::vector<std::uint16_t>;

/// What a channel is, as vfilter_component numbers them.
struct PlainFormat {
    int depth = 8;
    int component = 0;
    int subsampling = 0;  ///< of both axes
    bool full_range = true;
};

std::vector<std::string> filter_names();
/// Arguments of that row's example, without what only shells need.
std::string example_arguments(const std::string& filter);
/// The plane after one filter, whose region, if any, has been taken out of the arguments.
PlainPlane filter_plainly(const std::string& filter, const std::string& arguments, const PlainFormat& format, int width,
                          int height, const PlainPlane& samples);

/// The same of one picture of a video.
PlainPlane filter_plainly(const std::string& filter, const std::string& arguments, const PlainFormat& format, int width,
                          int height, const std::vector<PlainPlane>& video, int picture);

}  // namespace vfilter::test
