#pragma once
// Filters of FFmpeg's by name, where one of ours was expected: what ours is called, and which arguments correspond.

#include <string>
#include <string_view>

namespace vfilter {

/// "; here it is --gaussian sigma=S" for gblur, "; FFmpeg's goes to --vf scale=..." for what has no like here, "" for a
/// name that is unknown to both.
std::string foreign_filter_hint(std::string_view name);

}  // namespace vfilter
