// Where ffmpeg's -ss, -t, -to and -frames:v begin and end what, beside graphs.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "config/ffmpeg_graph.h"
#include "tests/config/ffmpeg_line.h"

namespace vfilter {
namespace {

// Of two the shorter, and of -t and -to -t, as ffmpeg has it.
TEST(FfmpegLimits, LimitsOfInputAndOutputMeet) {
    EXPECT_EQ(translated("-t 1 -i a -t 3 b"), "--input=a b --duration=1");
    EXPECT_EQ(translated("-t 0:01 -i a -t 0.5 b"), "--input=a b --duration=0.5");
    EXPECT_EQ(translated("-i a -t 3 -t 2 -to 1 b"), "--input=a b --duration=2");
    EXPECT_EQ(translated("-t 5 -i a -ss 2 b"), "--input=a --start=2 b --end=5");
    EXPECT_EQ(translated("-ss 2 -to 7 -i a -t 10 b"), "--start=2 --input=a b --end=7");
    EXPECT_EQ(translated("-ss 2 -to 7 -i a -t 3 b"), "--start=2 --input=a b --duration=3");
    EXPECT_NE(refused("-t 1 -i a -t 30f b").find("each has to be a time"), std::string::npos);
    EXPECT_NE(refused("-t x -i a -t 3 b").find("'x'"), std::string::npos);
}

// Behind -i they are of the output.
TEST(FfmpegLimits, LimitsComeBehindWhatMakesOtherPictures) {
    const std::vector<std::pair<std::string, std::string>> rows{
        {"-i a.mp4 -vf thumbnail=50 -frames:v 1 t.png", "--input=a.mp4 --vf=thumbnail=50,trim=end_frame=1 t.png"},
        {"a.mp4 -vf select='eq(n\\,30)' -frames:v 1 t.png", "a.mp4 --vf=select='eq(n\\,30)',trim=end_frame=1 t.png"},
        {"-i a -vf drawtext=text='[a]' -r 5 b", "--input=a --vf=drawtext=text='[a]',fps=5 b"},
        {"-i a -r 5 -frames:v 10 b.mkv", "--input=a b.mkv --duration=2 --vf=fps=5,trim=end_frame=10"},
        {"-i a -r 5 -frames:v 10 b.gif", "--input=a b.gif --vf=fps=5,trim=end_frame=10"},
        {"-i a -r 30000/1001 -frames:v 30 -t 1 b", "--input=a b --duration=1 --vf=fps=30000/1001,trim=end_frame=30"},
        {"-i a -vf setpts=2*PTS -t 1:02 -an -sn b",
         "--input=a --vf=setpts=2*PTS,trim=end=62 b --audio=none --subtitles=none"},
        {"-i a -map 0:v -vf setpts=2*PTS -r 5 -to 2 b",
         "--streams=video --input=a --vf=setpts=2*PTS,trim=end=2,fps=5 b"},
        {"-i a -vf scale=80:-2,setpts=PTS-STARTPTS -t 2 b",
         "--input=a --vf=scale=80:-2,setpts=PTS-STARTPTS b --duration=2"},
        {"-i a -vf fps=5 -t 2 b", "--input=a --vf=fps=5 b --duration=2"},
        {"-i a -vf eq=contrast=1.1 -frames:v 3 b", "--input=a --vf=eq=contrast=1.1 b --frames=3"},
        {"-f lavfi -i testsrc2 -vf setpts=2*PTS -t 2 b", "--input=lavfi:testsrc2 --vf=setpts=2*PTS,trim=end=2 b"},
        {"-t 2 -i a -vf setpts=2*PTS b", "--input=a --vf=setpts=2*PTS b --duration=2"},
        {"-t 2 -i a.y4m -vf setpts=2*PTS -t 3 b", "--input=a.y4m --vf=setpts=2*PTS,trim=end=3 b --duration=2"},
    };
    for (const auto& [given, wanted] : rows) {
        EXPECT_EQ(translated(given), wanted);
    }
    for (const auto& [given, wanted] : std::vector<std::pair<std::string, std::string>>{
             {"-i a -vf tmedian=radius=2 -t 1 b.gif", "--input=a --vf=tmedian=radius=2,trim=end=1 b.gif"},
             {"-i a -an -sn -vf yadif=1 -to 2 -r 5 b",
              "--input=a --vf=yadif=1,trim=end=2,fps=5 b --audio=none --subtitles=none"},
             {"-i a -vf fps=10 -t 0.52 b.gif", "--input=a --vf=fps=10,trim=end=0.52 b.gif"},
             {"-i a -vf fps=10 -t 0.55 b", "--input=a --vf=fps=10 b --duration=0.55"},
             {"-i a -vf tmedian -frames:v 9 b.gif", "--input=a --vf=tmedian,trim=end_frame=9 b.gif"},
             {"-i a -vf nosuchfilter -t 1 b.gif", "--input=a --vf=nosuchfilter,trim=end=1 b.gif"},
             {"-i a -vf [in]split[a][b];[a]palettegen[p];[b][p]paletteuse -t 1 b.gif",
              "--input=a --vf=[in]split[a][b];[a]palettegen[p];[b][p]paletteuse b.gif --vf=trim=end=1"},
             {"-i a -vf hqdn3d,tmix=3 -t 1 b", "--input=a --vf=hqdn3d,tmix=3 b --duration=1"},
             {"-ss 3 -i a -vf yadif b", "--start=3 --input=a --vf=yadif b"},
             {"-t 1 -i a -vf yadif b", "--input=a --vf=yadif b --duration=1"},
             {"-i a -vf hqdn3d,bwdif=1 -t 1 b", "--input=a --vf=hqdn3d,bwdif=1 b --duration=1"}}) {
        EXPECT_EQ(translated(given), wanted);
    }
    for (const std::string graph : {"yadif,tmedian", "tmedian", "minterpolate", "fps=10,tile=2x2", "nlmeans,atadenoise",
                                    "noise=alls=9:allf=a", "pp=hb/tn", "nosuchfilter"}) {
        EXPECT_NE(
            refused("-i a -vf " + graph + " -t 1.2 b.mkv").find("-t: after -i ffmpeg cuts the result of this -vf"),
            std::string::npos)
            << graph;
        EXPECT_NE(refused("-i a -vf " + graph + " -ss 1.25 b.gif").find("-ss: after -i"), std::string::npos) << graph;
    }
    EXPECT_NE(refused("-i a -vf tmedian -frames:v 2 b.mkv").find("-frames:v: after -i"), std::string::npos);
    for (const std::string graph :
         {"tmix", "lagfun", "deshake", "hqdn3d", "tblend", "deflicker", "decimate", "select=gt(scene\\,0.3)", "fps=10",
          "split[a][b];[a]palettegen[p];[b][p]paletteuse"}) {
        EXPECT_NE(refused("-i a -vf " + graph + " -ss 0.55 b.gif").find("-ss: after -i"), std::string::npos) << graph;
    }
    EXPECT_NE(refused("-i a -vf setpts=2*PTS -t 2 b.mkv").find("-t: after -i it limits the output"), std::string::npos);
    EXPECT_NE(refused("-i a -vf setpts=2*PTS -to 2 -an b.mkv").find("-an -sn"), std::string::npos) << "subtitles";
    EXPECT_NE(refused("-f lavfi -i testsrc[out0];sine[out1] -vf setpts=2*PTS -t 2 b.mkv").find("-an -sn"),
              std::string::npos);
    EXPECT_NE(refused("-i a -vf setpts=2*PTS -ss 1 -t 2 -an -sn b").find("before -i"), std::string::npos);
    EXPECT_NE(refused("-i a -ss 1 -vf setpts=PTS/2 b").find("-ss: after -i"), std::string::npos) << "without an end";
    EXPECT_NE(refused("-i a -ss 5 -vf fade=in:0:25 b").find("-ss: after -i"), std::string::npos);
    EXPECT_NE(refused("-i a -vf hflip=enable='gt(t,3)' -ss 5 b").find("-ss: after -i"), std::string::npos);
    for (const std::string graph : {"hue=h=t*90", "rotate=PI*t/6", "crop=64:64:n:0", "noise=alls=9:allf=t", "thumbnail",
                                    "geq=lum=N*2", "drawbox=x=t", "drawbox=x=.5*t", "drawtext=text=%{n}",
                                    "drawtext=textfile=n:x=t/6", "drawtext@t=textfile=a:x='10*t'", "subtitles=w.srt",
                                    "hflip,ass=w.ass", "movie=b.mp4[l];[in][l]overlay", "sendcmd=f=c.txt,eq"}) {
        EXPECT_NE(refused("-i a -ss 1 -vf " + graph + " b").find("-ss: after -i"), std::string::npos) << graph;
    }
    for (const std::string graph : {"hue=s=0", "zscale=t=bt709", "select=eq(pict_type\\,I)", "eq=contrast=1.2", "hflip",
                                    "lut3d=t.cube", "lut3d=looks/n.cube", "lut3d=t/a.cube", "lut3d@t=file=t/n",
                                    "drawtext=textfile=n", "drawtext=text=t", "curves=psfile=t/curves.acv"}) {
        EXPECT_EQ(refused("-i a -ss 1 -vf " + graph + " b").find("accepted"), 0U) << graph;
    }
    EXPECT_EQ(translated("-ss 5 -i a -vf fade=in:0:25 b"), "--start=5 --input=a --vf=fade=in:0:25 b");
    EXPECT_EQ(translated("-i a -ss 5 -vf setpts=PTS-STARTPTS,fps=10 b"),
              "--input=a --start=5 --vf=setpts=PTS-STARTPTS,fps=10 b");
    EXPECT_NE(refused("-i a -vf select=1 -frames:v 2 b.mkv").find("--frames N"), std::string::npos);
    EXPECT_NE(refused("-i a -vf setpts=2*PTS -r 5 -frames:v 2 b.mkv").find("--frames N"), std::string::npos);
    EXPECT_NE(refused("-i a -r 5 -frames:v many b.gif").find("'many'"), std::string::npos);
}

TEST(FfmpegLimits, GraphsAreKnownByWhatTheirFiltersDo) {
    EXPECT_EQ(effect_of_graph("scale=1280:-2,eq=contrast=1.1"), GraphEffect::none);
    EXPECT_EQ(effect_of_graph("drawtext=text='a,setpts=b;select',hflip"), GraphEffect::none) << "quoted";
    EXPECT_EQ(effect_of_graph("drawtext=text=a\\,setpts"), GraphEffect::none) << "escaped";
    EXPECT_EQ(effect_of_graph("split[a][b];[a]hflip[c];[b][c]hstack"), GraphEffect::none);
    EXPECT_EQ(effect_of_graph("setpts=PTS-STARTPTS"), GraphEffect::none);
    EXPECT_EQ(effect_of_graph(" hflip , [a] yadif@x=1"), GraphEffect::numbers);
    EXPECT_EQ(effect_of_graph("thumbnail"), GraphEffect::numbers);
    EXPECT_EQ(effect_of_graph("trim=start=1,setpts=PTS-STARTPTS"), GraphEffect::times);
    EXPECT_EQ(effect_of_graph("split[a][b];[a]setpts=2*PTS[c];[b][c]hstack"), GraphEffect::times);
    EXPECT_EQ(effect_of_graph(""), GraphEffect::none);
    EXPECT_EQ(effect_of_graph("'setpts'=2*PTS"), GraphEffect::times) << "a quoted name";
    EXPECT_EQ(effect_of_graph("set\\pts=2*PTS"), GraphEffect::times);
    EXPECT_EQ(effect_of_graph("hflip[a,setpts b];[a,setpts b]vflip"), GraphEffect::none) << "labels";
    EXPECT_EQ(effect_of_graph("sws_flags=bilinear;setpts=2*PTS"), GraphEffect::times);
    EXPECT_EQ(effect_of_graph("setpts='PTS-STARTPTS'"), GraphEffect::none);
    EXPECT_EQ(effect_of_graph("setpts=expr=PTS-STARTPTS"), GraphEffect::none);
    EXPECT_EQ(effect_of_graph("setpts=PTS-STARTPTS+5/TB"), GraphEffect::times) << "5 s later";
}

// The graph's quotes and escapes go before arguments are told apart.
TEST(FfmpegLimits, OptionsAreThoseOfLibavfilter) {
    for (const std::string graph : {"drawtext=text=a\\:x=t", "drawtext=text='a:x=t'", "drawtext=text=a:'x'=t",
                                    "select=t>=5", "hflip=enable = 1"}) {
        EXPECT_TRUE(looks_at_time(graph)) << graph;
    }
    for (const std::string graph :
         {"drawtext=text='a\\:x=t'", "drawtext=text=a\\\\:x=t", "drawtext='fontfile=a:text=t'",
          "drawtext=text=enable=1", "drawtext=fontfile = t"}) {
        EXPECT_FALSE(looks_at_time(graph)) << graph;
    }
    EXPECT_TRUE(begins_alike("noise@a=alls=9", 1));
    EXPECT_FALSE(begins_alike("noise@x='allf=a'", 1));
    EXPECT_TRUE(begins_alike("sws_flags=bilinear;scale=2", 1));
    EXPECT_TRUE(begins_alike("fps='10'", 1));
    EXPECT_TRUE(begins_alike("fps@x=fps=10", 1));
    EXPECT_FALSE(begins_alike("fps=10:round=up", 1));
}

TEST(FfmpegLimits, TimesAreThoseOfFfmpeg) {
    EXPECT_EQ(translated("-ss 1500ms -i a -t 250000us -to 9s b"), "--start=1.5 --input=a b --duration=0.25");
    EXPECT_EQ(translated("-ss 2s -i a b"), "--start=2 --input=a b");
    EXPECT_NE(refused("-ss -1 -i a b").find("-ss: '-1': times count from the beginning"), std::string::npos);
    EXPECT_NE(refused("-i a -to 1:2:3:4 b").find("-to: '1:2:3:4' is neither seconds"), std::string::npos);
    EXPECT_NE(refused("-i a -t xms b").find("-t: 'xms' is neither seconds"), std::string::npos);
}

}  // namespace
}  // namespace vfilter
