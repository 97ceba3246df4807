// Steps of libavfilter in the chain (--vf), with the ffmpeg program as the witness of what they make.

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

struct Graph {
    std::string name;
    std::string text;
    std::string clip = "-pix_fmt yuv420p";  // how the input is encoded
    std::string sources = "testsrc2=s=160x120:r=25:d=1";
};

std::ostream& operator<<(std::ostream& stream, const Graph& graph) {
    return stream << graph.name;
}

class ForeignSteps : public EndToEnd {
protected:
    // A run that may make more pictures, or fewer, than it was given; gives the report.
    nlohmann::json step(const std::string& arguments, int code = 0) const;
    // Pictures, times, size, format and shape of two files.
    void expect_same_video(const std::string& wanted, const std::string& seen) const;
};

nlohmann::json ForeignSteps::step(const std::string& arguments, int code) const {
    const Result result = vfilter("-y --progress none --report report.json " + arguments);
    EXPECT_EQ(result.code, code) << result;
    nlohmann::json report = json_of("report.json");
    report["stderr"] = result.err;
    return report;
}

void ForeignSteps::expect_same_video(const std::string& wanted, const std::string& seen) const {
    const Media a = probe(wanted);
    const Media b = probe(seen);
    ASSERT_FALSE(a.pictures.empty());
    EXPECT_TRUE(same_seconds(a.pictures, b.pictures, 0.0011));
    for (const char* const key : {"width", "height", "pix_fmt", "sample_aspect_ratio"}) {
        EXPECT_EQ(a.video().facts.value(key, nlohmann::json()), b.video().facts.value(key, nlohmann::json())) << key;
    }
    // Since FFmpeg 7 ffmpeg names the range of YUV that its input leaves open; what we are not told we do not tell.
    const auto range_of = [](const Media& media) { return media.video().facts.value("color_range", "tv"); };
    EXPECT_EQ(range_of(a), range_of(b));
    EXPECT_EQ(picture_hashes(wanted), picture_hashes(seen));
}

class SameAsFfmpeg : public ForeignSteps, public testing::WithParamInterface<Graph> {};

TEST_P(SameAsFfmpeg, PicturesAndTimes) {
    const Graph& graph = GetParam();
    ffmpeg(fmt::format("-f lavfi -i {} -c:v libx264 -preset ultrafast -bf 2 {} in.mp4", graph.sources, graph.clip));
    // Some graphs leave no time base of the input's, without which FFmpeg 7.1 refuses that option.
    const std::string made = fmt::format("-i in.mp4 -vf \"{}\" -fps_mode passthrough", graph.text);
    if (run("ffmpeg -nostdin -v quiet -y " + made + " -enc_time_base -1 -c:v ffv1 wanted.mkv").code != 0) {
        ffmpeg(made + " -c:v ffv1 wanted.mkv");
    }
    const nlohmann::json report = step(fmt::format("in.mp4 seen.mkv --codec ffv1 --vf \"{}\"", graph.text));
    expect_same_video("wanted.mkv", "seen.mkv");
    const nlohmann::json& counts = report.at("steps").at(0);
    EXPECT_EQ(counts.at("in"), report.at("frames").at("in"));
    EXPECT_EQ(counts.at("out"), report.at("frames").at("out"));
    EXPECT_EQ(report.at("frames").at("dropped"), 0);
}

const std::string interlaced = "-pix_fmt yuv420p -flags +ilme+ildct";
const std::string fields = "testsrc2=s=160x120:r=50:d=1,interlace";

