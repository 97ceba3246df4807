// Graphs of libavfilter's that move moments, change what pictures say, or make pictures for ever: what is told of it.

#include <fmt/format.h>

#include <string>
#include <tuple>
#include <vector>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class MovedMoments : public EndToEnd {
protected:
    // What a run says, which has to end with this code.
    std::string said(const std::string& arguments, int code = 0) const {
        const Result result = vfilter("-y --progress none " + arguments);
        EXPECT_EQ(result.code, code) << result;
        return result.err;
    }
};

TEST_F(MovedMoments, AreToldOfWhatKeepsItsTimes) {
    write("words.srt", "1\n00:00:00,200 --> 00:00:00,800\nwords\n");
    write("chapters.txt", ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle=one\n");
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=1 -f lavfi -i sine=d=1 -i words.srt -i chapters.txt -map 0 -map 1 -map 2 "
        "-map_metadata 3 -c:v ffv1 -c:a flac -c:s srt in.mkv");
    const std::string all = "chapters, subtitles, sound of the output keep";
    const std::string but_sound = "chapters, subtitles of the output keep";
    for (const auto& [arguments, words] : {std::tuple("--vf setpts=PTS/2", all),
                                           {"--vf reverse", all},
                                           {"--vf hqdn3d --vf tpad=start=5", all},
                                           {"--vf setpts=PTS-STARTPTS+2/TB", all},
                                           {"--vf setpts=PTS/2 --af atempo=2", but_sound},
                                           {"--af areverse", "chapters, subtitles, pictures of the output keep"}}) {
        const std::string text = said(fmt::format("in.mkv out.mkv --codec ffv1 {}", arguments));
        EXPECT_NE(text.find(words), std::string::npos) << arguments << '\n' << text;
    }
    // MPEG-TS has no chapters.
    EXPECT_NE(said("in.mkv out.ts --vf setpts=PTS/2 --subtitles none").find("input; sound of the output keep"),
              std::string::npos);
    for (const char* const arguments : {"--vf setpts=PTS-STARTPTS", "--vf \"setpts='PTS-STARTPTS'\"",
                                        "--vf setpts=PTS+1.5/TB,hqdn3d,setpts=expr=PTS-1.5/TB", "--vf hqdn3d",
                                        "--vf fps=50", "--af volume=2", "--start 0.2 --vf scale=32:24"}) {
        EXPECT_EQ(said(fmt::format("in.mkv out.mkv --codec ffv1 {}", arguments)).find("keep those"), std::string::npos)
            << arguments;
    }
}

// Also where the input's clock counts nothing but its pictures.
TEST_F(MovedMoments, ComeOfAnyInput) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=1 -c:v mpeg4 in.avi");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=1 -pix_fmt yuv420p in.y4m");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=1 in_%02d.png");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=20:d=1.25 in.gif");
    for (const std::string input : {"in.avi", "in.y4m", "in_%02d.png --framerate 25", "in.gif", "lavfi:testsrc2=d=1"}) {
        const std::string text = said(fmt::format("{} out.mp4 --vf setpts=N/60/TB", input));
        EXPECT_EQ(text.find("do not rise"), std::string::npos) << text;
        EXPECT_EQ(probe("out.mp4").video().facts.value("avg_frame_rate", ""), "60/1") << input;
        EXPECT_EQ(count_pictures("out.mp4"), 25) << input;
    }
    for (const std::string graph : {"setpts=PTS/2", "\"'setpts'=PTS/2\"", "\"setpts='expr'=PTS/2\""}) {
        said("in.avi out.mp4 --vf " + graph);
        EXPECT_EQ(probe("out.mp4").video().facts.value("avg_frame_rate", ""), "50/1") << graph;
    }
    // And a tick is the input's.
    said("in.avi out.mkv --vf setpts=PTS+5");
    EXPECT_NEAR(probe("out.mkv").video().times().front(), 0.2, 0.001);
    const std::string text = said("in.avi out.mp4 --vf setpts=0", 2);
    EXPECT_NE(text.find("its times do not rise: of its first 13 pictures 12"), std::string::npos) << text;
}

