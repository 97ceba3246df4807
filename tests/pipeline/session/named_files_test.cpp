#include "pipeline/session/named_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "config/error.h"
#include "tests/support/folder.h"

namespace vfilter {
namespace {

namespace fs = std::filesystem;

class NamedFiles : public ::testing::Test {
protected:
    void SetUp() override {
        std::ofstream(folder_ / "in.mp4") << "in";
        options_.input.path = folder_ / "in.mp4";
        options_.output.path = folder_ / "out.mkv";
    }

    // "" if nothing is wrong.
    [[nodiscard]] std::string refusal(ExitCode wanted = ExitCode::usage) const {
        try {
            check_named_files(options_);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), wanted) << error.what();
            return error.what();
        }
        return "";
    }

    test::Folder folder_;
    Options options_;
};

TEST_F(NamedFiles, MayBeAsManyAsThereAreNames) {
    options_.report = folder_ / "r.json";
    options_.trace = folder_ / "t.json";
    EXPECT_EQ(refusal(), "");
}

TEST_F(NamedFiles, InputAndOutputAreTwo) {
    options_.output.path = options_.input.path;
    EXPECT_EQ(refusal(), options_.input.path + ": input and output are the same file");
    fs::create_symlink(options_.input.path, folder_ / "link.mkv");
    options_.output.path = folder_ / "link.mkv";
    EXPECT_EQ(refusal(), options_.output.path + ": input and output are the same file");
}

TEST_F(NamedFiles, WhatIsNotYetThereIsComparedByItsPlace) {
    fs::create_directory(folder_ / "sub");
    options_.report = folder_ / "sub/../out.mkv";
    EXPECT_EQ(refusal(), options_.report + ": the report would overwrite the output");
}

TEST_F(NamedFiles, AMaskIsNotWrittenOver) {
    std::ofstream(folder_ / "mask.png") << "mask";
    options_.filters = {parse_filter(*find_filter("gaussian"), "5")};
    options_.filters.front().region.mask = folder_ / "mask.png";
    options_.trace = folder_ / "mask.png";
    EXPECT_EQ(refusal(), options_.trace + ": the trace would overwrite a mask");
}

// Whatever reads it, and however it is named.
TEST_F(NamedFiles, NothingThatIsReadIsWrittenOver) {
    for (const char* const name : {"a1.png", "a2.png", "k.txt", "z.cube", "list.txt", "c.toml"}) {
        std::ofstream(folder_ / name) << "1 2 1; 2 4 2; 1 2 1";
    }
    options_.output.overwrite = Overwrite::yes;
    options_.input.path = folder_ / "a%d.png";
    options_.report = folder_ / "a2.png";
    EXPECT_EQ(refusal(), options_.report + ": the report would overwrite a picture of the input");
    options_.output.path = folder_ / "a1.png";
    options_.report = "";
    EXPECT_EQ(refusal(), options_.output.path + ": the output would overwrite a picture of the input");
    options_.input.path = folder_ / "in.mp4";
    EXPECT_EQ(refusal(), "");
    options_.filters = {parse_filter(*find_filter("kernel"), "file=" + std::string(folder_ / "k.txt"))};
    options_.filters.front().region.mask = folder_ / "a%d.png";
    EXPECT_EQ(refusal(), options_.output.path + ": the output would overwrite a mask");
    options_.output.path = folder_ / "k.txt";
    EXPECT_EQ(refusal(), options_.output.path + ": the output would overwrite a matrix");
    options_.output.path = folder_ / "z.cube";
    EXPECT_EQ(refusal(), "");
    options_.foreign = {{.graph = "lut3d=" + options_.output.path}};
    EXPECT_EQ(refusal(), options_.output.path + ": the output would overwrite a file that a graph names");
    options_.output.path = folder_ / "list.txt";
    options_.output.encoder_options = {{"stats", options_.output.path}};
    EXPECT_EQ(refusal(), options_.output.path + ": the output would overwrite a file that an option names");
    options_.trace = folder_ / "c.toml";
    options_.output.path = folder_ / "out.mkv";
    options_.config_files = {options_.trace};
    EXPECT_EQ(refusal(), options_.trace + ": the trace would overwrite a configuration file");
}

// They are named beside the output, which alone asks.
TEST_F(NamedFiles, ReportsReplaceReportsAlone) {
    std::ofstream(folder_ / "film.mp4") << "film";
    std::ofstream(folder_ / "empty");
    std::ofstream(folder_ / "r.json") << "{\n  \"schema\": 1}";
    std::ofstream(folder_ / "t.trace") << "[\n{\"name\":\"process_name\"";
    std::ofstream(folder_ / "r") << "{\n  \"schema\": 1}";
    std::ofstream(folder_ / "other.json") << "other";
    for (const char* const name : {"empty", "r.json", "t.trace", "r", "other.json", "new", "/dev/null"}) {
        options_.report = *name == '/' ? name : std::string(folder_ / name);
        EXPECT_EQ(refusal(), "");
    }
    for (std::string* const text : {&options_.report, &options_.trace}) {
        options_.report = options_.trace = "";
        *text = folder_ / "film.mp4";
        EXPECT_EQ(refusal(ExitCode::output), *text + ": exists, and is no earlier report or trace; -y replaces it");
        options_.output.overwrite = Overwrite::no;
        EXPECT_NE(refusal(ExitCode::output), "");
        options_.output.overwrite = Overwrite::yes;
        EXPECT_EQ(refusal(), "");
        options_.output.overwrite = Overwrite::ask;
    }
}

TEST_F(NamedFiles, ABatchKeepsItsJournal) {
    options_.report = folder_ / ".vfilter-batch";
    EXPECT_NE(refusal().find("is the name of a batch's journal"), std::string::npos);
    fs::create_symlink(options_.report, folder_ / "r.json");
    options_.report = "";
    options_.trace = folder_ / "r.json";
    EXPECT_NE(refusal().find("is the name of a batch's journal"), std::string::npos);
}

TEST_F(NamedFiles, DevicesMayBeShared) {
    options_.output.path = "/dev/null";
    options_.report = "/dev/null";
    EXPECT_EQ(refusal(), "");
}

TEST_F(NamedFiles, AnInputThatIsNotThereIsToldLast) {
    options_.input.path = folder_ / "no.mp4";
    EXPECT_EQ(refusal(ExitCode::input).rfind(options_.input.path + ": ", 0), 0U);
    options_.report = options_.output.path;
    EXPECT_EQ(refusal(), options_.report + ": the report would overwrite the output");
}

TEST_F(NamedFiles, AFolderIsNoFile) {
    options_.output.path = folder_.path();
    EXPECT_EQ(refusal(ExitCode::output), options_.output.path + ": is a folder; the output is a file");
}

TEST_F(NamedFiles, LinksThatLeadInACircleAreNone) {
    fs::create_symlink(folder_ / "b", folder_ / "a");
    fs::create_symlink(folder_ / "a", folder_ / "b");
    options_.output.path = folder_ / "a";
    EXPECT_NE(refusal(ExitCode::output), "");
}

}  // namespace
}  // namespace vfilter
