// Seeking as FFmpeg asks for it.

#include "io/seek_bytes.h"

#include <gtest/gtest.h>

namespace vfilter {
namespace {

TEST(SeekBytes, MovesFromWhereItIsAsked) {
    std::int64_t position = 10;
    const auto seek = [&](std::int64_t offset, int whence) {
        return seek_bytes(position, offset, whence, [] { return std::int64_t{100}; });
    };
    EXPECT_EQ(seek(7, SEEK_SET), 7);
    EXPECT_EQ(seek(5, SEEK_CUR), 12);
    EXPECT_EQ(seek(-12, SEEK_CUR | AVSEEK_FORCE), 0);
    EXPECT_EQ(seek(-1, SEEK_END), 99);
    EXPECT_EQ(seek(1, SEEK_END), 101);
    EXPECT_EQ(position, 101);
    EXPECT_EQ(seek(0, AVSEEK_SIZE), 100);
    EXPECT_EQ(position, 101);
}

TEST(SeekBytes, ThereIsNothingBeforeTheBeginningNorBeyondNumbers) {
    std::int64_t position = 10;
    const auto seek = [&](std::int64_t offset, int whence) {
        return seek_bytes(position, offset, whence, [] { return INT64_MAX; });
    };
    for (const int whence : {SEEK_CUR, SEEK_END}) {
        EXPECT_EQ(seek(INT64_MAX - 5, whence), AVERROR(EINVAL));
        EXPECT_EQ(seek(INT64_MIN, whence), AVERROR(EINVAL));
    }
    EXPECT_EQ(seek(-1, SEEK_SET), AVERROR(EINVAL));
    EXPECT_EQ(seek(-11, SEEK_CUR), AVERROR(EINVAL));
    EXPECT_EQ(position, 10);
    EXPECT_EQ(seek(INT64_MAX - 10, SEEK_CUR), INT64_MAX);
}

}  // namespace
}  // namespace vfilter
