#include "pipeline/session/device_rule.h"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <type_traits>
#include <variant>

namespace vfilter {

namespace {

constexpr double most_products = 3e9;
constexpr double planes_of_a_picture = 3;  // at most, of one size: nobody asks which there are
// Of a sample, beside those with taps: reading, the finish, writing; and decimation on top.
constexpr double least_products = 8;
constexpr double of_decimation = 16;
constexpr double of_64_bits = 8;  // times as slow as sums of 32

double products_of(const LinearFilter& filter) {
    double taps = least_products;
    for (const Term& term : filter.terms) {
        taps += static_cast<double>(term.rows.size() + term.columns.size());
    }
    return filter.arithmetic == Arithmetic::int64 ? of_64_bits * taps : taps;
}

// For a sample; nothing where it cannot be told.
std::optional<double> products_of(const Operation& operation) {
    return std::visit(
        [](const auto& made) -> std::optional<double> {
            using Made = std::remove_cvref_t<decltype(made)>;
            if constexpr (std::is_same_v<Made, LinearFilter>) {
                return products_of(made);
            } else if constexpr (std::is_same_v<Made, DecimatedFilter>) {
                return of_decimation + products_of(made.inner);
            } else if constexpr (std::is_same_v<Made, Pixelation> || std::is_same_v<Made, Fill>) {
                return least_products;
            } else {
                return std::nullopt;
            }
        },
        operation);
}

std::optional<double> products_of(const FilterSpec& filter, int depth) {
    if (filter.wants_noise() || filter.dithered()) {
        return std::nullopt;
    }
    try {
        const std::optional<Operation> made = operation_of(filter, {.depth = depth});
        return made ? products_of(*made) : 0;
    } catch (const std::invalid_argument&) {
        return std::nullopt;  // told by whoever makes it for the picture
    }
}

}  // namespace

std::string too_short_for_gpu(const DeviceFactors& factors) {
    if (factors.pictures <= 0 || factors.pixels <= 0) {
        return "";
    }
    const double samples = planes_of_a_picture * factors.pixels * static_cast<double>(factors.pictures);
    // Before anything is made: most videos are too long for any filter.
    if (samples * least_products > most_products) {
        return "";
    }
    double products = 0;
    for (const FilterSpec& filter : factors.filters) {
        const std::optional<double> own = products_of(filter, factors.depth);
        if (!own) {
            return "";
        }
        products += *own * samples;
    }
    if (products > most_products) {
        return "";
    }
    return factors.pictures == 1
               ? "it is one picture, done before a GPU has begun"
               : fmt::format("the video is short ({} pictures), done before a GPU has begun", factors.pictures);
}

}  // namespace vfilter
