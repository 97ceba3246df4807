// System calls that are interrupted, or do a part of what was asked for.

#include "io/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <vector>

namespace vfilter {
namespace {

TEST(Descriptor, AnInterruptedCallIsMadeAgain) {
    int calls = 0;
    const int result = uninterrupted([&] {
        errno = EINTR;
        return ++calls < 3 ? -1 : 7;
    });
    EXPECT_EQ(result, 7);
    EXPECT_EQ(calls, 3);
}

TEST(Descriptor, AnotherErrorIsTheResult) {
    int calls = 0;
    const int result = uninterrupted([&] {
        ++calls;
        errno = EIO;
        return -1;
    });
    EXPECT_EQ(result, -1);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(errno, EIO);
}

TEST(Descriptor, WhatIsWrittenIsReadUpToTheEndOfTheFile) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
    ASSERT_TRUE(file);
    const int descriptor = fileno(file.get());
    EXPECT_EQ(write_whole(descriptor, std::string_view("abcdef")), 6U);
    std::array<std::uint8_t, 4> bytes{};
    EXPECT_EQ(read_whole(descriptor, 1, bytes), 4U);
    EXPECT_EQ(bytes, (std::array<std::uint8_t, 4>{'b', 'c', 'd', 'e'}));
    errno = EIO;
    EXPECT_EQ(read_whole(descriptor, 4, bytes), 2U);
    EXPECT_EQ(errno, 0);
    EXPECT_EQ(read_whole(-1, 0, bytes), 0U);
    EXPECT_EQ(errno, EBADF);
}

TEST(Descriptor, AFullPipeTellsHowMuchWent) {
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe2(pipe.data(), O_NONBLOCK | O_CLOEXEC), 0);
    const std::vector<std::uint8_t> much(std::size_t{8} << 20);
    const std::size_t wrote = write_whole(pipe[1], much);
    EXPECT_EQ(errno, EAGAIN);
    EXPECT_GT(wrote, 0U);
    EXPECT_LT(wrote, much.size());
    close(pipe[0]);
    close(pipe[1]);
}

}  // namespace
}  // namespace vfilter
