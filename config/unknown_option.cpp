#include "config/unknown_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "config/command_line.h"
#include "config/error.h"
#include "config/everyday_words.h"
#include "config/ffmpeg_words.h"
#include "config/foreign_filters.h"
#include "config/option_values.h"
#include "filters/names.h"

namespace vfilter {

namespace {

// " auto" of an option that takes nothing else, "" of others.
std::string only_value(std::string_view option) {
    const OptionDef* const def = find_option(option);
    const bool one = def != nullptr && !def->choices.empty() && def->choices == def->argument;
    return one ? fmt::format(" {}", def->choices) : "";
}

// What does here what a word of everyday's, of FFmpeg's or of another program's asks for; "" if nobody knows.
std::string hint_of_word(const std::string& typed, const std::vector<std::string_view>& names) {
    for (const std::string& spelling : spellings_of(typed)) {
        std::string hint = everyday_hint(spelling);
        hint = hint.empty() && only_value(spelling).empty() ? foreign_filter_hint(spelling) : hint;
        const bool ours = std::ranges::find(names, spelling) != names.end();
        const std::string plain = without_kind(spelling);
        if (hint.empty() && (ours || std::ranges::find(names, plain) != names.end())) {
            hint = fmt::format("; did you mean '--{}{}'?", ours ? spelling : plain, only_value(spelling));
        }
        if (!hint.empty()) {
            return hint;
        }
    }
    return "";
}

// Whether they begin alike, but for a slip.
bool begin_alike(std::string_view typed, std::string_view name) {
    return typed[0] == name[0] || typed.substr(1) == name || name.substr(1) == typed ||
           typed.substr(1) == name.substr(1) || (name.size() > 1 && typed[0] == name[1]);
}

// Whether a word may be a slip of that name. Of words with dashes each is one by itself: "output-format" is not meant
// for --input-format, and "no-metadata" means the opposite of --metadata.
bool may_be_slip(std::string_view typed, std::string_view name) {
    const auto squeezed = [](std::string_view word) {
        std::string letters(word);
        std::erase(letters, '-');
        return letters;
    };
    if (name.starts_with(typed) || squeezed(typed) == squeezed(name)) {
        return true;
    }
    const std::vector<std::string_view> own = parts_of(typed, '-');
    const std::vector<std::string_view> its = parts_of(name, '-');
    if (own.size() != its.size()) {
        return own.size() < its.size() && begin_alike(typed, name);
    }
    return std::ranges::equal(own, its, [](std::string_view one, std::string_view other) {
        return one == other || (!one.empty() && !other.empty() && begin_alike(one, other) &&
                                !nearest_name(one, std::array{other}).empty());
    });
}

}  // namespace

void refuse_unknown(const std::string& argument) {
    std::vector<std::string_view> names = filter_names();
    for (const OptionDef& def : option_table()) {
        names.push_back(def.name);
    }
    const std::string typed =
        argument.substr(argument.find_first_not_of('-'), argument.find('=') - argument.find_first_not_of('-'));
    if (typed == "complete") {
        throw Error(ExitCode::usage, "--complete has to be the first argument, as the shell completions call it");
    }
    std::string hint = hint_of_word(typed, names);
    // Two letters are like too many others of two.
    constexpr std::size_t few = 2;
    if (const std::string_view nearest = nearest_name(typed, names);
        hint.empty() && std::min(typed.size(), nearest.size()) >= few && std::max(typed.size(), nearest.size()) > few &&
        may_be_slip(typed, nearest) && !is_word_of_ffmpeg(argument)) {
        hint = fmt::format("; did you mean '--{}'?", nearest);
    }
    const bool of_ffmpeg = argument.size() > 2 && argument[1] >= 'a' && argument[1] <= 'z';
    throw Error(ExitCode::usage,
                fmt::format("unknown option '{}'{}", shortened(argument),
                            !hint.empty() ? hint
                            : of_ffmpeg   ? "; --help ffmpeg has the words of ffmpeg that mean something here"
                                          : "; see --help"));
}

}  // namespace vfilter
