#include "config/filter_texts.h"

#include <fmt/format.h>

#include <cmath>

#include "filters/borders.h"
#include "filters/names.h"

namespace vfilter {

namespace {

// Among the values of a parameter that can be measured.
constexpr std::string_view measured_too = ", or auto";

ArgumentText text_of(const Parameter& parameter) {
    ArgumentText text{.name = parameter.name, .help = std::string(parameter.help)};
    const bool words = !parameter.choices.empty();
    if (parameter.colour) {
        return text;
    }
    text.range = words ? join(parameter.choices, ", ") : fmt::format("{} to {}", parameter.minimum, parameter.maximum);
    text.range += parameter.measured ? measured_too : "";
    text.unit = fmt::format("{}{}", parameter.unit, parameter.odd ? ", odd" : parameter.whole ? ", whole" : "");
    if (!std::isnan(parameter.fallback)) {
        text.fallback = words ? std::string(parameter.choices[static_cast<std::size_t>(parameter.fallback)])
                              : fmt::format("{}", parameter.fallback);
    }
    return text;
}

}  // namespace

std::string ArgumentText::limits() const {
    // "0.5 to 50 levels of 256, or auto"
    const std::string_view numbers =
        std::string_view(range).substr(0, range.size() - (range.ends_with(measured_too) ? measured_too.size() : 0));
    const std::string within = fmt::format("{}{}{}{}", numbers, unit.empty() ? "" : " ", unit,
                                           numbers.size() < range.size() ? measured_too : "");
    const std::string usual = fallback.empty() ? "" : fmt::format("default {}", fallback);
    return fmt::format("{}{}{}", within, within.empty() || usual.empty() ? "" : "; ", usual);
}

std::vector<ArgumentText> own_arguments(const FilterDef& def) {
    std::vector<ArgumentText> texts;
    if (def.takes_matrix) {
        texts.push_back(
            {.name = "matrix",
             .help = fmt::format(
                 "rows separated by ';', numbers by spaces; both sides odd, 1 to {}; absolute values up to {:.0f}; a "
                 "single row of 9, 25 or 49 numbers must end with a ';'",
                 max_matrix_size, max_matrix_number)});
        texts.push_back({.name = "file", .help = "the same from a text file, one row per line; # begins a comment"});
    }
    for (const Parameter& parameter : def.parameters) {
        texts.push_back(text_of(parameter));
    }
    return texts;
}

std::vector<ArgumentText> shared_arguments(const FilterDef* def) {
    std::vector<ArgumentText> texts;
    for (const CommonArgument& argument : common_arguments()) {
        ArgumentText text{.name = argument.name, .help = std::string(argument.help)};
        if (argument.name == "border") {
            for (const BorderName& row : border_names) {
                text.words.emplace_back(row.name, row.picture);
            }
        }
        if (argument.name == "chroma") {
            for (const ChromaName& row : chroma_names) {
                if (def != nullptr && !def->has_width && row.chroma == Chroma::scaled) {
                    continue;
                }
                const bool any = def == nullptr && row.chroma == Chroma::scaled;
                text.words.emplace_back(
                    row.name, any ? "as wide as luma in the picture; not for filters without a width" : row.help);
                if (def != nullptr && def->chroma == row.chroma) {
                    text.fallback = row.name;
                }
            }
        }
        if (argument.name == "alpha" && def != nullptr) {
            text.fallback = def->alpha ? "on" : "off";
        }
        if (argument.name == "dither" && def != nullptr && def->dithering == Dithering::none) {
            text.help += "; not available here, as nothing is rounded";
        } else if (argument.name == "dither" && def != nullptr) {
            text.fallback = def->dithering == Dithering::own ? "on" : "off";
        }
        texts.push_back(std::move(text));
    }
    return texts;
}

std::string filter_head(const FilterDef& def) {
    return fmt::format("--{}{}", def.name, def.needs_arguments() ? " ARGS" : " [ARGS]");
}

std::string example_line(const FilterDef& def) {
    return fmt::format("vfilter in.mp4 out.mp4 --{}{}{}", def.name, def.example.empty() ? "" : " ", def.example);
}

}  // namespace vfilter
