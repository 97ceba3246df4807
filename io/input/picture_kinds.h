#pragma once
// What kind of picture a file holds, by its first bytes.

#include <string>
#include <string_view>
#include <vector>

namespace vfilter {

/// "PNG", "JPEG" and the like; "" where the bytes do not say, or the file cannot be read.
std::string_view kind_of_picture(const std::string& path);

/// The first of these files that is no picture of the first one's kind, "" if there is none. Only those whose names end
/// otherwise are looked at, of which there may be thousands.
std::string other_kind(const std::vector<std::string>& paths);

}  // namespace vfilter
