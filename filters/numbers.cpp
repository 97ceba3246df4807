#include "filters/numbers.h"

#include <charconv>
#include <cmath>
#include <iterator>

namespace vfilter {

std::string number_text(double value) {
    char text[32];
    return {text, std::to_chars(std::begin(text), std::end(text), value).ptr};
}

std::optional<double> read_number(std::string_view text) {
    double value = 0;
    const std::size_t plus = text.starts_with('+') ? 1 : 0;  // from_chars takes no plus
    const auto [end, error] = std::from_chars(text.data() + plus, text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
        return std::nullopt;
    }
    return value;
}

}  // namespace vfilter
