// Arguments of filters as text: "9:sigma=2:border=wrap" to a FilterSpec and back.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "kernels/filters.h"
#include "kernels/names.h"

namespace vfilter {

namespace {

std::string number(double value) {
    char text[32];
    const auto end = std::to_chars(std::begin(text), std::end(text), value).ptr;
    return {text, end};
}

[[noreturn]] void refuse(const FilterDef& def, const std::string& what) {
    throw std::invalid_argument(std::string(def.name) + ": " + what + " (see --help " + std::string(def.name) + ")");
}

std::string even_size_advice(const FilterDef& def, double value) {
    const std::string below = number(value - 1);
    const std::string above = number(value + 1);
    const bool has_sigma = std::ranges::find(def.parameters, "sigma", &Parameter::name) != def.parameters.end();
    return "size " + number(value) + " is even: a kernel needs a middle, so take " + below + " or " + above +
           (has_sigma ? ", or give the width itself as sigma=S" : "");
}

double parse_value(const FilterDef& def, const Parameter& parameter, std::string_view text) {
    const std::string name(parameter.name);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string range = number(parameter.minimum) + " to " + number(parameter.maximum) + " " +
                              std::string(parameter.unit) + (parameter.odd ? ", odd" : "");
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
        refuse(def, name + "='" + std::string(text) + "' is not a number; " + name + " is " + range);
    }
    if (value < parameter.minimum || value > parameter.maximum) {
        refuse(def, name + "=" + std::string(text) + " is out of range; " + name + " is " + range);
    }
    if (parameter.odd && value != std::floor(value)) {
        refuse(def, name + "=" + std::string(text) + " is not a whole number; " + name + " is " + range);
    }
    if (parameter.odd && std::fmod(value, 2) == 0) {
        refuse(def, even_size_advice(def, value));
    }
    return value;
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
        if (row.name == text) {
            return row.chroma;
        }
        names.push_back(row.name);
    }
    refuse(def, "chroma='" + std::string(text) + "' is none of " + join(names, ", "));
}

Border parse_border(const FilterDef& def, std::string_view text) {
    if (const auto border = border_from_name(text)) {
        return *border;
    }
    std::vector<std::string_view> names;
    names.reserve(border_names.size());
    for (const BorderName& row : border_names) {
        names.push_back(row.name);
    }
    refuse(def, "border='" + std::string(text) + "' is none of " + join(names, ", "));
}

void set(FilterSpec& spec, std::string_view key, std::string_view value) {
    const FilterDef& def = *spec.def;
    if (key == "border") {
        spec.border = parse_border(def, value);
        return;
    }
    if (key == "chroma") {
        spec.chroma = parse_chroma(def, value);
        return;
    }
    std::vector<std::string_view> names{"border", "chroma"};
    for (std::size_t i = 0; i < def.parameters.size(); ++i) {
        if (def.parameters[i].name == key) {
            spec.values[i] = parse_value(def, def.parameters[i], value);
            return;
        }
        names.push_back(def.parameters[i].name);
    }
    refuse(def, "no parameter '" + std::string(key) + "'" + suggestion(key, names));
}

}  // namespace

FilterSpec parse_filter(const FilterDef& def, std::string_view arguments) {
    FilterSpec spec{.def = &def, .values = ParameterValues(def.parameters.size())};
    std::vector<std::string_view> keys;
    for (const std::string_view part : split(arguments, ':')) {
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos && (!keys.empty() || def.parameters.empty())) {
            refuse(def, "'" + std::string(part) + "' is not of the form key=value");
        }
        const std::string_view key = equals == std::string_view::npos ? def.parameters[0].name : part.substr(0, equals);
        if (std::ranges::find(keys, key) != keys.end()) {
            refuse(def, std::string(key) + " is given twice");
        }
        set(spec, key, equals == std::string_view::npos ? part : part.substr(equals + 1));
        keys.push_back(key);
    }
    if (const std::string wrong = def.check(spec.values); !wrong.empty()) {
        refuse(def, wrong);
    }
    return spec;
}

std::string to_string(const FilterSpec& spec) {
    std::string text;
    const auto add = [&](std::string_view key, std::string_view value) {
        text += (text.empty() ? "" : ":") + std::string(key) + "=" + std::string(value);
    };
    for (std::size_t i = 0; i < spec.values.size(); ++i) {
        if (spec.values[i]) {
            add(spec.def->parameters[i].name, number(*spec.values[i]));
        }
    }
    const FilterSpec defaults;
    if (spec.border != defaults.border) {
        add("border", to_string(spec.border));
    }
    for (const ChromaName& row : chroma_names) {
        if (row.chroma == spec.chroma && spec.chroma != defaults.chroma) {
            add("chroma", row.name);
        }
    }
    return text;
}

}  // namespace vfilter
