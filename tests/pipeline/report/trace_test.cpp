// The trace as a file.

#include "pipeline/report/trace.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/folder.h"

namespace vfilter {

namespace {

std::string content(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

TEST(Trace, LeavesAFileAsItIsUntilItIsWhole) {
    const test::Folder folder;
    const std::filesystem::path path = folder.path() / "trace.json";
    std::ofstream(path) << "keep";
    {
        Trace trace(path.string());
        trace.span(StageId::decode, 1, Trace::Clock::now());
        EXPECT_EQ(content(path), "keep");
        trace.finish();
    }
    EXPECT_GT(nlohmann::json::parse(content(path)).size(), 2U);
}

// As a run that has failed leaves it.
TEST(Trace, IsEndedWhereNobodyEndsIt) {
    const test::Folder folder;
    const std::filesystem::path path = folder.path() / "trace.json";
    { const Trace trace(path.string()); }
    EXPECT_GT(nlohmann::json::parse(content(path)).size(), 2U);
}

}  // namespace

}  // namespace vfilter
