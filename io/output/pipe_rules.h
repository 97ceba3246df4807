#pragma once
// How containers behave if nothing that was written can be overwritten.

#include <cstdint>
#include <string>

extern "C" {
#include <libavformat/avformat.h>
}

namespace vfilter {

/// For an output that cannot seek, with `name` for display: throws Error(usage) if the result would not be a valid file
/// in that container, and warns if readers would see a wrong duration, or none although the container has one.
/// `pictures` are expected, 0 if unknown.
void check_for_pipe(const AVOutputFormat& container, const std::string& name, std::int64_t pictures);

}  // namespace vfilter
