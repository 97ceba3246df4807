#pragma once
// How much of a JPEG's scan its picture was made of, as libavcodec tells its own developers.

#include <cstdarg>
#include <cstdint>
#include <optional>

namespace vfilter {

/// Follows the lines that FFmpeg's decoder of Motion JPEG logs at the level debug, in the thread that decodes. Zeroes
/// of a lost sector are valid codes: the decoder makes other blocks of them, takes the picture for whole when it has
/// enough, and leaves the rest of the scan unread, without a word. Of 988 whole JPEGs nothing is left, but for one byte
/// of one.
class JpegScanLog {
public:
    /// A line, as av_log() was given it. Bytes of a scan that are left behind its picture, where there are more than
    /// those that fill it up to a boundary.
    std::optional<std::int64_t> hear(const char* format, va_list arguments);

private:
    std::int64_t escaped_ = 0;  // bytes that are no part of the scan: escapes, and what comes behind it
    std::int64_t available_ = 0;
    bool in_scan_ = false;
};

}  // namespace vfilter
