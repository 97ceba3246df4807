// Sound that goes through a graph of libavfilter's (--af), with the ffmpeg program as the witness of what it makes.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class SoundFilters : public EndToEnd {
protected:
    // Two kinds of sound beside pictures, without loss.
    void make_film(const std::string& name, const std::string& codec = "pcm_s16le", double seconds = 2) const {
        ffmpeg(
            fmt::format("-f lavfi -i testsrc2=s=64x48:r=25:d={0} -f lavfi -i anoisesrc=d={0}:r=48000:seed=3:a=0.3 "
                        "-f lavfi -i sine=f=600:r=44100:d={0} -map 0 -map 1 -map 2 -c:v libx264 -preset ultrafast "
                        "-g 5 -ac 2 -c:a {1} {2}",
                        seconds, codec, name));
    }
    // Decoded samples of the sound with that number, as they are, of 16 bits.
    [[nodiscard]] std::string samples(const std::string& name, int number = 0) const {
        return ffmpeg_output(fmt::format("-i {} -map 0:a:{} -f s16le -", name, number));
    }
    [[nodiscard]] std::size_t count_samples(const std::string& name) const { return samples(name).size() / 4; }
};

TEST_F(SoundFilters, MakeTheSamplesOfFfmpeg) {
    make_film("in.nut");
    for (const char* const graph :
         {"volume=0.5", "volume=6dB,highpass=f=200", "atempo=2", "aecho=0.8:0.9:500:0.3", "'pan=stereo|c0=c1|c1=c0'",
          "adelay=300:all=1", "areverse", "'asplit[a][b];[b]lowpass=f=300[c];[a][c]amix'", "afftdn"}) {
        SCOPED_TRACE(graph);
        ffmpeg(fmt::format("-i in.nut -map 0 -c:v copy -c:a pcm_s16le -af {} wanted.nut", graph));
        const nlohmann::json report = filter(fmt::format("in.nut out.nut --codec ffv1 --af {}", graph));
        for (const int number : {0, 1}) {
            EXPECT_TRUE(samples("out.nut", number) == samples("wanted.nut", number)) << number;
            EXPECT_EQ(probe("out.nut").of("audio").at(0).times().front(),
                      probe("wanted.nut").of("audio").at(0).times().front());
        }
        ASSERT_EQ(report.at("streams_encoded").size(), 2U);
        EXPECT_TRUE(report.at("streams_encoded").at(0).get<std::string>().ends_with("becomes pcm_s16le, filtered"));
    }
}

// The codec stays where its encoder is a good one, else it is what the container usually has.
TEST_F(SoundFilters, KeepTheCodecUnlessAskedOtherwise) {
    make_film("in.mp4", "aac", 0.4);
    const auto codec = [&](const std::string& arguments, const std::string& out) {
        filter(fmt::format("in.mp4 {} --af volume=0.5 {}", out, arguments));
        return probe(out).of("audio").at(1).codec();
    };
    EXPECT_EQ(codec("", "out.mp4"), "aac");
    EXPECT_EQ(codec("", "out.mkv"), "aac");
    EXPECT_EQ(codec("--codec libvpx", "out.webm"), "opus");
    EXPECT_EQ(codec("--audio flac", "out.mkv"), "flac");
    EXPECT_EQ(codec("--audio ac3:128:channels=mono", "out.mkv"), "ac3");
    EXPECT_EQ(probe("out.mkv").of("audio").at(0).facts.at("channels"), 1);
    // loudnorm makes 192 kHz, for which nobody has asked.
    EXPECT_EQ(codec("--af loudnorm", "out.mp4"), "aac");
    EXPECT_EQ(probe("out.mp4").of("audio").at(0).facts.at("sample_rate"), "48000");
    EXPECT_EQ(probe("out.mp4").of("audio").at(1).facts.at("sample_rate"), "44100");
}

TEST_F(SoundFilters, LeaveWhatIsCopied) {
    make_film("in.mkv", "aac", 0.6);
    filter("in.mkv out.mkv --codec ffv1 --af volume=0 --audio 0=copy");
    const std::vector<Stream> in = probe("in.mkv").of("audio");
    const std::vector<Stream> out = probe("out.mkv").of("audio");
    EXPECT_EQ(out.at(0).hashes(), in.at(0).hashes());
    EXPECT_EQ(samples("out.mkv", 1), std::string(samples("out.mkv", 1).size(), '\0'));
}

