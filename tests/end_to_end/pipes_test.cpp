// Standard input and output, and what is not a file of a container: y4m, nothing at all.

#include <fmt/format.h>

#include <random>
#include <string>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class Pipes : public EndToEnd {
protected:
    // Runs a line that reads and writes through the shell; it must succeed.
    void need(const std::string& line) const {
        const Result result = run("set -o pipefail; " + line);
        ASSERT_EQ(result.code, 0) << result;
        EXPECT_EQ(result.out, "");
    }
};

// Of some no parser finds where they end.
TEST_F(Pipes, PicturesThatOnlyFilesHoldAreRefusedAsThat) {
    for (const std::string name : {"tiff", "sgi"}) {
        ffmpeg("-f lavfi -i testsrc2=s=64x48 -vf noise=alls=30 -frames:v 1 in." + name);
        const Result result = run("cat in." + name + " | $VFILTER - out.png -y --identity");
        EXPECT_EQ(result.code, 3) << result;
        EXPECT_NE(result.err.find("in files alone, and not in a pipe"), std::string::npos) << result;
    }
}

TEST_F(Pipes, EveryContainerPassesThrough) {
    make_clip("in.mkv", 30);
    const auto times = picture_times("in.mkv");
    const std::string inputs[] = {"mkv", "ts", "y4m", "nut"};
    for (const std::string name : {"ts", "y4m", "nut"}) {
        ffmpeg(fmt::format("-i in.mkv {} in.{}", name == "y4m" ? "-fps_mode passthrough" : "-c copy", name));
    }
    struct Row {
        std::string format;  // what is asked for
        std::string magic;   // with which it begins
    };
    const Row rows[] = {
        {"", "\x1a\x45\xdf\xa3"}, {"--format mkv", "\x1a\x45\xdf\xa3"},         {"--format y4m", "YUV4MPEG2 "},
        {"--format mpegts", "G"}, {"--format nut", "nut/multimedia container"}, {"--format avi", "RIFF"}};
    for (const std::string& input : inputs) {
        for (const Row& row : rows) {
            if (&row != &rows[0] && input != "mkv") {
                continue;
            }
            SCOPED_TRACE(input + " -> " + row.format);
            need(fmt::format("cat in.{} | {}- - -q --gaussian 3 {} | cat > out", input, kept, row.format));
            EXPECT_TRUE(content("out").starts_with(row.magic)) << content("out").substr(0, 30);
            EXPECT_EQ(count_pictures("out"), 30);
        }
    }
}

// As ffmpeg's command lines have them.
TEST_F(Pipes, ProtocolsOfFfmpegsAreStandardStreamsAndFiles) {
    make_clip("in.mkv", 10);
    const std::vector<std::string> before = names();
    const std::string program = fmt::format("{} -q --codec ffv1 ", kept);
    need("cat in.mkv | " + program + "-i pipe:0 -f nut pipe:1 | cat > out.nut");
    need("cat in.mkv | " + program + "-i pipe: pipe: | cat > out.mkv");
    need(program + "-i file:in.mkv file:named.mkv");
    need(program + "in.mkv pipe:1 --format nut");
    for (const char* const name : {"out.nut", "out.mkv", "named.mkv", "./pipe:1"}) {
        EXPECT_EQ(picture_hashes(name), picture_hashes("in.mkv")) << name;
    }
    EXPECT_EQ(names().size(), before.size() + 4);
}

