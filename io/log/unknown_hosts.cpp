#include "io/log/unknown_hosts.h"

#include <fmt/format.h>
#include <netdb.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace vfilter {

namespace {

// What FFmpeg says in front of the name, and what stands behind it.
struct Saying {
    std::string_view before;
    std::string_view behind;
};
constexpr Saying sayings[] = {
    {"Failed to resolve hostname ", ": "},  // TCP, SRT
    {"getaddrinfo(", ", "},                 // UDP
};

}  // namespace

std::string unknown_host(const std::vector<std::string>& lines) {
    for (const std::string_view line : lines) {
        for (const Saying& saying : sayings) {
            const std::size_t at = line.find(saying.before);
            const std::size_t name = at + saying.before.size();
            const std::size_t end = at == std::string_view::npos ? at : line.find(saying.behind, name);
            if (end == std::string_view::npos) {
                continue;
            }
            const std::string_view host = line.substr(name, end - name);
            const std::string_view why = line.substr(line.rfind(": ") + 2);
            const std::initializer_list<int> unknown{EAI_NONAME, EAI_NODATA};
            return std::ranges::any_of(unknown, [&](int code) { return why == gai_strerror(code); })
                       ? fmt::format("no host with the name {} is known", host)
                       : fmt::format("the address of {} cannot be found: {}", host, why);
        }
    }
    return "";
}

}  // namespace vfilter
