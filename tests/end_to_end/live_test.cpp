// Inputs that are no files: synthetic sources, screens, cameras, addresses; losing them and getting them back.

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "tests/support/listener.h"
#include "tests/support/live.h"
#include "tests/support/ports.h"

namespace vfilter::test {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

TEST_F(Live, SyntheticSourcesAreFfmpegsOwn) {
    const std::string graph = "testsrc2=s=98x66:r=30000/1001:d=1,format=yuv422p10le";
    filter(fmt::format("'lavfi:{}' out.mkv --codec ffv1", graph));
    ffmpeg(fmt::format("-f lavfi -i '{}' -c:v ffv1 in.mkv", graph));
    EXPECT_EQ(picture_hashes("out.mkv"), picture_hashes("in.mkv"));
    EXPECT_EQ(probe("out.mkv").video().facts.at("pix_fmt"), "yuv422p10le");
    EXPECT_EQ(count_pictures("out.mkv"), 30);
    filter("'lavfi:testsrc2=s=64x48:d=1[out0];sine=d=1[out1]' sound.mkv --start 0.2 --duration 0.5");
    EXPECT_EQ(probe("sound.mkv").of("audio").size(), 1U);
}

TEST_F(Live, AFileTakesItsTime) {
    make_clip("in.mkv", 50, "-output_ts_offset 100");
    const Stopwatch watch;
    const auto begin = steady_clock::now();
    const Result result = vfilter("in.mkv out.mkv --live --codec ffv1 --report r.json");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_GE(seconds_since(begin), 1.9);
    EXPECT_LT(watch.seconds(), 40) << "of two seconds, on a machine with much to do";
    const std::vector<double> times = expect_recording("out.mkv", "r.json");
    EXPECT_EQ(times.size() + left_out("r.json"), 50U);
    // Each where it was, unless the machine stood still.
    const std::vector<std::string> all = picture_hashes("in.mkv");
    const std::vector<std::string> seen = picture_hashes("out.mkv");
    ASSERT_EQ(seen.size(), times.size());
    for (std::size_t i = 0, at = 0; i < seen.size(); ++i, ++at) {
        at = static_cast<std::size_t>(std::find(all.begin() + static_cast<std::ptrdiff_t>(at), all.end(), seen[i]) -
                                      all.begin());
        ASSERT_LT(at, all.size()) << i;
        const double skipped = left_out("r.json") == 0 ? 0 : 0.04 * static_cast<double>(left_out("r.json"));
        EXPECT_NEAR(times[i], static_cast<double>(at) / 25, skipped + 0.002);
    }
}

TEST_F(Live, AFilesPaceIsInterrupted) {
    make_clip("in.mkv", 25 * 60);
    Command command("exec $VFILTER in.mkv out.mkv --live --report r.json", folder());
    wait_for_part(command, 0);
    std::this_thread::sleep_for(milliseconds(500));
    const Stopwatch watch;
    ASSERT_TRUE(command.signal(SIGINT));
    const Result result = command.wait(limit);
    EXPECT_EQ(result.code, 130) << result;
    EXPECT_LT(watch.seconds(), 15);
    EXPECT_LT(static_cast<double>(expect_recording("out.mkv", "r.json").size()), 200 + 25 * watch.stolen());
}

TEST_F(Live, AScreenIsGrabbed) {
    Command server("exec Xvfb -displayfd 3 -wr -nolisten tcp -screen 0 320x240x24 3>display", folder());
    const auto end = steady_clock::now() + std::chrono::seconds(20);
    while (content("display").empty() && server.running() && steady_clock::now() < end) {
        std::this_thread::sleep_for(milliseconds(20));
    }
    ASSERT_FALSE(content("display").empty()) << server.wait(milliseconds(0)) << "is the package xvfb installed?";
    const std::string display = lines_of(content("display")).at(0);
    filter(
        fmt::format("x11grab::{}+10,20 out.mkv --camera-size 64x48 --camera-fps 20 --frames 10 --codec ffv1", display));
    EXPECT_EQ(count_pictures("out.mkv"), 10);
    EXPECT_EQ(picture_times("out.mkv").front(), 0);
    ffmpeg("-f lavfi -i color=white:s=64x48:r=20:d=0.5,format=gbrp -c:v ffv1 in.mkv");
    EXPECT_EQ(picture_hashes("out.mkv"), picture_hashes("in.mkv"));
    const Result beyond = vfilter(fmt::format("x11grab::{}+10,20 never.mkv", display));
    EXPECT_EQ(beyond.code, 3) << beyond;
    EXPECT_NE(beyond.err.find("--camera-size WIDTHxHEIGHT grabs less"), std::string::npos) << beyond;
    // Gone in the middle: what was recorded is finished.
    Command command(fmt::format("exec $VFILTER x11grab::{} gone.mkv --report r.json", display), folder());
    wait_for_part(command, 0);
    std::this_thread::sleep_for(milliseconds(700));
    server.signal(SIGKILL);
    const Result result = command.wait(limit);
    EXPECT_EQ(result.code, 5) << result;
    EXPECT_NE(result.err.find("lost"), std::string::npos) << result;
    expect_recording("gone.mkv", "r.json");
}

// A second without anything, which a machine that stands still makes by itself: then all is done again.
TEST_F(Live, ASenderThatFallsSilentEndsTheRecording) {
    bool disturbed = true;
    while (disturbed) {
        const int port = free_port(SOCK_DGRAM);
        Command command(fmt::format("exec $VFILTER udp://127.0.0.1:{} out.mkv -y --allow-network --timeout 1 "
                                    "--progress json --report r.json 2> told.txt",
                                    port),
                        folder());
        ASSERT_TRUE(wait_for_listener(port, SOCK_DGRAM));
        const Stopwatch all;
        auto camera =
            std::make_unique<Command>(sender(600, fmt::format("-f mpegts udp://127.0.0.1:{}", port)), folder());
        wait_until_told(command, 40, true);
        EXPECT_TRUE(command.running() || all.disturbed()) << content("told.txt");
        camera.reset();
        const Stopwatch silent;
        const Result result = command.wait(limit);
        EXPECT_LT(silent.seconds(), 6);
        disturbed = all.disturbed();
        if (!disturbed) {
            EXPECT_EQ(result.code, 5) << content("told.txt");
            EXPECT_EQ(times_told("nothing came for 1 s"), 1) << content("told.txt");
            EXPECT_GT(expect_recording("out.mkv", "r.json").size(), 25U);
            EXPECT_EQ(probe("out.mkv").of("audio").size(), 1U);
        }
    }
}

TEST_F(Live, ALostSenderComesBack) {
    const int port = free_port(SOCK_DGRAM);
    const std::string output = fmt::format("-f mpegts udp://127.0.0.1:{}", port);
    bool heard = false;
    // A machine that has too much to do loses the packets by which the sound would be known when it is opened.
    for (int attempt = 0; attempt < 3 && !heard; ++attempt) {
        const Stopwatch watch;
        Command command(fmt::format("exec $VFILTER udp://127.0.0.1:{} out.mkv -y --allow-network --timeout 1 "
                                    "--reconnect 2 --progress json --report r.json 2> told.txt",
                                    port),
                        folder());
        ASSERT_TRUE(wait_for_listener(port, SOCK_DGRAM));
        auto camera = std::make_unique<Command>(sender(600, output), folder());
        wait_until_told(command, 35, true);
        const int losses = times_told("(1 of 2)");
        const int returns = times_told("is back after");
        camera.reset();
        const auto left = steady_clock::now();
        ASSERT_TRUE(wait_until_told_again(command, "(1 of 2)", losses)) << content("told.txt");
        camera = std::make_unique<Command>(sender(600, output), folder());
        ASSERT_TRUE(wait_until_told_again(command, "is back after", returns)) << content("told.txt");
        const double away = seconds_since(left);
        wait_until_told(command, told_frames(true) + 35, true);
        camera.reset();
        const Result result = command.wait(limit);
        EXPECT_EQ(result.code, 5) << content("told.txt");  // in the end it stays away
        EXPECT_GE(times_told("(2 of 2)"), 1) << content("told.txt");
        const std::vector<double> times = expect_recording("out.mkv", "r.json");
        EXPECT_GT(static_cast<double>(times.size()), 60 - 25 * watch.stolen());
        // As much time as had passed.
        EXPECT_GT(longest_gap(times), 1);
        EXPECT_LT(longest_gap(times), away + watch.stolen() + 4) << "and what a machine with much to do takes besides";
        const auto sound = probe("out.mkv").of("audio");
        heard = !sound.empty() && !sound.at(0).times().empty();
        EXPECT_TRUE(!heard || sound.at(0).times().back() > times.back() - 1) << "the sound came back, too";
    }
    EXPECT_TRUE(heard);
}

TEST_F(Live, ASenderThatIsAwayWhenASignalComesIsLost) {
    const int port = free_port(SOCK_DGRAM);
    Command command(fmt::format("exec $VFILTER udp://127.0.0.1:{} out.mkv --allow-network --timeout 1 --reconnect 50 "
                                "--progress json --report r.json 2> told.txt",
                                port),
                    folder());
    ASSERT_TRUE(wait_for_listener(port, SOCK_DGRAM));
    auto camera = std::make_unique<Command>(sender(600, fmt::format("-f mpegts udp://127.0.0.1:{}", port)), folder());
    wait_until_told(command, 10, true);
    camera.reset();
    ASSERT_TRUE(wait_until_told_again(command, "it is opened again in", times_told("it is opened again in")))
        << content("told.txt");
    ASSERT_TRUE(command.signal(SIGTERM));
    EXPECT_EQ(command.wait(limit).code, 143) << content("told.txt");
    EXPECT_EQ(json_of("r.json").at("damage").at("lost"), true) << content("told.txt");
}

TEST_F(Live, ASenderThatComesBackAsSomethingElseIsLost) {
    const int port = free_port(SOCK_DGRAM);
    const Stopwatch watch;
    Command command(fmt::format("exec $VFILTER udp://127.0.0.1:{} out.mkv --allow-network --timeout 1 --reconnect 9 "
                                "--progress json --report r.json 2> told.txt",
                                port),
                    folder());
    ASSERT_TRUE(wait_for_listener(port, SOCK_DGRAM));
    auto camera = std::make_unique<Command>(sender(600, fmt::format("-f mpegts udp://127.0.0.1:{}", port)), folder());
    wait_until_told(command, 35, true);
    const int losses = times_told("(1 of 9)");
    camera.reset();
    // After the timeout: before it the same input would go on, with damage.
    ASSERT_TRUE(wait_until_told_again(command, "(1 of 9)", losses)) << content("told.txt");
    Command other(fmt::format("exec ffmpeg -nostdin -v error -re -f lavfi -i testsrc2=s=160x120 -c:v mpeg2video -f "
                              "mpegts udp://127.0.0.1:{}",
                              port),
                  folder());
    const Result result = command.wait(limit);
    EXPECT_EQ(result.code, 5) << content("told.txt");
    EXPECT_GE(times_told("came back as something else"), 1) << content("told.txt");
    EXPECT_GT(static_cast<double>(expect_recording("out.mkv", "r.json").size()), 25 - 25 * watch.stolen());
}

TEST_F(Live, AddressesAreRead) {
    make_clip("in.ts", 50);
    const auto wanted = picture_hashes("in.ts");
    const std::pair<std::string, std::string> rows[] = {
        {"http://127.0.0.1:{}/a.ts", "-listen 1 http://127.0.0.1:{}/a.ts"},
        {"tcp://127.0.0.1:{}", "tcp://127.0.0.1:{}?listen"},
    };
    for (const auto& [input, output] : rows) {
        const int port = free_port();
        Command server(fmt::format("exec ffmpeg -nostdin -v error -i in.ts -map 0 -c copy -f mpegts {}",
                                   fmt::format(fmt::runtime(output), port)),
                       folder());
        ASSERT_TRUE(wait_for_listener(port));
        filter(fmt::format("{} out.mkv --allow-network --timeout 10 --codec ffv1",
                           fmt::format(fmt::runtime(input), port)));
        EXPECT_EQ(picture_hashes("out.mkv"), wanted) << input;
    }
}

TEST_F(Live, RtspKeepsItsPassword) {
    const int port = free_port();
    Command command(fmt::format("exec $VFILTER 'rtsp://me:secret@127.0.0.1:{}/a?key=secret' out.mkv --allow-network "
                                "--timeout 5 --input-option rtsp_flags=listen --log-level debug --report r.json",
                                port),
                    folder());
    ASSERT_TRUE(wait_for_listener(port));
    ASSERT_EQ(run(sender(2, fmt::format("-f rtsp -rtsp_transport tcp 'rtsp://127.0.0.1:{}/a?key=secret'", port))).code,
              0);
    const Result result = command.wait(limit);
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_EQ(pictures_given(), 50U);
    EXPECT_EQ(result.err.find("secret"), std::string::npos) << result;
    EXPECT_EQ(content("r.json").find("secret"), std::string::npos);
}

// Not even a connection.
TEST_F(Live, NothingIsOpenedWithoutLeave) {
    const Listener listener(SOCK_NONBLOCK);
    const int port = listener.port();
    // At the same port of UDP, what is sent to it.
    const int datagrams = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    ASSERT_EQ(bind(datagrams, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    for (const std::string scheme : {"tcp", "http", "https", "rtsp", "rtsps", "rtmp", "rtmps", "srt", "udp", "rtp"}) {
        const Result result = vfilter(fmt::format("{}://127.0.0.1:{}/ out.mkv", scheme, port));
        EXPECT_EQ(result.code, 2) << result;
        EXPECT_NE(result.err.find("--allow-network"), std::string::npos) << result;
        EXPECT_LT(listener.next(), 0) << "somebody has connected: " << result;
        char byte = 0;
        EXPECT_LT(recv(datagrams, &byte, 1, 0), 0) << "something was sent: " << result;
    }
    close(datagrams);
    EXPECT_FALSE(exists("out.mkv"));
}

// A list from the network may name further addresses, but no file of this machine.
TEST_F(Live, APlaylistReachesNoFile) {
    make_clip("in.ts");
    write("in.m3u8", fmt::format("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile://{}\n#EXT-X-ENDLIST\n",
                                 path("in.ts").string()));
    const int port = free_port();
    Command server(fmt::format("exec ffmpeg -nostdin -v error -f data -i in.m3u8 -map 0 -c copy -f data -listen 1 "
                               "-content_type application/vnd.apple.mpegurl http://127.0.0.1:{}/a.m3u8",
                               port),
                   folder());
    ASSERT_TRUE(wait_for_listener(port));
    const Result result =
        vfilter(fmt::format("http://127.0.0.1:{}/a.m3u8 out.mkv --allow-network --log-level debug --timeout 5", port));
    EXPECT_EQ(result.code, 3) << result;
    EXPECT_NE(result.err.find("whitelist"), std::string::npos) << "refused for another reason: " << result;
    EXPECT_FALSE(exists("out.mkv"));
}

TEST_F(Live, AStreamWithoutTimesIsNotCaughtUpWhichIsTold) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -c:v mjpeg in.mjpeg");
    ffmpeg("-i in.mjpeg -c copy in.nut");
    for (const std::string name : {"in.mjpeg", "in.nut"}) {
        const Result result = run("cat " + name + " | $VFILTER - out.mkv -y --live --progress none");
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_EQ(result.err.find("the input has no times: its pictures come at 25 a second") != std::string::npos,
                  name == "in.mjpeg")
            << result;
    }
}

TEST_F(Live, APipeThatFallsSilentEndsTheRecording) {
    make_clip("in.ts", 50);
    ASSERT_EQ(run("mkfifo feed silence").code, 0);
    Command feeder("exec 3>feed; cat in.ts >&3; exec sleep 60", folder());
    const Stopwatch watch;
    const Result result = run("exec $VFILTER - out.mkv --timeout 1 --report r.json < feed");
    EXPECT_EQ(result.code, 5) << result;
    EXPECT_LT(watch.seconds(), 15);
    EXPECT_NE(result.err.find("nothing came for 1 s"), std::string::npos) << result;
    EXPECT_EQ(json_of("r.json").at("damage").at("lost"), true);
    EXPECT_EQ(count_pictures("out.mkv"), 50);
    // One that never said anything.
    Command nobody("exec 3>silence; exec sleep 60", folder());
    const Result silent = run("exec $VFILTER - silent.mkv --timeout 0.5 < silence");
    EXPECT_EQ(silent.code, 3) << silent;
    EXPECT_FALSE(exists("silent.mkv"));
}

TEST_F(Live, CamerasAreListed) {
    const Result result = vfilter("--list cameras");
    EXPECT_EQ(result.code, 0) << result;
    for (const std::string& line : lines_of(result.out)) {
        EXPECT_TRUE(line.starts_with("no camera") || line.starts_with("/dev/video") || line.starts_with("alsa:"))
            << result;
    }
    EXPECT_TRUE(result.out.starts_with("no camera") || result.out.starts_with("/dev/video")) << result;
    EXPECT_EQ(result.err, "");
}

}  // namespace

}  // namespace vfilter::test
