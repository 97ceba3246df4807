// What a batch remembers of a folder.

#include "pipeline/batch/journal.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "config/error.h"
#include "tests/support/folder.h"

namespace vfilter {
namespace {

JournalEntry entry_of(const std::string& name, int code = 0) {
    return {.output = name, .code = code, .file = {10, 20}, .input = {30, 40}, .options = "abc", .frames = 5};
}

TEST(Journal, RemembersTheLatestOfEachName) {
    const test::Folder folder;
    const std::string strange = "a b\n\xFF%41\".mp4";
    {
        Journal journal(folder.path().string());
        EXPECT_EQ(journal.find("a.mp4"), nullptr);
        journal.add(entry_of("a.mp4", -1));
        journal.add(entry_of("a.mp4", 5));
        journal.add(entry_of(strange));
    }
    const Journal journal(folder.path().string());
    ASSERT_NE(journal.find("a.mp4"), nullptr);
    EXPECT_EQ(journal.find("a.mp4")->code, 5);
    EXPECT_EQ(journal.find("a.mp4")->file, (FileFacts{10, 20}));
    EXPECT_EQ(journal.find("a.mp4")->input, (FileFacts{30, 40}));
    EXPECT_EQ(journal.find("a.mp4")->options, "abc");
    EXPECT_NE(journal.find(strange), nullptr);
}

TEST(Journal, SurvivesALineThatWasCutOff) {
    const test::Folder folder;
    {
        Journal journal(folder.path().string());
        journal.add(entry_of("a.mp4"));
    }
    std::ofstream(folder / Journal::file_name, std::ios::app) << R"({"output":"b.mp4","code":0)";
    {
        Journal journal(folder.path().string());
        EXPECT_NE(journal.find("a.mp4"), nullptr);
        EXPECT_EQ(journal.find("b.mp4"), nullptr);
        journal.add(entry_of("c.mp4"));
    }
    EXPECT_NE(Journal(folder.path().string()).find("c.mp4"), nullptr);
}

TEST(Journal, IsOfOneBatchAtATime) {
    const test::Folder folder;
    const Journal journal(folder.path().string());
    try {
        const Journal other(folder.path().string());
        ADD_FAILURE() << "two at once";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::output);
    }
}

// A FIFO would keep the batch waiting, and of a file with two names the other one may be anybody's.
TEST(Journal, IsAFileOfItsOwn) {
    const auto why_refused = [](const test::Folder& folder) -> std::string {
        try {
            const Journal journal(folder.path().string());
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::output);
            return error.what();
        }
        return "";
    };
    const test::Folder fifo;
    ASSERT_EQ(mkfifo((fifo.path() / Journal::file_name).c_str(), 0600), 0);
    EXPECT_NE(why_refused(fifo).find("no regular file"), std::string::npos);
    const test::Folder linked;
    std::ofstream(linked / "other") << "text\n";
    std::filesystem::create_hard_link(linked / "other", linked / Journal::file_name);
    EXPECT_NE(why_refused(linked).find("another name"), std::string::npos);
    const test::Folder huge;
    std::ofstream(huge / Journal::file_name) << "";
    std::filesystem::resize_file(huge / Journal::file_name, std::uintmax_t{1} << 30);
    EXPECT_NE(why_refused(huge).find("larger than 64 MiB"), std::string::npos);
}

TEST(Journal, RemembersWhichInputItWas) {
    const test::Folder folder;
    {
        Journal journal(folder.path().string());
        JournalEntry entry = entry_of("a.mp4");
        entry.place = "../in/\xFF a.mp4";
        entry.inode = 17;
        entry.replaces = true;
        journal.add(entry);
        journal.add(entry_of("b.mp4"));  // as earlier versions have them
    }
    const Journal journal(folder.path().string());
    ASSERT_NE(journal.find("a.mp4"), nullptr);
    EXPECT_EQ(journal.find("a.mp4")->place, "../in/\xFF a.mp4");
    EXPECT_EQ(journal.find("a.mp4")->inode, 17U);
    EXPECT_TRUE(journal.find("a.mp4")->replaces);
    ASSERT_NE(journal.find("b.mp4"), nullptr);
    EXPECT_EQ(journal.find("b.mp4")->place, "");
    EXPECT_FALSE(journal.find("b.mp4")->replaces);
}

// What is written to a file without a name nobody will read.
TEST(Journal, IsLostWithItsFolder) {
    const test::Folder outer;
    const std::string folder = outer / "done";
    std::filesystem::create_directory(folder);
    Journal journal(folder);
    journal.add(entry_of("a.mp4"));
    std::filesystem::rename(folder, outer / "elsewhere");
    EXPECT_THROW(journal.add(entry_of("b.mp4")), Error);
    std::filesystem::create_directory(folder);
    std::ofstream(folder + "/" + Journal::file_name) << "";
    EXPECT_THROW(journal.add(entry_of("b.mp4")), Error);
    std::filesystem::remove_all(folder);
    std::filesystem::rename(outer / "elsewhere", folder);
    EXPECT_NO_THROW(journal.add(entry_of("b.mp4")));
}

TEST(Journal, KnowsAFileByItsSizeAndTime) {
    const test::Folder folder;
    EXPECT_EQ(facts_of_file(folder / "a").size, -1);
    std::ofstream(folder / "a") << "abc";
    const FileFacts before = facts_of_file(folder / "a");
    EXPECT_EQ(before.size, 3);
    std::ofstream(folder / "a") << "abcd";
    EXPECT_NE(facts_of_file(folder / "a"), before);
}

}  // namespace
}  // namespace vfilter
