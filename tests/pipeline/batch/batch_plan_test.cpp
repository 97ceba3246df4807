// Names of a batch, and what is refused before anything begins.

#include "pipeline/batch/batch_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "config/command_line.h"
#include "config/error.h"
#include "pipeline/batch/left_work.h"
#include "pipeline/batch/picture_folders.h"
#include "tests/support/folder.h"

namespace vfilter {
namespace {

TEST(BatchName, IsMadeOfTheInputs) {
    EXPECT_EQ(batch_name("", "x/a.b.mp4", "mp4", 1), "a.b.mp4");
    EXPECT_EQ(batch_name("", "x/a", "", 1), "a");
    EXPECT_EQ(batch_name("{stem}-blur.{ext}", "x/a.mp4", "mkv", 1), "a-blur.mkv");
    EXPECT_EQ(batch_name("{n}_%04d.mp4", "x/a.mp4", "mkv", 12), "12_%04d.mp4");
    EXPECT_EQ(batch_name("{stem}/%05d.{ext}", "x/a.b.mp4", "png", 1), "a.b/%05d.png");
    for (const std::string wrong : {"{stem}/x.png", "a/b/%d.png", "/%d.png", "./%d.png", "../%d.png", "{stem}/"}) {
        EXPECT_THROW(batch_name(wrong, "a.mp4", "mp4", 1), Error) << wrong;
    }
    for (const std::string wrong : {"{name}", "{stem", "stem}", "a/{stem}", "/", ".", "..", ".vfilter-batch",
                                    ".vfilter-batch/%d.png", ".{stem}.mp4.vfilter-Ab12Cd.part"}) {
        EXPECT_THROW(batch_name(wrong, "a.mp4", "mp4", 1), Error) << wrong;
    }
}

class BatchPlan : public ::testing::Test {
protected:
    void SetUp() override {
        for (const char* const name : {"a.mp4", "b.mp4", "a.mkv"}) {
            std::ofstream(folder_ / name) << name;
        }
        std::filesystem::create_directory(folder_ / "done");
        options_.batch.folder = folder_ / "done";
    }
    std::vector<BatchFile> plan(std::initializer_list<const char*> names) {
        options_.batch.inputs.clear();
        for (const char* const name : names) {
            options_.batch.inputs.push_back(folder_ / name);
        }
        return plan_batch(options_);
    }
    int refusal(std::initializer_list<const char*> names) {
        try {
            plan(names);
        } catch (const Error& error) {
            return static_cast<int>(error.code());
        }
        return 0;
    }
    test::Folder folder_;
    Options options_;
};

TEST_F(BatchPlan, NamesEachOutput) {
    const auto files = plan({"a.mp4", "b.mp4"});
    ASSERT_EQ(files.size(), 2U);
    EXPECT_EQ(files[1].output, folder_ / "done/b.mp4");
    EXPECT_EQ(files[1].facts.size, 5);
    options_.output.format = "matroska";
    EXPECT_EQ(plan({"a.mp4"})[0].name, "a.mkv");
    options_.output.format = "jpg";
    EXPECT_EQ(plan({"a.mp4"})[0].name, "a.jpg");
}

TEST_F(BatchPlan, RefusesWhatWouldMeet) {
    EXPECT_EQ(refusal({"a.mp4", "b.mp4"}), 0);
    EXPECT_EQ(refusal({"a.mp4", "a.mp4"}), 2);
    options_.batch.name = "{stem}.mov";
    EXPECT_EQ(refusal({"a.mp4", "a.mkv"}), 2);
    options_.batch.name = "{stem}_%d.png";
    EXPECT_EQ(refusal({"a.mp4"}), 2);
    options_.batch.name = "{stem}/%d.png";
    EXPECT_EQ(refusal({"a.mp4", "b.mp4"}), 0);
    EXPECT_EQ(refusal({"a.mp4", "a.mkv"}), 2);
    options_.batch.name = "all/{n}_%d.png";
    EXPECT_EQ(refusal({"a.mp4", "b.mp4"}), 2);
    options_.batch.name = "";
    options_.batch.folder = folder_.path();
    EXPECT_EQ(refusal({"a.mp4"}), 2);
    options_.batch.name = "b.mp4";
    EXPECT_EQ(refusal({"a.mp4", "b.mp4"}), 2);
}

TEST_F(BatchPlan, TakesFilesAlone) {
    EXPECT_EQ(refusal({"done"}), 2);
    EXPECT_EQ(refusal({"none.mp4"}), 3);
    options_.batch.keep_going = true;
    EXPECT_EQ(refusal({"none.mp4", "a.mp4"}), 0);
    EXPECT_EQ(plan({"none.mp4"})[0].code, 3);
    std::ofstream(folder_ / "readme.txt") << "words";
    const auto files = plan({"a.mp4", "readme.txt", "done"});
    EXPECT_EQ(files[0].code, 0);
    EXPECT_EQ(files[1].code, 2);
    EXPECT_EQ(files[2].code, 2);
    EXPECT_EQ(refusal({"readme.txt", "done"}), 2) << "nothing could begin";
    // Names that a stranger chose hold up no others.
    std::ofstream(folder_ / "a%d.png") << "a picture";
    for (const char* const name : {"a%d.png", "lavfi:x.mp4", "http://host/x.mp4", "-"}) {
        plan({"a.mp4", "b.mp4"});
        options_.batch.inputs.insert(options_.batch.inputs.begin() + 1,
                                     std::string_view(name).ends_with(".png") ? folder_ / name : name);
        const auto others = plan_batch(options_);
        ASSERT_EQ(others.size(), 3U) << name;
        EXPECT_EQ(others[0].code, 0) << name;
        EXPECT_EQ(others[1].code, 2) << name << ": " << others[1].refusal;
        EXPECT_EQ(others[2].code, 0) << name;
    }
    EXPECT_NE(plan({"a.mp4", "a%d.png"})[1].refusal.find("--name gives it another"), std::string::npos);
    options_.batch.inputs = {"-"};
    EXPECT_THROW(plan_batch(options_), Error);
}

TEST_F(BatchPlan, KnowsWhatIsFinished) {
    auto files = plan({"a.mp4", "b.mp4"});
    std::ofstream(folder_ / "done/a.mp4") << "result";
    Journal journal(options_.batch.folder);
    const std::string hash = hash_of_options(options_);
    JournalEntry entry{.output = "a.mp4",
                       .code = 0,
                       .file = facts_of_file(folder_ / "done/a.mp4"),
                       .input = files[0].facts,
                       .options = hash,
                       .frames = 3};
    journal.add(entry);
    const auto mark = [&] {
        files = plan({"a.mp4", "b.mp4"});
        mark_existing(options_, journal, hash, files);
    };
    EXPECT_THROW(mark(), Error) << "without --skip-existing";
    options_.batch.skip_existing = true;
    mark();
    EXPECT_TRUE(files[0].finished);
    EXPECT_FALSE(files[1].finished);
    // A stopped one is made anew.
    entry.code = 130;
    journal.add(entry);
    mark();
    EXPECT_FALSE(files[0].finished);
    EXPECT_TRUE(files[0].replaces);
    // So it is after it was begun again, or checked again without getting its name, and a kill.
    journal.add({.output = "a.mp4", .input = entry.input, .options = hash});
    mark();
    EXPECT_TRUE(files[0].replaces);
    journal.add({.output = "a.mp4", .code = 0, .file = {1, 2}, .input = entry.input, .options = hash});
    mark();
    EXPECT_FALSE(files[0].finished);
    EXPECT_TRUE(files[0].replaces);
    // Neither a name, nor another input, nor other options are enough.
    for (const int wrong : {0, 1, 2}) {
        entry.code = 0;
        entry.file = facts_of_file(folder_ / "done/a.mp4");
        entry.input = files[0].facts;
        entry.options = wrong == 0 ? "other" : hash;
        entry.file.mtime += wrong == 1 ? 1 : 0;
        entry.input.size += wrong == 2 ? 1 : 0;
        journal.add(entry);
        EXPECT_THROW(mark(), Error) << wrong;
    }
    options_.output.overwrite = Overwrite::yes;
    mark();
    EXPECT_TRUE(files[0].replaces);
}

TEST_F(BatchPlan, NamesWhatWasCheckedAndRemovesTheRest) {
    options_.batch.skip_existing = true;
    const std::string hash = hash_of_options(options_);
    auto files = plan({"a.mp4", "b.mp4", "a.mkv"});
    Journal journal(options_.batch.folder);
    for (const BatchFile& file : files) {
        const std::string part = folder_ / ("done/." + file.name + ".vfilter-Ab12Cd.part");
        std::ofstream(part) << "result";
        journal.add({.output = file.name,
                     .code = file.name == "b.mp4" ? -1 : 0,
                     .file = facts_of_file(part),
                     .input = file.facts,
                     .options = file.name == "a.mkv" ? "other" : hash});
    }
    std::ofstream(folder_ / "done/.c.mp4.vfilter-Ab12Cd.part") << "somebody else's";
    name_checked(options_, journal, hash, files);
    mark_existing(options_, journal, hash, files);
    EXPECT_TRUE(files[0].finished);
    EXPECT_FALSE(files[1].finished);
    EXPECT_FALSE(files[2].finished);
    remove_leftovers(options_, journal, hash, files);
    std::vector<std::string> left;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "done")) {
        left.push_back(entry.path().filename().string());
    }
    std::ranges::sort(left);
    EXPECT_EQ(left, (std::vector<std::string>{".c.mp4.vfilter-Ab12Cd.part", ".vfilter-batch", "a.mp4"}));
}

