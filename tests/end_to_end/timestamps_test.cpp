// Nothing of time is lost: as many pictures out as in, each at its moment, and copied streams with them, to the tick.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

// What rounding to the output's clock may change: nothing if that clock has every moment of the input's.
double rounding(const Stream& in, const Stream& out) {
    const double ratio = in.tick / out.tick;
    return std::abs(ratio - std::round(ratio)) < exactly ? exactly : out.tick / 2 + exactly;
}

std::vector<double> shifted(std::vector<double> times, double by) {
    std::ranges::for_each(times, [&](double& time) { time += by; });
    return times;
}

std::string extension(const std::string& name) {
    return name.substr(name.rfind('.'));
}

// How a file is made and where it goes.
struct Route {
    std::string name;
    std::string make;  // ffmpeg's arguments but for the input's name
    std::string input;
    std::string output;
    std::string options = {};
    bool durations = true;  // of pictures are told by both containers
    bool shifted = false;   // the output cannot hold the beginning: all streams by the same time
};

std::ostream& operator<<(std::ostream& stream, const Route& route) {
    return stream << route.name;
}

const std::string sources = "-f lavfi -i testsrc2=s=160x120:r=25:d=2 -f lavfi -i sine=r=48000:d=2 ";
const std::string h264 = "-c:v libx264 -preset veryfast -bf 3 -g 12 -pix_fmt yuv420p ";
const std::string no_b_frames = "-c:v libx264 -preset veryfast -bf 0 -pix_fmt yuv420p ";
const std::string uneven = "-vf \"select='not(mod(n,3))+not(mod(n,7))'\" -fps_mode vfr ";

class Timestamps : public EndToEnd, public testing::WithParamInterface<Route> {
protected:
    void expect_same_times(const Media& in, const Media& out, bool durations) const;
    void expect_same_copies(const Media& in, const Media& out, double shift, bool durations) const;
};

void Timestamps::expect_same_times(const Media& in, const Media& out, bool durations) const {
    const Route& route = GetParam();
    const double tolerance = rounding(in.video(), out.video());
    ASSERT_FALSE(in.pictures.empty());
    ASSERT_FALSE(out.pictures.empty());
    const double shift = route.shifted ? out.pictures.front() - in.pictures.front() : 0;
    EXPECT_TRUE(same_seconds(in.pictures, shifted(out.pictures, -shift), tolerance)) << "times of pictures";
    if (route.durations) {
        EXPECT_TRUE(same_seconds(in.video().shown().durations(), out.video().shown().durations(), tolerance))
            << "durations of pictures";
    }
    expect_same_copies(in, out, shift, durations);
}

void Timestamps::expect_same_copies(const Media& in, const Media& out, double shift, bool durations) const {
    ASSERT_EQ(in.streams.size(), out.streams.size());
    for (std::size_t i = 0; i < in.streams.size(); ++i) {
        const Stream& from = in.streams[i];
        const Stream& to = out.streams[i];
        ASSERT_EQ(from.type(), to.type());
        if (from.type() == "video") {
            continue;
        }
        EXPECT_EQ(from.codec(), to.codec());
        EXPECT_EQ(from.hashes(), to.hashes()) << "stream " << i;
        EXPECT_TRUE(same_seconds(from.times(), shifted(to.times(), -shift), rounding(from, to)))
            << "times in stream " << i;
        if (durations) {
            EXPECT_TRUE(same_seconds(from.durations(), to.durations(), exactly)) << "durations in stream " << i;
        }
    }
}

TEST_P(Timestamps, OfPicturesAndCopiedPacketsAreTheInputs) {
    const Route& route = GetParam();
    ffmpeg(route.make + ' ' + route.input);
    filter(fmt::format("{} {} --gaussian 3 {}", route.input, route.output, route.options));
    const Media in = probe(route.input);
    const Media out = probe(route.output);
    {
        SCOPED_TRACE("first generation");
        expect_same_times(in, out, extension(route.input) == extension(route.output));
    }
    // From copy to copy nothing drifts.
    const std::string second = "second" + extension(route.output);
    filter(fmt::format("{} {} --gaussian 3 {}", route.output, second, route.options));
    SCOPED_TRACE("second generation");
    expect_same_times(out, probe(second), true);
}

