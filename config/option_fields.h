#pragma once
// What most rows of options say of their values: the member of Options that holds them, by the members that lead to it.
// How the value is read and how it is shown follows from that.

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/option_table.h"
#include "config/option_values.h"

namespace vfilter {

inline constexpr auto at_input = &Options::input;
inline constexpr auto at_output = &Options::output;
inline constexpr auto at_batch = &Options::batch;

template <auto... path>
constexpr auto& member_of(auto& object) {
    return (object.*....*path);
}

template <class T>
struct HeldBy {
    using Type = T;
};
template <class T>
struct HeldBy<std::optional<T>> {
    using Type = T;
};
template <auto... path>
using Held = typename HeldBy<std::remove_cvref_t<decltype(member_of<path...>(std::declval<Options&>()))>>::Type;

/// "" for what is there without the option.
template <auto... path>
std::string shown(const Options& options) {
    const Options usual;
    const auto& value = member_of<path...>(options);
    if (value == member_of<path...>(usual)) {
        return "";
    }
    if constexpr (requires { *value; }) {
        return fmt::format("{}", *value);
    } else {
        return fmt::format("{}", value);
    }
}

/// By functions of its own.
template <void (*parse)(Command&, const std::string&), std::string (*show)(const Options&) = nullptr>
constexpr OptionValue own() {
    return {[](Command& c, std::string_view, const std::string& text) { parse(c, text); }, show};
}

/// One that may be repeated.
template <void (*parse)(Command&, const std::string&), std::vector<std::string> (*values)(const Options&)>
constexpr OptionValue repeated() {
    return {[](Command& c, std::string_view, const std::string& text) { parse(c, text); },
            [](const Options& options) { return show_lines(values(options)); }, values};
}

template <auto... path>
constexpr OptionValue text() {
    return {[](Command& c, std::string_view, const std::string& value) { member_of<path...>(c.options) = value; },
            shown<path...>};
}

template <auto... path>
constexpr OptionValue flag() {
    return {
        [](Command& c, std::string_view, const std::string& value) { member_of<path...>(c.options) = is_on(value); },
        shown<path...>};
}

/// Its limits are whole numbers, as clang has no others as arguments of templates before clang 18.
template <std::int64_t minimum, std::int64_t maximum, auto... path>
constexpr OptionValue number() {
    return {[](Command& c, std::string_view option, const std::string& value) {
                using Number = Held<path...>;
                member_of<path...>(c.options) =
                    ranged<Number>(option, value, static_cast<Number>(minimum), static_cast<Number>(maximum));
            },
            shown<path...>};
}

/// What `read` makes of the text, for the option of that name.
template <auto read, auto... path>
constexpr OptionValue made_by() {
    return {[](Command& c, std::string_view option, const std::string& value) {
                member_of<path...>(c.options) = read(option, value);
            },
            shown<path...>};
}

/// A word of an array of Choice.
template <const auto& choices, auto... path>
constexpr OptionValue word() {
    return {[](Command& c, std::string_view option, const std::string& value) {
                member_of<path...>(c.options) = choose(option, value, choices);
            },
            [](const Options& options) {
                const Options usual;
                return name_of(member_of<path...>(options), choices, member_of<path...>(usual));
            }};
}

/// KEY=VALUE, which may be repeated.
template <auto... path>
constexpr OptionValue pairs() {
    return {[](Command& c, std::string_view option, const std::string& value) {
                add_pair(option, member_of<path...>(c.options), value);
            },
            [](const Options& options) { return show_lines(texts_of(member_of<path...>(options))); },
            [](const Options& options) { return texts_of(member_of<path...>(options)); }};
}

}  // namespace vfilter