// A graph begins with 0 where the part does, and its sound stays beside the pictures.
TEST_F(SoundFilters, BeginWithThePart) {
    make_film("in.nut", "pcm_s16le", 3);
    for (const char* const out : {"out.mkv", "out.mov", "out.avi", "out.ts"}) {
        SCOPED_TRACE(out);
        filter(fmt::format("in.nut {} --start 1 --duration 1.2 --af afade=st=0:d=0.4 --audio {}", out,
                           std::string(out) == "out.ts" ? "aac" : "pcm"));
        const Media media = probe(out);
        EXPECT_EQ(media.pictures.size(), 30U);
        EXPECT_NEAR(media.of("audio").at(0).shown().times().front(), media.pictures.front(), 0.025);
        if (std::string(out) != "out.ts") {
            ffmpeg(
                "-i in.nut -map 0:a:0 -af atrim=1:2.2,asetpts=PTS-STARTPTS,afade=st=0:d=0.4 -c:a pcm_s16le wanted.nut");
            EXPECT_TRUE(samples(out) == samples("wanted.nut"));
        }
    }
    // Another input's clock: as a transport stream that begins at an hour.
    ffmpeg("-i in.nut -map 0 -c copy -c:a aac -output_ts_offset 3600 in.ts");
    filter("in.ts out.mkv --codec ffv1 --af \"volume=0:enable='lt(t,1)'\" --audio flac");
    const std::string heard = samples("out.mkv");
    const std::size_t silent = heard.find_first_not_of('\0') / 4;
    EXPECT_NEAR(static_cast<double>(silent) / 48000, 1, 0.05);
}

// What a graph leaves out at the beginning is silence where the container holds no times of sound.
TEST_F(SoundFilters, ThatBeginLaterStayInTime) {
    make_film("in.nut");
    filter("in.nut out.mkv --codec ffv1 --af atrim=start=0.5");
    EXPECT_EQ(probe("out.mkv").of("audio").at(0).times().front(), 0.5);
    EXPECT_EQ(count_samples("out.mkv"), 72000U);
    filter("in.nut out.avi --codec ffv1 --af atrim=start=0.5");
    EXPECT_EQ(count_samples("out.avi"), 96000U);
    EXPECT_EQ(samples("out.avi").find_first_not_of('\0') / 4, 24000U);
    filter("in.nut out.mkv --codec ffv1 --af asetpts=PTS-0.5/TB");
    EXPECT_EQ(probe("out.mkv").of("audio").at(0).times().front(), 0) << "what is before the beginning is cut";
    EXPECT_EQ(count_samples("out.mkv"), 72000U);
}

TEST_F(SoundFilters, MayEndEarlyOrLate) {
    make_film("in.nut");
    filter("in.nut out.mkv --codec ffv1 --af atrim=end=0.5");
    EXPECT_EQ(count_samples("out.mkv"), 24000U);
    EXPECT_EQ(count_pictures("out.mkv"), 50);
    filter("in.nut out.mkv --codec ffv1 --af apad=pad_dur=1");
    EXPECT_EQ(count_samples("out.mkv"), 144000U);
    filter("in.nut out.mkv --codec ffv1 --vf setpts=PTS/2 --af atempo=2");
    EXPECT_NEAR(static_cast<double>(count_samples("out.mkv")), 48000, 1000);
    EXPECT_NEAR(probe("out.mkv").pictures.back(), 0.98, 0.001);
    const nlohmann::json report = filter("in.nut out.mkv --codec ffv1 --af atrim=end=0");
    EXPECT_NE(report.at("stderr").dump().find("empty in the output, as nothing of them comes out of --af"),
              std::string::npos)
        << report.at("stderr");
}

