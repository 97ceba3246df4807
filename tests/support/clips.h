#pragma once
// Small clips made by the ffmpeg program.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/support/folder.h"

namespace vfilter::testing {

using test::Folder;

/// `seconds` of moving pictures with sound, 25 frames each.
inline void make_clip(const std::string& path, int seconds = 2, const std::string& size = "160x120") {
    const std::string duration = std::to_string(seconds);
    const std::string command = "ffmpeg -nostdin -v error -y -f lavfi -i testsrc2=size=" + size +
                                ":rate=25:duration=" + duration + " -f lavfi -i sine=duration=" + duration +
                                " -c:v libx264 -preset ultrafast -bf 2 -pix_fmt yuv420p -c:a aac '" + path + "'";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

}  // namespace vfilter::testing