const Route routes[] = {
    {"Mp4ToMp4", sources + h264 + "-c:a aac", "in.mp4", "out.mp4"},
    {"Mp4ToMov", sources + h264 + "-c:a aac", "in.mp4", "out.mov"},
    {"Mp4ToMkv", sources + h264 + "-c:a aac", "in.mp4", "out.mkv"},
    {"MkvToMp4", sources + h264 + "-c:a aac", "in.mkv", "out.mp4"},
    {"MkvToMkv", sources + h264 + "-c:a flac", "in.mkv", "out.mkv"},
    {"TsToMkv", sources + h264 + "-c:a mp2", "in.ts", "out.mkv"},
    {"TsToTs", sources + h264 + "-c:a mp2", "in.ts", "out.ts"},
    {"WebmToWebm", sources + "-c:v libvpx-vp9 -cpu-used 8 -crf 40 -b:v 0 -c:a libopus", "in.webm", "out.webm",
     "--encoder-option cpu-used=8"},
    {"WebmToMkv", sources + "-c:v libvpx-vp9 -cpu-used 8 -crf 40 -b:v 0 -c:a libopus", "in.webm", "out.mkv"},
    {"OpenGroups", sources + h264 + "-x264-params open-gop=1:bframes=8:b-pyramid=normal:keyint=10 -c:a aac", "in.mp4",
     "out.mp4", "--encoder-option x264-params=open-gop=1:bframes=8:keyint=10"},
    {"VariableRateMp4", sources + uneven + no_b_frames + "-c:a aac", "in.mp4", "out.mp4", "--encoder-option bf=0"},
    // With B-frames mp4 tells no durations, nor does Matroska where the rate varies.
    {"VariableRateBFrames", sources + uneven + h264 + "-c:a aac", "in.mp4", "out.mp4", "", false},
    {"VariableRateMkv", sources + uneven + h264 + "-c:a aac", "in.mkv", "out.mkv", "", false},
    {"VariableRateMp4ToMkv", sources + uneven + h264 + "-c:a aac", "in.mp4", "out.mkv", "", false},
    {"Rate30000By1001", "-f lavfi -i testsrc2=s=160x120:r=30000/1001:d=2 " + h264, "in.mp4", "out.mp4"},
    {"Rate24000By1001ToMkv", "-f lavfi -i testsrc2=s=160x120:r=24000/1001:d=2 " + h264, "in.mp4", "out.mkv", "", false},
    {"FineClock",
     "-f lavfi -i \"testsrc2=s=160x120:r=25:d=2,settb=1/90000,setpts='N*3600+mod(N*N*7,1000)'\" -enc_time_base 1:90000 "
     "-fps_mode passthrough -video_track_timescale 90000 " +
         h264,
     "in.mp4", "out.mp4", "", false},
    {"LateStartMp4", sources + h264 + "-c:a aac -output_ts_offset 3.5", "in.mp4", "out.mp4"},
    {"LateStartMkv", sources + h264 + "-c:a aac -output_ts_offset 3.5", "in.mkv", "out.mkv"},
    {"LateStartTsToMp4", sources + h264 + "-c:a ac3 -output_ts_offset 3600", "in.ts", "out.mp4"},
    {"LateVideo",
     "-f lavfi -i sine=r=48000:d=2 -itsoffset 0.7 -f lavfi -i testsrc2=s=160x120:r=25:d=1.2 " + h264 + "-c:a aac",
     "in.mp4", "out.mp4"},
    {"LateAudio",
     "-f lavfi -i testsrc2=s=160x120:r=25:d=2 -itsoffset 0.7 -f lavfi -i sine=r=48000:d=1 " + h264 + "-c:a aac",
     "in.mkv", "out.mkv"},
    {"LateStartMkvToAvi", sources + no_b_frames + "-c:a mp2 -output_ts_offset 3.5", "in.mkv", "out.avi",
     "--encoder-option bf=0", false, true},
    {"WrappingClock", sources + h264 + "-c:a mp2 -muxdelay 0 -output_ts_offset 95442.7", "in.ts", "out.mkv", "", true,
     true},
    {"WrappingClockToMp4", sources + h264 + "-c:a ac3 -muxdelay 0 -output_ts_offset 95442.7", "in.ts", "out.mp4", "",
     true, true},
    {"JumpForward", sources + no_b_frames + "-c:a flac -bsf:v \"setts=ts=TS+gte(N\\,20)*90000\"", "in.mkv", "out.mkv"},
    {"EditList", sources + h264 + "-c:a aac whole.mp4 && ffmpeg -nostdin -v error -y -ss 0.3 -i whole.mp4 -c copy",
     "in.mp4", "out.mp4"},
    {"GapInSound",
     "-f lavfi -i testsrc2=s=64x64:r=10:d=14 -f lavfi -i sine=r=48000:d=14 -af \"aselect='lt(t,1)+gt(t,12.5)'\" -c:v "
     "libx264 "
     "-preset ultrafast -c:a mp2",
     "in.ts", "out.ts"},
    {"Rate24000By1001FromMkv", "-f lavfi -i testsrc2=s=160x120:r=24000/1001:d=2 " + h264, "in.mkv", "out.mp4", "",
     false},
    {"Fastest", "-f lavfi -i testsrc2=s=64x64:r=240:d=0.5 " + h264, "in.mp4", "out.mp4"},
    {"OnePicture", "-f lavfi -i testsrc2=s=160x120:r=25:d=1 -frames:v 1 " + h264, "in.mp4", "out.mp4"},
};

