// Arguments of filters as text: "9:sigma=2:border=wrap" to a FilterSpec and back.

#include <algorithm>
#include <cctype>
#include <cmath>
#include <stdexcept>

#include "filters/borders.h"
#include "filters/filters.h"
#include "filters/names.h"
#include "filters/numbers.h"

namespace vfilter {

namespace {

// What is wrong; parse_filter adds the filter's name.
[[noreturn]] void refuse_argument(const std::string& what) {
    throw std::invalid_argument(what);
}

std::string even_size_advice(const FilterDef& def, const Parameter& parameter, double value) {
    const std::string below = number_text(value - 1);
    const std::string above = number_text(value + 1);
    const bool has_sigma = parameter.name == "size" &&
                           std::ranges::find(def.parameters, "sigma", &Parameter::name) != def.parameters.end();
    return std::string(parameter.name) + " " + number_text(value) + " is even: a kernel needs a middle, so take " +
           below + " or " + above + (has_sigma ? ", or give the width itself as sigma=S" : "");
}

double parse_choice(const Parameter& parameter, std::string_view text) {
    const auto found = std::ranges::find(parameter.choices, text);
    if (found == parameter.choices.end()) {
        refuse_argument(std::string(parameter.name) + "='" + shortened(text) + "' is none of " +
                        join(parameter.choices, ", ") + suggestion(text, parameter.choices));
    }
    return static_cast<double>(found - parameter.choices.begin());
}

double parse_value(const FilterDef& def, const Parameter& parameter, std::string_view text) {
    if (!parameter.choices.empty()) {
        return parse_choice(parameter, text);
    }
    const std::string name(parameter.name);
    if (parameter.colour) {
        if (const std::optional<Colour> colour = parse_colour(text)) {
            return colour->packed();
        }
        refuse_argument(name + "='" + shortened(text) + "' is no colour; take a name, such as black, or #rrggbb");
    }
    if (parameter.measured && text == "auto") {
        return automatic_value;
    }
    const std::optional<double> value = read_number(text);
    const std::string range = number_text(parameter.minimum) + " to " + number_text(parameter.maximum) + " " +
                              std::string(parameter.unit) + (parameter.odd ? ", odd" : "") +
                              (parameter.measured ? ", or auto" : "");
    if (!value) {
        refuse_argument(name + "='" + shortened(text) + "' is not a number; " + name + " is " + range);
    }
    if (*value < parameter.minimum || *value > parameter.maximum) {
        refuse_argument(name + "=" + shortened(text) + " is out of range; " + name + " is " + range);
    }
    if ((parameter.odd || parameter.whole) && *value != std::floor(*value)) {
        refuse_argument(name + "=" + shortened(text) + " is not a whole number; " + name + " is " + range);
    }
    if (parameter.odd && std::fmod(*value, 2) == 0) {
        refuse_argument(even_size_advice(def, parameter, *value));
    }
    return *value;
}

std::string value_text(const Parameter& parameter, double value) {
    if (parameter.colour) {
        return to_string(Colour::unpacked(static_cast<std::uint32_t>(value)));
    }
    if (parameter.measured && value == automatic_value) {
        return "auto";
    }
    return parameter.choices.empty() ? number_text(value)
                                     : std::string(parameter.choices[static_cast<std::size_t>(value)]);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(at + 1);
    }
}

Chroma parse_chroma(const FilterDef& def, std::string_view text) {
    std::vector<std::string_view> names;
    for (const ChromaName& row : chroma_names) {
        if (row.chroma == Chroma::scaled && !def.has_width) {
            continue;
        }
        if (row.name == text) {
            return row.chroma;
        }
        names.push_back(row.name);
    }
    refuse_argument("chroma='" + shortened(text) + "' is none of " + join(names, ", "));
}

Border parse_border(std::string_view text) {
    if (const auto border = border_from_name(text)) {
        return *border;
    }
    std::vector<std::string_view> names;
    names.reserve(border_names.size());
    for (const BorderName& row : border_names) {
        names.push_back(row.name);
    }
    refuse_argument("border='" + shortened(text) + "' is none of " + join(names, ", "));
}

bool parse_switch(std::string_view key, std::string_view text) {
    for (const std::string_view on : {"1", "on", "yes", "true"}) {
        if (text == on) {
            return true;
        }
    }
    for (const std::string_view off : {"0", "off", "no", "false"}) {
        if (text == off) {
            return false;
        }
    }
    refuse_argument(std::string(key) + "='" + shortened(text) + "' is neither 1 nor 0 (on, off)");
}

int parse_feather(std::string_view text) {
    const std::optional<double> value = read_number(text);
    if (!value || *value < 0 || *value > max_feather || *value != std::floor(*value)) {
        refuse_argument("feather='" + shortened(text) + "' is out of range; feather is 0 to " +
                        std::to_string(max_feather) + " whole pixels");
    }
    return static_cast<int>(*value);
}

/// Arguments that are no parameters of a row: how they are read, and written if they are not as they were.
struct OtherArgument {
    std::string_view name;
    bool matrix;  ///< only of filters that take one
    void (*set)(FilterSpec&, std::string_view value);
    std::string (*show)(const FilterSpec&);
};

constexpr OtherArgument other_arguments[] = {
    {"matrix", true, [](FilterSpec& spec, std::string_view value) { spec.matrix = parse_matrix(value); },
     [](const FilterSpec& spec) { return to_string(spec.matrix); }},
    {"file", true,
     [](FilterSpec& spec, std::string_view value) {
         spec.matrix_file = value;
         spec.matrix = read_matrix(spec.matrix_file);
     },
     [](const FilterSpec&) { return std::string(); }},
    {"border", false, [](FilterSpec& spec, std::string_view value) { spec.border = parse_border(value); },
     [](const FilterSpec& spec) {
         return spec.border == FilterSpec().border ? std::string() : std::string(to_string(spec.border));
     }},
    {"chroma", false, [](FilterSpec& spec, std::string_view value) { spec.chroma = parse_chroma(*spec.def, value); },
     [](const FilterSpec& spec) {
         for (const ChromaName& row : chroma_names) {
             if (row.chroma == spec.chroma) {
                 return std::string(row.name);
             }
         }
         return std::string();
     }},
    {"alpha", false, [](FilterSpec& spec, std::string_view value) { spec.alpha = parse_switch("alpha", value); },
     [](const FilterSpec& spec) {
         return std::string(!spec.alpha ? "" : *spec.alpha ? "on" : "off");
     }},
    {"dither", false, [](FilterSpec& spec, std::string_view value) { spec.dither = parse_switch("dither", value); },
     [](const FilterSpec& spec) {
         return std::string(!spec.dither ? "" : *spec.dither ? "on" : "off");
     }},
    {"region", false, [](FilterSpec& spec, std::string_view value) { parse_place(value, spec.region); },
     [](const FilterSpec& spec) { return place_text(spec.region); }},
    {"pad", false, [](FilterSpec& spec, std::string_view value) { spec.region.pad = parse_pad(value); },
     [](const FilterSpec& spec) { return spec.region.pad.value > 0 ? to_string(spec.region.pad) : ""; }},
    {"mask", false, [](FilterSpec& spec, std::string_view value) { spec.region.mask = std::string(value); },
     [](const FilterSpec& spec) { return spec.region.mask; }},
    {"invert", false,
     [](FilterSpec& spec, std::string_view value) { spec.region.invert = parse_switch("invert", value); },
     [](const FilterSpec& spec) { return std::string(spec.region.invert ? "1" : ""); }},
    {"feather", false, [](FilterSpec& spec, std::string_view value) { spec.region.feather = parse_feather(value); },
     [](const FilterSpec& spec) { return spec.region.feather != 0 ? std::to_string(spec.region.feather) : ""; }},
    {"outside", false,
     [](FilterSpec& spec, std::string_view value) { spec.region.outside = parse_switch("outside", value); },
     [](const FilterSpec& spec) { return std::string(spec.region.outside ? "1" : ""); }},
    {"enable", false, [](FilterSpec& spec, std::string_view value) { spec.enable = parse_spans(value); },
     [](const FilterSpec& spec) { return to_string(spec.enable); }},
};

std::vector<std::string_view> argument_names(const FilterDef& def) {
    std::vector<std::string_view> names;
    for (const Parameter& parameter : def.parameters) {
        names.push_back(parameter.name);
    }
    for (const OtherArgument& other : other_arguments) {
        if (!other.matrix || def.takes_matrix) {
            names.push_back(other.name);
        }
    }
    return names;
}

// What the first argument is if it has no name.
std::string_view first_name(const FilterDef& def) {
    return def.takes_matrix ? "matrix" : def.parameters.empty() ? std::string_view() : def.parameters[0].name;
}

void set(FilterSpec& spec, std::string_view key, std::string_view value) {
    const FilterDef& def = *spec.def;
    for (std::size_t i = 0; i < def.parameters.size(); ++i) {
        if (def.parameters[i].name == key) {
            spec.values[i] = parse_value(def, def.parameters[i], value);
            return;
        }
    }
    for (const OtherArgument& other : other_arguments) {
        if (other.name == key && (!other.matrix || def.takes_matrix)) {
            other.set(spec, value);
            return;
        }
    }
    refuse_argument("no parameter '" + shortened(key) + "'" + suggestion(key, argument_names(def)));
}

void check(const FilterSpec& spec, const std::vector<std::string_view>& keys) {
    const FilterDef& def = *spec.def;
    const auto has = [&](std::string_view key) { return std::ranges::find(keys, key) != keys.end(); };
    if (has("matrix") && has("file")) {
        refuse_argument("matrix and file exclude each other");
    }
    if ((spec.region.invert || spec.region.feather > 0) && spec.region.everywhere()) {
        refuse_argument("invert and feather need a region or a mask");
    }
    if (spec.region.pad.value > 0 && !spec.region.tracks) {
        refuse_argument("pad needs a region that moves, region=@FILE");
    }
    if (spec.region.outside && spec.region.feather == 0) {
        refuse_argument("outside needs a feather");
    }
    if (has("mask") && spec.region.mask.empty()) {
        refuse_argument("mask is the name of a picture's file");
    }
    if (spec.dither == true && def.dithering == Dithering::none) {
        refuse_argument("there is nothing to dither, as results are not rounded");
    }
    if (const std::string wrong = def.check(spec); !wrong.empty()) {
        refuse_argument(wrong);
    }
}

FilterSpec parse(const FilterDef& def, std::string_view arguments) {
    FilterSpec spec;
    spec.def = &def;
    spec.values.resize(def.parameters.size());
    std::vector<std::string_view> keys;
    if (arguments.size() > max_arguments_length) {
        refuse_argument("its arguments are longer than " + std::to_string(max_arguments_length) + " characters");
    }
    for (const std::string_view part : split(arguments, ':')) {
        if (arguments.empty()) {
            break;
        }
        const std::size_t equals = part.find('=');
        const bool named = equals != std::string_view::npos;
        if (!named && (!keys.empty() || first_name(def).empty())) {
            refuse_argument("'" + shortened(part) + "' is not of the form key=value");
        }
        const std::string_view key = named ? part.substr(0, equals) : first_name(def);
        if (std::ranges::find(keys, key) != keys.end()) {
            refuse_argument(std::string(key) + " is given twice");
        }
        set(spec, key, named ? part.substr(equals + 1) : part);
        keys.push_back(key);
    }
    check(spec, keys);
    return spec;
}

}  // namespace

