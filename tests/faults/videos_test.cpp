// Faults 24 and 42: inputs with several videos. What is filtered and what is not is said.

#include "tests/support/faults.h"

namespace vfilter::test {

namespace {

class Videos : public Faults {
protected:
    // Two videos of different size and content, and sound, in one file; each of the two alone as 0.mkv and 1.mkv.
    void make(const std::string& name = "in.mkv", const std::string& codec = "ffv1") const {
        ffmpeg("-f lavfi -i testsrc2=s=160x120:r=25:d=2 -c:v " + codec + " -pix_fmt yuv420p 0.mkv");
        ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=2 -vf hue=h=90 -c:v " + codec + " -pix_fmt yuv420p 1.mkv");
        ffmpeg("-i 0.mkv -i 1.mkv -f lavfi -i sine=r=48000:d=2 -map 0 -map 1 -map 2 -c:v copy -c:a pcm_s16le " + name);
    }
    [[nodiscard]] std::vector<std::string> hashes_of(const std::string& name, int video) const {
        std::vector<std::string> list;
        for (const std::string& line : lines_of(
                 ffmpeg_output(fmt::format("-i {} -map 0:v:{} -fps_mode passthrough -f framemd5 -", name, video)))) {
            if (!line.starts_with('#')) {
                list.push_back(line.substr(line.rfind(' ') + 1));
            }
        }
        return list;
    }
};

const std::string lossless = " -y --codec ffv1 --gaussian 5";

TEST_F(Videos, OneIsFilteredAndTheOtherIsNamed) {
    make();
    const Result result = vfilter("in.mkv out.mkv" + lossless);
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_TRUE(says(result, "of several videos only stream 0 ")) << result;
    EXPECT_TRUE(says(result, "not filtered: stream 1 ")) << result;
    EXPECT_TRUE(says(result, "--video-stream")) << result;
    ASSERT_EQ(vfilter("0.mkv a.mkv" + lossless).code, 0);
    EXPECT_EQ(hashes_of("out.mkv", 0), hashes_of("a.mkv", 0));
    EXPECT_EQ(hashes_of("out.mkv", 1), hashes_of("1.mkv", 0));
    // Of one alone there is nothing to say.
    EXPECT_FALSE(says(vfilter("0.mkv a.mkv" + lossless), "several videos"));
}

TEST_F(Videos, ANumberChoosesAndAllTakesEach) {
    make();
    ASSERT_EQ(vfilter("0.mkv a.mkv" + lossless).code, 0);
    ASSERT_EQ(vfilter("1.mkv b.mkv" + lossless).code, 0);
    const auto first = hashes_of("a.mkv", 0);
    const auto second = hashes_of("b.mkv", 0);
    ASSERT_EQ(first.size(), 50U);
    ASSERT_NE(second, hashes_of("1.mkv", 0));
    struct Row {
        std::string choice;
        bool filters_first;
        bool filters_second;
    };
    for (const Row& row : {Row{"0", true, false}, Row{"1", false, true}, Row{"all", true, true}}) {
        SCOPED_TRACE(row.choice);
        const Result result = vfilter("in.mkv out.mkv --report r.json --video-stream " + row.choice + lossless);
        ASSERT_EQ(result.code, 0) << result;
        EXPECT_EQ(hashes_of("out.mkv", 0), row.filters_first ? first : hashes_of("0.mkv", 0));
        EXPECT_EQ(hashes_of("out.mkv", 1), row.filters_second ? second : hashes_of("1.mkv", 0));
        const Media media = probe("out.mkv");
        EXPECT_EQ(media.of("audio").size(), 1U);
        EXPECT_EQ(says(result, "not filtered: "), row.choice != "all") << result;
        const nlohmann::json frames = json_of("r.json").at("frames");
        EXPECT_EQ(frames.at("in"), frames.at("out"));
    }
    for (const std::string wrong : {"2", "7", "-1", "x", "0x", "1.5", "''"}) {
        std::filesystem::remove(path("never.mkv"));
        const Result result = vfilter("in.mkv never.mkv --video-stream " + wrong);
        EXPECT_EQ(result.code, 2) << result;
        EXPECT_EQ(complaints(result).size(), 1U) << result;
        EXPECT_FALSE(exists("never.mkv"));
    }
    EXPECT_TRUE(says(vfilter("in.mkv never.mkv --video-stream 7"), "2 video streams, numbered from 0"));
}

TEST_F(Videos, AllOfOneIsThatOne) {
    make();
    ASSERT_EQ(vfilter("0.mkv a.mkv" + lossless).code, 0);
    ASSERT_EQ(vfilter("0.mkv b.mkv --video-stream all" + lossless).code, 0);
    EXPECT_EQ(hashes_of("a.mkv", 0), hashes_of("b.mkv", 0));
}

TEST_F(Videos, AllAreStoppedAndDamagedAsOneIs) {
    make("in.mkv", "libx264 -preset ultrafast -g 10");
    // Damage of the second alone.
    ffmpeg("-i in.mkv -map 0 -c copy -bsf:v:1 \"noise=amount='if(gt(n,20)*not(mod(n,5)),20,0)'\" bad.mkv");
    const Result damaged = vfilter("bad.mkv out.mkv -y --video-stream all --report r.json");
    EXPECT_EQ(damaged.code, 5) << damaged;
    EXPECT_EQ(vfilter("bad.mkv out.mkv -y --video-stream all --strict").code, 5);
    ffmpeg("-stream_loop 40 -i in.mkv -map 0 -c copy long.mkv");
    // It takes a minute, without using the processor.
    Command command(
        fmt::format("LD_PRELOAD={} SLOW=avcodec_send_frame:20 exec $VFILTER long.mkv stopped.mkv --video-stream all "
                    "--progress none --gaussian 5 --threads 1 --preset ultrafast --encoder-option rc-lookahead=20",
                    VFILTER_STUCK),
        folder());
    wait_for_part(command);
    const Ended end = stop(command, SIGTERM);
    EXPECT_EQ(end.result.code, 143) << end.result;
    EXPECT_LT(end.seconds, after_a_signal);
    EXPECT_EQ(ffmpeg_complaints("stopped.mkv"), "") << end.result;
    EXPECT_EQ(end.result.err.find(" is kept as "), std::string::npos) << end.result;
}

// A cover is a picture, and no second video.
TEST_F(Videos, ACoverIsNone) {
    ffmpeg("-f lavfi -i testsrc2=s=160x120:r=25:d=1 -c:v ffv1 -pix_fmt yuv420p 0.mkv");
    ffmpeg("-f lavfi -i testsrc2=s=64x64 -frames:v 1 cover.png");
    ffmpeg(
        "-i 0.mkv -attach cover.png -metadata:s:t mimetype=image/png -metadata:s:t filename=cover.png -c copy in.mkv");
    const Result result = vfilter("in.mkv out.mkv --video-stream all" + lossless);
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_FALSE(says(result, "several")) << result;
    EXPECT_EQ(vfilter("in.mkv out.mkv --video-stream 1" + lossless).code, 2);
}

}  // namespace

}  // namespace vfilter::test
