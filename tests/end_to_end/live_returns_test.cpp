// Senders that come back as they were not before, stop halfway, or set their clock.

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/listener.h"
#include "tests/support/live.h"

namespace vfilter::test {

namespace {

// Gives each connection the next film, and closes it. Behind the last one nobody is there any more.
class Films {
public:
    explicit Films(std::vector<std::string> films) : films_(std::move(films)) {
        thread_ = std::thread([this] { serve(); });
    }
    ~Films() {
        listener_.stop();
        thread_.join();
    }
    Films(const Films&) = delete;
    Films& operator=(const Films&) = delete;

    [[nodiscard]] int port() const { return listener_.port(); }

private:
    void serve() const {
        for (const std::string& film : films_) {
            const int reader = listener_.next();
            if (reader < 0) {
                return;
            }
            for (std::size_t at = 0; at < film.size();) {
                const ssize_t sent = send(reader, film.data() + at, film.size() - at, MSG_NOSIGNAL);
                if (sent <= 0) {
                    break;
                }
                at += static_cast<std::size_t>(sent);
            }
            close(reader);
        }
        listener_.stop();
    }

    std::vector<std::string> films_;
    Listener listener_;
    std::thread thread_;
};

class LiveReturns : public Live {
protected:
    // Two seconds in FLV, whose headers lie outside of the stream.
    void make_film(const std::string& name, const std::string& video, int rate, const std::string& more = "") const {
        ffmpeg(
            fmt::format("-f lavfi -i testsrc2=s=160x120:r=25:d=2 -f lavfi -i sine=r={0}:d=2 -c:v libx264 -g 10 -bf "
                        "0 {1} -c:a aac -ar {0} {2} {3}",
                        rate, video, more, name));
    }
    // The run ends with 5, as in the end nobody comes back.
    [[nodiscard]] Result read(const std::vector<std::string>& names, const std::string& more) const {
        std::vector<std::string> films;
        for (const std::string& name : names) {
            films.push_back(content(name));
        }
        const Films sender(std::move(films));
        Result result = vfilter(
            fmt::format("tcp://127.0.0.1:{} out.mkv -y --allow-network --live --timeout 20 --reconnect 2 --progress "
                        "none --report r.json {}",
                        sender.port(), more));
        EXPECT_EQ(result.code, 5) << result;
        return result;
    }
    void expect_undamaged() const {
        const nlohmann::json damage = json_of("r.json").at("damage");
        for (const char* const count : {"packets", "frames", "errors_logged", "pictures_missing"}) {
            EXPECT_EQ(damage.at(count), 0) << damage;
        }
    }
};

const std::string plain_setup = "-preset ultrafast";
const std::string other_setup = "-preset medium";

TEST_F(LiveReturns, WithOtherHeadersAreDecodedByThose) {
    make_film("a.flv", plain_setup, 44100);
    make_film("b.flv", other_setup, 44100);
    const Result result = read({"a.flv", "b.flv"}, "");
    expect_undamaged();
    EXPECT_EQ(json_of("r.json").at("reconnects"), 1) << result;
    EXPECT_GT(pictures_given(), 60U) << result;
}

TEST_F(LiveReturns, WithSoundOfAnotherRateKeepItsPitch) {
    make_film("a.flv", plain_setup, 44100);
    make_film("b.flv", plain_setup, 48000);
    const Result encoded = read({"a.flv", "b.flv"}, "--audio flac");
    EXPECT_NE(encoded.err.find("at 48000 Hz from"), std::string::npos) << encoded;
    expect_undamaged();
    const Result back = read({"a.flv", "b.flv", "a.flv"}, "--audio flac");
    expect_undamaged();
    EXPECT_EQ(json_of("r.json").at("reconnects"), 2) << back;
    // A copy cannot: what would be heard at another pitch is left out, and told.
    const Result copied = read({"a.flv", "b.flv"}, "--audio copy");
    EXPECT_NE(copied.err.find("is back with sound of another rate"), std::string::npos) << copied;
    EXPECT_GT(json_of("r.json").at("damage").at("packets"), 50);
    const Result same = read({"a.flv", "a.flv"}, "--audio copy");
    EXPECT_EQ(same.err.find("is back with sound"), std::string::npos) << same;
    expect_undamaged();
}

// Vorbis of the same rate and channels, which another header decodes as noise.
TEST_F(LiveReturns, WithSoundOfAnotherHeaderAreNotCopiedBehindTheFirst) {
    const auto make = [this](const std::string& name, int quality) {
        ffmpeg(
            fmt::format("-f lavfi -i testsrc2=s=160x120:r=25:d=2 -f lavfi -i sine=d=2 -c:v libx264 -g 10 -bf 0 "
                        "-preset ultrafast -c:a libvorbis -ac 2 -ar 44100 -q:a {} {}",
                        quality, name));
    };
    make("a.mkv", 1);
    make("b.mkv", 8);
    const Result copied = read({"a.mkv", "b.mkv"}, "--audio copy");
    EXPECT_NE(copied.err.find("is back with sound with another header"), std::string::npos) << copied;
    EXPECT_NE(copied.err.find("packets left out"), std::string::npos) << copied;
    EXPECT_EQ(run("ffmpeg -v error -i out.mkv -f null - 2>&1 | grep -c .").out, "0\n");
    const nlohmann::json damage = json_of("r.json").at("damage");
    EXPECT_GT(damage.at("packets_left_out"), 50);
    EXPECT_EQ(damage.at("packets_left_out"), damage.at("packets"));
    const Result strict = read({"a.mkv", "b.mkv"}, "--audio copy --strict");
    EXPECT_NE(strict.err.find("--strict was given"), std::string::npos) << strict;
}

TEST_F(LiveReturns, WithRawPicturesOfAnotherSizeAreOthers) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=1 -c:v rawvideo a.nut");
    ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=1 -c:v rawvideo b.nut");
    const Result result = read({"a.nut", "b.nut"}, "");
    EXPECT_NE(result.err.find("came back as something else"), std::string::npos) << result;
    const Result same = read({"a.nut", "a.nut"}, "");
    EXPECT_EQ(same.err.find("came back as something else"), std::string::npos) << same;
    EXPECT_EQ(json_of("r.json").at("reconnects"), 1) << same;
}

// A sender whose encoder is still to come.
TEST_F(LiveReturns, WithoutTheVideoAreTriedAgain) {
    make_film("a.flv", plain_setup, 44100);
    make_film("sound.flv", plain_setup, 44100, "-vn");
    const Result result = read({"a.flv", "sound.flv", "a.flv"}, "");
    EXPECT_NE(result.err.find("came back without its video"), std::string::npos) << result;
    EXPECT_EQ(json_of("r.json").at("reconnects"), 1) << result;
    EXPECT_GT(pictures_given(), 60U) << result;
}

// It tells no length, as a film would.
TEST_F(LiveReturns, AStreamThatStopsIsTold) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x120:r=25:d=9 -f lavfi -i sine=r=48000:d=4 -c:v libx264 -preset ultrafast -g 10 "
        "-c:a "
        "aac in.ts");
    const Result result = run("cat in.ts | $VFILTER - out.mkv --live --progress none --report r.json");
    EXPECT_EQ(result.code, 5) << result;
    EXPECT_NE(result.err.find("stream 1 (aac) gives nothing, while others go on"), std::string::npos) << result;
    const Result pictures = run("cat in.ts | $VFILTER - out.h264 --live --progress none");
    EXPECT_EQ(pictures.code, 0) << "there is no place for sound: " << pictures;
    const Result file = vfilter("in.ts film.mkv --live --progress none");
    EXPECT_EQ(file.code, 0) << "a film may end so: " << file;
}

// By less than a minute, which would otherwise be taken for a hole.
TEST_F(LiveReturns, AClockThatIsSetForwardDoesNotEndTheRecording) {
    const std::string film = "-f lavfi -i testsrc2=s=160x120:r=25:d=2 -c:v libx264 -preset ultrafast -g 10 ";
    ffmpeg(film + "a.ts");
    ffmpeg(film + "-output_ts_offset 52 -mpegts_flags +initial_discontinuity b.ts");
    const Result result =
        run("cat a.ts b.ts | $VFILTER - out.mkv --live --duration 30 --progress none --report r.json");
    EXPECT_GT(pictures_given(), 60U) << result;
    EXPECT_LT(picture_times("out.mkv").back(), 30) << result;
}

}  // namespace

}  // namespace vfilter::test
