#include "pipeline/batch/output_folder.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <system_error>

#include "config/error.h"

namespace vfilter {

void make_folder(const std::string& folder) {
    std::error_code error;
    if (std::filesystem::create_directory(folder, error)) {
        spdlog::info("{}: a new folder", folder);
    }
    if (error || !std::filesystem::is_directory(folder, error)) {
        throw Error(ExitCode::output,
                    fmt::format("{}: {}", folder, error ? error.message() : "is no folder, which --output-dir names"));
    }
}

bool is_in_folder(const std::filesystem::path& file, const std::filesystem::path& folder) {
    const auto absolute = [](const std::filesystem::path& path) {
        return std::filesystem::absolute(path).lexically_normal() / "";
    };
    return absolute(std::filesystem::absolute(file).parent_path()) == absolute(folder);
}

}  // namespace vfilter
