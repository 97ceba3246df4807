#pragma once
// The kind of picture in a file, according to its first bytes.

#include <string>
#include <string_view>
#include <vector>

namespace vfilter {

/// "PNG", "JPEG" and so on; "" if the bytes do not say, or if the file cannot be read.
std::string_view kind_of_picture(const std::string& path);

/// The first of these files that is not the same kind of picture as the first one, "" if there is none. Only those with
/// another file extension are examined, as there may be thousands.
std::string other_kind(const std::vector<std::string>& paths);

}  // namespace vfilter
