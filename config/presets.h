#pragma once
// Presets: named configuration files, the user's own and those that come with the program.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vfilter {

struct Preset {
    std::string name;
    std::string path;
    std::string description;  ///< the file's first line of comment; may be ""
};

/// In alphabetical order. The user's preset hides a shipped one of the same name.
std::vector<Preset> presets();

/// The file of that name, or nothing if there is none. Throws Error(usage) for a name with a slash or a leading dot,
/// which no preset has, neither ours nor an encoder's.
std::optional<std::string> find_preset(const std::string& name);

/// Whether a preset of that name comes with the program, found or not.
bool is_shipped_preset(std::string_view name);

/// For --list presets.
std::string preset_list();

}  // namespace vfilter