INSTANTIATE_TEST_SUITE_P(Routes, Timestamps, testing::ValuesIn(routes),
                         [](const testing::TestParamInfo<Route>& row) { return row.param.name; });

class Times : public EndToEnd {};

// An edit list hides the packets before the beginning. Where the output has none, what is shown keeps its moment.
TEST_F(Times, OfAnEditListSurviveIntoMatroska) {
    make_clip("whole.mp4", 50);
    ffmpeg("-ss 0.3 -i whole.mp4 -c copy in.mp4");
    filter("in.mp4 out.mkv");
    const Media in = probe("in.mp4");
    const Media out = probe("out.mkv");
    EXPECT_TRUE(same_seconds(in.pictures, out.pictures, exactly));
    const Stream wanted = in.of("audio").at(0).shown();
    Stream seen = out.of("audio").at(0);
    ASSERT_GE(seen.packets.size(), wanted.packets.size());
    seen.packets.erase(seen.packets.begin(), seen.packets.end() - static_cast<std::ptrdiff_t>(wanted.packets.size()));
    EXPECT_EQ(wanted.hashes(), seen.hashes());
    EXPECT_TRUE(same_seconds(wanted.times(), seen.times(), rounding(wanted, seen)));
}

// AVI knows no presentation times, a raw stream no times at all.
TEST_F(Times, AreFoundWhereTheInputHasNone) {
    ffmpeg(sources + "-c:v mpeg4 -bf 2 -c:a mp2 in.avi");
    ffmpeg("-i in.avi -c:v libx264 -preset veryfast -bf 3 in.h264");
    ffmpeg("-i in.avi -c:v mpeg2video -bf 2 in.m2v");
    for (const std::string name : {"in.avi", "in.h264", "in.m2v"}) {
        for (const std::string output : {"out.mp4", "out.mkv"}) {
            SCOPED_TRACE(name + " -> " + output);
            filter(fmt::format("{} {}", name, output));
            const std::vector<double> times = picture_times(output);
            ASSERT_EQ(static_cast<std::int64_t>(times.size()), count_pictures(name));
            for (std::size_t i = 1; i < times.size(); ++i) {
                ASSERT_NEAR(times[i] - times[i - 1], 0.04, exactly) << i;
            }
            EXPECT_NEAR(times.front(), 0, 0.0801);  // at most by the pictures that are decoded ahead
        }
    }
}

