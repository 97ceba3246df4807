#pragma once
// Lists of files that follow each other, as ffmpeg's concat demuxer reads them (-f concat -i LIST).

#include <string>
#include <vector>

namespace vfilter {

/// The files of a list in their order; what is relative is beside the list. Throws Error(input) where it cannot be
/// read, and Error(usage) for a line that says of a file more than its name.
std::vector<std::string> read_concat_list(const std::string& path);

}  // namespace vfilter
