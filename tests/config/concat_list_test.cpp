// Lists of ffmpeg's concat demuxer.

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "config/concat_list.h"
#include "config/error.h"
#include "config/ffmpeg_words.h"
#include "tests/support/folder.h"

namespace vfilter {
namespace {

using Names = std::vector<std::string>;

class ConcatList : public testing::Test {
protected:
    std::string write(const std::string& text) {
        const std::string path = folder_ / "list.txt";
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }
    std::string refused(const std::string& text) {
        try {
            read_concat_list(write(text));
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }
    test::Folder folder_;
};

TEST_F(ConcatList, NamesAreReadAsFfmpegDoes) {
    EXPECT_EQ(read_concat_list(write("ffconcat version 1.0\n# clips\n\nfile a.mp4\r\n  file 'b c.mp4'  \n"
                                     "file b\\ c.mp4\nfile 'it'\\''s.mp4'\nfile /abs/d.mp4")),
              (Names{folder_ / "a.mp4", folder_ / "b c.mp4", folder_ / "b c.mp4", folder_ / "it's.mp4", "/abs/d.mp4"}));
    EXPECT_EQ(read_concat_list(write("file file:a.mp4\nfile file:b:c.mp4")), (Names{"a.mp4", "./b:c.mp4"}));
    EXPECT_EQ(read_concat_list(write("file lavfi:testsrc2")), (Names{folder_ / "lavfi:testsrc2"})) << "a file's name";
}

TEST_F(ConcatList, WhatSaysMoreIsRefusedWithItsPlace) {
    EXPECT_NE(refused("file a.mp4\ninpoint 3\n").find("list.txt:2: 'inpoint'"), std::string::npos);
    EXPECT_NE(
        refused("file a b.mp4").find("list.txt:1: 'file' has one name behind it, in single quotes where it has blanks"),
        std::string::npos);
    EXPECT_NE(refused("file").find("one name"), std::string::npos);
    EXPECT_NE(refused("# nothing").find("names no file"), std::string::npos);
    EXPECT_THROW(read_concat_list(folder_ / "missing.txt"), Error);
}

TEST_F(ConcatList, BecomesAnInputAndWhatFollowsIt) {
    const std::string list = write("file a.mp4\nfile b.mp4\n");
    const std::vector<const char*> words{"-f", "concat", "-safe", "0", "-i", list.c_str(), "out.mkv"};
    EXPECT_EQ(without_ffmpeg_words(words),
              (Names{"--input=" + (folder_ / "a.mp4"), "--append=" + (folder_ / "b.mp4"), "out.mkv"}));
}

}  // namespace
}  // namespace vfilter
