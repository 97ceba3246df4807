#include "filters/borders.h"

#include <stdexcept>

namespace vfilter {

std::optional<Border> border_from_name(std::string_view name) {
    for (const BorderName& row : border_names) {
        if (row.name == name) {
            return row.border;
        }
    }
    return std::nullopt;
}

std::string_view to_string(Border border) {
    for (const BorderName& row : border_names) {
        if (row.border == border) {
            return row.name;
        }
    }
    throw std::logic_error("to_string: not a border");
}

}  // namespace vfilter
