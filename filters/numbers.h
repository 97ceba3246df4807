#pragma once
// Numbers in the arguments of filters: text to value and back, in no locale.

#include <optional>
#include <string>
#include <string_view>

namespace vfilter {

/// The shortest text that read_number() reads back to the same value.
std::string number_text(double value);
/// The whole text as a finite number, with or without a sign; nothing if it is none.
std::optional<double> read_number(std::string_view text);

}  // namespace vfilter