// Hidden pictures, several in a packet, pictures that repeat: what each decoder makes of it is one in, one out, no
// damage.
TEST_F(Times, OfEveryDecoderSurvive) {
    const std::pair<const char*, const char*> inputs[] = {
        {"vp8.webm", "-c:v libvpx -auto-alt-ref 1 -lag-in-frames 16 -b:v 200k"},
        {"vp9.webm", "-c:v libvpx-vp9 -auto-alt-ref 1 -lag-in-frames 16 -b:v 200k -cpu-used 8"},
        {"packed.avi", "-c:v libxvid -bf 2"},
        {"gaps.avi", "-vf \"select='not(mod(n,3))'\" -fps_mode passthrough -c:v mpeg4"},
        {"old.mpg", "-c:v mpeg2video -bf 2"},
        {"theora.ogv", "-c:v libtheora"},
        {"loop.gif", "-c:v gif"},
        {"flash.flv", "-c:v flv"},
        {"refresh.mkv", "-c:v libx264 -x264-params intra-refresh=1:keyint=10"},
        {"open.mkv", "-c:v libx265 -x265-params log-level=none:open-gop=1:keyint=8"},
        {"disc.m2ts", "-c:v libx264 -f mpegts -mpegts_m2ts_mode 1"},
        {"studio.mov", "-c:v prores"},
        {"screen.mov", "-c:v qtrle"},
    };
    for (const auto& [name, encoder] : inputs) {
        SCOPED_TRACE(name);
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s=160x120:r=25:d=1 {} {}", encoder, name));
        filter(fmt::format("{} out.mkv --preset veryfast", name));
        std::vector<double> in = picture_times(name);
        const std::vector<double> out =
            shifted(picture_times("out.mkv"), in.front() - picture_times("out.mkv").front());
        ASSERT_GE(in.size(), 8U);
        ASSERT_EQ(in.size(), out.size());
        for (std::size_t i = 0; i < in.size(); ++i) {
            in[i] = std::isnan(in[i]) ? out[i] : in[i];  // the last ones of an AVI
        }
        EXPECT_TRUE(same_seconds(in, out, 0.0011));
    }
}

// Containers that take the stream's clock for the rate, or count pictures by it.
TEST_F(Times, AreOneByOneWhereTheContainerCountsPictures) {
    ffmpeg("-f lavfi -i testsrc2=s=160x120:r=25:d=2 -c:v libx264 -preset veryfast -video_track_timescale 12800 in.mp4");
    ffmpeg("-f lavfi -i testsrc2=s=160x120:r=25:d=2 -bf 2 -c:v libx264 -output_ts_offset 0.02 in.mkv");
    for (const auto& [in, out] : {std::pair("in.mp4", "out.mxf"),
                                  {"in.mp4", "out.ogv"},
                                  {"in.mp4", "out.avi"},
                                  {"in.mkv", "out.avi"},
                                  {"in.mkv", "out.mxf"}}) {
        SCOPED_TRACE(out);
        filter(fmt::format("{} {}", in, out));
        const std::vector<double> times = picture_times(out);
        const std::vector<double> wanted = picture_times(in);
        EXPECT_TRUE(same_seconds(wanted, shifted(times, wanted.front() - times.front()), 0.0011));
        EXPECT_EQ(probe(out).video().facts.at("r_frame_rate"), "25/1");
    }
}

