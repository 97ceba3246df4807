#pragma once
// Names of languages.

#include <string>

namespace vfilter {

/// The three letters of a language that BCP 47 names, as Matroska has them: "ger" of "de-CH"; "" of one that has none.
std::string three_letters(const std::string& language);

}  // namespace vfilter