TEST_F(MovedMoments, WithoutEndAreRefused) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 1 cover.png");
    const std::string text = said("cover.png out.mkv --codec ffv1 --duration 3 --vf loop=-1:1", 2);
    EXPECT_NE(text.find("makes pictures without end: behind it trim=duration=SECONDS"), std::string::npos) << text;
    EXPECT_FALSE(exists("out.mkv"));
    said("cover.png out.mkv --codec ffv1 --vf loop=-1:1,trim=end_frame=30,setpts=N/25/TB");
    EXPECT_EQ(count_pictures("out.mkv"), 30);
    said("cover.png out.mkv --codec ffv1 --vf loop=4:1");
    EXPECT_EQ(count_pictures("out.mkv"), 5);
    // Whoever reads a pipe ends it.
    EXPECT_EQ(run("$VFILTER cover.png - --format y4m --vf loop=-1:1 -q | head -c 100000 | wc -c").out, "100000\n");
}

TEST_F(MovedMoments, PicturesThatAGraphCannotTakeAreAMistake) {
    make_clip("in.mp4");
    const std::string text = said("in.mp4 out.mkv --codec ffv1 --vf colorspace=bt709", 2);
    EXPECT_NE(text.find("--vf colorspace=bt709: "), std::string::npos) << text;
    EXPECT_TRUE(parts().empty());
    EXPECT_FALSE(exists("out.mkv"));
}

TEST_F(MovedMoments, OfOnePictureOfManyHaveAWayOut) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=50:d=1 -vf tinterlace=interleave_top,setfield=tff -c:v ffv1 in.mkv");
    const std::string text = said("in.mkv one.jpg --start 0.4 --frames 1 --vf bwdif", 4);
    EXPECT_NE(text.find("trim=end_frame=1 at the end of --vf takes the first"), std::string::npos) << text;
    said("in.mkv one.jpg --start 0.4 --frames 1 --vf bwdif,trim=end_frame=1");
    EXPECT_TRUE(exists("one.jpg"));
}

TEST_F(MovedMoments, ScanIsKnownBehindAGraph) {
    const auto scan_of = [&](const std::string& arguments) {
        said(arguments);
        return probe("out.mov").video().facts.value("field_order", "unknown");
    };
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -c:v libx264 in.mp4");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=50:d=0.4 -vf tinterlace=interleave_top,setfield=tff -c:v ffv1 fields.mkv");
    EXPECT_EQ(scan_of("in.mp4 out.mov --codec prores"), "progressive");
    EXPECT_EQ(scan_of("in.mp4 out.mov --codec prores --vf hqdn3d"), "progressive");
    EXPECT_EQ(scan_of("fields.mkv out.mov --codec prores --vf bwdif"), "progressive");
    EXPECT_NE(scan_of("fields.mkv out.mov --codec prores --vf crop=64:32:0:0"), "progressive");
}

TEST_F(MovedMoments, AspectsThatChangeAreTold) {
    for (const auto& [name, aspect] : {std::tuple("a.ts", "4/3"), {"b.ts", "16/9"}}) {
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s=72x48:r=25:d=1 -aspect {} -c:v mpeg2video -g 5 {}", aspect, name));
    }
    ASSERT_EQ(run("cat a.ts b.ts > in.ts").code, 0);
    const std::string text = said("in.ts out.mkv --codec ffv1 --vf hqdn3d");
    EXPECT_NE(text.find("the input has a pixel aspect of 32:27 (first 8:9)"), std::string::npos) << text;
    EXPECT_EQ(said("a.ts out.mkv --codec ffv1 --vf hqdn3d").find("aspect"), std::string::npos);
}

TEST_F(MovedMoments, WhatFiltersNoteIsNoLoss) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 p%02d.png");
    EXPECT_EQ(said("p%02d.png out.mp4 --vf deflicker").find("says of itself"), std::string::npos);
}

