#pragma once
// What this program and this machine are.

#include <string>

namespace vfilter {

std::string version_text();
std::string doctor_text();
/// `what`: "filters", "devices", "encoders", "cameras"
std::string list_text(const std::string& what);

}  // namespace vfilter
