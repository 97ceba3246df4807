// Fields are two pictures: they are filtered apart and not mixed, whatever tells of them and whatever their height is.

#include <fmt/format.h>

#include <string>

#include "tests/support/end_to_end.h"
#include "tests/support/two_fields.h"

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

// Both fields of a picture are of one time there.
TEST_F(Fields, OfFilmsMakeWholePicturesAgain) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=24000/1001:d=1 -vf telecine,setfield=tff,format=yuv420p -c:v ffv1 -level 3 "
        "in.mkv");
    for (const std::string graph : {"pullup", "pullup,fps=24000/1001", "detelecine", "detelecine,hflip"}) {
        const Result result = vfilter("in.mkv out.mkv -y --codec ffv1 --vf " + graph);
        ASSERT_EQ(result.code, 0) << result;
        EXPECT_EQ(scans_of("out.mkv").find("interlaced_frame=1"), std::string::npos) << graph;
        EXPECT_FALSE(says(result, "interlaced")) << result;
        // Whose pictures ffmpeg writes to while others look at them, but for those that are copied at once.
        const bool reused = graph.starts_with("detelecine");
        const std::string copied =
            reused ? "detelecine,copy" + graph.substr(std::string_view("detelecine").size()) : graph;
        ffmpeg("-y -i in.mkv -vf " + copied + " -fps_mode passthrough -c:v ffv1 witness.mkv");
        EXPECT_TRUE(samples_of("out.mkv") == samples_of("witness.mkv")) << graph;
    }
    ASSERT_EQ(vfilter("in.mkv out.mkv -y --codec ffv1 --vf pullup,setfield=bff").code, 0);
    EXPECT_NE(scans_of("out.mkv").find("interlaced_frame=1|top_field_first=0"), std::string::npos);
}

TEST_F(Fields, ThatAGraphDoesNotSayAnyMoreAreTold) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -vf setfield=bff,format=yuv420p -c:v ffv1 -level 3 in.mkv");
    const std::string told = "do not say any more that two fields lie in them";
    for (const std::string graph : {"tmix=frames=3", "lagfun", "zoompan=d=1:s=64x48", "split,mix", "split,hstack"}) {
        const Result result = vfilter("in.mkv out.mkv -y --codec ffv1 --vf " + graph);
        // Since FFmpeg 7 some of these filters say it.
        const bool kept = scans_of("out.mkv").find("interlaced_frame=1") != std::string::npos;
        EXPECT_EQ(says(result, told) && says(result, "setfield=bff at its end"), !kept) << result;
        EXPECT_FALSE(kept && graph.starts_with("split")) << graph;
    }
    for (const std::string graph :
         {"bwdif,tmix=frames=3", "tmix=frames=3,setfield=bff", "setfield=prog,lagfun", "hflip", "yadif",
          "separatefields", "field", "fieldmatch", "idet", "histogram", "fps=50"}) {
        EXPECT_FALSE(says(vfilter("in.mkv out.mkv -y --codec ffv1 --vf " + graph), told)) << graph;
    }
    EXPECT_FALSE(says(vfilter("in.mkv out.mkv -y --codec ffv1 --vf bwdif --vf tmix=frames=3"), told));
}

// An output that does not say it is no output that still says it.
TEST_F(Fields, ThatAreMixedAreNotSaidToBeKept) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -vf setfield=tff,format=yuv420p -c:v ffv1 -level 3 in.mkv");
    const Result result = vfilter("in.mkv out.png -y --frames 1 --vf scale=32:-2");
    EXPECT_TRUE(says(result, "mixes or swaps the two fields")) << result;
    EXPECT_TRUE(says(result, "that the pictures are interlaced is lost")) << result;
    EXPECT_FALSE(says(result, "output still says")) << result;
}

TEST_F(Fields, ThatArePacketsOfTheirOwnMakePicturesAsLongAsOthers) {
    write("in.h264", pictures_of_two_fields(4));
    filter("in.h264 out.mkv -y --box 3 --codec ffv1");
    EXPECT_EQ(run("ffprobe -v error -show_entries frame=pts_time,interlaced_frame -of csv=p=0 out.mkv").out,
              "0.000000,1\n0.040000,1\n0.080000,1\n0.120000,1\n");
}

TEST_F(Fields, AreNotParted) {
    write("in.h264", pictures_of_two_fields(8));
    ffmpeg("-fflags +genpts -r 50 -i in.h264 -c copy in.ts");
    const auto times = [this](const std::string& part) {
        filter("in.ts out.mkv -y --box 3 --codec ffv1 " + part);
        return run("ffprobe -v error -show_entries frame=pts_time -of csv=p=0 out.mkv").out;
    };
    EXPECT_EQ(times("--end 0.1"), "1.400000\n1.440000\n1.480000\n");
    EXPECT_EQ(times("--start 0.12 --duration 0.05"), "0.000000\n0.040000\n");
}

