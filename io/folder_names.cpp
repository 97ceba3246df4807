#include "io/folder_names.h"

#include <filesystem>

namespace vfilter {

std::error_code for_each_name(const std::string& folder, const std::function<void(const std::string&)>& look) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error);
         !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
        look(entry->path().filename().string());
    }
    return error;
}

}  // namespace vfilter