const Graph graphs[] = {
    {"Null", "null"},
    {"Scale", "scale=100:-2"},
    {"ScaleInTwoSteps", "scale=320:240,scale=64:48:flags=lanczos"},
    {"Fps", "fps=30"},
    {"FpsDown", "fps=10"},
    {"NtscRate", "fps=30000/1001"},
    {"Hqdn3d", "hqdn3d"},
    {"Crop", "crop=100:80:7:3"},
    {"Pad", "pad=200:160:20:20:red"},
    {"Transpose", "transpose=clock"},
    {"UpsideDown", "vflip"},
    {"Slower", "setpts=2*PTS"},
    {"Faster", "setpts=0.5*PTS"},
    {"Later", "setpts=PTS+1/TB"},
    {"Select", "select='not(mod(n,3))'"},
    {"TrimFrames", "trim=start_frame=5:end_frame=15"},
    {"TrimToZero", "trim=start=0.4,setpts=PTS-STARTPTS"},
    {"Framestep", "framestep=4"},
    {"Tmix", "tmix=frames=5"},
    {"Reverse", "reverse"},
    {"Loop", "loop=2:5:3"},
    {"Minterpolate", "minterpolate=fps=50:mi_mode=blend"},
    {"Bwdif", "bwdif=0", interlaced, fields},
    {"BwdifFields", "bwdif=1", interlaced, fields},
    {"Yadif", "yadif", interlaced, fields},
    {"SampleAspect", "setsar=4/3"},
    {"Colours", "eq=contrast=1.2:saturation=0.5,hue=h=30"},
    {"Format", "format=yuv444p"},
    {"FormatOfRgb", "format=gbrp"},
    {"TenBits", "scale=80:60", "-pix_fmt yuv420p10le"},
    {"Branches", "split[a][b];[b]boxblur[c];[a][c]blend=all_mode=average"},
    {"Labels", "[in]hflip[x];[x]vflip[out]"},
    {"Timeline", "negate=enable='between(t,0.2,0.5)'"},
};

INSTANTIATE_TEST_SUITE_P(Graphs, SameAsFfmpeg, testing::ValuesIn(graphs),
                         [](const testing::TestParamInfo<Graph>& row) { return row.param.name; });

// Nothing is read for nothing; a live input would never end by itself.
TEST_F(ForeignSteps, AGraphThatEndsEarlyEndsTheReading) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=20 -f lavfi -i sine=d=20 -c:v mpeg4 -c:a pcm_s16le in.mkv");
    nlohmann::json report = step("in.mkv silent.mkv --codec ffv1 --audio none --vf trim=end_frame=5");
    EXPECT_EQ(count_pictures("silent.mkv"), 5);
    EXPECT_LT(report.at("stages").at("read").at("items"), 250);
    // As with ffmpeg the sound stays whole; pictures that nobody wants are not decoded.
    report = step("in.mkv whole.mkv --codec ffv1 --box 3 --vf trim=end_frame=5 --box 3");
    EXPECT_EQ(count_pictures("whole.mkv"), 5);
    EXPECT_LT(report.at("frames").at("in"), 250);
    EXPECT_NEAR(probe("whole.mkv").of("audio").at(0).times().back(), 20, 0.2);
    const Result live = vfilter("lavfi:testsrc2=s=64x48:r=25 live.mkv --live --codec ffv1 --vf trim=duration=0.4");
    EXPECT_EQ(live.code, 0) << live;
    EXPECT_EQ(count_pictures("live.mkv"), 10);
}

// A chain is its steps run one by one.
TEST_F(ForeignSteps, MixWithOurFiltersInTheOrderWritten) {
    make_clip("in.mp4", 25);
    step("in.mp4 a.mkv --codec ffv1 --gaussian 5");
    step("a.mkv b.mkv --codec ffv1 --vf scale=100:-2");
    step("b.mkv c.mkv --codec ffv1 --box 3");
    step("c.mkv one_by_one.mkv --codec ffv1 --vf vflip,fps=50");
    const nlohmann::json report =
        step("in.mp4 chain.mkv --codec ffv1 --verify --gaussian 5 --vf scale=100:-2 --box 3 --vf vflip,fps=50");
    EXPECT_EQ(picture_hashes("one_by_one.mkv"), picture_hashes("chain.mkv"));
    EXPECT_EQ(report.at("verify").at("frames"), 2) << "of each segment";
    EXPECT_EQ(report.at("filters").size(), 4U);
    EXPECT_EQ(report.at("filters").at(1).at("name"), "vf");
    EXPECT_EQ(report.at("filters").at(1).at("arguments"), "scale=100:-2");
    EXPECT_EQ(report.at("frames").at("in"), 25);
    EXPECT_EQ(report.at("frames").at("out"), 50);
    // Read back, the same run.
    ASSERT_EQ(run("$VFILTER in.mp4 again.mkv --codec ffv1 --gaussian 5 --vf scale=100:-2 --box 3 --vf vflip,fps=50 "
                  "--print-config > chain.toml")
                  .code,
              0);
    step("--config chain.toml");
    EXPECT_EQ(picture_hashes("chain.mkv"), picture_hashes("again.mkv"));
}

