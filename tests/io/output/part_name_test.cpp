// Names of outputs while they are written.

#include "io/output/part_name.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/support/folder.h"

namespace vfilter {
namespace {

TEST(PartName, TellsTheOutput) {
    const test::Folder folder;
    for (const std::string& name : {std::string("a.mp4"), std::string(".hidden"), std::string("a.vfilter-b.part"),
                                    std::string(255, 'n'), std::string(236, 'm')}) {
        std::string path;
        const int file = make_part(folder.path().string(), name, path);
        ASSERT_GE(file, 0) << name;
        close(file);
        const std::string part = std::filesystem::path(path).filename().string();
        EXPECT_LE(part.size() + std::string(".index").size(), 255U) << "what is kept beside it has a name as well";
        EXPECT_TRUE(part.starts_with('.') && part.ends_with(".part")) << part;
        EXPECT_EQ(output_of_part(part), name_in_part(name));
        EXPECT_TRUE(name.starts_with(name_in_part(name)));
    }
    EXPECT_EQ(name_in_part("a.mp4"), "a.mp4");
    std::string path;
    EXPECT_EQ(make_part(folder / "missing", "a.mp4", path), -1);
}

TEST(PartName, IsNoOtherFiles) {
    for (const char* const name : {"", "a.mp4", ".a.mp4.part", "a.mp4.vfilter-Ab12Cd.part", ".a.mp4.vfilter-Ab12Cd",
                                   ".vfilter-Ab12Cd.part", ".a.mp4.vfilter-Ab12Cd.part.index"}) {
        EXPECT_EQ(output_of_part(name), "") << name;
    }
    EXPECT_EQ(output_of_part(".a.mp4.vfilter-Ab12Cd.part"), "a.mp4");
}

}  // namespace
}  // namespace vfilter