// What has no end of its own ends with the input, and takes no more memory than other sound.
TEST_F(SoundFilters, ThatGoOnForEverEndWithTheInput) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i sine=r=48000:d=1 -c:v libx264 -preset ultrafast -c:a "
        "pcm_s16le -ac 2 in.mkv");
    for (const char* const graph : {"apad", "aloop=loop=-1:size=4800",
                                    "'anoisesrc=a=0.01:r=48000,aformat=channel_layouts=stereo[n];[in][n]amix'"}) {
        SCOPED_TRACE(graph);
        const nlohmann::json report = filter(fmt::format("in.mkv out.mkv --codec ffv1 --af {}", graph));
        EXPECT_EQ(count_samples("out.mkv"), 96000U);
        EXPECT_NE(report.at("stderr").dump().find("makes sound without end"), std::string::npos);
        filter(fmt::format("in.mkv out.mkv --codec ffv1 --duration 1.5 --af {}", graph));
        EXPECT_EQ(count_samples("out.mkv"), 72000U);
    }
    // What ends by itself is as long as it is.
    for (const auto& [graph, seconds] :
         {std::pair("apad,atrim=0:5", 5.0),
          {"'sine=440:0:48000:1,aformat=channel_layouts=stereo[n];[in][n]concat=n=2:v=0:a=1'", 2.0},
          {"silenceremove=start_periods=0:start_duration=0.1,apad", 2.0},
          {"'anoisesrc=seed=42:r=48000,aformat=channel_layouts=stereo[n];[in][n]amix'", 2.0}}) {
        filter(fmt::format("in.mkv out.mkv --codec ffv1 --af {}", graph));
        EXPECT_NEAR(static_cast<double>(count_samples("out.mkv")), seconds * 48000, 1) << graph;
    }
    const Result piped = run("cat in.mkv | $VFILTER - out.mkv -y --codec ffv1 --af apad=whole_dur=100");
    EXPECT_EQ(piped.code, 0) << piped;
    EXPECT_EQ(count_samples("out.mkv"), 4'800'000U);
}

// A step of the times is nothing that filters see which count samples.
TEST_F(SoundFilters, OfLongGapsStayInTime) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=2:d=72 -f lavfi -i \"sine=r=8000:d=72,aselect='not(between(t,1,70))'\" -c:v "
        "mpeg4 -c:a pcm_s16le in.mkv");
    filter("in.mkv out.mkv --codec mpeg4 --vf setpts=PTS/2 --af atempo=2");
    EXPECT_NEAR(probe("out.mkv").of("audio").at(0).times().back(), 36, 0.2);
}

TEST_F(SoundFilters, TellTimesThatGoBackAndDamageBehindTheirEnd) {
    make_film("in.nut");
    const Result back = vfilter("in.nut out.mkv --codec ffv1 --af asetpts=PTS/2");
    EXPECT_EQ(back.code, 0) << back;
    EXPECT_NE(back.err.find("its timestamps stand still or go back"), std::string::npos) << back;
    make_film("whole.mkv", "flac");
    std::string bytes = content("whole.mkv");
    for (std::size_t at = bytes.size() * 3 / 4; at < bytes.size() - 2000; at += 900) {
        bytes[at] = static_cast<char>(~bytes[at]);
    }
    write("in.mkv", bytes);
    EXPECT_EQ(vfilter("in.mkv out.mkv -y --codec ffv1 --audio pcm").code, 5);
    EXPECT_EQ(vfilter("in.mkv out.mkv -y --codec ffv1 --audio pcm --af atrim=end=0.5").code, 5);
}

// Of some containers FFmpeg does not know what they hold.
TEST_F(SoundFilters, AreNotLostInContainersWithAWillOfTheirOwn) {
    for (const auto& [codec, out, wanted] : {std::tuple("libopus", "out.mov", "aac"),
                                             {"flac", "out.mov", "alac"},
                                             {"aac", "out.mxf", "pcm_s16le"},
                                             {"aac", "out.ogv", "vorbis"},
                                             {"aac", "out.mpg", "mp2"}}) {
        const std::string in = fmt::format("{}.mkv", codec);
        ffmpeg(
            fmt::format("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -f lavfi -i sine=r=48000:d=0.4 -c:v libx264 "
                        "-preset ultrafast -c:a {} {}",
                        codec, in));
        filter(fmt::format("{} {} --af volume=0.5", in, out));
        ASSERT_EQ(probe(out).of("audio").size(), 1U) << codec << out;
        EXPECT_EQ(probe(out).of("audio").at(0).codec(), wanted) << codec << out;
    }
}

