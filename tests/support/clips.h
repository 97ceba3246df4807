#pragma once
// Small clips made by the ffmpeg program.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/clip_store.h"
#include "tests/support/folder.h"

namespace vfilter::testing {

using test::Folder;

/// `seconds` of moving pictures with sound, 25 frames each.
inline void make_clip(const std::string& path, int seconds = 2, const std::string& size = "160x120") {
    const std::string duration = std::to_string(seconds);
    const std::filesystem::path file = path;
    const test::Result made = test::run_ffmpeg("-f lavfi -i testsrc2=size=" + size + ":rate=25:duration=" + duration +
                                                   " -f lavfi -i sine=duration=" + duration +
                                                   " -c:v libx264 -preset ultrafast -bf 2 -pix_fmt yuv420p -c:a aac '" +
                                                   file.filename().string() + "'",
                                               file.parent_path());
    ASSERT_EQ(made.code, 0) << made;
}

}  // namespace vfilter::testing