TEST_F(BatchPlan, NamesWhatWasCheckedOverWhatWasStopped) {
    options_.batch.skip_existing = true;
    const std::string hash = hash_of_options(options_);
    auto files = plan({"a.mp4"});
    Journal journal(options_.batch.folder);
    const std::string part = folder_ / "done/.a.mp4.vfilter-Ab12Cd.part";
    std::ofstream(files[0].output) << "stopped";
    std::ofstream(part) << "whole result";
    for (const auto& [name, code] : {std::pair{files[0].output, 143}, {part, 0}}) {
        journal.add(
            {.output = "a.mp4", .code = code, .file = facts_of_file(name), .input = files[0].facts, .options = hash});
    }
    name_checked(options_, journal, hash, files);
    mark_existing(options_, journal, hash, files);
    EXPECT_TRUE(files[0].finished);
    EXPECT_EQ(facts_of_file(files[0].output).size, 12);
}

// A kill between the line in the journal and the renaming, once where there is nothing and once over what was stopped.
TEST_F(BatchPlan, NamesPicturesThatWereChecked) {
    options_.batch.skip_existing = true;
    options_.batch.name = "{stem}/%d.png";
    const std::string hash = hash_of_options(options_);
    auto files = plan({"a.mp4", "b.mp4"});
    Journal journal(options_.batch.folder);
    const auto make = [&](const std::string& folder, int pictures, int code, std::size_t of) {
        std::filesystem::create_directories(folder_ / folder);
        for (int i = 1; i <= pictures; ++i) {
            std::ofstream(folder_ / (folder + "/" + std::to_string(i) + ".png")) << code << i;
        }
        const PicturePart part(files[of], folder_ / folder);
        journal.add({.output = files[of].name,
                     .code = code,
                     .file = part.facts(1),
                     .input = files[of].facts,
                     .options = hash,
                     .frames = pictures});
    };
    make("done/a", 2, 130, 0);
    make("done/.a.vfilter-Ab12Cd.part", 3, 0, 0);
    make("done/.b.vfilter-Ab12Cd.part", 3, 0, 1);
    std::filesystem::create_directories(folder_ / "done/.b.vfilter-Xy12Zz.part");
    std::filesystem::create_directories(folder_ / "done/.c.vfilter-Ab12Cd.part");
    name_checked(options_, journal, hash, files);
    mark_existing(options_, journal, hash, files);
    remove_leftovers(options_, journal, hash, files);
    for (const BatchFile& file : files) {
        EXPECT_TRUE(file.finished) << file.name;
        EXPECT_EQ(file.frames, 3) << file.name;
    }
    std::vector<std::string> left;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "done")) {
        left.push_back(entry.path().filename().string());
    }
    std::ranges::sort(left);
    EXPECT_EQ(left, (std::vector<std::string>{".c.vfilter-Ab12Cd.part", ".vfilter-batch", "a", "b"}));
    std::ofstream(folder_ / "done/a/4.png") << "somebody else's";
    mark_existing(options_, journal, hash, files);
    EXPECT_TRUE(files[0].finished) << "others may follow";
    std::filesystem::remove(folder_ / "done/a/2.png");
    EXPECT_THROW(mark_existing(options_, journal, hash, files), Error);
}

