#pragma once
// Messages about an input are only printed when it is opened for the first time.

#include <spdlog/spdlog.h>

#include <algorithm>

namespace vfilter {

/// While it exists, only errors are logged.
class QuietLog {
public:
    QuietLog() { spdlog::set_level(std::max(level_, spdlog::level::err)); }
    ~QuietLog() { spdlog::set_level(level_); }
    QuietLog(const QuietLog&) = delete;
    QuietLog& operator=(const QuietLog&) = delete;

private:
    spdlog::level::level_enum level_ = spdlog::get_level();
};

}  // namespace vfilter