TEST_F(ForeignSteps, UpsideDownPicturesAreFilteredRight) {
    make_clip("in.mp4", 10);
    step("in.mp4 a.mkv --codec ffv1 --vf vflip");
    step("a.mkv wanted.mkv --codec ffv1 --gaussian 7");
    step("in.mp4 seen.mkv --codec ffv1 --vf vflip --gaussian 7 --verify");
    EXPECT_EQ(picture_hashes("wanted.mkv"), picture_hashes("seen.mkv"));
}

// As ffmpeg does, a graph is given pictures as they are shown; the tag that asks for the turn goes.
TEST_F(ForeignSteps, SeePicturesAsTheyAreShown) {
    ffmpeg("-f lavfi -i testsrc2=s=160x120:r=25:d=0.4 -c:v libx264 -preset ultrafast -pix_fmt yuv420p plain.mp4");
    for (const char* const turn : {"90", "180", "270"}) {
        SCOPED_TRACE(turn);
        // The option came with FFmpeg 6; before, the tag did the same.
        ASSERT_EQ(run(fmt::format("ffmpeg -v quiet -y -display_rotation {0} -i plain.mp4 -c copy in.mp4 || "
                                  "ffmpeg -v error -y -i plain.mp4 -c copy -metadata:s:v rotate={0} in.mp4",
                                  turn))
                      .code,
                  0);
        ASSERT_FALSE(probe("in.mp4").video().side_data("Display Matrix").is_null());
        ffmpeg("-i in.mp4 -vf crop=60:40:10:5 -c:v ffv1 wanted.mkv");
        step("in.mp4 seen.mkv --codec ffv1 --vf crop=60:40:10:5");
        expect_same_video("wanted.mkv", "seen.mkv");
        step("in.mp4 seen.mov --vf crop=60:40:10:5");
        EXPECT_TRUE(probe("seen.mov").video().side_data("Display Matrix").is_null());
    }
}

// Time begins for a graph where the wanted part does.
TEST_F(ForeignSteps, CountTimeFromTheStartOfThePart) {
    make_clip("in.mp4", 50);
    ffmpeg("-ss 1 -i in.mp4 -t 0.6 -an -vf \"negate=enable='lt(t,0.3)'\" -c:v ffv1 wanted.mkv");
    step("in.mp4 seen.mkv --codec ffv1 --start 1 --duration 0.6 --vf \"negate=enable='lt(t,0.3)'\"");
    EXPECT_EQ(picture_hashes("wanted.mkv"), picture_hashes("seen.mkv"));
    EXPECT_EQ(count_pictures("seen.mkv"), 15);
    // Limits are about the input.
    EXPECT_EQ(step("in.mp4 seen.mkv --codec ffv1 --frames 10 --vf tmix=frames=5,fps=50").at("frames").at("out"), 20);
}

// Sound stays where it is, and the pictures with it, also where the input's clock begins late.
TEST_F(ForeignSteps, KeepTheMomentOfEachPicture) {
    make_clip("in.ts", 25, "-muxdelay 0 -output_ts_offset 7.77");
    step("in.ts out.mkv --vf fps=50,scale=80:60");
    const Media in = probe("in.ts");
    const Media out = probe("out.mkv");
    EXPECT_NEAR(in.pictures.front(), out.pictures.front(), 0.0011);
    EXPECT_NEAR(in.of("audio").at(0).times().front(), out.of("audio").at(0).times().front(), 0.0011);
}

