#pragma once
// By what a file is known to be the same one still.

#include <cstdint>
#include <string>

namespace vfilter {

/// Where a file was when it was looked at.
struct FileFacts {
    std::int64_t size = -1;  ///< bytes; -1 if there is none
    std::int64_t mtime = 0;  ///< nanoseconds

    bool operator==(const FileFacts&) const = default;
};

/// Of what stands under the name, through links.
FileFacts facts_of_file(const std::string& path);

}  // namespace vfilter
