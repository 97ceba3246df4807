#include "pipeline/report/usage_report.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/output/output_file.h"
#include "pipeline/report/audit.h"
#include "pipeline/report/report.h"

namespace vfilter {

namespace {

// Whether an argument is a name of that file, or holds one: a mask stands inside of a filter's.
bool names_file(std::string_view argument, const std::string& path) {
    constexpr std::size_t longest = 4096;  // PATH_MAX
    for (std::size_t begin = 0; begin <= argument.size();) {
        const std::size_t end = std::min(argument.find_first_of(":=,", begin), argument.size());
        for (const std::string_view name : {argument.substr(begin), argument.substr(begin, end - begin)}) {
            if (!name.empty() && name.size() < longest && same_file(std::string(name), path)) {
                return true;
            }
        }
        begin = end + 1;
    }
    return false;
}

}  // namespace

void report_usage_error(std::span<const char* const> arguments, const Error& error, std::function<bool()> given_up) {
    constexpr std::string_view flag = "--report";
    std::string path;
    std::vector<std::string_view> others;
    bool options = true;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view argument = arguments[i];
        options = options && argument != "--";
        if (options && argument == flag && i + 1 < arguments.size()) {
            path = arguments[++i];
        } else if (options && argument.starts_with(flag) && argument.substr(flag.size()).starts_with('=')) {
            path = argument.substr(flag.size() + 1);
        } else {
            others.push_back(argument);
        }
    }
    const auto names_it = [&](std::string_view argument) { return names_file(argument, path); };
    // After a command line that was not understood the name may be that of a video, even with -y.
    if (path.empty() || !is_report_or_trace(path) || std::ranges::any_of(others, names_it)) {
        return;
    }
    Outcome outcome;
    outcome.end.code = error.code();
    outcome.end.message = error.what();
    outcome.audit = begin_audit(arguments);
    outcome.audit.ended = utc_time();
    const Stats stats;
    write_text_file(path, report_json(Options{}, outcome, stats), std::move(given_up));
}

}  // namespace vfilter
