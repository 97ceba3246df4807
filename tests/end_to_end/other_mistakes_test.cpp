// Mistakes and refusals that a row of arguments cannot make: a driver that is missing, folders, disks.

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class OtherMistakes : public EndToEnd {};

TEST_F(OtherMistakes, AnEncoderWithoutItsDriverSaysWhatIsMissing) {
    if (run("ffmpeg -v error -h encoder=h264_nvenc | grep -q pixel && ! ldconfig -p | grep libnvidia-encode").code !=
        0) {
        GTEST_SKIP() << "FFmpeg has no h264_nvenc, or the driver is here";
    }
    ffmpeg("-f lavfi -i testsrc2=s=160x120:r=25:d=0.4 -c:v libx264 -preset ultrafast in.mkv");
    const Result result = vfilter("in.mkv out.mkv --codec h264_nvenc");
    EXPECT_EQ(result.code, 8) << result;
    EXPECT_NE(result.err.find("NVIDIA_DRIVER_CAPABILITIES=compute,video,utility"), std::string::npos) << result;
}

TEST_F(OtherMistakes, AReadOnlyFolderIsNamed) {
    make_clip("in.mkv", 5);
    std::filesystem::create_directory(path("sub"));
    ASSERT_EQ(run("chmod a-w sub").code, 0);
    std::string begin = "exec ";
    if (geteuid() == 0) {
        // Root may write everywhere: as somebody else, who can read the program and what is here.
        ASSERT_EQ(run("chmod 755 . && chmod 644 in.mkv").code, 0);
        begin += "setpriv --reuid 61234 --regid 61234 --clear-groups ";
        const Result started = run(begin + "\"$VFILTER\" --version > /dev/null");
        if (started.code == 126) {
            GTEST_SKIP() << "another user cannot run the program where it lies: " << started;
        }
        ASSERT_EQ(started.code, 0) << started;
    }
    const Result result = run(begin + "\"$VFILTER\" in.mkv sub/out.mkv");
    EXPECT_EQ(run("chmod u+w sub").code, 0);
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_NE(result.err.find("sub/out.mkv: the folder sub: Permission denied"), std::string::npos) << result;
}

// The video is finished; what cannot be written is named.
TEST_F(OtherMistakes, AReportThatCannotBeWrittenIsNamed) {
    make_clip("in.mkv", 5);
    for (const std::string report : {"missing/r.json", "/dev/full"}) {
        const Result result = vfilter(fmt::format("in.mkv out.mkv -y -q --report {}", report));
        EXPECT_EQ(result.code, 4) << result;
        EXPECT_EQ(complaints(result).size(), 1U) << result;
        EXPECT_NE(result.err.find(report), std::string::npos) << result;
        EXPECT_TRUE(!exists("out.mkv") || count_pictures("out.mkv") == 5);
        EXPECT_EQ(parts().size(), 0U);
    }
}

// A limit on the size of files stands for the disk that is full: what was written is kept and named, the old file too.
TEST_F(OtherMistakes, AFullDiskKeepsAndNamesWhatThereIs) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=320x240:r=25:d=2 -vf noise=alls=60:allf=t -c:v libx264 -preset ultrafast -crf 20 "
        "in.mkv");
    write("out.mkv", "old");
    const Result result =
        run("trap '' XFSZ; ulimit -f 300; exec $VFILTER in.mkv out.mkv -y --codec ffv1 --progress none");
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_NE(result.err.find("File too large"), std::string::npos) << result;
    ASSERT_EQ(parts().size(), 1U);
    EXPECT_NE(result.err.find(parts().front()), std::string::npos) << result;
    EXPECT_EQ(content("out.mkv"), "old");
}

}  // namespace

}  // namespace vfilter::test
