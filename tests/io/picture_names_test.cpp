// Names of sequences: what is a pattern, which numbers are its own, in which order files are taken.

#include "io/picture_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/folder.h"

namespace vfilter {
namespace {

TEST(PictureNames, HaveOneNumberInTheLastPart) {
    EXPECT_EQ(PictureNames::parse("f_%04d.png")->path(7), "f_0007.png");
    EXPECT_EQ(PictureNames::parse("f_%04d.png")->path(123456), "f_123456.png");
    EXPECT_EQ(PictureNames::parse("%d.png")->path(0), "0.png");
    EXPECT_EQ(PictureNames::parse("a%d/b%d.png")->path(3), "a%d/b3.png");
    EXPECT_EQ(PictureNames::parse("100%_%3d.png")->path(3), "100%_003.png");
    EXPECT_EQ(PictureNames::parse("f%dpx.png")->path(3), "f3px.png");
    for (const std::string name : {"a.png", "a%d/b.png", "%d_%d.png", "%s.png", "%x%.png", "%.png", "%", "%04", "",
                                   "%9999d.png", "%99d.png", "50%discount.png"}) {
        EXPECT_FALSE(PictureNames::parse(name)) << name;
    }
}

TEST(PictureNames, KnowTheirNumbers) {
    const PictureNames four = *PictureNames::parse("x/f_%04d.png");
    EXPECT_EQ(four.number_of("f_0012.png"), 12);
    EXPECT_EQ(four.number_of("f_12345.png"), 12345);
    for (const std::string name : {"f_012.png", "f_00012.png", "f_.png", "f_-012.png", "f_ 012.png", "f_0012.jpg",
                                   "g_0012.png", "f_0x12.png", "f_0012.png~", "f_9999999999999999999.png"}) {
        EXPECT_FALSE(four.number_of(name)) << name;
    }
    EXPECT_FALSE(PictureNames::parse("%d.png")->number_of("01.png"));
    EXPECT_EQ(PictureNames::parse("%d.png")->number_of("0.png"), 0);
}

TEST(PictureNames, AreInTheOrderInWhichPeopleCount) {
    std::vector<std::string> names{"b10", "b2", "a", "b02", "b1x", "b1", "c", "b2a", "b10a"};
    std::ranges::sort(names, natural_less);
    EXPECT_EQ(names, (std::vector<std::string>{"a", "b1", "b1x", "b02", "b2", "b2a", "b10", "b10a", "c"}));
    EXPECT_FALSE(natural_less("a1", "a1"));
}

class FoundPicturesTest : public ::testing::Test {
protected:
    void make(std::initializer_list<const char*> names) const {
        for (const char* const name : names) {
            std::ofstream(folder_ / name) << "x";
        }
    }
    test::Folder folder_;
};

TEST_F(FoundPicturesTest, AreFilesOfAPattern) {
    make({"p1.png", "p2.png", "p10.png", "p03.png", "q4.png"});
    const auto found = find_pictures(folder_ / "p%d.png");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->numbers, (std::vector<std::int64_t>{1, 2, 10}));
    EXPECT_EQ(found->paths.back(), folder_ / "p10.png");
    EXPECT_TRUE(found->numbered);
}

TEST_F(FoundPicturesTest, AreFilesOfAGlob) {
    make({"p1.png", "p2.png", "p10.png", ".p4.png", "q4.png"});
    const auto found = find_pictures(folder_ / "p*.png");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->paths, (std::vector<std::string>{folder_ / "p1.png", folder_ / "p2.png", folder_ / "p10.png"}));
    EXPECT_FALSE(found->numbered);
    EXPECT_EQ(find_pictures(folder_ / "[pq]?.png")->paths.size(), 3U);
}

// What is there and cannot be looked at is a picture that is told later, and not one less.
TEST_F(FoundPicturesTest, AreAlsoThoseThatCannotBeLookedAt) {
    make({"p1.png", "p3.png"});
    std::filesystem::create_symlink("nowhere", folder_ / "p2.png");
    std::filesystem::create_symlink("nowhere", folder_ / "p4.png");
    std::filesystem::create_directory(folder_ / "p5.png");
    EXPECT_EQ(find_pictures(folder_ / "p%d.png")->numbers, (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
    EXPECT_EQ(find_pictures(folder_ / "p*.png")->paths.size(), 4U) << "a star means no folders";
}

TEST_F(FoundPicturesTest, AreNoneWhereAFileHasTheVeryName) {
    make({"p1.png", "p%d.png", "p*.png"});
    EXPECT_FALSE(find_pictures(folder_ / "p%d.png"));
    EXPECT_FALSE(find_pictures(folder_ / "p*.png"));
    EXPECT_FALSE(find_pictures(folder_ / "none%d.png"));
    EXPECT_FALSE(find_pictures(folder_ / "p1.png"));
}

}  // namespace
}  // namespace vfilter
