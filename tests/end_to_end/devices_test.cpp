// Sound devices beside a camera, and virtual cameras as outputs. The camera, the microphone and the driver of the
// virtual camera are preloaded.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class Devices : public EndToEnd {
protected:
    [[nodiscard]] Result run_with(const std::string& environment, const std::string& arguments) const {
        return run(fmt::format("{} LD_PRELOAD={}:{} exec $VFILTER --progress none --report r.json {}", environment,
                               VFILTER_FAKE_CAMERA, VFILTER_FAKE_MICROPHONE, arguments));
    }
};

class Microphone : public Devices {
protected:
    [[nodiscard]] Result record(const std::string& environment, const std::string& arguments) const {
        return run_with("FAKE_CAMERA_CLOCK=monotonic " + environment,
                        "-y /dev/video77 out.mkv --audio-device alsa:fake --codec ffv1 --audio flac " + arguments);
    }
    // Where the clicks are, in seconds of the recording; of the mean of all channels.
    [[nodiscard]] std::vector<double> clicks() const;
    // The system's clock, modulo 2 s, at the beginning of the recording, as the pictures tell it.
    [[nodiscard]] double begin_of_pictures() const;
    // By how much the farthest of the clicks is early or late for the pictures, in seconds.
    [[nodiscard]] double worst_offset(const std::vector<double>& clicks) const;
};

std::vector<double> Microphone::clicks() const {
    constexpr int rate = 48000;
    const std::string bytes = ffmpeg_output(fmt::format("-i out.mkv -map 0:a -ac 1 -ar {} -f s16le -", rate));
    std::vector<std::int16_t> samples(bytes.size() / 2);
    std::memcpy(samples.data(), bytes.data(), 2 * samples.size());
    const double first = probe("out.mkv").of("audio").at(0).times().at(0);
    std::vector<double> found;
    for (std::size_t i = 1; i < samples.size(); ++i) {
        if (samples[i] > 10000 && samples[i - 1] <= 10000) {
            found.push_back(first + static_cast<double>(i) / rate);
        }
    }
    return found;
}

double Microphone::begin_of_pictures() const {
    const std::string samples = ffmpeg_output("-i out.mkv -frames:v 1 -vf extractplanes=y -f rawvideo -pix_fmt gray -");
    const double hundredths = static_cast<unsigned char>(samples.at(0)) - 16 + 0.5;
    return hundredths / 100 - picture_times("out.mkv").at(0);
}

double Microphone::worst_offset(const std::vector<double>& clicks) const {
    const double begin = begin_of_pictures();
    double worst = 0;
    for (const double click : clicks) {
        const double halves = 2 * (begin + click);
        worst = std::max(worst, std::abs(halves - std::round(halves)) / 2);
    }
    return worst;
}

TEST_F(Microphone, IsInTimeWithThePictures) {
    const Result result = record("FAKE_MICROPHONE_CHANNELS=1", "--frames 60");
    ASSERT_EQ(result.code, 0) << result;
    const std::vector<double> heard = clicks();
    EXPECT_GE(heard.size(), 3U);
    EXPECT_LT(worst_offset(heard), 0.02);
    const Media media = probe("out.mkv");
    EXPECT_NEAR(media.of("audio").at(0).times().back(), media.pictures.back(), 0.5);
    EXPECT_EQ(media.of("audio").at(0).facts.at("channels"), 1);
}

// Which stretches the sound before the graph has it.
TEST_F(Microphone, IsFiltered) {
    const Result result = record("", "--frames 50 --af volume=0.9,aformat=channel_layouts=stereo");
    ASSERT_EQ(result.code, 0) << result;
    const std::vector<double> heard = clicks();
    EXPECT_GE(heard.size(), 2U);
    EXPECT_LT(worst_offset(heard), 0.02);
    EXPECT_EQ(probe("out.mkv").of("audio").at(0).facts.at("channels"), 2);
}

TEST_F(Microphone, IsCompressedUnlessAskedOtherwise) {
    const Result result = run_with("", "/dev/video77 out.mp4 --audio-device alsa:fake --frames 10");
    ASSERT_EQ(result.code, 0) << result;
    EXPECT_EQ(probe("out.mp4").of("audio").at(0).codec(), "aac");
}