// Its name was taken meanwhile, and nobody may take it back.
TEST_F(BatchPlan, KeepsWhatWasCheckedWhereItsNameIsTaken) {
    options_.batch.skip_existing = true;
    options_.batch.keep_going = true;
    const std::string hash = hash_of_options(options_);
    auto files = plan({"a.mp4", "b.mp4"});
    Journal journal(options_.batch.folder);
    const auto make = [&](const std::string& part, const BatchFile& file, int code, const std::string& options) {
        std::ofstream(folder_ / part) << part << code << options;  // of other sizes, as clocks of files are coarse
        journal.add({.output = file.name,
                     .code = code,
                     .file = facts_of_file(folder_ / part),
                     .input = file.facts,
                     .options = options});
    };
    make("done/.a.mp4.vfilter-Ab12Cd.part", files[0], 0, hash);
    make("done/.a.mp4.vfilter-Other1.part", files[0], 0, "other");
    make("done/.a.mp4.vfilter-Begun1.part", files[0], -1, hash);
    make("done/.b.mp4.vfilter-Other1.part", files[1], 0, "other");
    std::ofstream(files[0].output) << "somebody else's";
    name_checked(options_, journal, hash, files);
    mark_existing(options_, journal, hash, files);
    EXPECT_NE(files[0].refusal, "");
    remove_leftovers(options_, journal, hash, files);
    EXPECT_EQ(facts_of_file(files[0].output).size, 15);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "done/.a.mp4.vfilter-Ab12Cd.part"));
    EXPECT_TRUE(std::filesystem::exists(folder_ / "done/.a.mp4.vfilter-Other1.part"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "done/.a.mp4.vfilter-Begun1.part"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "done/.b.mp4.vfilter-Other1.part")) << "it is made anew";
}

