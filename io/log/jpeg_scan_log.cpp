#include "io/log/jpeg_scan_log.h"

#include <cstddef>
#include <string_view>
#include <utility>

namespace vfilter {

namespace {

constexpr unsigned start_of_scan = 0xda;
constexpr std::int64_t filling = 16;

}  // namespace

std::optional<std::int64_t> JpegScanLog::hear(const char* format, va_list arguments) {
    const std::string_view line(format);
    if (line == "escaping removed %td bytes\n") {
        escaped_ = va_arg(arguments, std::ptrdiff_t);
    } else if (line == "marker=%x avail_size_in_buf=%td\n") {
        in_scan_ = va_arg(arguments, unsigned) == start_of_scan;
        available_ = va_arg(arguments, std::ptrdiff_t);
    } else if (line == "marker parser used %d bytes (%d bits)\n" && std::exchange(in_scan_, false)) {
        const std::int64_t left = available_ - std::exchange(escaped_, 0) - va_arg(arguments, int);
        return left > filling ? std::optional(left) : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace vfilter
