// vfilter_docs: writes the texts that are made from the tables, such as the man page.

#include <algorithm>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>

#include "config/completion.h"
#include "config/everyday_words.h"
#include "config/filter_page.h"
#include "config/help.h"
#include "config/recipe_page.h"

namespace {

struct Text {
    std::string_view name;
    std::string (*make)();
};

constexpr Text texts[] = {
    {"man", vfilter::man_page},         {"bash", vfilter::bash_completion}, {"zsh", vfilter::zsh_completion},
    {"fish", vfilter::fish_completion}, {"filters", vfilter::filter_page},  {"pictures", vfilter::filter_picture_list},
    {"words", vfilter::everyday_lines}, {"recipes", vfilter::recipe_page},
};

}  // namespace

int main(int argc, char** argv) try {
    const auto* const text = std::ranges::find(texts, argc == 2 ? argv[1] : std::string_view(), &Text::name);
    if (text == std::end(texts)) {
        std::cerr << "vfilter_docs man|bash|zsh|fish|filters|pictures|words|recipes\n";
        return 2;
    }
    std::cout << text->make() << std::flush;
    return std::cout ? 0 : 1;
} catch (const std::exception& error) {
    std::cerr << "vfilter_docs: " << error.what() << '\n';
    return 1;
}
