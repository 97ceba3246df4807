#include "pipeline/batch/output_folder.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "config/error.h"
#include "pipeline/batch/journal.h"

namespace vfilter {

OutputFolder::OutputFolder(const std::string& path) : path_(path) {
    std::error_code error;
    if (std::filesystem::create_directory(path, error)) {
        spdlog::info("{}: a new folder", path);
        owner_ = getpid();
    }
    if (error || !std::filesystem::is_directory(path, error)) {
        throw Error(ExitCode::output,
                    fmt::format("{}: {}", path, error ? error.message() : "is no folder, which --output-dir names"));
    }
}

OutputFolder::~OutputFolder() {
    if (owner_ != getpid()) {
        return;
    }
    std::error_code error;
    const std::filesystem::path journal = std::filesystem::path(path_) / Journal::file_name;
    const std::filesystem::directory_iterator files(path_, error);
    const bool empty = !error && std::all_of(begin(files), end(files),
                                             [&journal](const auto& file) { return file.path() == journal; });
    if (empty) {
        std::filesystem::remove(journal, error);
        if (std::filesystem::remove(path_, error)) {
            spdlog::info("{}: removed again, as nothing came into it", path_);
        }
    }
}

bool is_in_folder(const std::filesystem::path& file, const std::filesystem::path& folder) {
    const auto absolute = [](const std::filesystem::path& path) {
        return std::filesystem::absolute(path).lexically_normal() / "";
    };
    return absolute(std::filesystem::absolute(file).parent_path()) == absolute(folder);
}

}  // namespace vfilter
