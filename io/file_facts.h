#pragma once
// The facts by which a file is recognized as still being the same.

#include <cstdint>
#include <string>

namespace vfilter {

/// A file's location and state when it was examined.
struct FileFacts {
    std::int64_t size = -1;  ///< bytes; -1 if there is none
    std::int64_t mtime = 0;  ///< nanoseconds

    bool operator==(const FileFacts&) const = default;
};

/// For the file under that name, with links resolved.
FileFacts facts_of_file(const std::string& path);

}  // namespace vfilter
