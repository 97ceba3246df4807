#pragma once
// How much of a JPEG's scan was used for its picture, according to libavcodec's debug log.

#include <cstdarg>
#include <cstdint>
#include <optional>

namespace vfilter {

/// Follows the lines that FFmpeg's Motion JPEG decoder logs at level debug, in the thread that decodes. The zeros of a
/// lost sector are valid codes: the decoder turns them into other blocks, considers the picture complete when it has
/// enough, and silently leaves the rest of the scan unread. Of 988 undamaged JPEGs nothing is left, except for one byte
/// of one.
class JpegScanLog {
public:
    /// A line, as passed to av_log(). Returns the number of bytes of a scan that are left after its picture, if there
    /// are more than pad it to a boundary.
    std::optional<std::int64_t> hear(const char* format, va_list arguments);

private:
    std::int64_t escaped_ = 0;  // bytes that do not belong to the scan: escapes, and what follows it
    std::int64_t available_ = 0;
    bool in_scan_ = false;
};

}  // namespace vfilter
