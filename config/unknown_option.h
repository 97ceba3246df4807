#pragma once
// What is typed as an option, and is none.

#include <string>

namespace vfilter {

/// Throws Error(usage), with what does here what the word asks for, or the option that it may be a slip of.
[[noreturn]] void refuse_unknown(const std::string& argument);

}  // namespace vfilter
