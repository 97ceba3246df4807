#pragma once
// Presets: configuration files with a name, the user's own and those that come with the program.

#include <optional>
#include <string>
#include <vector>

namespace vfilter {

struct Preset {
    std::string name;
    std::string path;
    std::string description;  ///< the file's first line of comment; may be ""
};

/// In alphabetical order. One of the user's takes the place of a shipped one of its name.
std::vector<Preset> presets();

/// The file of that name, or nothing if there is none. Throws Error(usage) for what can be the name of no preset,
/// neither of ours nor of an encoder: with a slash, or beginning with a dot.
std::optional<std::string> find_preset(const std::string& name);

/// For --list presets.
std::string preset_list();

}  // namespace vfilter