TEST_F(Microphone, ComesBackOrIsMissed) {
    Result result = record("FAKE_MICROPHONE_LOST=500 FAKE_MICROPHONE_AWAY=300", "--frames 75 --reconnect 3");
    EXPECT_EQ(result.code, 5) << "a part of the sound is missing: " << result;
    EXPECT_NE(result.err.find("is opened again"), std::string::npos) << result;
    EXPECT_NE(result.err.find("alsa:fake: is back"), std::string::npos) << result;
    const std::vector<double> heard = clicks();
    ASSERT_FALSE(heard.empty());
    EXPECT_GT(heard.back(), 1.5);
    EXPECT_LT(worst_offset(heard), 0.02);
    result = record("FAKE_MICROPHONE_LOST=500", "--frames 45");
    EXPECT_EQ(result.code, 5) << result;
    EXPECT_NE(result.err.find("alsa:fake: is lost"), std::string::npos) << result;
    EXPECT_GT(count_pictures("out.mkv"), 30) << "the pictures go on";
    EXPECT_LT(probe("out.mkv").of("audio").at(0).times().back(), 0.7);
}

TEST_F(Microphone, MistakesAreNamed) {
    make_clip("in.mkv", 5);
    const std::pair<std::string, int> rows[] = {
        {"in.mkv out.mkv --audio-device default", 2},
        {"/dev/video77 out.mkv --audio-device fake", 2},
        {"/dev/video77 out.mkv --audio-device alsa:none", 3},
        {"alsa:fake out.mkv", 2},
    };
    for (const auto& [arguments, code] : rows) {
        const Result result = run_with("", arguments);
        EXPECT_EQ(result.code, code) << result;
        EXPECT_TRUE(result.err.find("audio-device") != std::string::npos || code == 3) << result;
        EXPECT_FALSE(exists("out.mkv"));
    }
}

class VirtualCamera : public Devices {
protected:
    // The pictures that the device got, as ffmpeg's raw video.
    void expect_written(const std::string& wanted) const {
        EXPECT_EQ(content("device") == ffmpeg_output(wanted), true) << wanted;
    }
};

TEST_F(VirtualCamera, GetsPicturesInAFormatOfItsReaders) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=50:d=0.2 -f lavfi -i sine=d=0.2 -c:v ffv1 -pix_fmt yuv420p in.mkv");
    Result result = run_with("FAKE_OUTPUT=device", "in.mkv /dev/video78 --vf null");
    ASSERT_EQ(result.code, 0) << result;
    expect_written("-i in.mkv -f rawvideo -pix_fmt yuv420p -");
    EXPECT_EQ(json_of("r.json").at("frames").at("out"), 10);
    EXPECT_EQ(json_of("r.json").at("bytes_written"), 10 * 64 * 48 * 3 / 2);
    EXPECT_EQ(json_of("r.json").at("streams_dropped").size(), 1U) << "it takes no sound";
    result = run_with("FAKE_OUTPUT=device FAKE_OUTPUT_FIXED=1", "in.mkv /dev/video78 --pix-fmt yuyv422");
    ASSERT_EQ(result.code, 0) << result;
    EXPECT_EQ(content("device").size(), 10U * 64 * 48 * 2);
    result = run_with("FAKE_OUTPUT=device", "/dev/video77 /dev/video78 --frames 5");
    ASSERT_EQ(result.code, 0) << result;
    EXPECT_EQ(content("device").size(), 5U * 160 * 120 * 2) << "YUYV stays YUYV";
}

TEST_F(VirtualCamera, RefusalsAreNamed) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=50:d=0.2 -c:v ffv1 -pix_fmt yuv420p in.mkv");
    struct Row {
        std::string environment;
        std::string arguments;
        int code;
        std::string words;
    };
    const Row rows[] = {
        {"", "in.mkv /dev/video99", 4, "No such file"},
        {"", "in.mkv /dev/video77", 4, "takes no pictures"},
        {"FAKE_OUTPUT=device FAKE_OUTPUT_BUSY=1", "in.mkv /dev/video78", 4, "another program"},
        {"FAKE_OUTPUT=device FAKE_OUTPUT_FIXED=1", "in.mkv /dev/video78 --vf scale=32:32", 4,
         "--vf scale=64:48 --pix-fmt yuyv422"},
        {"FAKE_OUTPUT=device", "in.mkv /dev/video78 --vf format=yuv444p,crop=33:33", 4, "are even"},
        {"FAKE_OUTPUT=device", "in.mkv /dev/video78 --format mp4", 2, "--format"},
        {"FAKE_OUTPUT=device", "in.mkv /dev/video78 --reconnect 3", 2, "--reconnect"},
        {"FAKE_OUTPUT=device FAKE_OUTPUT_LOST=3", "in.mkv /dev/video78", 4, "No such device"},
    };
    for (const Row& row : rows) {
        const Result result = run_with(row.environment, row.arguments);
        EXPECT_EQ(result.code, row.code) << result;
        EXPECT_NE(result.err.find(row.words), std::string::npos) << result;
    }
}

}  // namespace

}  // namespace vfilter::test
