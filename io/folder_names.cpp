#include "io/folder_names.h"

#include <dirent.h>

#include <cerrno>
#include <memory>
#include <string_view>

namespace vfilter {

namespace {

struct CloseFolder {
    void operator()(DIR* folder) const { closedir(folder); }
};

}  // namespace

// By the system's calls: where memory is refused to the iterators of std::filesystem that take an error code, they end
// the program.
std::error_code for_each_name(const std::string& folder, const std::function<void(const std::string&)>& look) {
    const std::unique_ptr<DIR, CloseFolder> opened(opendir(folder.c_str()));
    if (!opened) {
        return {errno, std::generic_category()};
    }
    for (;;) {
        errno = 0;
        const dirent* const entry = readdir(opened.get());
        if (entry == nullptr) {
            return {errno, std::generic_category()};
        }
        if (const std::string_view name(entry->d_name); name != "." && name != "..") {
            look(std::string(name));
        }
    }
}

}  // namespace vfilter
