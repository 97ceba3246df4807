#pragma once
// Values of options, read and written: what several tables of options need.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "config/option_table.h"
#include "filters/names.h"

namespace vfilter {

/// Throws Error(usage): the option's name, and what is wrong.
[[noreturn]] void refuse(std::string_view option, const std::string& what);

/// The same of a value that is none of these words.
[[noreturn]] void refuse_word(std::string_view option, std::string_view text,
                              const std::vector<std::string_view>& names);

/// The parts of a text between separators: one more than there are of these.
std::vector<std::string_view> parts_of(std::string_view text, char separator);

/// Whether it is one of those words, which blanks separate.
bool has_word(std::string_view words, std::string_view word);

template <class T>
bool parse_number(std::string_view text, T& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

/// Why "rotate", as older programs have it, is no tag of a video.
inline constexpr std::string_view rotation_is_no_tag =
    "how a video is to be turned is no tag: it is copied, --vf null turns the pictures as they are shown, and --vf "
    "transpose=clock by a quarter more";

/// A number within these limits. Throws Error(usage).
template <class T>
T ranged(std::string_view option, const std::string& text, T minimum, T maximum) {
    T value{};
    if (!parse_number(text, value) || !(value >= minimum && value <= maximum)) {
        refuse(option, fmt::format("'{}' is not a number from {} to {}", shortened(text), minimum, maximum));
    }
    return value;
}

/// What a flag's value says. It has none on a command line; a configuration file takes one back with "false".
inline bool is_on(std::string_view value) {
    return value != "false";
}

/// A word that an option takes, and what it means.
template <class T>
struct Choice {
    std::string_view name;
    T value;
};

/// Throws Error(usage) if the text is none of the words.
template <class T, std::size_t N>
T choose(std::string_view option, const std::string& text, const std::array<Choice<T>, N>& choices) {
    std::vector<std::string_view> names;
    for (const Choice<T>& choice : choices) {
        if (choice.name == text) {
            return choice.value;
        }
        names.push_back(choice.name);
    }
    refuse_word(option, text, names);
}

/// "" for what is usual.
template <class T, std::size_t N>
std::string name_of(T value, const std::array<Choice<T>, N>& choices, T usual) {
    const auto found = std::ranges::find(choices, value, &Choice<T>::value);
    return value == usual || found == choices.end() ? "" : std::string(found->name);
}

/// Bits per second: "2500k", "8M". Throws Error(usage).
std::int64_t parse_bitrate(std::string_view option, const std::string& text);

/// The shortest digits that are this number, never as 1e-05, which some take for a name.
std::string fixed_digits(double value);

/// Adds the pair that "key=value" says. Throws Error(usage).
void add_pair(std::string_view option, Pairs& pairs, const std::string& text);
/// Each as "key=value".
std::vector<std::string> texts_of(const Pairs& pairs);
/// A line each.
std::string show_lines(const std::vector<std::string>& values);

}  // namespace vfilter