bool looks_like_mistyped_number(std::string_view text) {
    const std::size_t dot = text.rfind('.');
    const std::string_view ending = dot == std::string_view::npos ? "" : text.substr(dot + 1);
    const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
    const bool name = (!ending.empty() && is_letter(static_cast<unsigned char>(ending.front()))) || ending == "3gp" ||
                      ending == "3g2" || text.find_first_of("/%*?") != std::string_view::npos;
    constexpr std::ptrdiff_t unit = 2;  // letters: px, dB
    return !text.empty() && text.front() >= '0' && text.front() <= '9' && !name &&
           std::ranges::count_if(text, is_letter) <= unit;
}

bool looks_like_arguments(const FilterDef& def, std::string_view text) {
    const std::string_view first = text.substr(0, text.find(':'));
    const std::size_t equals = first.find('=');
    if (equals != std::string_view::npos) {
        const std::string_view key = first.substr(0, equals);
        const auto names = argument_names(def);
        const bool slip = def.needs_arguments() && key.find_first_of("./ ") == std::string_view::npos;
        return slip || std::ranges::find(names, key) != names.end();
    }
    if (def.takes_matrix) {
        const std::size_t begin = first.find_first_not_of(" \t\r\n,;");
        const std::string_view rest = begin == std::string_view::npos ? std::string_view() : first.substr(begin);
        const std::string_view number = rest.substr(0, rest.find_first_of(" \t\r\n,;#"));
        return read_number(number) || number == "nan" || number == "inf" || rest.starts_with('#');
    }
    if (!def.parameters.empty() && def.parameters[0].colour) {
        return first.starts_with('#') || parse_colour(first);
    }
    const bool number = read_number(first) || first == "nan" || first == "inf";
    const bool word = !def.parameters.empty() &&
                      std::ranges::find(def.parameters[0].choices, first) != def.parameters[0].choices.end();
    const bool measured = !def.parameters.empty() && def.parameters[0].measured && first == "auto";
    return word || measured || (!def.parameters.empty() && number);
}

FilterSpec parse_filter(const FilterDef& def, std::string_view arguments) {
    try {
        return parse(def, arguments);
    } catch (const std::invalid_argument& error) {
        const std::string name(def.name);
        throw std::invalid_argument(name + ": " + error.what() + " (see --help " + name + ")");
    }
}

std::string to_string(const FilterSpec& spec) {
    std::string text;
    const auto add = [&](std::string_view key, std::string_view value) {
        text += (text.empty() ? "" : ":") + std::string(key) + "=" + std::string(value);
    };
    const FilterDef& def = *spec.def;
    for (std::size_t i = 0; i < spec.values.size(); ++i) {
        if (spec.values[i]) {
            const Parameter& parameter = def.parameters[i];
            add(parameter.name, value_text(parameter, *spec.values[i]));
        }
    }
    for (const OtherArgument& other : other_arguments) {
        if (const std::string value = other.show(spec); !value.empty()) {
            add(other.name, value);
        }
    }
    return text;
}

}  // namespace vfilter