TEST_F(MovedMoments, ATimeCodeThatAContainerHoldsIsNotLost) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=720x576:r=25:d=0.4 -c:v mpeg2video -pix_fmt yuv422p -intra_vlc 1 "
        "-timecode 10:00:00:00 in.mxf");
    EXPECT_EQ(said("in.mxf out.mov --codec prores").find("time code"), std::string::npos);
    EXPECT_EQ(probe("out.mov").tag("timecode"), "10:00:00:00");
    // Of the pictures alone.
    ffmpeg("-f lavfi -i testsrc2=s=720x576:r=25:d=0.4 -c:v mpeg2video -timecode 10:00:00:00 in.m2v");
    EXPECT_NE(said("in.m2v out.mov --codec prores").find("the time code of the pictures, 10:00:00:00"),
              std::string::npos);
}

// ffmpeg's -ss, -t and -frames:v behind -i, beside graphs that look at more than one picture: its pictures, or a
// refusal.
class LimitsBehindInput : public EndToEnd {
protected:
    // With the same words. Without `refusable` it has to be accepted.
    void expect_same(const std::string& words, bool refusable) const {
        SCOPED_TRACE(words);
        ffmpeg(fmt::format("-y -i in.mkv {} -an -sn -fps_mode passthrough -c:v ffv1 wanted.mkv", words));
        const Result result = vfilter(fmt::format("-y -i in.mkv {} -an -sn -c:v ffv1 seen.mkv", words));
        if (refusable && result.code == 2) {
            return;
        }
        ASSERT_EQ(result.code, 0) << result;
        EXPECT_EQ(picture_hashes("seen.mkv"), picture_hashes("wanted.mkv"));
    }
};

const std::vector<std::string> limited_graphs{"tmedian=radius=2",
                                              "minterpolate=fps=50:mi_mode=blend",
                                              "nlmeans,tmedian=radius=2",
                                              "thumbnail=10",
                                              "fps=2,tile=3x3",
                                              "fps=10",
                                              "yadif=1",
                                              "bwdif=1",
                                              "framerate=50",
                                              "atadenoise",
                                              "deflicker",
                                              "tmix",
                                              "lagfun",
                                              "hqdn3d",
                                              "tblend",
                                              "deshake",
                                              "hflip,crop=32:32",
                                              "framestep=3"};

TEST_F(LimitsBehindInput, OfTheEndGiveThePicturesOfFfmpeg) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=2.4 -vf noise=alls=30:allf=t -c:v ffv1 in.mkv");
    for (const std::string& graph : limited_graphs) {
        expect_same(fmt::format("-vf {} -t 1", graph), false);
        expect_same(fmt::format("-vf {} -frames:v 3", graph), false);
    }
    for (const std::string graph : {"fps=10", "yadif=1", "tmix"}) {
        expect_same(fmt::format("-vf {} -t 0.52", graph), false);
    }
    // Its pictures are beside the ticks of its rate, to which ffmpeg rounds them before it looks at -t.
    expect_same("-vf decimate -frames:v 3", false);
    expect_same("-ss 0.4 -vf \"split[a][b];[a]palettegen[p];[b][p]paletteuse\" -t 1", true);
}

TEST_F(LimitsBehindInput, OfTheBeginningAreRefusedWherePicturesWouldBeOthers) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=2.4 -vf noise=alls=30:allf=t -c:v ffv1 in.mkv");
    for (const std::string& graph : limited_graphs) {
        expect_same(fmt::format("-ss 0.56 -vf {}", graph), true);
    }
    expect_same("-ss 0.56 -vf decimate", true);
    expect_same("-ss 1 -vf tmix -t 0.6", true);
    expect_same("-ss 1 -vf fps=10", false);
    expect_same("-ss 1 -vf fps=10,hflip -t 0.6", false);
    expect_same("-ss 0.56 -vf scale=32:24,negate", false);
}

// The palette is that of all pictures.
TEST_F(LimitsBehindInput, LeaveAPaletteThatOfTheWhole) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=2.4 -vf hue=h=150*t -c:v ffv1 in.mkv");
    const std::string words = "-vf \"split[a][b];[a]palettegen[p];[b][p]paletteuse\" -t 0.4";
    ffmpeg(fmt::format("-i in.mkv {} wanted.gif", words));
    const Result result = vfilter(fmt::format("-i in.mkv {} seen.gif", words));
    ASSERT_EQ(result.code, 0) << result;
    EXPECT_EQ(picture_hashes("seen.gif"), picture_hashes("wanted.gif"));
}

}  // namespace

}  // namespace vfilter::test
