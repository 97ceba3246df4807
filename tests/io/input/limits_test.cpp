// What has no end: configurations nested for ever, lists of a million, and how much of it a message repeats.

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "config/command_line.h"
#include "config/configuration.h"
#include "config/error.h"
#include "tests/support/clips.h"

namespace vfilter {
namespace {

std::string repeat(std::string_view text, std::size_t times) {
    std::string repeated;
    for (std::size_t i = 0; i < times; ++i) {
        repeated += text;
    }
    return repeated;
}

class Limits : public ::testing::Test {
protected:
    [[nodiscard]] Options read(const std::string& text) const {
        std::ofstream(path_) << text;
        Command command;
        read_configuration(path_, command);
        return command.options;
    }

    [[nodiscard]] std::string refusal(const std::string& text) const {
        try {
            static_cast<void>(read(text));
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage);
            const std::string what = error.what();
            return what.substr(std::min(what.find("c.toml"), what.size()));
        }
        return "accepted";
    }

private:
    testing::Folder folder_;
    std::string path_ = folder_ / "c.toml";
};

constexpr std::size_t many = 500'000;
const std::string brackets = "brackets and braces are nested more than 64 deep";
const std::string parts = "a key has more than 64 parts";

// The parser calls itself for every level: what is nested without end would take all of the stack.
TEST_F(Limits, DepthIsToldWithItsPlace) {
    EXPECT_EQ(refusal(repeat("a.", many) + "a = 1"), "c.toml:1:128: " + parts);
    EXPECT_EQ(refusal("\n[" + repeat("a.", many) + "a]"), "c.toml:2:129: " + parts);
    EXPECT_EQ(refusal("x = {b = 1, " + repeat("\"a\" . ", 100'000) + "a = 1}"), "c.toml:1:395: " + parts);
    EXPECT_EQ(refusal(repeat("[", many)), "c.toml:1:65: " + brackets);
    EXPECT_EQ(refusal("crf = " + repeat("[", many)), "c.toml:1:71: " + brackets);
    EXPECT_EQ(refusal("crf = [\n" + repeat("[\n", many / 2)), "c.toml:65:1: " + brackets);
    EXPECT_EQ(refusal("crf = " + repeat("{a=", many / 2)), "c.toml:1:199: " + brackets);
    EXPECT_EQ(refusal("input = 'ü'\ncrf = {ü = " + repeat("[", many)), "c.toml:2:75: " + brackets);
}

TEST_F(Limits, DepthIsNotHiddenBehindStringsAndComments) {
    for (const char* const before :
         {"input = \"\"\"\\\"\"\"\"\"\"\n", "input = '''\\'''\n", "input = \"\\\"[\"\n", "# \"\n", "input = \"open\n",
          "input = 'it'\n", "input = \"\"\"a\"\"\"\"\ncrf = ", "input = 'open\\\n"}) {
        const std::string told = refusal(before + repeat("[", many));
        EXPECT_NE(told.find(brackets), std::string::npos) << before << " " << told;
    }
}

TEST_F(Limits, DepthThatIsNoneIsRead) {
    const auto input = [&](const std::string& text) { return read("input = " + text).input.path; };
    EXPECT_EQ(input("'" + repeat("[a.", 1000) + "'"), repeat("[a.", 1000));
    EXPECT_EQ(input("'''\n" + repeat("{a.\"#'", 1000) + "'''"), repeat("{a.\"#'", 1000));
    EXPECT_EQ(input("\"\"\"" + repeat("[\\\"\"", 1000) + "\"\"\""), repeat("[\"\"", 1000));
    EXPECT_EQ(input("'a' # " + repeat("[.", 1000)), "a");
    EXPECT_EQ(read(repeat("[[filter]]\nname = 'box'\nsize = 3\n", 100)).filters.size(), 100U);
    // At the limit the parser says what it thinks of it.
    EXPECT_EQ(refusal(repeat("a.", 63) + "a = 1").find("c.toml:1:"), 0U);
    EXPECT_EQ(refusal(repeat("a.", 63) + "a = 1").find(parts), std::string::npos);
    EXPECT_EQ(refusal("crf = " + repeat("[", 64) + repeat("]", 64)).find(brackets), std::string::npos);
}

TEST_F(Limits, SizesAndNumbersAreTold) {
    EXPECT_EQ(refusal(repeat("#", (1 << 20) + 1)), "c.toml: larger than 1 MiB, which no configuration is");
    EXPECT_EQ(read(repeat("#", 1 << 20)).filters.size(), 0U);
    std::string keys;
    for (int i = 0; i < 100'000; ++i) {
        keys += "k" + std::to_string(i) + "=1\n";
    }
    const std::string box = "[[filter]]\nname = 'box'\nsize = 3\n";
    EXPECT_EQ(refusal("[[filter]]\nname = 'box'\n" + keys), "c.toml:1:1: a filter has at most 64 arguments");
    EXPECT_EQ(refusal(repeat("[[filter]]\nname = 'identity'\n", 1001)), "c.toml:2002:8: more than 1000 filters");
    EXPECT_EQ(refusal("encoder-option = [" + repeat("'a=b',", 1001) + "]"),
              "c.toml:1:6019: --encoder-option: given more than 1000 times");
    EXPECT_EQ(refusal("input-option = [" + repeat("'a=b',", 1001) + "]"),
              "c.toml:1:6017: --input-option: given more than 1000 times");
    EXPECT_NE(refusal("input-option = 'a=" + repeat("x", 65'536) + "'").find("longer than 65536 characters"),
              std::string::npos);
    EXPECT_NE(refusal(box + "mask = '" + repeat("x", 300'000) + "'").find("longer than 262144 characters"),
              std::string::npos);
    EXPECT_NE(refusal(box + "region = '" + repeat("0,0,1,1+", 1000) + "0,0,1,1'").find("more than 1000 rectangles"),
              std::string::npos);
    EXPECT_NE(refusal("[[filter]]\nname = 'kernel'\nmatrix = '" + repeat("1 ", 100'000) + "'").find("1 to 63"),
              std::string::npos);
}

TEST_F(Limits, LeaveRoomForWhatIsMeant) {
    const std::string regions = "region = '" + repeat("0,0,1,1+", 999) + "0,0,1,1'";
    EXPECT_EQ(read("[[filter]]\nname = 'box'\nsize = 3\n" + regions).filters.at(0).region.rectangles.size(), 1000U);
    const std::string row = repeat("-1.2345678901234567e-100 ", 63);
    const std::string matrix = "[[filter]]\nname = 'kernel'\nmatrix = '" + repeat(row + ";", 63) + "'";
    EXPECT_EQ(read(matrix).filters.at(0).matrix.size(), 63U);
    EXPECT_EQ(read(write_configuration(read(matrix))).filters.at(0).matrix, read(matrix).filters.at(0).matrix);
}

TEST_F(Limits, MistakesAreOneLineHoweverLongWhatIsWrong) {
    const std::string x = repeat("x", 100'000);
    for (const std::string& text :
         {"[[filter]]\nname = 'box'\nsize = '" + x + "'", "[[filter]]\nname = '" + x + "'", x + " = 1",
          "crf = '" + x + "'", "[[filter]]\nname = 'box'\nsize = 3\nregion = '" + x + "'",
          "[[filter]]\nname = 'sobel'\ndirection = '" + x + "'", "start = '" + x + "'", "device = '" + x + "'",
          "[[filter]]\nname = 'box'\n" + x + " = 1"}) {
        EXPECT_LT(refusal(text).size(), 400U) << refusal(text).substr(0, 400);
    }
}

}  // namespace
}  // namespace vfilter
