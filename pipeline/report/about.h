#pragma once
// What this program and this machine are.

#include <string>

namespace vfilter {

std::string version_text();
std::string doctor_text();
/// `what`: one of those that --list takes.
std::string list_text(const std::string& what);

}  // namespace vfilter
