#pragma once
// The pictures of a mask's file, one after the other.

#include <cstdint>
#include <memory>
#include <string>

#include "io/handles.h"

namespace vfilter {

/// Throws Error(usage): "mask=NAME: WHY".
[[noreturn]] void refuse_mask(const std::string& path, const std::string& why);

/// Not thread-safe.
class MaskPictures {
public:
    virtual ~MaskPictures() = default;
    /// Null after the last one. Throws Error(usage) for what cannot be read, or is too large.
    virtual FramePtr next() = 0;
};

/// A file with one or several pictures, whose name is taken literally; or, if there is no such file and the name
/// contains one %d or %05d, the files with numbers in its place, from 0 or 1 on. Throws Error(usage) if there is no
/// picture.
std::unique_ptr<MaskPictures> open_mask(const std::string& path);

}  // namespace vfilter