TEST_F(ForeignSteps, AreToldInStatisticsAndTrace) {
    make_clip("in.mp4", 25);
    const Result result = vfilter("in.mp4 out.mkv --vf fps=50 --gaussian 3 --vf null --stats --trace trace.json");
    ASSERT_EQ(result.code, 0) << result;
    EXPECT_NE(result.err.find("vf 1"), std::string::npos) << result;
    EXPECT_NE(result.err.find("25 pictures in: fps=50"), std::string::npos) << result;
    EXPECT_NE(result.err.find("filter 2"), std::string::npos) << result;
    EXPECT_NE(content("trace.json").find("\"vf 2\""), std::string::npos);
    EXPECT_NE(result.err.find("25 frames in, 50 out"), std::string::npos) << result;
}

// HDR10 data, colour tags and the depth pass a scaler; tone mapping makes them untrue.
TEST_F(ForeignSteps, KeepColoursAndHdr) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x120:r=25:d=0.4 -pix_fmt yuv420p10le -c:v libx265 -x265-params "
        "log-level=none:hdr10=1:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:"
        "master-display='G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)':max-cll=1000,400 "
        "in.mkv");
    step("in.mkv out.mkv --codec libx265 --vf scale=80:-2");
    const Stream out = probe("out.mkv").video();
    EXPECT_EQ(out.facts.at("color_transfer"), "smpte2084");
    EXPECT_EQ(out.facts.at("color_primaries"), "bt2020");
    EXPECT_EQ(out.facts.at("pix_fmt"), "yuv420p10le");
    EXPECT_FALSE(out.side_data("Mastering display metadata").is_null());
    step(
        "in.mkv sdr.mkv --vf zscale=t=linear:npl=100,format=gbrpf32le,zscale=p=bt709,tonemap=hable,"
        "zscale=t=bt709:m=bt709:r=tv,format=yuv420p");
    const Stream sdr = probe("sdr.mkv").video();
    EXPECT_EQ(sdr.facts.at("color_transfer"), "bt709");
    EXPECT_TRUE(sdr.side_data("Mastering display metadata").is_null());
}

// After a deinterlacer nothing says interlaced any more.
TEST_F(ForeignSteps, MakeProgressivePicturesOfFields) {
    ffmpeg("-f lavfi -i testsrc2=s=160x120:r=50:d=1,interlace -c:v libx264 -flags +ilme+ildct -pix_fmt yuv420p in.mkv");
    step("in.mkv fields.mkv --vf null");
    step("in.mkv frames.mkv --vf bwdif");
    const auto says_fields = [&](const char* file) {
        const std::string order = probe(file).video().facts.value("field_order", "");
        return order.size() == 2 && order.find_first_not_of("tb") == std::string::npos;  // "tt", "bb", "tb" or "bt"
    };
    EXPECT_TRUE(says_fields("fields.mkv"));
    EXPECT_FALSE(says_fields("frames.mkv"));
    EXPECT_EQ(probe("frames.mkv").video().facts.at("r_frame_rate"), "50/1");
}

TEST_F(ForeignSteps, ThatLeaveNothingAreAnError) {
    make_clip("in.mp4", 10);
    const nlohmann::json report = step("in.mp4 out.mkv --vf select=0", 3);
    EXPECT_NE(report.at("error").get<std::string>().find("no picture is left"), std::string::npos);
    EXPECT_FALSE(exists("out.mkv"));
}

// How many come out nobody knows before.
TEST_F(ForeignSteps, OnePictureOfManyGoesIntoOneFile) {
    make_clip("in.mp4", 20);
    for (const std::string more : {"", ",setpts=N/TB/25"}) {
        step("in.mp4 one.png --vf 'select=eq(n\\,3)" + more + "'");
        EXPECT_EQ(count_pictures("one.png"), 1);
    }
    step("in.mp4 one.png --vf scale=32:-2", 2);
}

