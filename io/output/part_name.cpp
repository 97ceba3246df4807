#include "io/output/part_name.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "io/output/part_format.h"

namespace vfilter {

namespace {

constexpr std::string_view part_mark = ".vfilter-";
constexpr std::string_view part_unknown = "XXXXXX";  // by mkostemps
constexpr std::string_view part_end = ".part";
constexpr std::size_t part_extra = 1 + part_mark.size() + part_unknown.size() + part_end.size();
constexpr std::size_t index_extra = std::string_view(".index").size();  // behind all of it: see index_of()
constexpr std::size_t name_room = max_file_name - part_extra - index_extra;
constexpr std::string_view short_mark = "~";
constexpr std::size_t sum_digits = 16;

}  // namespace

// Outputs whose names begin alike are told apart by the sum of the whole. Some file systems take no torn letters.
std::string name_in_part(const std::string& name) {
    if (name.size() <= name_room) {
        return name;
    }
    constexpr unsigned kind_bits = 0xC0;
    constexpr unsigned continuation = 0x80;
    std::size_t kept = name_room - short_mark.size() - sum_digits;
    while (kept > 0 && (static_cast<unsigned char>(name[kept]) & kind_bits) == continuation) {
        --kept;
    }
    const std::uint64_t sum = part_format::sum_of({reinterpret_cast<const std::uint8_t*>(name.data()), name.size()});
    return fmt::format("{}{}{:0{}x}", std::string_view(name).substr(0, kept), short_mark, sum, sum_digits);
}

int make_part(const std::string& folder, const std::string& name, std::string& path) {
    const std::string part = fmt::format(".{}{}{}{}", name_in_part(name), part_mark, part_unknown, part_end);
    path = (std::filesystem::path(folder) / part).string();
    return mkostemps(path.data(), static_cast<int>(part_end.size()), O_CLOEXEC);
}

// mkdtemp() takes nothing behind what it fills in.
bool make_part_folder(const std::string& folder, const std::string& name, std::string& path) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    constexpr int most_tries = 100;
    std::random_device random;
    for (int tries = 0; tries < most_tries; ++tries) {
        std::string filled;
        for (std::size_t i = 0; i < part_unknown.size(); ++i) {
            filled += letters[random() % letters.size()];
        }
        path =
            (std::filesystem::path(folder) / fmt::format(".{}{}{}{}", name_in_part(name), part_mark, filled, part_end))
                .string();
        if (mkdir(path.c_str(), 0777) == 0) {
            return true;
        }
        if (errno != EEXIST) {
            return false;
        }
    }
    return false;
}

// Some file systems know no such renaming, and a few of them no links.
int rename_to_new(const char* from, const char* to) {
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return -1;
    }
    if (link(from, to) == 0) {
        return unlink(from);
    }
    return errno == EEXIST ? -1 : rename(from, to);
}

void sync_folder_of(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    const int directory = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
        fsync(directory);
        close(directory);
    }
}

std::string_view output_of_part(std::string_view part) {
    if (part.size() <= part_extra || !part.starts_with('.') || !part.ends_with(part_end)) {
        return {};
    }
    const std::string_view front = part.substr(0, part.size() - part_unknown.size() - part_end.size());
    return front.ends_with(part_mark) ? front.substr(1, front.size() - 1 - part_mark.size()) : std::string_view{};
}

}  // namespace vfilter
