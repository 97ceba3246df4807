#include "pipeline/live/preview_keys.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace vfilter {
namespace {

TEST(PreviewKeys, AreEachFoundOnceAndExplained) {
    for (const PreviewKey& row : preview_keys()) {
        for (int key = row.first; key <= row.last; ++key) {
            EXPECT_EQ(find_preview_key(key), &row) << key;
        }
        EXPECT_EQ(row.name.empty(), row.help.empty());
    }
    EXPECT_EQ(find_preview_key(0), nullptr);
    EXPECT_EQ(find_preview_key('z'), nullptr);
    EXPECT_EQ(find_preview_key('5')->action, PreviewAction::choose);
}

TEST(PreviewKeys, StandInTheDocuments) {
    std::ifstream file(VFILTER_SOURCE "/docs/cli.md");
    std::stringstream text;
    text << file.rdbuf();
    for (const PreviewKey& row : preview_keys()) {
        if (!row.name.empty()) {
            const std::string line = "| " + std::string(row.name) + " | " + std::string(row.help) + " |\n";
            EXPECT_NE(text.str().find(line), std::string::npos) << line;
        }
    }
}

}  // namespace
}  // namespace vfilter
