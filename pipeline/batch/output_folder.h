#pragma once
// The folder that the outputs of a batch come into.

#include <filesystem>
#include <string>

namespace vfilter {

/// Unless it is there. Throws Error(output).
void make_folder(const std::string& folder);

/// By their names, as the folder may not be there yet.
bool is_in_folder(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace vfilter