// A kill while pictures went into a folder that was there: over others, beside other files, and where somebody has
// taken one of their names since.
TEST_F(BatchPlan, EndsThePlacingOfPictures) {
    options_.batch.skip_existing = true;
    options_.batch.keep_going = true;
    options_.batch.name = "{stem}/%d.png";
    const std::string hash = hash_of_options(options_);
    const std::string part = folder_ / "done/.a.vfilter-Ab12Cd.part";
    const std::string folder = folder_ / "done/a";
    enum class There { older, notes, taken };
    for (const There there : {There::older, There::notes, There::taken}) {
        SCOPED_TRACE(static_cast<int>(there));
        std::filesystem::remove_all(options_.batch.folder);
        std::filesystem::create_directories(part);
        std::filesystem::create_directories(folder);
        auto files = plan({"a.mp4"});
        Journal journal(options_.batch.folder);
        for (int i = 1; i <= 5; ++i) {
            std::ofstream(part + "/" + std::to_string(i) + ".png") << "new" << i;
        }
        journal.add({.output = files[0].name,
                     .code = 0,
                     .file = PicturePart(files[0], part).facts(1),
                     .input = files[0].facts,
                     .options = hash,
                     .frames = 5,
                     .replaces = there == There::older});
        std::ofstream(folder + "/notes.txt") << "words";
        for (int i = there == There::older ? 1 : 3; i <= 4 && there != There::notes; ++i) {
            std::ofstream(folder + "/" + std::to_string(i) + ".png") << "older one";
        }
        for (const char* const name : {"/1.png", "/2.png"}) {
            std::filesystem::rename(part + name, folder + name);
        }
        name_checked(options_, journal, hash, files);
        mark_existing(options_, journal, hash, files);
        remove_leftovers(options_, journal, hash, files);
        const bool ended = there != There::taken;
        EXPECT_EQ(files[0].finished, ended);
        EXPECT_EQ(std::filesystem::exists(part), !ended);
        EXPECT_EQ(facts_of_file(folder + "/3.png").size, ended ? 4 : 9);
        EXPECT_EQ(facts_of_file((ended ? folder : part) + "/5.png").size, 4);
        EXPECT_EQ(facts_of_file(folder + "/notes.txt").size, 5);
    }
}

// Nothing of which a picture is missing is known, whatever was written of it.
TEST_F(BatchPlan, KnowsNoFolderWithAHole) {
    options_.batch.skip_existing = true;
    options_.batch.name = "{stem}/%d.png";
    const std::string hash = hash_of_options(options_);
    auto files = plan({"a.mp4"});
    Journal journal(options_.batch.folder);
    std::filesystem::create_directories(folder_ / "done/a");
    for (const char* const name : {"1.png", "3.png"}) {
        std::ofstream(folder_ / ("done/a/" + std::string(name))) << name;
    }
    const PicturePart part(files[0], folder_ / "done/a");
    EXPECT_THROW(part.check(1, 3), Error);
    EXPECT_THROW(part.check(1, 1), Error);
    EXPECT_NO_THROW(part.check(3, 1));
    journal.add({.output = files[0].name,
                 .code = 0,
                 .file = part.facts(1),
                 .input = files[0].facts,
                 .options = hash,
                 .frames = 2});
    EXPECT_THROW(mark_existing(options_, journal, hash, files), Error);
}

TEST_F(BatchPlan, HashesWhatDecidesTheResult) {
    const auto hash = [](std::initializer_list<const char*> words) {
        const std::vector<const char*> arguments(words);
        return hash_of_options(parse_command_line(arguments).options);
    };
    const std::string plain = hash({"a.mp4", "--output-dir", "d", "--gaussian", "5"});
    EXPECT_EQ(plain, hash({"b.mp4", "c.mp4", "--output-dir", "e", "--gaussian", "5", "--jobs", "2", "--threads", "1",
                           "--skip-existing", "--keep-going", "-y", "--report", "r", "-q"}));
    EXPECT_NE(plain, hash({"a.mp4", "--output-dir", "d", "--gaussian", "7"}));
    EXPECT_NE(plain, hash({"a.mp4", "--output-dir", "d", "--gaussian", "5", "--crf", "20"}));
    EXPECT_NE(plain, hash({"a.mp4", "--output-dir", "d", "--gaussian", "5", "--frames", "3"}));
}

}  // namespace
}  // namespace vfilter
