// Fields are two pictures: they are filtered apart and not mixed, whatever tells of them and whatever their height is.

#include <fmt/format.h>

#include <string>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class Fields : public EndToEnd {
protected:
    [[nodiscard]] std::string scans_of(const std::string& file) const {
        return run("ffprobe -v error -select_streams v -show_entries frame=interlaced_frame,top_field_first -of "
                   "compact " +
                   file)
            .out;
    }
    [[nodiscard]] std::string samples_of(const std::string& file) const {
        ffmpeg(fmt::format("-i {} -f rawvideo samples.yuv", file));
        return content("samples.yuv");
    }
};

// Huffyuv, JPEG and the like hold whole pictures: that they are interlaced stands in the file alone.
TEST_F(Fields, OfWhichOnlyTheContainerTells) {
    for (const auto& [field, line] : {std::pair{"tff", "interlaced_frame=1|top_field_first=1"},
                                      std::pair{"bff", "interlaced_frame=1|top_field_first=0"}}) {
        const std::string pictures =
            fmt::format("-f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -vf setfield={},format=yuv422p ", field);
        ffmpeg(pictures + "-c:v ffv1 -level 3 told.mkv");
        filter("told.mkv told_out.mkv -y --box 5 --codec ffv1");
        ASSERT_NE(scans_of("told_out.mkv").find(line), std::string::npos);
        for (const std::string file : {"silent.mkv", "silent.mov"}) {
            SCOPED_TRACE(file);
            ffmpeg(pictures + "-c:v ffvhuff " + file);
            ASSERT_EQ(scans_of(file).find("interlaced_frame=1"), std::string::npos);
            filter(file + " out.mkv -y --box 5 --codec ffv1");
            EXPECT_EQ(scans_of("out.mkv"), scans_of("told_out.mkv"));
            EXPECT_TRUE(samples_of("out.mkv") == samples_of("told_out.mkv"));
        }
    }
}

// Only what is read again as it was counts as kept.
TEST_F(Fields, OfWhichNothingReadableTellsAreLost) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -vf setfield=tff -c:v ffv1 -level 3 in.mkv");
    const auto loses = [this](const std::string& codec) {
        const Result result = vfilter(fmt::format("in.mkv out.mkv -y --box 3 --codec {}", codec));
        EXPECT_EQ(result.code, 0) << result;
        return result.err.find("that the pictures are interlaced is lost") != std::string::npos;
    };
    EXPECT_TRUE(loses("x265 --preset ultrafast"));
    EXPECT_FALSE(loses("ffvhuff"));
    EXPECT_FALSE(loses("ffv1"));
}

// A graph shows in a trial what it does, whatever its filters are called.
TEST_F(Fields, ThatAGraphMixesAreTold) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -vf setfield=tff,format=yuv420p -c:v ffv1 -level 3 in.mkv");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -vf format=yuv420p -c:v ffv1 -level 3 whole.mkv");
    const auto told = [this](const std::string& file, const std::string& graphs) {
        const Result result = vfilter(fmt::format("{} out.mkv -y --codec ffv1 {}", file, graphs));
        EXPECT_EQ(result.code, 0) << result;
        return result.err.find("mixes or swaps the two fields of interlaced pictures") != std::string::npos;
    };
    for (const std::string graph : {"scale=32:-2", "gblur=2", "hqdn3d", "crop=32:32:0:1:exact=1", "crop=32:32:0:2",
                                    "vflip", "transpose", "format=yuv444p", "unsharp"}) {
        EXPECT_TRUE(told("in.mkv", "--vf " + graph)) << graph;
    }
    for (const std::string graph :
         {"null", "eq=contrast=1.2", "hflip", "fps=50", "scale=32:48", "scale=32:32:interl=1", "crop=32:32:0:4",
          "bwdif,scale=32:-2", "setfield=prog,gblur", "separatefields,gblur,weave", "drawbox=3:3:9:9",
          "noise=alls=20:allf=t", "deflicker", "il=d:c=d,gblur,il=i:c=i"}) {
        EXPECT_FALSE(told("in.mkv", "--vf " + graph)) << graph;
    }
    EXPECT_FALSE(told("in.mkv", "--vf bwdif --gaussian 3 --vf scale=32:-2"));
    EXPECT_FALSE(told("whole.mkv", "--vf scale=32:-2"));
    // Of 4:2:0 libavfilter makes another format for it, and mixes chroma.
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -vf setfield=tff,format=yuv422p -c:v ffv1 -level 3 wide.mkv");
    EXPECT_FALSE(told("wide.mkv", "--vf fieldorder=bff"));
    EXPECT_TRUE(told("in.mkv", "--vf fieldorder=bff"));
}

TEST_F(Fields, AreNotMixedByConversionsOfAnyHeight) {
    constexpr int width = 16;
    for (const int height : {48, 46, 45, 43}) {
        std::string rows;
        for (const auto& [columns, count] :
             {std::pair{width, height}, {width / 2, (height + 1) / 2}, {width / 2, (height + 1) / 2}}) {
            for (int y = 0; y < count; ++y) {
                rows += std::string(static_cast<std::size_t>(columns), static_cast<char>(y % 2 == 1 ? 200 : 60));
            }
        }
        write("in.y4m", fmt::format("YUV4MPEG2 W{} H{} F25:1 It A1:1 C420mpeg2\nFRAME\n", width, height) + rows);
        filter("in.y4m out.mkv -y --identity --codec ffv1 --pix-fmt yuv422p");
        const std::string samples = samples_of("out.mkv");
        ASSERT_EQ(samples.size(), static_cast<std::size_t>(2 * width * height));
        for (int y = 0; y < height; ++y) {
            const auto at = static_cast<std::size_t>(width * height + y * width / 2 + 1);
            ASSERT_NEAR(static_cast<unsigned char>(samples[at]), y % 2 == 1 ? 200 : 60, 1) << height << " " << y;
        }
    }
}

}  // namespace

}  // namespace vfilter::test
