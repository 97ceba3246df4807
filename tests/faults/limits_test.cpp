// Faults 21, 40 and 41: too little of the machine, and too much of an input or a command line.

#include <pwd.h>
#include <unistd.h>

#include <vector>

#include "tests/support/faults.h"

namespace vfilter::test {

namespace {

class Limits : public Faults {
protected:
    // With a gigabyte of memory for all that it maps.
    [[nodiscard]] Ended within_a_gigabyte(const std::string& arguments) const {
        Ended end = timed("ulimit -v 1048576; exec $VFILTER --threads 2 " + arguments);
        RecordProperty("seconds", fmt::format("{:.2f}", end.seconds));
        return end;
    }
    void expect_refused(const std::string& arguments) const {
        SCOPED_TRACE(arguments);
        const Ended end = within_a_gigabyte(arguments);
        EXPECT_EQ(end.result.code, 3) << end.result;
        EXPECT_LT(end.seconds, 20);
        EXPECT_EQ(complaints(end.result).size(), 1U) << end.result;
        EXPECT_TRUE(says(end.result, "160")) << "the limit: " << end.result;
        EXPECT_TRUE(says(end.result, "--max-pixels")) << end.result;
        EXPECT_EQ(parts().size(), 0U);
        EXPECT_FALSE(exists("out.mkv"));
    }
};

TEST_F(Limits, AHugePictureIsRefusedBeforeMemoryIsTaken) {
    ffmpeg("-f lavfi -i color=gray:s=16000x16000 -frames:v 1 -pix_fmt gray -compression_level 1 huge.png");
    ASSERT_LT(std::filesystem::file_size(path("huge.png")), 2'000'000U);
    expect_refused("huge.png out.mkv");
    expect_refused("huge.png --format null");
    expect_refused("- out.mkv --input-format png_pipe < huge.png");
    write("huge.y4m", "YUV4MPEG2 W60000 H60000 F25:1 C420\nFRAME\n" + std::string(100'000, 'x'));
    expect_refused("huge.y4m out.mkv");
    expect_refused("- out.mkv < huge.y4m");
    // In the middle of a Matroska file: its header says what its stream does not hold.
    ffmpeg("-f lavfi -i testsrc2=s=160x128:r=25:d=0.4 -c:v mpeg4 clip.mkv");
    std::string bytes = content("clip.mkv");
    const std::string width("\xb0\x81\xa0", 3);
    const std::string height("\xba\x81\x80", 3);
    const std::size_t at = bytes.find(width);
    ASSERT_NE(at, std::string::npos);
    bytes.replace(at, 3, "\xb0\x82\xff\xff");
    const std::size_t then = bytes.find(height, at);
    ASSERT_NE(then, std::string::npos);
    bytes.replace(then, 3, "\xba\x82\xff\xff");
    write("claims.mkv", bytes);
    const Ended claims = within_a_gigabyte("claims.mkv out.mkv -y");
    EXPECT_TRUE(claims.result.code == 3 || claims.result.code == 0 || claims.result.code == 5) << claims.result;
    EXPECT_LT(claims.seconds, 20);
}

TEST_F(Limits, TheOptionRaisesTheLimit) {
    ffmpeg("-f lavfi -i color=gray:s=16000x16000 -frames:v 1 -pix_fmt gray -compression_level 1 huge.png");
    EXPECT_EQ(vfilter("huge.png --format null -q --max-pixels 200M").code, 3);
    EXPECT_EQ(vfilter("huge.png --format null -q --max-pixels 256M").code, 0) << "exactly as many as it has";
    for (const std::string wrong : {"0", "-1", "x", "''", "99999999999999999999", "1e400", "5K"}) {
        EXPECT_EQ(vfilter("huge.png --format null -q --max-pixels " + wrong).code, 2) << wrong;
    }
    // And lowers it.
    ffmpeg("-f lavfi -i testsrc2=s=160x120:r=25:d=0.2 -c:v ffv1 in.mkv");
    EXPECT_EQ(vfilter("in.mkv --format null -q --max-pixels 19199").code, 3);
    EXPECT_EQ(vfilter("in.mkv --format null -q --max-pixels 30000").code, 0) << "decoders round sizes up";
}

TEST_F(Limits, APictureThatGrowsInTheMiddleIsRefused) {
    ffmpeg("-f lavfi -i testsrc2=s=160x120:r=25:d=0.4 -c:v mpeg2video -f mpegts small.ts");
    ffmpeg("-f lavfi -i testsrc2=s=640x480:r=25:d=0.4 -c:v mpeg2video -f mpegts large.ts");
    ASSERT_EQ(run("cat small.ts large.ts > in.ts").code, 0);
    const Result result = vfilter("in.ts out.mkv --max-pixels 20000");
    EXPECT_TRUE(result.code == 3 || result.code == 5) << result;
}

TEST_F(Limits, AnInputOfThousandsOfStreamsEnds) {
    // Written by hand: a Matroska file whose header has ten thousand tracks of sound after one of video.
    const auto element = [](const std::string& id, const std::string& payload) {
        std::string size(8, '\0');
        for (std::size_t i = 0; i < 8; ++i) {
            size[7 - i] = static_cast<char>(payload.size() >> (8 * i));
        }
        size[0] = '\x01';
        return id + size + payload;
    };
    std::string tracks;
    for (int i = 1; i <= 10'000; ++i) {
        const std::string number{static_cast<char>(i >> 8), static_cast<char>(i)};
        tracks += element("\xae", element("\xd7", number) + element("\x73\xc5", number) +
                                      element("\x83", std::string(1, i == 1 ? '\x01' : '\x02')) +
                                      element("\x86", i == 1 ? "V_MPEG4/ISO/ASP" : "A_PCM/INT/LIT"));
    }
    write("many.mkv", element("\x1a\x45\xdf\xa3", element("\x42\x82", "matroska")) +
                          element("\x18\x53\x80\x67", element("\x16\x54\xae\x6b", tracks)));
    const Ended end = within_a_gigabyte("many.mkv out.mkv");
    EXPECT_EQ(end.result.code, 3) << end.result;
    EXPECT_LT(end.seconds, 20);
    EXPECT_EQ(complaints(end.result).size(), 1U) << end.result;
}

TEST_F(Limits, ArgumentsWithoutEndAreUsageErrors) {
    make_clip("in.mkv", 3);
    // Longer than one argument may be (128 KiB), so of many, and of the longest that there are.
    const std::string lines[] = {
        "in.mkv out.mkv --gaussian \"$(head -c 130000 /dev/zero | tr '\\0' 9)\"",
        "in.mkv out.mkv --kernel \"$(head -c 130000 /dev/zero | tr '\\0' '1' | sed 's/1/1 /g' | head -c 130000)\"",
        "in.mkv out.mkv --filters \"$(yes box=3 | head -20000 | paste -sd,)\"",
        "in.mkv out.mkv $(yes -- --box=3 | head -60000)",
        "in.mkv out.mkv --region \"$(head -c 130000 /dev/zero | tr '\\0' ',')\"",
        "in.mkv out.mkv \"--$(head -c 130000 /dev/zero | tr '\\0' a)\"",
        "$(yes x | head -100000)"};
    for (const std::string& line : lines) {
        const Ended end = timed("exec $VFILTER " + line);
        EXPECT_EQ(end.result.code, 2) << end.result.err.substr(0, 500) << line;
        EXPECT_LT(end.seconds, 20) << line;
        EXPECT_LT(end.result.err.size(), 3000U) << line;
    }
    for (const std::string content : {"a.", "[", "a=[", "{a=", "[[", "\"", "a = '''", "#"}) {
        std::string text;
        while (text.size() < 1'000'000) {
            text += content;
        }
        write("c.toml", text);
        const Ended end = timed("exec $VFILTER in.mkv out.mkv --config c.toml");
        EXPECT_EQ(end.result.code, content == "#" ? 0 : 2) << end.result.err.substr(0, 500) << content;
        EXPECT_TRUE(content == "#" || says(end.result, "c.toml:")) << end.result.err.substr(0, 500);
        EXPECT_LT(end.seconds, 20);
        EXPECT_LT(end.result.err.size(), 3000U);
        std::filesystem::remove(path("out.mkv"));
    }
}

// As another user, for whom the limit holds: none of root's.
TEST_F(Limits, ThreadsThatAreRefusedAreFewerOrAnError) {
    make_clip("in.mkv", 25);
    const Result whole = vfilter("in.mkv whole.mkv --gaussian 5");
    ASSERT_EQ(whole.code, 0) << whole;
    // OpenCV brings OpenBLAS along where that is the system's BLAS. It makes threads as it is loaded, and ends the
    // process where it may not, before ours begins.
    const std::string alone = "export OPENBLAS_NUM_THREADS=1; ";
    std::string begin = alone + "exec ";
    if (geteuid() == 0) {
        // Somebody who runs nothing else here, and can read the program and write here.
        ASSERT_EQ(run("chmod 777 . && chmod 644 in.mkv").code, 0);
        begin = alone + "exec setpriv --reuid 61234 --regid 61234 --clear-groups ";
        const Result started = run(begin + "\"$VFILTER\" --version > /dev/null");
        if (started.code == 126) {
            GTEST_SKIP() << "another user cannot run the program where it lies: " << started;
        }
        ASSERT_EQ(started.code, 0) << started;
    }
    int finished = 0;
    int refused = 0;
    std::vector<int> limits{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 30, 60, 4000};
    for (const std::string codec : {"libx264", "ffv1"}) {
        for (const int threads : limits) {
            std::filesystem::remove(path("out.mkv"));
            const Ended end =
                timed(fmt::format("ulimit -u {}; {} \"$VFILTER\" in.mkv out.mkv --gaussian 5 --threads 4 "
                                  "--progress none --codec {}",
                                  threads, begin, codec));
            EXPECT_TRUE(end.result.code == 0 || end.result.code == 1 || end.result.code == 8)
                << threads << ": " << end.result;
            EXPECT_LT(end.seconds, 10) << threads;
            EXPECT_FALSE(end.result.err.empty()) << threads;
            EXPECT_EQ(exists("out.mkv"), end.result.code == 0) << threads;
            refused += end.result.code == 1 ? 1 : 0;
            if (end.result.code == 0) {
                ++finished;
                EXPECT_EQ(count_pictures("out.mkv"), 25) << threads;
            }
            for (const std::string& part : parts()) {
                EXPECT_TRUE(says(end.result, part)) << end.result;
                std::filesystem::remove(path(part));
            }
        }
    }
    // The last one is none. Of others the rest of what this user runs at the moment takes a part, unless it is nothing.
    EXPECT_GE(finished, geteuid() == 0 ? 6 : 2);
    EXPECT_GE(refused, 2) << "the limit does not hold";
}

// glibc's arenas have heaps of 64 MiB. What does not fit into one's rest is had elsewhere, with an errno of ENOMEM.
TEST_F(Limits, PacketsThatFillAnArenaAreWhole) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=1280x720:r=25:d=2.4,noise=alls=80:allf=t -c:v libx264 -preset ultrafast -qp 12 -g 999 "
        "-bf 0 in.mp4");
    const Result result = vfilter("in.mp4 --format null --gaussian 3 --device cpu --threads 1");
    EXPECT_EQ(result.code, 0) << result;
}

TEST_F(Limits, MemoryThatIsRefusedIsAnError) {
    make_clip("in.mkv", 25, "-s 1280x720");
    int finished = 0;
    int refused = 0;
    for (const int megabytes : {150, 200, 210, 220, 230, 240, 250, 260, 300, 400, 500, 700, 1000, 4000}) {
        std::filesystem::remove(path("out.mkv"));
        const Ended end = timed(fmt::format(
            "ulimit -v {}; exec $VFILTER in.mkv out.mkv --gaussian 5 --threads 2 --progress none", megabytes * 1024));
        // 127: the loader itself has no room for the libraries.
        EXPECT_TRUE(end.result.code == 0 || end.result.code == 1 || end.result.code == 3 || end.result.code == 8 ||
                    end.result.code == 127)
            << megabytes << ": " << end.result;
        EXPECT_LT(end.seconds, 10);
        finished += end.result.code == 0 ? 1 : 0;
        refused += end.result.code == 1 && says(end.result, "memory") ? 1 : 0;
        EXPECT_EQ(exists("out.mkv"), end.result.code == 0) << megabytes << ": " << end.result;
        for (const std::string& part : parts()) {
            EXPECT_TRUE(says(end.result, part)) << end.result;
            std::filesystem::remove(path(part));
        }
    }
    EXPECT_GE(finished, 1);
    EXPECT_GE(refused, 1) << "by us, and not by the loader alone";
}

}  // namespace

}  // namespace vfilter::test
