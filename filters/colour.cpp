#include "filters/colour.h"

#include <algorithm>
#include <charconv>

namespace vfilter {

namespace {

struct ColourName {
    std::string_view name;
    std::uint32_t rgb;
};

// The sixteen of HTML, and a few that are asked for. Where there are several of a colour, the first is written.
constexpr ColourName colour_names[] = {
    {"black", 0x000000}, {"white", 0xffffff},   {"gray", 0x808080},    {"grey", 0x808080},   {"silver", 0xc0c0c0},
    {"red", 0xff0000},   {"maroon", 0x800000},  {"yellow", 0xffff00},  {"olive", 0x808000},  {"lime", 0x00ff00},
    {"green", 0x008000}, {"aqua", 0x00ffff},    {"cyan", 0x00ffff},    {"teal", 0x008080},   {"blue", 0x0000ff},
    {"navy", 0x000080},  {"fuchsia", 0xff00ff}, {"magenta", 0xff00ff}, {"purple", 0x800080}, {"orange", 0xffa500},
    {"pink", 0xffc0cb},  {"brown", 0xa52a2a},
};

constexpr std::uint32_t opaque = 0xff000000U;

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return lower;
}

// Kr and Kb in units of 1/10000.
struct Weights {
    std::int64_t red;
    std::int64_t blue;
};

Weights weights_of(ColourMatrix matrix) {
    switch (matrix) {
        case ColourMatrix::bt709:
            return {2126, 722};
        case ColourMatrix::bt2020:
            return {2627, 593};
        case ColourMatrix::smpte240m:
            return {2120, 870};
        case ColourMatrix::fcc:
            return {3000, 1100};
        case ColourMatrix::bt601:
            break;
    }
    return {2990, 1140};
}

// numerator / denominator, rounded half up. denominator > 0.
std::int64_t rounded_quotient(std::int64_t numerator, std::int64_t denominator) {
    const std::int64_t twice = 2 * numerator + denominator;
    const std::int64_t quotient = twice / (2 * denominator);
    return twice % (2 * denominator) < 0 ? quotient - 1 : quotient;
}

}  // namespace

std::optional<Colour> parse_colour(std::string_view text) {
    const std::string lower = lower_case(text);
    for (const ColourName& row : colour_names) {
        if (row.name == lower) {
            return Colour::unpacked(row.rgb | opaque);
        }
    }
    if (!lower.starts_with('#') || (lower.size() != 7 && lower.size() != 9)) {
        return std::nullopt;
    }
    std::uint32_t bits = 0;
    const char* const end = lower.data() + lower.size();
    const auto [last, error] = std::from_chars(lower.data() + 1, end, bits, 16);
    if (error != std::errc() || last != end) {
        return std::nullopt;
    }
    return Colour::unpacked(lower.size() == 7 ? bits | opaque : bits >> 8 | bits << 24);
}

std::string to_string(const Colour& colour) {
    const std::uint32_t bits = colour.packed();
    for (const ColourName& row : colour_names) {
        if ((row.rgb | opaque) == bits) {
            return std::string(row.name);
        }
    }
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text = "#";
    const auto add = [&](int value) {
        text += digits[static_cast<std::size_t>(value >> 4)];
        text += digits[static_cast<std::size_t>(value & 15)];
    };
    add(colour.red);
    add(colour.green);
    add(colour.blue);
    if (colour.alpha != 255) {
        add(colour.alpha);
    }
    return text;
}

int sample_of(const Colour& colour, Component component, ColourMatrix matrix, bool full_range, int depth) {
    constexpr std::int64_t unit = 10000;  // of the weights
    constexpr std::int64_t white = 255;   // of a colour
    const std::int64_t most = (std::int64_t{1} << depth) - 1;
    const std::int64_t step = std::int64_t{1} << (depth - 8);  // what a level of 8 bits is worth
    const Weights weights = weights_of(matrix);
    // Luma in units of 1 / (unit * white).
    const std::int64_t luma =
        weights.red * colour.red + (unit - weights.red - weights.blue) * colour.green + weights.blue * colour.blue;
    const auto chroma = [&](int primary, std::int64_t weight) {
        const std::int64_t range = full_range ? most : 224 * step;
        // (primary - luma) / (2 (1 - weight)), from -1/2 to 1/2.
        const std::int64_t off = rounded_quotient((unit * primary - luma) * range, 2 * (unit - weight) * white);
        return std::clamp<std::int64_t>(128 * step + off, 0, most);
    };
    const auto share = [&](int of) { return rounded_quotient(of * most, white); };
    const auto sample = [&]() -> std::int64_t {
        switch (component) {
            case Component::luma:
                return full_range ? rounded_quotient(luma * most, unit * white)
                                  : 16 * step + rounded_quotient(luma * 219 * step, unit * white);
            case Component::cb:
                return chroma(colour.blue, weights.blue);
            case Component::cr:
                return chroma(colour.red, weights.red);
            case Component::red:
                return share(colour.red);
            case Component::green:
                return share(colour.green);
            case Component::blue:
                return share(colour.blue);
            case Component::alpha:
                break;
        }
        return share(colour.alpha);
    };
    return static_cast<int>(sample());
}

}  // namespace vfilter
