#pragma once
// What containers become where nothing that was written can be written over.

#include <cstdint>
#include <string>

extern "C" {
#include <libavformat/avformat.h>
}

namespace vfilter {

/// For an output that cannot be sought, `name` for people: throws Error(usage) where the container would be no file of
/// its kind, and warns where readers are told a wrong duration, or none where the container has one. `pictures` are
/// expected, 0 if nobody knows.
void check_for_pipe(const AVOutputFormat& container, const std::string& name, std::int64_t pictures);

}  // namespace vfilter