// Sound of another kind from some moment on is of one kind for a graph.
TEST_F(SoundFilters, TakeSoundThatChanges) {
    for (const auto& [name, rate, layout] : {std::tuple("a.ts", 48000, "stereo"), {"b.ts", 44100, "mono"}}) {
        ffmpeg(
            fmt::format("-f lavfi -i testsrc2=s=64x48:r=25:d=1 -f lavfi -i sine=r={}:d=1 -c:v libx264 -preset "
                        "ultrafast -af aformat=channel_layouts={} -c:a mp2 -muxdelay 0 {}",
                        rate, layout, name));
    }
    ASSERT_EQ(run("cat a.ts b.ts > in.ts").code, 0);
    const Result result = vfilter("in.ts out.mkv --codec ffv1 --af volume=0.5 --audio flac");
    EXPECT_EQ(result.code, vfilter("in.ts plain.mkv --codec ffv1 --audio flac").code) << result;
    EXPECT_NE(result.err.find("it becomes stereo at 48000 Hz"), std::string::npos) << result;
    EXPECT_NEAR(static_cast<double>(count_samples("out.mkv")) / 48000, 2, 0.1);
}

TEST_F(SoundFilters, MistakesAreNamed) {
    make_film("in.mkv", "pcm_s16le", 0.2);
    const std::pair<std::string, std::string> rows[] = {
        {"--af volumee=2", "libavfilter has no filter 'volumee'; did you mean 'volume'?"},
        {"--af volume=loud", "volume: Undefined constant or missing '(' in 'loud'"},
        {"--af hflip", "'hflip' is no filter of sound"},
        {"--af anullsink", "it gives no sound"},
        {"--af sine", "it takes no sound"},
        {"--af asplit", "it has several open outputs ('asplit' and 'asplit'), and a graph of sound has one"},
        {"--af amovie=x.wav", "its filter 'amovie' can reach files and addresses"},
        {"--af ladspa=f=x", "needs --allow-files"},
        {"--vf volume=2", "'volume' is no filter of pictures"},
        {"--af volume=2 --audio copy", "--af and --audio copy exclude each other, as filtered sound has to be encoded"},
        {"--af volume=2 --af ''", "the value is empty"},
    };
    for (const auto& [arguments, told] : rows) {
        const Result result = vfilter("in.mkv out.mkv " + arguments);
        EXPECT_EQ(result.code, 2) << result;
        EXPECT_NE(result.err.find(told), std::string::npos) << result;
        EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result;
        EXPECT_FALSE(exists("out.mkv"));
    }
    const Result gap = vfilter("in.mkv out.avi --codec ffv1 --af asetpts=N*100000");
    EXPECT_EQ(gap.code, 2) << gap;
    EXPECT_NE(gap.err.find("s later, and the output holds no gaps of its sound"), std::string::npos) << gap;
    const Result twice = vfilter("in.mkv out.mkv --two-pass --bitrate 300k --af volume=2");
    EXPECT_EQ(twice.code, 0) << twice;
    EXPECT_EQ(twice.err.find("there is no sound"), std::string::npos) << twice;
    const Result silent = vfilter("in.mkv out.mkv -y --codec ffv1 --audio none --af volume=2");
    EXPECT_EQ(silent.code, 0) << silent;
    EXPECT_NE(silent.err.find("there is no sound that it could filter"), std::string::npos) << silent;
}

// As with -vf, what ffmpeg cuts behind the filters is refused where that is another thing here.
TEST_F(SoundFilters, OfFfmpegsWords) {
    make_film("in.mkv", "pcm_s16le", 1);
    EXPECT_EQ(vfilter("-y -i in.mkv -map 0 -af volume=0.5 -c:v ffv1 -c:a flac -t 0.5 out.mkv").code, 0);
    EXPECT_EQ(count_samples("out.mkv"), 24000U);
    const std::pair<const char*, const char*> rows[] = {
        {"-i in.mkv -af atempo=2 -t 0.5 -c:v ffv1 out.mkv", "-t: after -i ffmpeg cuts what this -af has made"},
        {"-i in.mkv -ss 0.5 -af volume=2 -c:v ffv1 out.mkv", "-ss: after -i ffmpeg cuts what this -af has made"},
        {"-i in.mkv -af volume=2 -filter:a volume=3 out.mkv", "given twice"},
        {"-i in.mkv -af volume=2 -c:v ffv1 -c:a copy out.mkv", "--af and --audio copy exclude each other"},
    };
    for (const auto& [arguments, told] : rows) {
        const Result result = vfilter(std::string("-y ") + arguments);
        EXPECT_EQ(result.code, 2) << result;
        EXPECT_NE(result.err.find(told), std::string::npos) << result;
    }
}

}  // namespace

}  // namespace vfilter::test
