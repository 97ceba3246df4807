// Words in the letters of old files.

#include "io/western_words.h"

#include <gtest/gtest.h>

namespace vfilter {
namespace {

TEST(WesternWords, AreToldFromUtf8) {
    for (const char* const text : {"", "plain",
                                   "Gr\xc3\xbc\xc3\x9f"
                                   "e",
                                   "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xef\xbf\xbd"}) {
        EXPECT_TRUE(is_utf8(text)) << text;
    }
    for (const char* const text :
         {"Gr\xfc\xdf"
          "e",
          "caf\xe9", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xbf"}) {
        EXPECT_FALSE(is_utf8(text)) << text;
    }
}

TEST(WesternWords, BecomeUtf8) {
    EXPECT_EQ(utf8_of_western("Gr\xfc\xdf"
                              "e"),
              "Gr\xc3\xbc\xc3\x9f"
              "e");
    EXPECT_EQ(utf8_of_western("\x80 \x93\x81"), "\xe2\x82\xac \xe2\x80\x9c\xef\xbf\xbd");
}

TEST(WesternWords, EndWhereTheyAreFilledUp) {
    using namespace std::string_view_literals;
    EXPECT_EQ(without_filling("words\0\xff\0"sv), "words");
    EXPECT_EQ(without_filling("words"), "words");
    EXPECT_EQ(without_filling("\0"sv), "");
}

}  // namespace
}  // namespace vfilter
