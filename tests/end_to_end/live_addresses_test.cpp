// Senders that had begun before their address was opened: a live run catches up with them, or says why it does not.

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "tests/support/end_to_end.h"
#include "tests/support/listener.h"

namespace vfilter::test {

namespace {

// A camera on a port of this machine for one reader, who gets at once what it has of the seconds before, as from a
// buffer, and the rest at its time.
class LateCamera {
public:
    LateCamera(std::string bytes, double seconds, double before, std::string_view answer)
        : bytes_(std::move(bytes)), seconds_(seconds), before_(before), answer_(answer) {
        thread_ = std::thread([this] { serve(); });
    }
    ~LateCamera() {
        listener_.stop();
        thread_.join();
    }
    LateCamera(const LateCamera&) = delete;
    LateCamera& operator=(const LateCamera&) = delete;

    [[nodiscard]] int port() const { return listener_.port(); }

private:
    void serve() const {
        const int reader = listener_.next();
        if (reader < 0) {
            return;
        }
        const auto send_up_to = [&](std::size_t from, std::size_t to) {
            return from >= to || send(reader, bytes_.data() + from, to - from, MSG_NOSIGNAL) > 0;
        };
        send(reader, answer_.data(), answer_.size(), MSG_NOSIGNAL);
        const auto begin = std::chrono::steady_clock::now();
        double now = before_;
        for (std::size_t at = 0; at < bytes_.size();) {
            const auto end =
                static_cast<std::size_t>(static_cast<double>(bytes_.size()) * std::min(1.0, now / seconds_));
            if (!send_up_to(at, end)) {
                break;
            }
            at = end;
            std::this_thread::sleep_for(std::chrono::milliseconds(40));
            now = before_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        }
        close(reader);
    }

    std::string bytes_;
    double seconds_;
    double before_;
    std::string answer_;
    Listener listener_;
    std::thread thread_;
};

class LiveAddresses : public EndToEnd {
protected:
    static constexpr double seconds = 5;
    static constexpr double before = 2.5;
    static constexpr std::string_view http =
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/octet-stream\r\n\r\n";

    static constexpr std::string_view parts =
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: multipart/x-mixed-replace;boundary=ffmpeg\r\n\r\n";

    // Noise, so that the bytes are as even as the pictures.
    void make_stream(const std::string& name, const std::string& more) const {
        ffmpeg(
            fmt::format("-f lavfi -i \"nullsrc=s=160x120:r=25:d={},geq=random(1)*255:128:128\" -c:v libx264 -preset "
                        "ultrafast -g 12 -pix_fmt yuv420p {} {}",
                        seconds, more, name));
    }
    [[nodiscard]] Result read_from(const std::string& scheme, const std::string& name, const std::string& more) const {
        const LateCamera sender(content(name), seconds, before,
                                scheme == "http"    ? http
                                : scheme == "parts" ? parts
                                                    : "");
        return vfilter(
            fmt::format("{}://127.0.0.1:{}/ out.mkv -y --allow-network --live --frames 15 --timeout 10 "
                        "--progress none --report r.json {}",
                        scheme == "parts" ? "http" : scheme, sender.port(), more));
    }
};

TEST_F(LiveAddresses, AreCaughtUpWith) {
    make_stream("in.ts", "-flush_packets 1");
    for (const std::string scheme : {"tcp", "http"}) {
        SCOPED_TRACE(scheme);
        const Result result = read_from(scheme, "in.ts", "");
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_NE(result.err.find("not decoded, as newer ones had come"), std::string::npos) << result;
        EXPECT_GT(json_of("r.json").at("drops").at("undecoded"), 20);
        EXPECT_EQ(count_pictures("out.mkv"), 15);
        EXPECT_EQ(picture_times("out.mkv").front(), 0);
    }
}

TEST_F(LiveAddresses, WithoutTimesAreNotAndSayIt) {
    make_stream("in.h264", "");
    make_stream("in.jpg", "-c:v mjpeg -pix_fmt yuvj420p -f mjpeg");
    for (const auto& [name, format] : {std::pair("in.h264", "h264"), std::pair("in.jpg", "jpeg_pipe")}) {
        SCOPED_TRACE(format);
        // A machine that has too much to do leaves out some now and then, for another reason.
        std::int64_t undecoded = -1;
        for (int attempt = 0; attempt < 4 && undecoded != 0; ++attempt) {
            const Result result = read_from("tcp", name, fmt::format("--input-format {}", format));
            EXPECT_EQ(result.code, 0) << result;
            EXPECT_NE(result.err.find("the input has no times"), std::string::npos) << result;
            EXPECT_EQ(count_pictures("out.mkv"), 15);
            undecoded = json_of("r.json").at("drops").at("undecoded").get<std::int64_t>();
        }
        EXPECT_EQ(undecoded, 0);
    }
}

// A camera that sends its pictures one after another: its demuxer takes no rate, and all advice that is given works.
TEST_F(LiveAddresses, PicturesThatNameNoTimesGetThoseOfTheirArrival) {
    make_stream("in.parts", "-c:v mjpeg -pix_fmt yuvj420p -f mpjpeg");
    const Result counted = read_from("parts", "in.parts", "");
    EXPECT_EQ(counted.code, 0) << counted;
    EXPECT_NE(counted.err.find("the input has no times"), std::string::npos) << counted;
    EXPECT_EQ(counted.err.find("framerate"), std::string::npos) << counted;
    const std::string advice = "--input-option use_wallclock_as_timestamps=1";
    EXPECT_NE(counted.err.find(advice), std::string::npos) << counted;
    const Result timed = read_from("parts", "in.parts", advice);
    EXPECT_EQ(timed.code, 0) << timed;
    EXPECT_EQ(timed.err.find("no times"), std::string::npos) << timed;
    const Result refused = read_from("parts", "in.parts", "--framerate 10");
    EXPECT_EQ(refused.code, 2) << refused;
    EXPECT_NE(refused.err.find("takes no rate, though it has no times"), std::string::npos) << refused;
}

}  // namespace

}  // namespace vfilter::test
