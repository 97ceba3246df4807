#include "io/output/file_rights.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <vector>

#include "config/error.h"

namespace vfilter {

namespace {

constexpr mode_t group_bits = S_IRWXG;
constexpr unsigned bits_of_a_class = 3;
constexpr const char* access_list = "system.posix_acl_access";
constexpr const char* default_list = "system.posix_acl_default";

// umask() would have to change it, while other threads create files.
mode_t umask_of_process() {
    static const mode_t mask = [] {
        std::ifstream status("/proc/self/status");
        for (std::string line; std::getline(status, line);) {
            constexpr std::string_view word = "Umask:";
            if (line.starts_with(word)) {
                return static_cast<mode_t>(std::strtoul(line.c_str() + word.size(), nullptr, 8));
            }
        }
        return static_cast<mode_t>(0077);  // without /proc: for the owner alone
    }();
    return mask;
}

// Empty if there is none, or the file system has no such things.
std::vector<std::uint8_t> access_control_list(const std::string& path, const char* name) {
    const ssize_t size = getxattr(path.c_str(), name, nullptr, 0);
    std::vector<std::uint8_t> list(size > 0 ? static_cast<std::size_t>(size) : 0);
    const bool read = size > 0 && getxattr(path.c_str(), name, list.data(), list.size()) == size;
    return read ? list : std::vector<std::uint8_t>{};
}

// What a default list leaves of 0666, in place of the umask: acl(5), "OBJECT CREATION AND DEFAULT ACLs". Its binary
// form is that of <linux/posix_acl_xattr.h>: a version, then entries of a tag, permissions and an ID, little-endian.
std::optional<mode_t> mode_by_default_list(const std::string& folder) {
    constexpr std::size_t header = 4;
    constexpr std::size_t entry = 8;
    constexpr int user_obj = 0x01;
    constexpr int group_obj = 0x04;
    constexpr int mask = 0x10;
    constexpr int other = 0x20;
    const std::vector<std::uint8_t> list = access_control_list(folder, default_list);
    std::array<std::optional<mode_t>, other + 1> permissions;
    for (std::size_t at = header; at + entry <= list.size(); at += entry) {
        const int tag = list[at] | list[at + 1] << 8;
        if (tag <= other) {
            permissions[static_cast<std::size_t>(tag)] = list[at + 2] & 07U;
        }
    }
    const std::optional<mode_t> group = permissions[mask] ? permissions[mask] : permissions[group_obj];
    if (!permissions[user_obj] || !group || !permissions[other]) {
        return std::nullopt;
    }
    return 0666 & (*permissions[user_obj] << 2 * bits_of_a_class | *group << bits_of_a_class | *permissions[other]);
}

void note_unset(const std::string& path, const char* what) {
    spdlog::debug("{}: {} not set: {}", path, what, std::strerror(errno));
}

void set_rights_of_new_file(int descriptor, const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    const std::optional<mode_t> by_list = mode_by_default_list(folder.empty() ? "." : folder.string());
    if (fchmod(descriptor, by_list.value_or(0666 & ~umask_of_process())) != 0) {
        note_unset(path, "mode");
    }
}

// Whether a link in a folder like /tmp was put there by somebody else than us and the folder's owner.
bool is_strangers_link(const std::filesystem::path& link) {
    struct stat own {};
    struct stat folder {};
    const std::filesystem::path parent = link.parent_path();
    return lstat(link.c_str(), &own) == 0 && stat(parent.empty() ? "." : parent.c_str(), &folder) == 0 &&
           (folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWOTH) != 0 && own.st_uid != geteuid() &&
           own.st_uid != folder.st_uid;
}

}  // namespace

void set_rights(int descriptor, const std::string& path) {
    struct stat existing {};
    struct stat made {};
    if (stat(path.c_str(), &existing) != 0 || fstat(descriptor, &made) != 0) {
        set_rights_of_new_file(descriptor, path);
        return;
    }
    // The folder's default list is that of a new file: what is replaced may have had none, or another one.
    if (fremovexattr(descriptor, access_list) != 0 && errno != ENODATA && errno != ENOTSUP) {
        note_unset(path, "access control list");
    }
    mode_t mode = existing.st_mode & 0777;
    const bool mine = made.st_uid == existing.st_uid && made.st_gid == existing.st_gid;
    const bool kept = mine || fchown(descriptor, existing.st_uid, existing.st_gid) == 0;
    if (!kept) {
        note_unset(path, "owner");
    }
    if (!kept && made.st_gid != existing.st_gid && fchown(descriptor, static_cast<uid_t>(-1), existing.st_gid) != 0) {
        mode = (mode & ~group_bits) | (mode & (mode << bits_of_a_class) & group_bits);
    } else if (const auto list = access_control_list(path, access_list); !list.empty()) {
        if (fsetxattr(descriptor, access_list, list.data(), list.size(), 0) != 0) {
            note_unset(path, "access control list");
            mode &= ~group_bits;  // which are the list's mask
        }
    }
    if (fchmod(descriptor, mode) != 0) {
        note_unset(path, "mode");
    }
}

void set_rights(const std::string& made, const std::string& path) {
    const int descriptor = open(made.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) {
        note_unset(path, "rights");
        return;
    }
    set_rights(descriptor, path);
    close(descriptor);
}

std::string followed(const std::string& path) {
    constexpr int max_links = 40;  // as the kernel
    std::filesystem::path at(path);
    std::error_code error;
    for (int links = 0; std::filesystem::is_symlink(std::filesystem::symlink_status(at, error)); ++links) {
        if (links == max_links) {
            throw Error(ExitCode::output, fmt::format("{}: {}", path, std::strerror(ELOOP)));
        }
        if (is_strangers_link(at)) {
            throw Error(ExitCode::output,
                        fmt::format("{}: {} is somebody else's link in a folder that everybody may write to, and is "
                                    "not followed",
                                    path, at.string()));
        }
        const std::filesystem::path to = std::filesystem::read_symlink(at, error);
        if (error) {
            throw Error(ExitCode::output, fmt::format("{}: {}", path, std::strerror(error.value())));
        }
        at = to.is_absolute() ? to : at.parent_path() / to;
    }
    return at.string();
}

}  // namespace vfilter
