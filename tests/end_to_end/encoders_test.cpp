// Several encoders of one video beside each other.

#include <fmt/format.h>

#include <algorithm>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class Encoders : public EndToEnd {
protected:
    // What a container has of its own are numbers drawn at random.
    [[nodiscard]] std::string packets_of(const std::string& name) const {
        const Result sum = run("ffmpeg -nostdin -v error -i " + name + " -map 0:v -c copy -f framemd5 -");
        EXPECT_EQ(sum.code, 0) << sum;
        return sum.out;
    }
};

TEST_F(Encoders, MakeOneVideoOfTheirParts) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=3.6 -f lavfi -i sine=d=3.6 -pix_fmt yuv420p -c:v ffv1 -c:a pcm_s16le "
        "in.mkv");
    const std::string filters = " --gaussian 5 --progress none -y";
    filter("in.mkv lossless.mkv --codec ffv1" + filters);
    const std::vector<std::string> pictures = picture_hashes("lossless.mkv");
    ASSERT_EQ(pictures.size(), 90U);
    filter("in.mkv out.mp4 --audio aac --crf 0 --encoders 3:20" + filters);
    EXPECT_EQ(picture_hashes("out.mp4"), pictures);
    EXPECT_EQ(ffmpeg_complaints("out.mp4", "-v warning"), "");
    const Media media = probe("out.mp4");
    for (std::size_t i = 0; i < media.pictures.size(); ++i) {
        EXPECT_NEAR(media.pictures[i], media.pictures.front() + static_cast<double>(i) * 0.04, 1e-4) << i;
    }
    ASSERT_EQ(media.of("audio").size(), 1U);
    const std::vector<Packet> packets = media.of("video").front().packets;
    EXPECT_EQ(std::ranges::count_if(packets, [](const Packet& packet) { return packet.key; }), 5);
}

TEST_F(Encoders, MakeTheSameBytesHoweverManyThereAre) {
    ffmpeg("-f lavfi -i testsrc2=s=208x112:r=25:d=1.2 -pix_fmt yuv420p -c:v ffv1 in.mkv");
    for (const std::string codec :
         {"x264 --preset fast", "x265 --preset ultrafast", "vp9", "vp8 --encoder-option cpu-used=5", "libsvtav1"}) {
        const std::string line = "in.mkv {} --gaussian 5 --progress none -y --codec " + codec + " --encoders {}:8";
        filter(fmt::format(fmt::runtime(line), "two.mkv", 2));
        filter(fmt::format(fmt::runtime(line), "four.mkv", 4));
        EXPECT_EQ(packets_of("two.mkv"), packets_of("four.mkv")) << codec;
        EXPECT_EQ(picture_hashes("two.mkv").size(), 30U) << codec;
        EXPECT_EQ(ffmpeg_complaints("two.mkv", "-v warning"), "") << codec;
    }
}

// Though pictures come late and many at a time, as each part is encoded.
TEST_F(Encoders, LeaveSoundBesideItsPictures) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=60 -f lavfi -i sine=d=60 -c:v libx264 -preset ultrafast -c:a mp2 in.mkv");
    for (const std::string target : {"out.ts", "out.mp4"}) {
        filter("in.mkv " + target + " --gaussian 3 --preset veryfast --encoders 3:400 --progress none");
        const Result listed = run("ffprobe -v error -show_entries packet=codec_type,dts_time,pos -of csv=p=0 " +
                                  target + " | sort -s -t, -n -k3");
        double pictures = 0;
        double most = 0;
        int packets = 0;
        for (const std::string& line : lines_of(listed.out)) {
            if (line.find("N/A") != std::string::npos || line.empty()) {
                continue;
            }
            const double time = std::stod(line.substr(line.find(',') + 1));
            (line.starts_with("video") ? pictures : most) =
                line.starts_with("video") ? time : std::max(most, time - pictures);
            ++packets;
        }
        EXPECT_GT(packets, 3000) << listed;
        EXPECT_LT(most, 1.5) << target << ": so far is sound ahead of its pictures";
    }
}

