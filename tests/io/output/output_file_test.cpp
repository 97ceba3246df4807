// A file exists under its name only when it is whole.

#include "io/output/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "tests/support/clips.h"

namespace vfilter {
namespace {

using testing::Folder;

void put(OutputFile& file, const std::string& text) {
    avio_write(file.context(), reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
    avio_flush(file.context());
}

std::string content(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

TEST(OutputFile, AppearsWithCommitAndNotBefore) {
    Folder folder;
    {
        OutputFile file(folder / "a.mp4", Overwrite::no);
        put(file, "whole");
        EXPECT_FALSE(std::filesystem::exists(folder / "a.mp4"));
        EXPECT_TRUE(file.keeps_part());
        EXPECT_TRUE(file.written_path().ends_with(".part"));
        EXPECT_NE(file.written_path().find("/.a.mp4.vfilter-"), std::string::npos);
        file.commit();
        EXPECT_EQ(file.written_path(), folder / "a.mp4");
    }
    EXPECT_EQ(content(folder / "a.mp4"), "whole");
    EXPECT_EQ(folder.names(), std::vector<std::string>{"a.mp4"});
}

TEST(OutputFile, LeavesTheOldFileAndKeepsThePartWithoutCommit) {
    Folder folder;
    std::ofstream(folder / "a.mp4") << "old";
    {
        OutputFile file(folder / "a.mp4", Overwrite::yes);
        put(file, "half");
    }
    EXPECT_EQ(content(folder / "a.mp4"), "old");
    EXPECT_EQ(folder.names().size(), 2U);
}

TEST(OutputFile, LeavesNothingIfNothingWasWritten) {
    Folder folder;
    { const OutputFile file(folder / "a.mp4", Overwrite::yes); }
    EXPECT_TRUE(folder.names().empty());
}

TEST(OutputFile, LeavesNothingThatWasDiscardedWhateverComesLater) {
    Folder folder;
    {
        OutputFile file(folder / "a.mp4", Overwrite::yes);
        file.discard();
        put(file, "an end");
        EXPECT_FALSE(file.keeps_part());
        EXPECT_EQ(file.bytes(), 0);
    }
    EXPECT_TRUE(folder.names().empty());
    OutputFile file(folder / "a.mp4", Overwrite::yes);
    file.discard();
    put(file, "whole");
    file.commit();
    EXPECT_EQ(file.bytes(), 5);
    EXPECT_EQ(content(folder / "a.mp4"), "whole");
}

// Whoever knows where its packets lie is told before they lie elsewhere, and not where they stay.
TEST(OutputFile, SaysBeforeItIsWrittenAnew) {
    Folder folder;
    OutputFile file(folder / "a.mp4", Overwrite::no);
    put(file, "old bytes");
    const std::string front = "new ";
    const auto rewrite = [&](bool go_on) {
        std::string before;
        const bool done = file.rewrite(
            {reinterpret_cast<const std::uint8_t*>(front.data()), front.size()}, 4, 9, [go_on] { return go_on; },
            [&] { before = content(file.written_path()); });
        EXPECT_EQ(done, go_on);
        return before;
    };
    EXPECT_EQ(rewrite(false), "");
    EXPECT_EQ(rewrite(true), "old bytes");
    file.commit();
    EXPECT_EQ(content(folder / "a.mp4"), "new bytes");
}

TEST(OutputFile, RefusesToReplaceUnlessTold) {
    Folder folder;
    std::ofstream(folder / "a.mp4") << "old";
    EXPECT_THROW(OutputFile(folder / "a.mp4", Overwrite::no), Error);
    EXPECT_THROW(OutputFile(folder / "a.mp4", Overwrite::ask), Error);
    EXPECT_EQ(folder.names().size(), 1U);
}

TEST(OutputFile, KeepsTheModeOfWhatItReplacesAndFollowsLinks) {
    Folder folder;
    std::ofstream(folder / "real.mp4") << "old";
    ASSERT_EQ(chmod((folder / "real.mp4").c_str(), 0640), 0);
    std::filesystem::create_symlink("real.mp4", folder / "link.mp4");
    {
        OutputFile file(folder / "link.mp4", Overwrite::yes);
        put(file, "new");
        file.commit();
    }
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.mp4"));
    EXPECT_EQ(content(folder / "real.mp4"), "new");
    struct stat status {};
    ASSERT_EQ(stat((folder / "real.mp4").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0640U);
}

TEST(OutputFile, TellsOfAFullDisk) {
    OutputFile file("/dev/full", Overwrite::yes);
    put(file, "anything");
    try {
        file.check();
        FAIL() << "a failed write went unseen";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::output);
        EXPECT_NE(std::string(error.what()).find("No space left"), std::string::npos);
    }
    EXPECT_THROW(file.commit(), Error);
}

TEST(OutputFile, RefusesAMissingFolderAndANameTooLong) {
    EXPECT_THROW(OutputFile("/nonexistent/a.mp4", Overwrite::yes), Error);
    Folder folder;
    EXPECT_THROW(OutputFile(folder / std::string(300, 'x'), Overwrite::yes), Error);
    OutputFile longest(folder / std::string(255, 'x'), Overwrite::yes);
    put(longest, "x");
    longest.commit();
    EXPECT_EQ(folder.names().at(0).size(), 255U);
}

TEST(OutputFile, KnowsOneFileByTwoNames) {
    Folder folder;
    std::ofstream(folder / "a") << "x";
    std::filesystem::create_symlink("a", folder / "link");
    std::filesystem::create_hard_link(folder / "a", folder / "hard");
    std::ofstream(folder / "b") << "x";
    EXPECT_TRUE(same_file(folder / "a", folder / "link"));
    EXPECT_TRUE(same_file(folder / "a", folder / "hard"));
    EXPECT_FALSE(same_file(folder / "a", folder / "b"));
    EXPECT_FALSE(same_file(folder / "a", folder / "missing"));
}

}  // namespace
}  // namespace vfilter