// A rate that varies cannot be told there.
TEST_F(Times, ThatAreNotHeldAreTold) {
    make_clip("even.mkv", 50);
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x120:r=25:d=2 -vf \"select='not(between(n,10,19))'\" -vsync vfr -c:v libx264 -bf 3 "
        "in.mkv");
    for (const std::string out : {"out.y4m", "out.h264", "out.mxf", "out.mkv", "out.avi", "out.ogv"}) {
        SCOPED_TRACE(out);
        const bool holds = out == "out.mkv" || out == "out.avi" || out == "out.ogv";
        const nlohmann::json report = filter("in.mkv " + out);
        EXPECT_EQ(report.at("pictures_displaced"), holds ? 0 : 30);
        EXPECT_EQ(report.at("stderr").dump().find("at 25 pictures a second 30 of 40 are shown up to 0.400 s") !=
                      std::string::npos,
                  !holds);
        EXPECT_EQ(filter("even.mkv " + out + " -y").at("pictures_displaced"), 0);
    }
    EXPECT_EQ(vfilter("in.mkv out.y4m -y --vf fps=25").code, 0);
    EXPECT_EQ(count_pictures("out.y4m"), 50);
}

// Several in the time of one, where there is a place for one.
TEST_F(Times, OfBurstsAreToldWhereTheyAreNotHeld) {
    ffmpeg("-f lavfi -i testsrc2=s=160x120:r=25:d=2 -c:v libx264 -bf 0 even.mkv");
    // Packets, as the file then still says 25 pictures a second.
    ffmpeg(
        "-i even.mkv -c copy -bsf:v "
        "\"setts=ts='floor(N/20)*800+if(lt(mod(N,20),10),mod(N,20)*10,100+(mod(N,20)-10)*70)'\" in.mkv");
    for (const std::string out : {"out.avi", "out.ogv", "out.mkv", "out.gif"}) {
        SCOPED_TRACE(out);
        const bool holds = out == "out.mkv" || out == "out.gif";
        const nlohmann::json report = filter("in.mkv " + out);
        EXPECT_EQ(report.at("pictures_displaced") == 0, holds);
        EXPECT_EQ(report.at("stderr").dump().find("holds times of a constant rate: at 25 pictures a second") !=
                      std::string::npos,
                  !holds);
    }
}

// The first one, which is not where the part is entered.
TEST_F(Times, OfAPartInAviHaveNoHole) {
    make_clip("in.mp4", 75, "-bf 0 -g 100");
    for (const char* const out : {"part.avi", "part.mxf"}) {
        filter(fmt::format("in.mp4 {} -y --start 0.7", out));
        const std::vector<double> times = picture_times(out);
        ASSERT_EQ(times.size(), 57U);
        EXPECT_NEAR(times.front(), 0, 0.001);
        EXPECT_NEAR(times[1], 0.04, 0.001);
        EXPECT_NEAR(times.back(), 56 * 0.04, 0.001);
    }
}

// Of MPEG-1 the first packet has a time at which its picture is not shown yet.
TEST_F(Times, AndNumbersOfMpeg1HaveNoHole) {
    for (const std::string in : {"in.m1v", "in.avi", "in.mkv"}) {
        SCOPED_TRACE(in);
        ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=1 -c:v mpeg1video -g 10 -bf 2 " + in);
        filter(in + " whole.mkv -y --codec ffv1");
        const std::vector<double> times = picture_times("whole.mkv");
        ASSERT_EQ(times.size(), 25U);
        for (std::size_t i = 1; i < times.size(); ++i) {
            EXPECT_NEAR(times[i] - times[i - 1], 0.04, 0.0011) << i;
        }
        filter(in + " part.mkv -y --codec ffv1 --start 12f");
        EXPECT_EQ(count_pictures("part.mkv"), 13);
    }
}

// With no next one whose time would tell it.
TEST_F(Times, TheLastPictureOfAnAnimationStays) {
    for (const auto& [in, delay] : {std::pair("in.gif", "150"), {"in.apng", "3/2"}}) {
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s=64x64:r=10:d=1 -final_delay {} {}", delay, in));
        for (const char* const out : {"out.gif", "out.apng"}) {
            filter(fmt::format("{} {} -y --gaussian 3", in, out));
            const Result probed =
                run(fmt::format("ffprobe -v error -show_entries packet=duration_time -of csv=p=0 {}", out));
            const std::vector<std::string> lines = lines_of(probed.out);
            ASSERT_EQ(lines.size(), 10U) << probed;
            EXPECT_EQ(lines.back(), "1.500000") << in << " " << out;
            EXPECT_EQ(lines.front(), "0.100000") << in << " " << out;
        }
    }
}