TEST_F(Encoders, AreOfNoUseToARateOrToPicturesByThemselves) {
    make_clip("in.mkv", 5);
    for (const std::string rate : {"--bitrate 1M", "--bitrate 1M --two-pass", "--encoder-option maxrate=1M",
                                   "--encoder-option x264-params=vbv-maxrate=500:vbv-bufsize=500",
                                   "--encoder-option x264opts=vbv_maxrate=500:vbv_bufsize=500"}) {
        const Result result = vfilter("in.mkv out.mp4 --gaussian 5 --encoders 2 " + rate);
        EXPECT_EQ(result.code, 2) << rate << result.err;
        EXPECT_NE(result.err.find("--encoders"), std::string::npos) << result.err;
        EXPECT_FALSE(exists("out.mp4"));
    }
    for (const std::string idle : {"in.mkv out.mkv --codec ffv1", "in.mkv out.mkv --live"}) {
        const Result result = vfilter(idle + " -y --gaussian 5 --encoders 2");
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_NE(result.err.find("--encoders changes nothing"), std::string::npos) << result.err;
    }
    for (const std::string wrong : {"0", "65", "2:1", "2:", "x", "2:x"}) {
        EXPECT_EQ(vfilter("in.mkv out.mkv --encoders " + wrong).code, 2) << wrong;
    }
}

// What x264 itself makes of memory that it has not written.
TEST_F(Encoders, DoNotEncodeWhatWasInMemory) {
    ffmpeg("-f lavfi -i testsrc2=s=320x240:r=25:d=2 -pix_fmt yuv420p -c:v ffv1 in.mkv");
    const std::string line = "exec $VFILTER in.mkv {}.mkv --codec x264 --preset medium --progress none";
    for (const int byte : {85, 165}) {
        const Result result = run(fmt::format("MALLOC_PERTURB_={} ", byte) + fmt::format(fmt::runtime(line), byte));
        ASSERT_EQ(result.code, 0) << result;
    }
    EXPECT_EQ(packets_of("85.mkv"), packets_of("165.mkv"));
}

// Whose reader ends with an error, whatever the file is, and whose sound has one rate.
TEST_F(Encoders, OfRoqMakeWhatIsReadAgain) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=30:d=0.3 -f lavfi -i sine=d=0.3 -c:v ffv1 -c:a mp2 in.mkv");
    filter("in.mkv out.roq --box 3");
    EXPECT_EQ(probe("out.roq").video().packets.size(), 9U);
    EXPECT_EQ(probe("out.roq").of("audio").front().codec(), "roq_dpcm");
    filter("in.mkv out.flm --box 3 --format filmstrip");
    EXPECT_NE(content("out.flm").find("Rand"), std::string::npos) << "its mark at the end";
}

// H.263 has five sizes.
TEST_F(Encoders, OfPhonesTakeAnySize) {
    ffmpeg("-f lavfi -i testsrc2=s=160x90:r=25:d=0.2 -pix_fmt yuv420p -c:v ffv1 in.mkv");
    for (const std::string name : {"out.3gp", "out.3g2"}) {
        filter("in.mkv " + name);
        EXPECT_EQ(probe(name).video().codec(), "h264");
    }
}

TEST_F(Encoders, OfSeveralPicturesInAPacketAreRefusedFirst) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.3 -c:v ffv1 in.mkv");
    for (const std::string output : {"out.a64", "out.webp --codec libwebp_anim", "out%d.webp --codec libwebp_anim"}) {
        const Result result = vfilter("in.mkv --box 3 " + output);
        EXPECT_EQ(result.code, 8) << result;
        EXPECT_NE(result.err.find("one packet of several pictures"), std::string::npos) << result;
        EXPECT_EQ(parts().size(), 0U) << output;
    }
}

}  // namespace

}  // namespace vfilter::test