// mp4 would hide them; other containers move all that there is.
TEST_F(ForeignSteps, PicturesBeforeTheBeginningOfMp4AreAnError) {
    make_clip("in.mp4", 50);
    for (const std::string start : {"", " --start 0.5"}) {
        const nlohmann::json report = step("in.mp4 out.mp4 --vf setpts=PTS-0.5/TB" + start, 4);
        EXPECT_NE(report.at("error").get<std::string>().find("setpts=PTS-STARTPTS"), std::string::npos) << report;
    }
    step("in.mp4 out.mp4 --vf setpts=PTS-0.5/TB,setpts=PTS-STARTPTS");
    EXPECT_EQ(count_pictures("out.mp4"), 50);
    step("in.mp4 out.mkv --vf setpts=PTS-0.5/TB");
    EXPECT_EQ(count_pictures("out.mkv"), 50);
}

// What a palette needs of all pictures is a graph of branches.
TEST_F(ForeignSteps, MakeAPalette) {
    make_clip("in.mp4", 10);
    step("in.mp4 out.gif --vf \"fps=5,scale=80:-2,split[a][b];[a]palettegen[p];[b][p]paletteuse\"");
    EXPECT_EQ(count_pictures("out.gif"), 2);
}

TEST_F(ForeignSteps, DamageIsToldThroughThem) {
    make_clip("in.ts", 50, "-bf 0");
    ASSERT_EQ(run("head -c 60000 in.ts > bad.ts && head -c 20000 /dev/urandom >> bad.ts && tail -c +80001 in.ts >> "
                  "bad.ts")
                  .code,
              0);
    EXPECT_GT(step("bad.ts out.mkv --vf fps=50 --gaussian 3", 5).at("damage").at("notes").size(), 0U);
}

// After two seconds the run would end without its report: one of three runs has it, also where the machine stands
// still.
TEST_F(ForeignSteps, EndWithinTwoSecondsOfASignal) {
    constexpr std::uintmax_t some_pictures = 100'000;
    for (int i = 0; i < 3 && !exists("r.json"); ++i) {
        Command command(
            "exec $VFILTER lavfi:testsrc2=s=320x240 out.mkv -y --codec ffv1 --vf tmix=frames=9,fps=50 --gaussian 3 "
            "--report r.json",
            folder());
        wait_for_part(command, some_pictures);
        ASSERT_TRUE(command.signal(SIGINT));
        const Result result = command.wait(std::chrono::seconds(20));
        EXPECT_EQ(result.code, 130) << result;
    }
    ASSERT_TRUE(exists("r.json")) << "it needed longer";
    EXPECT_EQ(json_of("r.json").at("exit_code"), 130);
    EXPECT_GT(count_pictures("out.mkv"), 10);
}

// Not of the trials before the run, which see black pictures.
TEST_F(ForeignSteps, WhatIsMeasuredIsTold) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=5:d=1 -f lavfi -i sine=d=1 -c:v ffv1 -c:a flac in.mkv");
    const auto lines = [&](const std::string& arguments, const std::string& start) {
        const Result result = vfilter("in.mkv --format null " + arguments);
        EXPECT_EQ(result.code, 0) << result;
        return std::ranges::count_if(lines_of(result.err),
                                     [&](const std::string& line) { return line.starts_with("vfilter: " + start); });
    };
    EXPECT_EQ(lines("--vf showinfo", "showinfo: n:"), 5);
    EXPECT_EQ(lines("--vf showinfo --vf hflip --box 3", "showinfo: n:"), 5);
    EXPECT_EQ(lines("--vf idet", "idet: Multi frame detection"), 1);
    EXPECT_EQ(lines("--af volumedetect", "volumedetect: mean_volume"), 1);
    EXPECT_EQ(lines("--af ebur128", "ebur128: Summary"), 1);
    EXPECT_EQ(lines("--af loudnorm=print_format=json", "loudnorm:  \"input_i\" : \"-"), 1);
    EXPECT_EQ(lines("--af volumedetect --log-level warning", "volumedetect"), 0);
}

}  // namespace

}  // namespace vfilter::test