// Recordings one after another: time jumps back, and no picture is lost.
TEST_F(Times, RiseWhereTheInputsJumpBack) {
    make_clip("one.ts", 25, "-bf 0");
    ASSERT_EQ(run("cat one.ts one.ts one.ts > in.ts").code, 0);
    ASSERT_EQ(count_pictures("in.ts"), 75);
    for (const std::string output : {"out.mp4", "out.mkv", "out.ts"}) {
        SCOPED_TRACE(output);
        filter("in.ts " + output);
        const std::vector<double> times = picture_times(output);
        EXPECT_EQ(times.size(), 75U);
        EXPECT_TRUE(std::ranges::is_sorted(times, std::less_equal<>())) << "not strictly";
    }
}

TEST_F(Times, GoWithTheInputsWhereTheyJumpForwardWhichIsTold) {
    make_clip("one.ts", 25, "-bf 0");
    ffmpeg("-i one.ts -c copy -output_ts_offset 100 two.ts");
    ASSERT_EQ(run("cat one.ts two.ts > in.ts").code, 0);
    const std::string said = filter("in.ts out.mkv").at("stderr").dump();
    EXPECT_NE(said.find("the input's clock jumps forward by"), std::string::npos) << said;
    EXPECT_GT(picture_times("out.mkv").back(), 90);
    EXPECT_EQ(filter("one.ts out.mkv -y").at("stderr").dump().find("jumps"), std::string::npos);
}

TEST_F(Times, OfATransportStreamThatBeginLateAreTold) {
    make_clip("in.ts", 25, "-output_ts_offset 40");
    const auto tells = [&](const std::string& arguments) {
        return filter("in.ts " + arguments + " -y").at("stderr").dump().find("the input's timestamps begin at") !=
               std::string::npos;
    };
    EXPECT_TRUE(tells("out.mp4"));
    EXPECT_FALSE(tells("out.mp4 --start 0"));
    EXPECT_FALSE(tells("out.ts"));
}

// The second picture a third of a millisecond after the first one, as where a sender sets its clock.
TEST_F(Times, StayApartInACoarserClock) {
    make_clip("even.ts", 25, "-bf 0");
    ffmpeg("-i even.ts -map 0:v -c copy -bsf:v \"setts=ts=if(eq(N\\,1)\\,STARTPTS+30\\,TS)\" in.ts");
    const std::vector<double> in = picture_times("in.ts");
    ASSERT_EQ(in.size(), 25U);
    ASSERT_LT(in[1] - in[0], 0.0005);
    for (const std::string output : {"out.mkv", "out.mp4", "out.ts", "out.flv"}) {
        SCOPED_TRACE(output);
        filter("in.ts " + output);
        const std::vector<double> times = picture_times(output);
        EXPECT_EQ(times.size(), 25U);
        EXPECT_TRUE(std::ranges::is_sorted(times, std::less_equal<>())) << "not strictly";
    }
}

// One size, then another, in one stream, whose counters may happen to go on: every picture, in the first size.
TEST_F(Times, SurviveAChangeOfSize) {
    make_clip("small.ts", 25, "-bf 0");
    ffmpeg("-f lavfi -i testsrc2=s=320x180:r=25:d=1 -c:v libx264 -preset veryfast -bf 0 -output_ts_offset 1 large.ts");
    ASSERT_EQ(run("cat small.ts large.ts > in.ts").code, 0);
    ASSERT_EQ(count_pictures("in.ts"), 50);
    const nlohmann::json report = filter("in.ts out.mkv --gaussian 3", Damage::possible);
    EXPECT_EQ(count_pictures("out.mkv"), 50);
    EXPECT_EQ(probe("out.mkv").video().facts.at("width"), 160);
    const auto told = report.at("stderr").dump();
    EXPECT_NE(told.find("they become 160x120 yuv420p, scaled, with loss"), std::string::npos) << told;
}

}  // namespace

}  // namespace vfilter::test
