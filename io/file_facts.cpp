#include "io/file_facts.h"

#include <sys/stat.h>

namespace vfilter {

FileFacts facts_of_file(const std::string& path) {
    constexpr std::int64_t giga = 1'000'000'000;
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
        return {};
    }
    return {status.st_size, std::int64_t{status.st_mtim.tv_sec} * giga + status.st_mtim.tv_nsec};
}

}  // namespace vfilter
