#include "kernels/border.h"

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

namespace {

int modulo(int value, int period) {
    const int rest = value % period;
    return rest < 0 ? rest + period : rest;
}

}  // namespace

int border_index(int index, int length, Border border) {
    if (index >= 0 && index < length) {
        return index;
    }
    switch (border) {
        case Border::reflect_101: {
            if (length == 1) {
                return 0;
            }
            const int folded = modulo(index, 2 * length - 2);
            return folded < length ? folded : 2 * length - 2 - folded;
        }
        case Border::reflect: {
            const int folded = modulo(index, 2 * length);
            return folded < length ? folded : 2 * length - 1 - folded;
        }
        case Border::replicate:
            return index < 0 ? 0 : length - 1;
        case Border::constant:
            return -1;
        case Border::wrap:
            return modulo(index, length);
    }
    throw std::logic_error("border_index: not a border");
}

}  // namespace vfilter
