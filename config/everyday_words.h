#pragma once
// Options that people expect by a name of everyday's, and what does it here.

#include <string>
#include <string_view>

namespace vfilter {

/// "; that is --vf scale=1280:-2" for resize; "" for a word that is in no list.
std::string everyday_hint(std::string_view word);

}  // namespace vfilter
