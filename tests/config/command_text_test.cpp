// Options as a command line, given to a shell and read back.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "config/command_line.h"
#include "config/command_text.h"
#include "config/configuration.h"
#include "config/error.h"

namespace vfilter {
namespace {

Options parse(const std::vector<std::string>& words) {
    std::vector<const char*> arguments;
    for (const std::string& word : words) {
        arguments.push_back(word.c_str());
    }
    return parse_command_line(arguments).options;
}

// The words into which sh splits a line, without the first.
std::vector<std::string> words_of(const std::string& line) {
    const std::string script = "set -- " + line + "; shift; for word; do printf '%s\\0' \"$word\"; done";
    std::FILE* const pipe = popen(script.c_str(), "r");
    std::vector<std::string> words;
    std::string word;
    for (int letter = 0; pipe != nullptr && (letter = std::fgetc(pipe)) != EOF;) {
        if (letter == 0) {
            words.push_back(std::exchange(word, ""));
        } else {
            word += static_cast<char>(letter);
        }
    }
    EXPECT_TRUE(pipe != nullptr && pclose(pipe) == 0) << script;
    return words;
}

void expect_same(const std::vector<std::string>& words) {
    const Options options = parse(words);
    const std::string line = command_line_of(options);
    SCOPED_TRACE(line);
    EXPECT_EQ(line.find("vfilter "), 0U);
    const Options again = parse(words_of(line));
    EXPECT_EQ(write_configuration(again), write_configuration(options));
    EXPECT_EQ(again.output.overwrite, options.output.overwrite);
    EXPECT_EQ(again.output.encoder_options, options.output.encoder_options);
    EXPECT_EQ(command_line_of(again), line);
}

TEST(CommandText, IsWhatAPersonWouldWrite) {
    EXPECT_EQ(
        command_line_of(parse({"--gaussian", "9", "a.mp4", "--crf", "20", "b c.mkv", "-y", "--sobel", "--verify"})),
        "vfilter a.mp4 'b c.mkv' --crf 20 --verify --overwrite --gaussian size=9 --sobel");
}

TEST(CommandText, QuotesForSh) {
    EXPECT_EQ(shell_word("a.mp4"), "a.mp4");
    EXPECT_EQ(shell_word(""), "''");
    EXPECT_EQ(shell_word("it's $HOME"), "'it'\\''s $HOME'");
    EXPECT_EQ(shell_word("~"), "'~'");
}

TEST(CommandText, IsReadBackToTheSameOptions) {
    expect_same({"a", "b.mkv"});
    expect_same({"-", "-", "--format", "matroska"});
    expect_same({"a", "--format", "null", "--box", "3"});
    expect_same({"-n", "--", "-a.mp4", "--b.mp4"});
    expect_same({"$(touch x) `y` \\ \"'\n*.mp4", "b&c;d|e.mkv"});
    expect_same({"a b.mp4",
                 "c\"d.mkv",
                 "--gaussian",
                 "9:sigma=2:border=wrap:chroma=off",
                 "--box",
                 "3",
                 "--kernel",
                 "0 -1 0; -1 5 -1; 0 -1 0",
                 "--sharpen",
                 "0.8:region=10,20,30%,40+0,0,5,5:feather=3",
                 "--laplacian",
                 "8",
                 "--encoder-option",
                 "tune=film",
                 "--encoder-option",
                 "x=y=z 'w'",
                 "--start",
                 "1:00",
                 "--end",
                 "90f",
                 "--strict",
                 "--threads",
                 "3",
                 "--stats=json",
                 "--progress",
                 "none",
                 "--frames",
                 "7",
                 "--bitrate",
                 "2500k",
                 "--log-level",
                 "debug"});
    expect_same({"a", "b.mp4", "--quiet", "--crf", "20.5", "--stats", "--sobel", "--identity"});
}

// The first of these values that changes the option from its default.
bool apply_something(const OptionDef& def, Command& command) {
    std::vector<std::string> values{"3", "key=value", "320x240"};
    std::istringstream choices{std::string(def.choices)};
    for (std::string choice; std::getline(choices, choice, '|');) {
        values.push_back(choice);
    }
    return std::ranges::any_of(values, [&](const std::string& value) {
        try {
            def.apply(command, def.argument.empty() ? "" : value);
            return !def.value.show(command.options).empty();
        } catch (const Error&) {  // not a value of this option
            return false;
        }
    });
}

// Every option of the table is written, one that is added later too.
TEST(CommandText, HasEveryOptionThatAConfigurationHas) {
    for (const OptionDef& def : option_table()) {
        if (!def.in_config()) {
            continue;
        }
        Command command;
        ASSERT_TRUE(apply_something(def, command)) << def.name;
        const bool name = def.name == "input" || def.name == "output";
        const std::string line = command_line_of(command.options);
        EXPECT_NE(line.find(name ? " 3" : " --" + std::string(def.name)), std::string::npos) << line;
    }
}

}  // namespace
}  // namespace vfilter
