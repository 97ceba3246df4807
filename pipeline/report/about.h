#pragma once
// What this program and this machine are.

#include <string>

namespace vfilter {

std::string version_text();
std::string doctor_text();
/// "filters", "devices", "encoders", "cameras"
std::string list_text(const std::string& what);
bool is_regular_file(const std::string& path);

}  // namespace vfilter
