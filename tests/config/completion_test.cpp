// What can stand next, as the program tells the shells.

#include "config/completion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "config/option_table.h"
#include "filters/filters.h"

namespace vfilter {
namespace {

std::string listed(const std::string& what) {
    return what == "encoders"  ? "libx264   H.264\nlibx265   HEVC\nffv1      lossless\n"
           : what == "presets" ? "archive   for keeping\n"
                               : what + "-list\n";
}

std::vector<std::string> words(const std::vector<std::string>& typed) {
    std::vector<std::string> list;
    for (const Completion::Word& word : complete(typed, listed).words) {
        list.push_back(word.word);
    }
    return list;
}

using Words = std::vector<std::string>;

TEST(Completion, OffersOptionsFiltersAndWordsOfFfmpeg) {
    const Words all = words({"in.mp4", "--"});
    for (const OptionDef& def : option_table()) {
        EXPECT_NE(std::ranges::find(all, "--" + std::string(def.name)), all.end()) << def.name;
    }
    for (const FilterDef& def : filter_table()) {
        EXPECT_NE(std::ranges::find(all, "--" + std::string(def.name)), all.end()) << def.name;
    }
    EXPECT_EQ(words({"--sharp"}), (Words{"--sharpen"}));
    EXPECT_EQ(words({"-vco"}), (Words{"-vcodec"}));
    EXPECT_EQ(words({"-an", "-pix"}), (Words{"-pix_fmt", "-pixel_format", "-pix_fmts"}));
}

TEST(Completion, OffersValues) {
    EXPECT_EQ(words({"--codec", "lib"}), (Words{"libx264", "libx265"}));
    EXPECT_EQ(words({"-c:v", "ff"}), (Words{"ffv1"}));
    EXPECT_EQ(words({"--codec=ff"}), (Words{"--codec=ffv1"}));
    EXPECT_EQ(words({"--preset", "a"}), (Words{"archive"}));
    EXPECT_EQ(words({"--preset", "veryf"}), (Words{"veryfast"}));
    EXPECT_EQ(words({"--progress", ""}), (Words{"auto", "bar", "plain", "json", "none"}));
    EXPECT_EQ(words({"--format", ""}), (Words{"formats-list"}));
    EXPECT_EQ(words({"--help", "ff"}), (Words{"ffmpeg"}));
    EXPECT_EQ(words({"--crf", ""}), (Words{}));
    EXPECT_EQ(complete(Words{"--codec", "ff"}, listed).words.front().description, "lossless");
}

TEST(Completion, OffersArgumentsOfFilters) {
    EXPECT_EQ(words({"--gaussian", "si"}), (Words{"size=", "sigma="}));
    EXPECT_EQ(words({"--gaussian", "9:sig"}), (Words{"9:sigma="}));
    EXPECT_EQ(words({"--gaussian", "sigma=2:si"}), (Words{"sigma=2:size="}));
    EXPECT_EQ(words({"--gaussian", "9:chroma=o"}), (Words{"9:chroma=off"}));
    EXPECT_EQ(words({"--gaussian=9:border=wr"}), (Words{"--gaussian=9:border=wrap"}));
    EXPECT_EQ(words({"--sobel", "direction="}), (Words{"direction=both", "direction=x", "direction=y"}));
    EXPECT_EQ(words({"--sobel", "--gauss"}), (Words{"--gaussian"}));
}

TEST(Completion, OffersFilesWhereTheyCanStand) {
    EXPECT_TRUE(complete(Words{""}, listed).files);
    EXPECT_TRUE(complete(Words{}, listed).files);
    EXPECT_TRUE(complete(Words{"--report", ""}, listed).files);
    EXPECT_TRUE(complete(Words{"-i", ""}, listed).files);
    EXPECT_TRUE(complete(Words{"--", "-"}, listed).files);
    EXPECT_TRUE(complete(Words{"--sobel", "in"}, listed).files);
    EXPECT_FALSE(complete(Words{"--codec", ""}, listed).files);
    EXPECT_FALSE(complete(Words{"--gaussian", ""}, listed).files);
    EXPECT_EQ(completion_lines({.words = {{"a=", "b"}}, .files = true}), ":files\na=\tb\n");
}

}  // namespace
}  // namespace vfilter
