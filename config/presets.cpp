#include "config/presets.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "config/error.h"
#include "config/option_values.h"
#include "config/printable.h"

namespace vfilter {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".toml";

// Where the shipped ones are, seen from the program's folder: installed, or built or unpacked.
constexpr const char* shipped_folders[] = {"share/vfilter/presets", "../share/vfilter/presets"};

// For when they are not found. A test compares them with config/presets.
constexpr std::string_view shipped_names =
    "archive black-and-white draft edit-prores redact sharpen-light sketch subtitle-backdrop web-mp4";

std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

// In the order in which they are searched.
std::vector<fs::path> folders() {
    std::vector<fs::path> list;
    // The XDG Base Directory Specification: a relative path is to be ignored.
    if (const fs::path config = environment("XDG_CONFIG_HOME"); config.is_absolute()) {
        list.push_back(config / "vfilter" / "presets");
    } else if (const fs::path home = environment("HOME"); home.is_absolute()) {
        list.push_back(home / ".config" / "vfilter" / "presets");
    }
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const char* const shipped : shipped_folders) {
        if (const fs::path folder = (program / shipped).lexically_normal();
            !program.empty() && fs::is_directory(folder, error)) {
            list.push_back(folder);
            break;
        }
    }
    return list;
}

std::string description_of(const fs::path& path) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('#')) {
            const std::size_t first = line.find_first_not_of("# \t");
            const std::size_t last = line.find_last_not_of(" \t\r");
            return first == std::string::npos ? "" : line.substr(first, last + 1 - first);
        }
    }
    return "";
}

}  // namespace

std::vector<Preset> presets() {
    std::map<std::string, Preset> found;
    for (const fs::path& folder : folders()) {
        std::error_code error;
        for (fs::directory_iterator entry(folder, error); !error && entry != fs::end(entry); entry.increment(error)) {
            const fs::path& path = entry->path();
            const std::string name = path.stem().string();
            std::error_code unknown;
            if (path.extension() == ending && !name.starts_with('.') && fs::is_regular_file(path, unknown) &&
                !found.contains(name)) {
                found[name] = {name, path.string(), description_of(path)};
            }
        }
    }
    std::vector<Preset> list;
    list.reserve(found.size());
    for (auto& [name, preset] : found) {
        list.push_back(std::move(preset));
    }
    return list;
}

std::optional<std::string> find_preset(const std::string& name) {
    if (name.find('/') != std::string::npos || name.starts_with('.')) {
        throw Error(ExitCode::usage,
                    fmt::format("--preset: '{}' is a path, not the name of a preset; --config reads any file", name));
    }
    for (const fs::path& folder : folders()) {
        std::error_code error;
        if (const fs::path path = folder / fmt::format("{}{}", name, ending); fs::is_regular_file(path, error)) {
            return path.string();
        }
    }
    return std::nullopt;
}

bool is_shipped_preset(std::string_view name) {
    return has_word(shipped_names, name);
}

std::string preset_list() {
    std::string text;
    for (const Preset& preset : presets()) {
        text += fmt::format("{:<20}{}{}({})\n", printable(preset.name), printable(preset.description),
                            preset.description.empty() ? "" : " ", printable(preset.path));
    }
    return text;
}

}  // namespace vfilter
