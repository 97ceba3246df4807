// Sound of live inputs that begins later, stops, or does not come back; and what has to be described first.

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <thread>

#include "tests/support/live.h"
#include "tests/support/ports.h"

namespace vfilter::test {

namespace {

using std::chrono::milliseconds;

class LiveSound : public Live {
protected:
    // ffmpeg as a camera, in real time.
    [[nodiscard]] static std::string camera(double seconds, const std::string& output, bool sound) {
        return fmt::format(
            "exec ffmpeg -nostdin -v error -re -f lavfi -i testsrc2=s=160x120:r=25:d={0} {1} -c:v libx264 "
            "-preset ultrafast -tune zerolatency -g 5 {2}",
            seconds, sound ? fmt::format("-re -f lavfi -i sine=r=48000:d={} -c:a aac", seconds) : "", output);
    }
    // Pictures of three seconds, and sound of a third of one.
    void make_film_that_falls_silent() const {
        ffmpeg(
            "-f lavfi -i testsrc2=s=160x120:r=25:d=3 -f lavfi -i sine=r=48000:d=0.3 -c:v libx264 -preset ultrafast -g "
            "10 "
            "-c:a aac in.mkv");
    }
};

TEST_F(LiveSound, ThatBeginsLaterIsTold) {
    ffmpeg("-f lavfi -i testsrc2=s=160x120:r=25:d=1 -c:v libx264 -preset ultrafast -g 5 -f mpegts a.ts");
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x120:r=25:d=1 -f lavfi -i sine=r=48000:d=1 -c:v libx264 -preset ultrafast -g 5 -c:a "
        "aac -output_ts_offset 1 -f mpegts b.ts");
    ASSERT_EQ(run("cat a.ts b.ts > in.ts").code, 0);
    const std::string arguments =
        "in.ts out.mkv -y --live --input-option probesize=20000 --progress none --report r.json";
    const Stopwatch watch;
    const Result result = vfilter(arguments);
    EXPECT_LT(watch.seconds(), 5.0) << "nobody waits for it at the beginning";
    EXPECT_EQ(result.code, 5) << result;
    EXPECT_NE(result.err.find("stream 1 (aac) is left out: it begins only at"), std::string::npos) << result;
    EXPECT_GT(pictures_given(), 40U);
    const Result unwanted = vfilter(arguments + " --streams video");
    EXPECT_EQ(unwanted.err.find("stream 1"), std::string::npos) << unwanted;
}

TEST_F(LiveSound, ThatDoesNotComeBackIsTold) {
    const std::string pictures = "-f lavfi -i testsrc2=s=160x120:r=25:d=30 -c:v mpeg2video -g 5 ";
    ffmpeg("-f lavfi -i sine=r=48000:d=30 " + pictures + "-c:a aac -map 1 -map 0 sound.ts");
    ffmpeg(pictures + "silent.ts");
    const int port = free_port(SOCK_DGRAM);
    const auto sending = [&](const std::string& film) {
        return std::make_unique<Command>(
            fmt::format("exec ffmpeg -nostdin -v error -re -i {} -c copy -f mpegts udp://127.0.0.1:{}", film, port),
            folder());
    };
    Command command(fmt::format("exec $VFILTER udp://127.0.0.1:{} out.mkv --allow-network --timeout 1 --reconnect 3 "
                                "--report r.json --progress none 2> told.txt",
                                port),
                    folder());
    std::unique_ptr<Command> sender = sending("sound.ts");
    wait_for_part(command);
    const std::string lost = "it is opened again";
    const int losses = times_told(lost);
    sender.reset();
    ASSERT_TRUE(wait_until_told_again(command, lost, losses)) << content("told.txt");
    sender = sending("silent.ts");
    EXPECT_TRUE(wait_until_told_again(command, "stream 1 (aac) gives nothing since the input came back", 0))
        << content("told.txt");
    sender.reset();
    EXPECT_EQ(command.wait(limit).code, 5) << content("told.txt");
    EXPECT_GE(json_of("r.json").at("damage").at("packets"), 1);
}

class LiveSilence : public LiveSound, public testing::WithParamInterface<const char*> {};

// The pictures go on, and so do the file and whoever watches.
TEST_P(LiveSilence, HoldsUpNoPictures) {
    make_film_that_falls_silent();
    const std::string name = fmt::format("out.{}", GetParam());
    Command command(fmt::format("exec $VFILTER in.mkv {} --live --progress json 2> told.txt", name), folder());
    wait_until_told(command, 65, true);
    ASSERT_TRUE(command.signal(SIGKILL));
    command.wait(limit);
    ASSERT_EQ(parts().size(), 1U);
    std::filesystem::rename(path(parts().front()), path("in.part"));
    const std::vector<double> times = picture_times("in.part");
    ASSERT_FALSE(times.empty());
    EXPECT_GT(times.back(), 1);
}

INSTANTIATE_TEST_SUITE_P(Containers, LiveSilence, testing::Values("mkv", "mp4", "ts"),
                         [](const auto& made) { return std::string(made.param); });

// Which includes what waited for sound.
TEST_F(LiveSound, LatencyIsThatOfWhatIsWritten) {
    make_film_that_falls_silent();
    nlohmann::json written;
    // A machine that has too much to do is late by as much as that.
    for (int attempt = 0; attempt < 4; ++attempt) {
        const Result result = vfilter("in.mkv out.mkv -y --live --report r.json");
        EXPECT_EQ(result.code, 0) << result;
        written = json_of("r.json").at("latency_ms").at("write");
        EXPECT_EQ(written.at("count").get<std::size_t>() + left_out("r.json"), 75U);
        EXPECT_GT(written.at("max"), 200) << "pictures that waited half a second, in hope";
        if (written.at("p50") < 200 && written.at("max") < 2000) {
            break;
        }
    }
    EXPECT_LT(written.at("max"), 2000);
    EXPECT_LT(written.at("p50"), 200);
}

// What a camera has sent into a pipe meanwhile is late, and told to be left out; and it is not late for ever.
TEST_F(LiveSound, ALateStartIsCaughtUp) {
    ASSERT_EQ(run("mkfifo feed").code, 0);
    Command sender(camera(600, "-f mpegts -flush_packets 1 -y feed", false), folder());
    Command holder("exec 3<>feed; exec sleep 60", folder());
    std::this_thread::sleep_for(milliseconds(2500));
    const Stopwatch watch;
    Command command("exec $VFILTER feed out.mkv --live --frames 40 --progress none --report r.json", folder());
    const Result result = command.wait(limit);
    const double took = watch.seconds();
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_NE(result.err.find("not decoded, as newer ones had come"), std::string::npos) << result;
    EXPECT_GT(json_of("r.json").at("drops").at("undecoded"), 20);
    EXPECT_EQ(picture_times("out.mkv").front(), 0);
    EXPECT_LT(took, 10) << "of pictures that are there, or come at once";
}

TEST_F(LiveSound, RtpIsReadByItsDescription) {
    const int port = free_port(SOCK_DGRAM);
    const std::string address = fmt::format("rtp://127.0.0.1:{}", port);
    write("in.sdp", fmt::format("v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video {} RTP/AVP "
                                "96\na=rtpmap:96 H264/90000\n",
                                port));
    Command command("exec $VFILTER sdp:in.sdp out.mkv --allow-network --frames 10 --progress none", folder());
    ASSERT_TRUE(wait_for_listener(port, SOCK_DGRAM));
    Command sender(camera(600, "-f rtp " + address + " >sdp", false), folder());
    const Result result = command.wait(limit);
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_EQ(count_pictures("out.mkv"), 10);
    const Result alone = vfilter(address + " alone.mkv --allow-network --timeout 5");
    EXPECT_EQ(alone.code, 3) << alone;
    EXPECT_NE(alone.err.find("sdp:FILE"), std::string::npos) << alone;
    const Result unasked = vfilter("in.sdp alone.mkv");
    EXPECT_EQ(unasked.code, 3) << unasked;
    EXPECT_NE(unasked.err.find("sdp:in.sdp"), std::string::npos) << unasked;
    const Result forbidden = vfilter("sdp:in.sdp alone.mkv");
    EXPECT_EQ(forbidden.code, 2) << forbidden;
}

}  // namespace

}  // namespace vfilter::test
