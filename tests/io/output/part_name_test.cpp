// Names of outputs while they are written.

#include "io/output/part_name.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "io/western_words.h"
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
    }
    EXPECT_EQ(name_in_part("a.mp4"), "a.mp4");
    std::string path;
    EXPECT_EQ(make_part(folder / "missing", "a.mp4", path), -1);
}

TEST(PartName, TellsLongNamesApart) {
    const std::string same(240, 'n');
    EXPECT_NE(name_in_part(same + "1.mp4"), name_in_part(same + "2.mp4"));
    EXPECT_EQ(name_in_part(same + "1.mp4"), name_in_part(same + "1.mp4"));
    EXPECT_TRUE(name_in_part(same + "1.mp4").starts_with(std::string(200, 'n'))) << "which one it is can be seen";
}

TEST(PartName, CutsNoLetterInTwo) {
    for (const char* const front : {"", "a", "aa"}) {
        std::string name = front;
        while (name.size() + 3 <= 255) {
            name += "\u20ac";
        }
        EXPECT_TRUE(is_utf8(name_in_part(name))) << name_in_part(name);
    }
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
