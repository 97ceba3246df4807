#pragma once
// docs/recipes.md: everyday jobs, each with its command, and every word by which people look for one.

#include <string>

namespace vfilter {

/// The page in Markdown.
std::string recipe_page();

}  // namespace vfilter
