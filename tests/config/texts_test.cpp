// Help and manual, as they are made from the tables.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "config/error.h"
#include "config/help.h"
#include "config/help_topics.h"
#include "config/option_table.h"
#include "config/text_layout.h"

namespace vfilter {
namespace {

TEST(Texts, NameEveryOptionAndFilter) {
    const std::string help = help_text("all");
    const std::string man = man_page();
    for (const OptionDef& def : option_table()) {
        const std::string name(def.name);
        EXPECT_NE(help.find("--" + name), std::string::npos) << name;
        EXPECT_NE(help_text(name).find(name), std::string::npos) << name;
    }
    for (const FilterDef& def : filter_table()) {
        EXPECT_NE(help.find("--" + std::string(def.name)), std::string::npos);
        EXPECT_NE(help_text("").find(def.name), std::string::npos);
        EXPECT_NE(man.find(std::string(def.help)), std::string::npos);
        EXPECT_NE(help_text(std::string(def.name)).find("--" + std::string(def.name)), std::string::npos);
    }
    EXPECT_THROW(help_text("gausian"), Error);
}

TEST(Texts, HelpFitsATerminal) {
    std::vector<std::string> texts{help_text("")};
    EXPECT_LE(std::ranges::count(texts.front(), '\n'), 43) << texts.front();
    for (const std::string_view topic : help_names()) {
        texts.push_back(help_text(std::string(topic)));
    }
    for (const std::string& text : texts) {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            EXPECT_LE(line.size(), help_width) << line;
        }
    }
}

TEST(Texts, TopicsNameTheirOptions) {
    for (const HelpTopic& topic : help_topics()) {
        EXPECT_NE(help_text("").find("  " + std::string(topic.name)), std::string::npos) << topic.name;
        EXPECT_GT(help_text(std::string(topic.name)).size(), topic.summary.size() + 40) << topic.name;
    }
    EXPECT_NE(help_text("encoders").find("--crf"), std::string::npos);
    EXPECT_NE(help_text("live").find("--reconnect"), std::string::npos);
    EXPECT_NE(help_text("ffmpeg").find("-ss TIME"), std::string::npos);
}

// All by itself is no answer to what belongs together.
TEST(Texts, EveryOptionIsInATopic) {
    std::set<std::string_view> found;
    for (const HelpTopic& topic : help_topics()) {
        for (const OptionDef* const def : options_of(topic)) {
            EXPECT_TRUE(std::ranges::count(options_of(topic), def) == 1)
                << topic.name << " has " << def->name << " twice";
            EXPECT_NE(help_text(std::string(topic.name)).find(option_head(*def)), std::string::npos) << def->name;
            found.insert(def->name);
        }
        std::istringstream names{std::string(topic.options)};
        for (std::string name; names >> name;) {
            EXPECT_NE(find_option(name), nullptr) << topic.name << " names " << name;
        }
    }
    for (const OptionDef& def : option_table()) {
        EXPECT_TRUE(found.contains(def.name)) << def.name;
    }
}

TEST(Texts, AreWrappedAtBlanks) {
    const std::string word(30, 'w');
    EXPECT_EQ(wrapped(word + " " + word + " " + word), word + " " + word + "\n" + word + "\n");
    EXPECT_EQ(wrapped("  " + std::string(90, 'x')), "  " + std::string(90, 'x') + "\n");
    EXPECT_EQ(wrapped("a b", 3), "   a b\n");
    EXPECT_EQ(help_row("head", "help", 8), "  head  help\n");
    EXPECT_EQ(help_row("longer head", "help", 8), "  longer head\n        help\n");
}

}  // namespace
}  // namespace vfilter
