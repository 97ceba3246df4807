#include "library/catalogue.h"

#include <algorithm>
#include <limits>

#include "filters/borders.h"
#include "filters/filters.h"

namespace vfilter {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

// Of the arguments that all filters take, those that are not for videos and files.
constexpr std::string_view common_here[] = {"border", "chroma", "alpha",   "dither",
                                            "region", "invert", "feather", "outside"};

vfilter_kind kind_of(const Parameter& row) {
    return !row.choices.empty() ? VFILTER_WORD
           : row.colour         ? VFILTER_COLOUR
           : row.odd            ? VFILTER_ODD_NUMBER
           : row.whole          ? VFILTER_WHOLE_NUMBER
                                : VFILTER_NUMBER;
}

}  // namespace

const Catalogue& Catalogue::get() {
    // Never destroyed: functions that are called at the end of a program, and threads that run on, still ask it.
    static const Catalogue& catalogue = *new Catalogue();
    return catalogue;
}

const char* Catalogue::text(std::string_view text) {
    return texts_.emplace_back(text).c_str();
}

void Catalogue::set_words(vfilter_parameter& parameter, const std::vector<std::string_view>& words) {
    std::vector<const char*>& kept = words_.emplace_back();
    for (const std::string_view word : words) {
        kept.push_back(text(word));
    }
    parameter.kind = VFILTER_WORD;
    parameter.words = kept.data();
    parameter.word_count = kept.size();
}

Catalogue::Catalogue() {
    for (const FilterDef& def : filter_table()) {
        std::vector<vfilter_parameter>& parameters = parameters_.emplace_back();
        const auto add = [&](std::string_view name, vfilter_kind kind, std::string_view help) -> vfilter_parameter& {
            return parameters.emplace_back(vfilter_parameter{sizeof(vfilter_parameter), text(name), kind, "",
                                                             text(help), none, none, none, nullptr, 0});
        };
        if (def.takes_matrix) {
            add("matrix", VFILTER_TEXT, "rows separated by ';', numbers by spaces");
        }
        for (const Parameter& row : def.parameters) {
            vfilter_parameter& made = add(row.name, kind_of(row), row.help);
            made.unit = text(row.unit);
            made.fallback = row.fallback;
            if (!row.choices.empty()) {
                std::vector<std::string_view> words(row.choices.begin(), row.choices.end());
                if (def.measured != nullptr) {
                    std::erase(words, "auto");  // there are no first pictures to measure
                }
                set_words(made, words);
            } else if (!row.colour) {
                made.minimum = row.minimum;
                made.maximum = row.maximum;
            }
        }
        const std::size_t own = parameters.size();
        for (const CommonArgument& row : common_arguments()) {
            if (std::ranges::find(common_here, row.name) == std::end(common_here) ||
                (row.name == "dither" && def.dithering == Dithering::none)) {
                continue;
            }
            vfilter_parameter& made = add(row.name, VFILTER_TEXT, row.help);
            std::vector<std::string_view> words;
            if (row.name == "border") {
                for (const BorderName& border : border_names) {
                    words.push_back(border.name);
                }
            } else if (row.name == "chroma") {
                for (const ChromaName& chroma : chroma_names) {
                    if (chroma.chroma != Chroma::scaled || def.has_width) {
                        words.push_back(chroma.name);
                    }
                }
            } else if (row.name == "alpha" || row.name == "dither" || row.name == "invert" || row.name == "outside") {
                words = {"off", "on"};
                made.help = row.name == "invert" ? text("filter everywhere except in the region") : made.help;
            } else if (row.name == "feather") {
                made.help = text("pixels over which the filter fades in, inside the region");
                made.kind = VFILTER_WHOLE_NUMBER;
                made.unit = "pixels";
                made.minimum = 0;
                made.maximum = max_feather;
                made.fallback = 0;
            } else if (row.name == "region") {
                made.help = text("filter only this area: x,y,w,h in pixels or percent, several joined by +");
            }
            if (!words.empty()) {
                set_words(made, words);
            }
        }
        std::string example(def.example);
        std::erase(example, '"');  // a shell's
        filters_.push_back({sizeof(vfilter_filter), text(def.name), text(def.help), text(def.formula), text(def.source),
                            text(example), def.needs_arguments() ? 1 : 0, parameters.size(), own});
    }
}

const vfilter_filter* Catalogue::at(std::size_t index) const {
    return index < filters_.size() ? &filters_[index] : nullptr;
}

const vfilter_filter* Catalogue::named(std::string_view name) const {
    const auto found = std::ranges::find_if(filters_, [&](const vfilter_filter& row) { return name == row.name; });
    return found == filters_.end() ? nullptr : &*found;
}

const vfilter_parameter* Catalogue::parameter(const vfilter_filter* filter, std::size_t index) const {
    const auto row = std::ranges::find_if(filters_, [&](const vfilter_filter& one) { return &one == filter; });
    if (row == filters_.end()) {
        return nullptr;
    }
    const auto& parameters = parameters_[static_cast<std::size_t>(row - filters_.begin())];
    return index < parameters.size() ? &parameters[index] : nullptr;
}

}  // namespace vfilter
