#include "io/output/part_name.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace vfilter {

namespace {

constexpr std::size_t max_file_name = 255;  // NAME_MAX
constexpr std::string_view part_mark = ".vfilter-";
constexpr std::string_view part_unknown = "XXXXXX";  // by mkostemps
constexpr std::string_view part_end = ".part";
constexpr std::size_t part_extra = 1 + part_mark.size() + part_unknown.size() + part_end.size();

}  // namespace

std::string name_in_part(const std::string& name) {
    return name.substr(0, max_file_name - part_extra);
}

int make_part(const std::string& folder, const std::string& name, std::string& path) {
    const std::string part = fmt::format(".{}{}{}{}", name_in_part(name), part_mark, part_unknown, part_end);
    path = (std::filesystem::path(folder) / part).string();
    return mkostemps(path.data(), static_cast<int>(part_end.size()), O_CLOEXEC);
}

std::string_view output_of_part(std::string_view part) {
    if (part.size() <= part_extra || !part.starts_with('.') || !part.ends_with(part_end)) {
        return {};
    }
    const std::string_view front = part.substr(0, part.size() - part_unknown.size() - part_end.size());
    return front.ends_with(part_mark) ? front.substr(1, front.size() - 1 - part_mark.size()) : std::string_view{};
}

}  // namespace vfilter