// Where a stream is cut between the two, or has lost one, FFmpeg's decoder shows nothing of the picture.
TEST_F(Fields, WithoutTheirOtherOneAreCounted) {
    const auto run_of = [this](const std::string& file) { return vfilter(file + " out.mkv -y --box 3 --codec ffv1"); };
    for (const int without : {6, 7, 15}) {
        SCOPED_TRACE(without);
        write("in.h264", pictures_of_two_fields(8, without));
        const Result result = run_of("in.h264");
        EXPECT_EQ(result.code, 5);
        EXPECT_NE(result.err.find("8 coded pictures gave only 7 pictures; 1 of one field without the other"),
                  std::string::npos)
            << result;
    }
    for (const std::string file : {"in.ts", "in.mkv", "in.mp4"}) {
        SCOPED_TRACE(file);
        write("in.h264", pictures_of_two_fields(8, 15));
        ffmpeg("-y -fflags +genpts -r 50 -i in.h264 -c copy " + file);
        EXPECT_EQ(run_of(file).code, 5);
        write("in.h264", pictures_of_two_fields(8));
        ffmpeg("-y -fflags +genpts -r 50 -i in.h264 -c copy " + file);
        EXPECT_EQ(run_of(file).code, 0);
    }
}

TEST_F(Fields, OfNextPicturesAreNotLookedAt) {
    write("in.h264", pictures_of_two_fields(8, -1, 6));
    ffmpeg("-fflags +genpts -r 50 -i in.h264 -c copy in.ts");
    EXPECT_EQ(vfilter("in.ts out.mkv --box 3 --codec ffv1").code, 5) << "the damaged field";
    EXPECT_EQ(vfilter("in.ts out.mkv -y --box 3 --codec ffv1 --end 0.12").code, 0);
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -c:v libx264 -bf 0 -g 5 "
        "-bsf:v \"noise=amount='if(eq(n,5),1,0)'\" in.mkv");
    EXPECT_EQ(vfilter("in.mkv out.mkv -y --box 3 --codec ffv1").code, 5) << "the damaged picture";
    EXPECT_EQ(vfilter("in.mkv out.mkv -y --box 3 --codec ffv1 --end 0.2").code, 0);
}

// FFmpeg calls PNG interlaced whose pixels stand in the order of Adam7.
TEST_F(Fields, AreNotWhatPngCallsInterlaced) {
    const std::string picture = "-f lavfi -i testsrc2=s=64x48 -frames:v 1 ";
    ffmpeg(picture + "rows.png " + picture + "-flags +ildct adam7.png");
    ASSERT_NE(scans_of("adam7.png").find("interlaced_frame=1"), std::string::npos);
    const auto filtered = [this](const std::string& arguments) {
        filter(arguments + " out.png -y --box 5");
        return samples_of("out.png");
    };
    EXPECT_TRUE(filtered("adam7.png") == filtered("rows.png"));
    const std::string mask = "-f lavfi -i testsrc2=s=64x24 -frames:v 1 ";
    ffmpeg(mask + "mask.png " + mask + "-flags +ildct mask7.png");
    EXPECT_TRUE(filtered("rows.png --box 9:mask=mask7.png") == filtered("rows.png --box 9:mask=mask.png"));
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.1 -vf setfield=tff -c:v ffv1 -level 3 in.mkv");
    const Result result = vfilter("in.mkv out.png -y --box 5 --frames 1");
    EXPECT_NE(result.err.find("that the pictures are interlaced is lost"), std::string::npos) << result;
    EXPECT_EQ(scans_of("out.png").find("interlaced_frame=1"), std::string::npos);
}

// GIF is made in two passes, and a single picture of APNG is PNG.
TEST_F(Fields, AreLostInAnimationsWhichIsToldOnce) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.1 -vf setfield=tff -c:v ffv1 -level 3 in.mkv");
    for (const std::string out : {"out.gif", "out.apng"}) {
        const Result result = vfilter("in.mkv --box 3 " + out);
        EXPECT_EQ(result.code, 0) << result;
        const std::string lost = "that the pictures are interlaced is lost";
        const std::size_t first = result.err.find(lost);
        EXPECT_NE(first, std::string::npos) << result;
        EXPECT_EQ(result.err.find(lost, first + 1), std::string::npos) << result;
    }
}

// FFmpeg's encoder of VC-2 makes pictures of fields, which its decoder refuses.
TEST_F(Fields, AreToldByTheContainerWhereNobodyDecodesThem) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.1 -vf setfield=bff,format=yuv422p -c:v ffv1 -level 3 in.mkv");
    filter("in.mkv vc2.mkv -y --box 3 --codec vc2");
    filter("vc2.mkv out.mkv -y --box 3 --codec ffv1");
    EXPECT_NE(scans_of("out.mkv").find("interlaced_frame=1|top_field_first=0"), std::string::npos);
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
