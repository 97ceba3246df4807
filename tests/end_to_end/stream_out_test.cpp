// Outputs that are addresses: somebody there takes the video as it comes, goes away, and comes back.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <thread>

#include "tests/support/end_to_end.h"
#include "tests/support/listener.h"
#include "tests/support/ports.h"

namespace vfilter::test {

namespace {

class StreamOut : public EndToEnd {
protected:
    static constexpr std::chrono::milliseconds patience{40'000};

    // Until what is sent to the port has waited for a second, because there is no more room.
    static bool wait_until_full(int port) {
        const std::string beginning = fmt::format(":{:04X} 01 ", port);
        std::string waiting;
        const auto begin = std::chrono::steady_clock::now();
        for (auto since = begin; since - begin < patience;) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            const std::string queue = socket_line("tcp", beginning).substr(0, beginning.size() + 8);
            if (queue.empty() || queue.ends_with(" 00000000") || queue != waiting) {
                waiting = queue;
                since = std::chrono::steady_clock::now();
            } else if (std::chrono::steady_clock::now() - since > std::chrono::seconds(1)) {
                return true;
            }
        }
        return false;
    }
    // ffmpeg as a receiver that keeps what it gets.
    [[nodiscard]] static std::string receiver(const std::string& input, const std::string& output,
                                              const std::string& options = "") {
        return fmt::format("exec ffmpeg -nostdin -v error -y {} -i {} -c copy -flush_packets 1 {}", options, input,
                           output);
    }
    [[nodiscard]] static std::string listener(int port, const std::string& output) {
        return receiver(fmt::format("'tcp://127.0.0.1:{}?listen=1'", port), output);
    }
    // Until what goes to told.txt has these words.
    [[nodiscard]] bool wait_until_told(Command& command, const std::string& words) const {
        const auto begin = std::chrono::steady_clock::now();
        while (content("told.txt").find(words) == std::string::npos) {
            if (!command.running() || std::chrono::steady_clock::now() - begin > patience) {
                return false;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return true;
    }
    // A run that sends a film to somebody who takes a little of it and goes away for good.
    [[nodiscard]] std::unique_ptr<Command> left_alone(const std::string& options) const {
        make_film(25 * 30);
        const Listener listener;
        auto sender = std::make_unique<Command>(
            fmt::format("exec $VFILTER in.mkv tcp://127.0.0.1:{} --allow-network --progress none --report r.json {} "
                        "2> told.txt",
                        listener.port(), options),
            folder());
        const int taker = listener.next();
        std::array<char, 4096> some{};
        EXPECT_GT(recv(taker, some.data(), some.size(), MSG_WAITALL), 0);
        close(taker);
        return sender;
    }
    void make_film(int pictures) const {
        make_clip("in.mkv", pictures, "-c:v libx264 -preset ultrafast -g 25 -c:a aac");
    }
};

TEST_F(StreamOut, RtmpTakesPicturesAndSoundAtTheirPace) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x120:r=25:d=2 -f lavfi -i sine=r=48000:d=2 -c:v libx264 -preset ultrafast -c:a aac "
        "in.mp4");
    const int port = free_port();
    Command taker(receiver(fmt::format("rtmp://127.0.0.1:{}/live/key", port), "got.mkv", "-listen 1"), folder());
    ASSERT_TRUE(wait_for_listener(port));
    const auto begin = std::chrono::steady_clock::now();
    const Result result =
        vfilter(fmt::format("in.mp4 rtmp://127.0.0.1:{}/live/key --allow-network --gaussian 3 --progress none", port));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    ASSERT_EQ(result.code, 0) << result;
    EXPECT_GE(took.count(), 1.8) << "a file is not poured out at once";
    taker.wait(patience);
    EXPECT_EQ(count_pictures("got.mkv"), 50);
    EXPECT_EQ(probe("got.mkv").of("audio").size(), 1U);
}

TEST_F(StreamOut, WhatHasNothingInThePartIsNamed) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=1 -f lavfi -i sine=d=0.3 -c:v libx264 -preset ultrafast -c:a aac in.mp4");
    const int port = free_port();
    Command taker(listener(port, "got.mkv"), folder());
    ASSERT_TRUE(wait_for_listener(port));
    const Result result = vfilter(fmt::format(
        "in.mp4 tcp://127.0.0.1:{} --allow-network --identity --start 0.6 --duration 0.2 --progress none", port));
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_NE(result.err.find("nothing of it lies in the wanted part: stream 1"), std::string::npos) << result;
    taker.wait(patience);
}

TEST_F(StreamOut, UdpCarriesATransportStream) {
    make_film(50);
    const int port = free_port(SOCK_DGRAM);
    Command taker(receiver(fmt::format("'udp://127.0.0.1:{}?timeout=3000000'", port), "got.mkv"), folder());
    ASSERT_TRUE(wait_for_listener(port, SOCK_DGRAM));
    const Result result =
        vfilter(fmt::format("in.mkv udp://127.0.0.1:{} --allow-network --box 3 --progress none", port));
    ASSERT_EQ(result.code, 0) << result;
    taker.wait(patience);
    EXPECT_EQ(count_pictures("got.mkv"), 50);
}

TEST_F(StreamOut, NeedsLeave) {
    make_film(5);
    const Result result = vfilter("in.mkv rtmp://user:secret@127.0.0.1:1/live/key");
    EXPECT_EQ(result.code, 2) << result;
    EXPECT_NE(result.err.find("--allow-network"), std::string::npos) << result;
    EXPECT_EQ(result.err.find("secret"), std::string::npos) << result;
}

TEST_F(StreamOut, AddressesOfOtherKindsAreNotMadeFiles) {
    make_film(5);
    for (const std::string address : {"http://host/live", "rist://host:5", "SRT://host:9"}) {
        const Result result = vfilter(fmt::format("in.mkv {} --format matroska --allow-network", address));
        EXPECT_EQ(result.code, 2) << result;
        EXPECT_NE(result.err.find(fmt::format("a file of that name: ./{}", address)), std::string::npos) << result;
    }
    std::filesystem::create_directory(path("http:"));
    filter("in.mkv ./http://out.mkv");
    EXPECT_TRUE(exists("http:/out.mkv"));
}

// Somebody who listens, and takes nothing: what is sent waits until the run is to end.
TEST_F(StreamOut, APeerThatTakesNothingIsGivenUpInOurWords) {
    ffmpeg("-f lavfi -i testsrc2=s=640x360:r=25:d=8,noise=alls=90 -c:v libx264 -preset ultrafast -qp 10 in.mkv");
    const Listener silent(0, 1, 4096);
    Command sender(fmt::format("exec $VFILTER in.mkv tcp://127.0.0.1:{} --allow-network --progress none "
                               "--encoder-option qp=4",
                               silent.port()),
                   folder());
    ASSERT_TRUE(wait_until_full(silent.port()));
    ASSERT_TRUE(sender.signal(SIGTERM));
    const Result result = sender.wait(patience);
    EXPECT_EQ(result.code, 143) << result;
    EXPECT_NE(result.err.find("broken off, as the run was to end"), std::string::npos) << result;
    EXPECT_EQ(result.err.find("Immediate exit"), std::string::npos) << result;
}

// Live, the rest of the run goes on without it, and what it makes is dropped.
TEST_F(StreamOut, APeerThatTakesNothingCountsAsLost) {
    const Listener silent(0, 1, 4096);
    const Result result = vfilter(
        fmt::format("'lavfi:testsrc2=s=320x180:r=25:d=3600,noise=alls=90' tcp://127.0.0.1:{} --live --allow-network "
                    "--progress none --encoder-option qp=4 --stall-timeout 4 --box 3",
                    silent.port()));
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_NE(result.err.find(fmt::format("tcp://127.0.0.1:{}: nothing was taken for 4 s", silent.port())),
              std::string::npos)
        << result;
}

// Which is an end like every other: there is a report. On a machine with a camera nothing is to be seen here.
TEST_F(StreamOut, WithoutACameraThereIsNoWebcam) {
    if (run("ls /dev/video*").code == 0) {
        GTEST_SKIP() << "this machine has a camera";
    }
    const Result result = vfilter("webcam out.mkv --report r.json");
    EXPECT_EQ(result.code, 3) << result;
    EXPECT_EQ(json_of("r.json").at("exit_code"), 3);
    EXPECT_TRUE(parts().empty());
}

TEST_F(StreamOut, NobodyThereIsAnError) {
    make_film(5);
    const Result result =
        vfilter(fmt::format("in.mkv tcp://127.0.0.1:{} --allow-network --progress none", free_port()));
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_NE(result.err.find("Connection refused"), std::string::npos) << result;
}

TEST_F(StreamOut, APeerThatGoesAwayEndsTheRun) {
    make_film(25 * 30);
    const int port = free_port();
    Command taker(listener(port, "got.mkv"), folder());
    ASSERT_TRUE(wait_for_listener(port));
    Command sender(fmt::format("exec $VFILTER in.mkv tcp://127.0.0.1:{} --allow-network --progress none", port),
                   folder());
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    ASSERT_TRUE(taker.signal(SIGKILL));
    const Result result = sender.wait(patience);
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_NE(result.err.find("tcp://127.0.0.1"), std::string::npos) << result;
}

TEST_F(StreamOut, APeerThatComesBackGetsTheRest) {
    make_film(25 * 8);
    const int port = free_port();
    auto first = std::make_unique<Command>(listener(port, "first.mkv"), folder());
    ASSERT_TRUE(wait_for_listener(port));
    Command sender(
        fmt::format(
            "exec $VFILTER in.mkv tcp://127.0.0.1:{} --allow-network --reconnect 20 --progress none --report r.json",
            port),
        folder());
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    ASSERT_TRUE(first->signal(SIGKILL));
    first.reset();
    Command second(listener(port, "second.mkv"), folder());
    const Result result = sender.wait(patience);
    EXPECT_EQ(result.code, 5) << "not all of it arrived: " << result;
    EXPECT_GT(json_of("r.json").at("packets_lost"), 0);
    EXPECT_NE(result.err.find("it is tried again in"), std::string::npos) << result;
    EXPECT_NE(result.err.find("packets were lost"), std::string::npos) << result;
    second.wait(patience);
    EXPECT_GT(count_pictures("second.mkv"), 50);
    EXPECT_LT(count_pictures("second.mkv"), 200);
    EXPECT_TRUE(probe("second.mkv").video().packets.at(0).key);
}

TEST_F(StreamOut, APeerThatIsNotThereYetIsWaitedFor) {
    make_film(50);
    const int port = free_port();
    Command sender(fmt::format("exec $VFILTER in.mkv tcp://127.0.0.1:{} --allow-network --reconnect 20 --progress none "
                               "--report r.json 2> told.txt",
                               port),
                   folder());
    ASSERT_TRUE(wait_until_told(sender, "Connection refused; it is tried again in")) << content("told.txt");
    Command taker(listener(port, "got.mkv"), folder());
    const Result result = sender.wait(patience);
    EXPECT_EQ(result.code, 0) << content("told.txt");
    EXPECT_EQ(json_of("r.json").at("packets_lost"), 0);
    taker.wait(patience);
    EXPECT_EQ(count_pictures("got.mkv"), 50);
}

TEST_F(StreamOut, APeerThatNeverComesIsGivenUp) {
    make_film(5);
    const int port = free_port();
    const Result result =
        vfilter(fmt::format("in.mkv tcp://127.0.0.1:{} --allow-network --reconnect 2 --progress none", port));
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_NE(result.err.find("(2 of 2)"), std::string::npos) << result;
    Command waiting(
        fmt::format("exec $VFILTER in.mkv tcp://127.0.0.1:{} --allow-network --reconnect 20 2> told.txt", port),
        folder());
    ASSERT_TRUE(wait_until_told(waiting, "it is tried again in"));
    ASSERT_TRUE(waiting.signal(SIGTERM));
    EXPECT_EQ(waiting.wait(patience).code, 143) << content("told.txt");
}

// The waits between the tries are longer than what is a stall.
TEST_F(StreamOut, APeerThatStaysAwayIsTriedAsOftenAsWasAsked) {
    const std::unique_ptr<Command> sender = left_alone("--reconnect 5 --stall-timeout 4");
    const Result result = sender->wait(patience);
    EXPECT_EQ(result.code, 4) << content("told.txt");
    EXPECT_NE(content("told.txt").find("(5 of 5)"), std::string::npos) << content("told.txt");
    EXPECT_NE(content("told.txt").find("packets were lost"), std::string::npos) << content("told.txt");
}

TEST_F(StreamOut, WhatWasLostIsToldAfterASignalToo) {
    const std::unique_ptr<Command> sender = left_alone("--reconnect 50");
    ASSERT_TRUE(wait_until_told(*sender, "it is tried again in")) << content("told.txt");
    ASSERT_TRUE(sender->signal(SIGTERM));
    EXPECT_EQ(sender->wait(patience).code, 143) << content("told.txt");
    EXPECT_GT(json_of("r.json").at("packets_lost"), 0);
    EXPECT_NE(content("told.txt").find("packets were lost"), std::string::npos) << content("told.txt");
}

TEST_F(StreamOut, ABroadcastIsRefusedByTheSystem) {
    make_film(5);
    const Result result = vfilter("in.mkv udp://127.255.255.255:9 --allow-network --progress none");
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_NE(result.err.find("udp://127.255.255.255:9: Permission denied"), std::string::npos) << result;
    EXPECT_EQ(result.err.find("damaged"), std::string::npos) << result;
}

TEST_F(StreamOut, AnAddressWithoutAPortIsRefusedWhereNoneIsUsual) {
    make_film(5);
    for (const std::string scheme : {"udp", "rtp", "tcp", "srt"}) {
        const Result result = vfilter(fmt::format("in.mkv {}://127.0.0.1 --allow-network", scheme));
        EXPECT_EQ(result.code, 2) << result;
        EXPECT_NE(result.err.find("names no port"), std::string::npos) << result;
    }
}

// Without a resolver nobody knows whether it is known.
TEST_F(StreamOut, ANameThatNobodyKnowsIsTold) {
    make_film(5);
    for (const std::string line : {"in.mkv tcp://nohost.invalid:99", "in.mkv rtsp://nohost.invalid:99/a",
                                   "in.mkv udp://nohost.invalid:99", "tcp://nohost.invalid:99 out.mkv"}) {
        const Result result = vfilter(line + " --allow-network --progress none");
        EXPECT_EQ(result.code, line.starts_with("tcp") ? 3 : 4) << result;
        EXPECT_TRUE(result.err.find("no host with the name nohost.invalid is known") != std::string::npos ||
                    result.err.find("the address of nohost.invalid cannot be found: ") != std::string::npos)
            << result;
    }
}

// MPEG-TS has the format of the sound in each packet, and RTP in its description; and its streams have large numbers.
TEST_F(StreamOut, CopiedSoundOfATransportStreamIsAnnounced) {
    make_clip("in.ts", 50);
    const int port = free_port();
    Command server(fmt::format("exec ffmpeg -nostdin -v error -rtsp_flags listen -i rtsp://127.0.0.1:{}/live -map 0 "
                               "-f framemd5 -flush_packets 1 got.txt",
                               port),
                   folder());
    ASSERT_TRUE(wait_for_listener(port));
    const Result result =
        vfilter(fmt::format("in.ts rtsp://127.0.0.1:{}/live --allow-network --gaussian 3 --progress none", port));
    EXPECT_EQ(result.code, 0) << result;
    server.wait(patience);
    const auto has_line_of = [lines = lines_of(content("got.txt"))](std::string_view stream) {
        return std::ranges::any_of(lines, [&](const std::string& line) { return line.starts_with(stream); });
    };
    EXPECT_TRUE(has_line_of("0,")) << content("got.txt");
    EXPECT_TRUE(has_line_of("1,")) << content("got.txt");
}

}  // namespace

}  // namespace vfilter::test
