// Files that become other ones while they are read.

#include "io/input/input_bytes.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/folder.h"

namespace vfilter {
namespace {

class InputBytesTest : public ::testing::Test {
protected:
    void SetUp() override { std::ofstream(path_) << std::string(1000, 'a'); }

    static std::string sum_of(InputBytes& bytes) {
        std::uint8_t buffer[2000];
        avio_read(bytes.context(), buffer, sizeof(buffer));
        return bytes.sha256([] { return false; });
    }
    // As the clock of a file system may be too coarse to see a change.
    void date_back() const {
        std::filesystem::last_write_time(path_, std::filesystem::last_write_time(path_) - std::chrono::hours(1));
    }

    test::Folder folder_;
    std::string path_ = folder_ / "in.ts";
};

TEST_F(InputBytesTest, AreSummedWhereNothingHappens) {
    InputBytes bytes(path_, [] { return 0; });
    bytes.sum();
    EXPECT_EQ(sum_of(bytes).size(), 64U);
    EXPECT_EQ(bytes.lost_bytes(), 0);
    EXPECT_FALSE(bytes.was_changed());
}

TEST_F(InputBytesTest, ThatWereWrittenToHaveNoSum) {
    date_back();
    InputBytes bytes(path_, [] { return 0; });
    bytes.sum();
    std::ofstream(path_) << std::string(1000, 'b');
    EXPECT_EQ(sum_of(bytes), "");
    EXPECT_TRUE(bytes.was_changed());
    EXPECT_EQ(bytes.lost_bytes(), 0);
}

TEST_F(InputBytesTest, ThatBecomeFewerAreCounted) {
    const InputBytes bytes(path_, [] { return 0; });
    std::filesystem::resize_file(path_, 300);
    EXPECT_EQ(bytes.lost_bytes(), 700);
}

// Where the end was read, it was the end: what is written again later was not seen.
TEST_F(InputBytesTest, ThatWereFewerAtTheirEndAreCounted) {
    InputBytes bytes(path_, [] { return 0; });
    std::filesystem::resize_file(path_, 300);
    std::uint8_t buffer[2000];
    EXPECT_EQ(avio_read(bytes.context(), buffer, sizeof(buffer)), 300);
    std::filesystem::resize_file(path_, 1000);
    EXPECT_EQ(bytes.lost_bytes(), 700);
}

TEST_F(InputBytesTest, ThatBecomeMoreAreNotMissed) {
    const InputBytes bytes(path_, [] { return 0; });
    std::filesystem::resize_file(path_, 3000);
    EXPECT_EQ(bytes.lost_bytes(), 0);
}

}  // namespace
}  // namespace vfilter