// Its demuxer counts the pictures first and goes back to the beginning, however far that is.
TEST_F(Pipes, GifPassesThrough) {
    ffmpeg("-f lavfi -i testsrc2=s=320x180:r=10:d=4 in.gif");
    ASSERT_GT(content("in.gif").size(), 100'000U);
    need("cat in.gif | $VFILTER - out.mkv -q --codec ffv1");
    need("$VFILTER in.gif wanted.mkv -q --codec ffv1");
    EXPECT_EQ(picture_hashes("out.mkv"), picture_hashes("wanted.mkv"));
    EXPECT_TRUE(same_seconds(picture_times("wanted.mkv"), picture_times("out.mkv"), exactly));
    const Result cut = run("head -c 100000 in.gif | $VFILTER - cut.mkv");
    EXPECT_EQ(cut.code, 5) << cut;
}

// A muxer that wants to seek writes fragments instead.
TEST_F(Pipes, Mp4PassesThrough) {
    make_clip("in.mp4", 30);
    need("$VFILTER in.mp4 - --format mp4 -q --gaussian 3 | cat > out.mp4");
    EXPECT_TRUE(same_seconds(picture_times("in.mp4"), picture_times("out.mp4"), exactly));
    EXPECT_TRUE(probe("in.mp4").of("audio").at(0).hashes() == probe("out.mp4").of("audio").at(0).hashes());
    // Read from a pipe, where the index comes first; and where it does not, 3 or a file that is whole.
    ffmpeg("-i in.mp4 -c copy -movflags faststart fast.mp4");
    need("cat fast.mp4 | $VFILTER - out.mkv -y -q");
    EXPECT_EQ(count_pictures("out.mkv"), 30);
    const Result late = run("cat in.mp4 | $VFILTER - late.mkv -q");
    EXPECT_TRUE(late.code == 3 ? !exists("late.mkv") : late.code == 0 && count_pictures("late.mkv") == 30) << late;
}

TEST_F(Pipes, LogsStayOffStandardOutput) {
    make_clip("in.mkv", 30);
    for (const std::string options :
         {"--log-level debug", "--progress json", "--progress plain", "--progress bar", "--stats text", "--verify"}) {
        SCOPED_TRACE(options);
        const Result result = run(fmt::format("$VFILTER in.mkv - --format y4m --gaussian 3 {} > out.y4m", options));
        ASSERT_EQ(result.code, 0) << result;
        EXPECT_FALSE(result.err.empty());
        constexpr std::size_t header = 200;
        EXPECT_NEAR(static_cast<double>(content("out.y4m").size()), 30 * (160 * 120 * 1.5 + 6), header);
    }
}

// A file that is opened next would take the place of standard error, and have the log in it.
TEST_F(Pipes, ClosedOnesAreNobodyElses) {
    make_clip("in.mkv", 30);
    for (const std::string closed : {"2>&-", ">&-", "<&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"}) {
        SCOPED_TRACE(closed);
        const Result result =
            run("exec $VFILTER in.mkv out.mp4 -y --log-level debug --progress json --gaussian 3 " + closed);
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_EQ(count_pictures("out.mp4"), 30);
        EXPECT_EQ(content("out.mp4").find("vfilter"), std::string::npos);
    }
    EXPECT_EQ(run("exec $VFILTER in.mkv - --format y4m >&-").code, 4);
    EXPECT_EQ(run("exec $VFILTER in.mkv out.mp4 -y 2> /dev/full").code, 0);
}

TEST_F(Pipes, NamedOnesAreInputsAndOutputs) {
    make_clip("in.ts", 30);
    EXPECT_EQ(run("$VFILTER <(cat in.ts) out.mkv").code, 0);
    EXPECT_EQ(count_pictures("out.mkv"), 30);
    const Result result =
        run("mkfifo pipe && (cat pipe > out.mkv & $VFILTER in.ts pipe --format mkv --gaussian 3; code=$?; wait; exit "
            "$code)");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_EQ(count_pictures("out.mkv"), 30);
    for (const std::string device : {"/dev/null", "/dev/zero", "/dev/urandom"}) {
        EXPECT_EQ(vfilter(device + " never.mkv").code, 3) << device;
    }
    EXPECT_EQ(names(), (std::vector<std::string>{"in.ts", "out.mkv", "pipe"}));
}

TEST_F(Pipes, StandardInputIsNotReadUnlessAsked) {
    make_clip("in.mkv", 5);
    const Result result =
        run("printf 'a\\nb\\nc\\n' | while read -r name; do $VFILTER in.mkv $name.mkv -q || exit 9; done");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_EQ(names(), (std::vector<std::string>{"a.mkv", "b.mkv", "c.mkv", "in.mkv"}));
    EXPECT_EQ(run("$VFILTER in.mkv d.mkv -q <&-").code, 0) << "standard input closed";
    EXPECT_EQ(count_pictures("d.mkv"), 5);
}

TEST_F(Pipes, AnEmptyOrEndingInputEndsTheRun) {
    make_clip("in.ts", 30, "-bf 0");
    const Result empty = run("$VFILTER - out.mkv < /dev/null");
    EXPECT_EQ(empty.code, 3) << empty;
    EXPECT_EQ(lines_of(empty.err).size(), 1U) << empty;
    EXPECT_EQ(names(), std::vector<std::string>{"in.ts"});
    const Result rubbish = run("head -c 100000 /dev/zero | $VFILTER - out.mkv");
    EXPECT_EQ(rubbish.code, 3) << rubbish;
    // A slow writer is waited for.
    need("(head -c 9000 in.ts; sleep 0.7; tail -c +9001 in.ts) | $VFILTER - out.mkv -q");
    EXPECT_EQ(count_pictures("out.mkv"), 30);
}

TEST_F(Pipes, Y4mOfEveryDepthIsTheSameBytes) {
    for (const std::string format : {"yuv420p", "yuv422p", "yuv444p", "yuv411p", "gray", "yuv420p10le", "yuv422p12le",
                                     "yuv444p14le", "yuv420p16le", "yuv444p16le", "gray16le"}) {
        SCOPED_TRACE(format);
        ffmpeg(
            fmt::format("-f lavfi -i testsrc2=s=62x34:r=30000/1001:d=0.2 -vf noise=alls=40:allf=t,setsar=4/3 -pix_fmt "
                        "{} -strict -1 "
                        "in.y4m",
                        format));
        need(std::string(kept) + "in.y4m - --format y4m -q > out.y4m");
        EXPECT_TRUE(content("in.y4m") == content("out.y4m")) << content("in.y4m").substr(0, 90) << '\n'
                                                             << content("out.y4m").substr(0, 90);
        need(std::string(kept) + "- out.y4m -y -q < in.y4m");
        EXPECT_TRUE(content("in.y4m") == content("out.y4m"));
        filter("in.y4m out.mkv --codec ffv1");
        EXPECT_EQ(picture_hashes("in.y4m"), picture_hashes("out.mkv"));
        EXPECT_EQ(probe("out.mkv").video().facts.at("pix_fmt"), format);
    }
}

// Which the ffmpeg program does not write: of deep samples its chroma is one short.
TEST_F(Pipes, Y4mOfOddWidthsIsTheSameBytes) {
    struct Sampling {
        const char* name;
        int chroma_width;
        int chroma_height;
    };
    constexpr int width = 33;
    constexpr int height = 17;
    for (const Sampling& sampling :
         {Sampling{"420p10", 17, 9}, {"422p12", 17, 17}, {"420p16", 17, 9}, {"444p10", 33, 17}}) {
        SCOPED_TRACE(sampling.name);
        std::mt19937 random(1);
        std::string pictures;
        for (int n = 0; n < 3; ++n) {
            pictures += "FRAME\n";
            for (int i = 0; i < width * height + 2 * sampling.chroma_width * sampling.chroma_height; ++i) {
                pictures += static_cast<char>(random());
                pictures += static_cast<char>(random() % 4);
            }
        }
        write("in.y4m", fmt::format("YUV4MPEG2 W33 H17 F25:1 Ip A1:1 C{}\n{}", sampling.name, pictures));
        const auto pictures_of = [&](const std::string& name) {
            const std::string all = content(name);
            return all.substr(all.find('\n') + 1);
        };
        need(std::string(kept) + "in.y4m - --format y4m -q > out.y4m");
        EXPECT_TRUE(pictures_of("out.y4m") == pictures);
        need(std::string(kept) + "in.y4m out.y4m -y -q");
        EXPECT_TRUE(pictures_of("out.y4m") == pictures);
        EXPECT_EQ(picture_hashes("out.y4m").size(), 3U);
    }
}

TEST_F(Pipes, FormatNullWritesNothing) {
    make_clip("in.mkv", 30);
    for (const std::string names_given : {"in.mkv", "in.mkv -", "in.mkv nowhere"}) {
        SCOPED_TRACE(names_given);
        const Result result = vfilter(names_given + " --format null --gaussian 5 --report r.json");
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_EQ(result.out, "");
        EXPECT_EQ(json_of("r.json").at("frames").at("out"), 30);
        EXPECT_EQ(names(), (std::vector<std::string>{"in.mkv", "r.json"}));
    }
}

// What FFmpeg would seek has gone by: all of it is read, and the part is that of the file.
TEST_F(Pipes, AStartIsReadUpTo) {
    make_clip("in.mkv", 75);
    ffmpeg("-i in.mkv -c copy in.nut");
    ffmpeg("-i in.mkv -c copy in.ts");
    ffmpeg("-i in.mkv -c copy -movflags frag_keyframe+empty_moov in.mp4");
    for (const std::string name : {"in.mkv", "in.nut", "in.ts", "in.mp4"}) {
        SCOPED_TRACE(name);
        filter(name + " part.mkv --start 1 --duration 1 --codec ffv1");
        need(fmt::format("cat {} | $VFILTER - piped.mkv -y -q --start 1 --duration 1 --codec ffv1", name));
        EXPECT_EQ(picture_hashes("piped.mkv"), picture_hashes("part.mkv"));
        EXPECT_EQ(count_pictures("piped.mkv"), 25);
    }
}

// Two of them in one line of the shell, as in a real one.
TEST_F(Pipes, OneFeedsTheOther) {
    make_clip("in.mkv", 30);
    need("$VFILTER in.mkv - --format y4m -q --gaussian 5 | $VFILTER - - --format y4m -q --box 3 > two.y4m");
    need("$VFILTER in.mkv - --format y4m -q --gaussian 5 --box 3 > one.y4m");
    EXPECT_TRUE(content("one.y4m") == content("two.y4m"));
}

TEST_F(Pipes, ReportsHaveNoPlaceBehindAVideo) {
    make_clip("in.mp4");
    const Result result = vfilter("in.mp4 - --format nut --report -");
    EXPECT_EQ(result.code, 2) << result;
    EXPECT_NE(result.err.find("the output and --report cannot share standard output"), std::string::npos) << result;
    EXPECT_TRUE(result.out.starts_with("{")) << "the report tells why, and no video is before it";
}

}  // namespace

}  // namespace vfilter::test
