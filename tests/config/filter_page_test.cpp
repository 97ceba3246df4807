// docs/filters.md, docs/recipes.md and the README against their tables.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "config/filter_page.h"
#include "config/help.h"
#include "config/recipe_page.h"
#include "filters/filters.h"

namespace vfilter {
namespace {

const std::filesystem::path source = VFILTER_SOURCE;

std::string content(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(FilterPage, IsTheOneInDocs) {
    EXPECT_TRUE(content(source / "docs/filters.md") == filter_page())
        << "docs/make_filters.sh BUILD_DIR writes it anew";
}

TEST(RecipePage, IsTheOneInDocs) {
    EXPECT_TRUE(content(source / "docs/recipes.md") == recipe_page())
        << "docs/make_filters.sh BUILD_DIR writes it anew";
}

TEST(FilterPage, HasASmallPictureOfEveryFilter) {
    for (const FilterPicture& picture : filter_pictures()) {
        const FilterDef* const def = find_filter(picture.filter);
        ASSERT_NE(def, nullptr) << picture.name;
        EXPECT_NO_THROW(parse_filter(*def, picture.arguments)) << picture.name;
        const auto file = source / "docs/filters" / (std::string(picture.name) + ".jpg");
        ASSERT_TRUE(std::filesystem::is_regular_file(file)) << file;
        EXPECT_LE(std::filesystem::file_size(file), 64U << 10) << file;
    }
    for (const FilterDef& def : filter_table()) {
        EXPECT_NE(filter_page().find("(filters/" + std::string(def.name) + ".jpg)"), std::string::npos) << def.name;
    }
}

TEST(FilterPage, ReadmeNamesEveryFilter) {
    const std::string readme = content(source / "README.md");
    for (const FilterDef& def : filter_table()) {
        EXPECT_NE(readme.find("`" + std::string(def.name) + "`"), std::string::npos) << def.name;
    }
}

// Help text, man page and page lay out the same facts.
TEST(FilterTexts, TellEveryFactEverywhere) {
    const std::string man = man_page();
    const auto roff = [](std::string text) {
        for (std::size_t at = 0; (at = text.find('-', at)) != std::string::npos; at += 2) {
            text.insert(at, "\\");
        }
        for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 4) {
            text.replace(at, 1, "\\(dq");
        }
        return text;
    };
    // Help is broken into lines of a terminal's width.
    const auto in_one_line = [](const std::string& text) {
        std::string line;
        for (const char letter : text) {
            const bool blank = letter == ' ' || letter == '\n';
            if (!blank || !line.ends_with(' ')) {
                line += blank ? ' ' : letter;
            }
        }
        return line;
    };
    for (const FilterDef& def : filter_table()) {
        const std::string help = in_one_line(help_text(std::string(def.name)));
        const std::string head = "--" + std::string(def.name) + (def.needs_arguments() ? " ARGS" : " [ARGS]");
        std::vector<std::string> facts{head, std::string(def.help), std::string(def.source), std::string(def.example)};
        for (const Parameter& parameter : def.parameters) {
            facts.emplace_back(parameter.help);
            for (const std::string_view choice : parameter.choices) {
                facts.emplace_back(choice);
            }
        }
        for (const CommonArgument& argument : common_arguments()) {
            facts.emplace_back(argument.help);
        }
        for (const std::string& fact : facts) {
            EXPECT_NE(help.find(fact), std::string::npos) << def.name << ": " << fact;
            EXPECT_NE(man.find(roff(fact)), std::string::npos) << def.name << ": " << fact;
        }
    }
    EXPECT_NE(help_text("sobel").find("(3 to 7 pixels, odd; default 3)"), std::string::npos);
    EXPECT_NE(help_text("sobel").find("whether to filter transparency, too (default off)"), std::string::npos);
    EXPECT_NE(help_text("sobel").find("how to filter the chroma planes (default neutral)"), std::string::npos);
    EXPECT_NE(man.find("(3 to 7 pixels, odd; default 3)"), std::string::npos);
    EXPECT_NE(man.find("(both, x, y; default both)"), std::string::npos);
}

}  // namespace
}  // namespace vfilter
