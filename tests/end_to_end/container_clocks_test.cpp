// Times that a container tells otherwise than by a number for each packet: by counts, lengths and ends.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class ContainerClocks : public EndToEnd {
protected:
    void make(const std::string& name, const std::string& codec) const {
        ffmpeg("-f lavfi -i testsrc2=s=64x48:r=15:d=3 -f lavfi -i sine=r=48000:d=3 -ac 2 -c:v mpeg4 -strict -2 -c:a " +
               codec + " " + name);
    }
    [[nodiscard]] double end_of_sound(const std::string& name) const {
        const Stream sound = probe(name).of("audio").at(0);
        return static_cast<double>(sound.packets.back().dts.value_or(0)) * sound.tick;
    }
};

// By a size of a block, which in AVI's own header is the most that a packet can have, or a bit rate that is a guess.
TEST_F(ContainerClocks, OfSoundInAviAreKeptOfCopies) {
    for (const auto& [in, codec] : {std::pair("in.avi", "ac3"),
                                    {"in.avi", "libmp3lame"},
                                    {"in.avi", "mp2"},
                                    {"in.avi", "aac"},
                                    {"in.mkv", "ac3"},
                                    {"in.mkv", "eac3"},
                                    {"in.mkv", "dca"},
                                    {"in.mkv", "libvorbis"},
                                    {"in.mkv", "flac"},
                                    {"in.mkv", "flac -sample_fmt s32"},
                                    {"in.mkv", "adpcm_ms"},
                                    {"in.mkv", "adpcm_ima_wav"},
                                    {"in.mkv", "pcm_s16le"}}) {
        SCOPED_TRACE(fmt::format("{} {}", in, codec));
        make(in, codec);
        filter(fmt::format("{} out.avi --identity", in));
        EXPECT_NEAR(end_of_sound("out.avi"), 3, 0.06);
        std::filesystem::remove(path(in));
        std::filesystem::remove(path("out.avi"));
    }
}

TEST_F(ContainerClocks, OfPicturesThatAreDaysApartAreNamedWhereAviHoldsThem) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=0.6 -vf \"setpts='PTS+gte(N,8)*172800/TB'\" -fps_mode passthrough "
        "-enc_time_base 1:1000 -c:v mjpeg in.mkv");
    const Result result = vfilter("in.mkv out.avi --codec mjpeg");
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_NE(result.err.find("no picture comes between 0.280 s and 172800"), std::string::npos) << result;
}

// Readers give its packets in another order.
TEST_F(ContainerClocks, OfFlacAreNotLeftToAsfAndWtv) {
    make("in.mkv", "flac");
    for (const std::string output : {"out.asf", "out.wtv"}) {
        filter("in.mkv --identity " + output);
        EXPECT_NE(probe(output).of("audio").at(0).codec(), "flac") << output;
        EXPECT_NEAR(end_of_sound(output), 3, 0.1) << output;
    }
}

TEST_F(ContainerClocks, OfSoundThatHasAnotherNameAreRefusedFirst) {
    make("in.nut", "eac3");
    const Result result = vfilter("in.nut out.mp4 --identity");
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_NE(result.err.find("stream 1 is E-AC-3"), std::string::npos) << result;
    filter("in.nut out.mp4 -y --identity --audio aac");
}

// FFmpeg's reader of QuickTime does not tell the size of its blocks, without which nobody can read it.
TEST_F(ContainerClocks, OfSoundThatCannotBeReadAreRefusedFirst) {
    make("in.mov", "wmav2");
    for (const std::string output : {"out.avi", "out.mkv"}) {
        const Result result = vfilter("in.mov --identity " + output);
        EXPECT_EQ(result.code, 3) << result;
        EXPECT_NE(result.err.find("wmav2"), std::string::npos) << result;
        EXPECT_EQ(result.err.find("opened again"), std::string::npos) << result;
        EXPECT_EQ(vfilter("in.mov --identity --audio none " + output).code, 0);
    }
}

// NUT keeps the empty packet of FLAC's encoder, which is no sound.
TEST_F(ContainerClocks, OfFlacInNutEndWithTheSound) {
    make("in.nut", "flac");
    for (const std::string arguments : {"out.nut", "out.nut --audio flac", "out.mkv --audio aac"}) {
        SCOPED_TRACE(arguments);
        const Result result = vfilter("in.nut -y --identity " + arguments);
        EXPECT_EQ(result.code, 0) << result;
    }
}

// AVI's muxer takes 600 a second for what is finer than a thousandth.
TEST_F(ContainerClocks, OfManyPicturesAreKeptInAviOrTold) {
    for (const int rate : {1000, 2000}) {
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s=64x48:r={}:d=1 -c:v ffv1 in.nut", rate));
        const nlohmann::json report = filter("in.nut out.avi -y --identity --codec ffv1");
        const std::vector<double> times = picture_times("out.avi");
        const bool kept = times.back() < 1.01;
        EXPECT_EQ(kept, rate == 1000);
        EXPECT_NE(kept, report.at("stderr").dump().find("before or after their time") != std::string::npos) << report;
    }
}

// In fragments a packet may have no length; an edit list that ends with its beginning hides it.
TEST_F(ContainerClocks, OfTheLastPacketAreWithinTheEditList) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=1 -f lavfi -i sine=r=48000:d=1 -c:v libx264 -strict -2 -c:a libopus "
        "-movflags frag_keyframe+empty_moov in.mp4");
    const std::vector<std::string> hashes = probe("in.mp4").of("audio").at(0).hashes();
    for (const std::string out : {"out.mp4", "out.mp4 -y --muxer-option movflags=frag_keyframe"}) {
        filter("in.mp4 " + out + " --identity");
        EXPECT_EQ(probe("out.mp4").of("audio").at(0).hashes(), hashes) << out;
    }
}

// A chapter of QuickTime lasts until the next one, and the first begins with the movie.
TEST_F(ContainerClocks, OfTheFirstChapterAreKept) {
    write("chapters.txt", ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=1000\nEND=2000\ntitle=one\n");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=3 -i chapters.txt -map_chapters 1 -c:v libx264 in.mkv");
    for (const std::string out : {"out.mp4", "out.mov", "out.mkv"}) {
        const nlohmann::json report = filter("in.mkv " + out + " --identity");
        EXPECT_EQ(report.at("tags_dropped").dump(), "[]");
        const nlohmann::json last = probe(out).chapters.back();
        EXPECT_EQ(last.at("tags").at("title"), "one") << out;
        EXPECT_NEAR(std::stod(last.at("start_time").get<std::string>()), 1, 0.001) << out;
        EXPECT_NEAR(std::stod(last.at("end_time").get<std::string>()), 2, 0.001) << out;
    }
}

// MXF begins with the first picture, whatever there is to be heard before it.
TEST_F(ContainerClocks, OfSoundBeforeThePicturesAreToldWhereMxfHasNone) {
    ffmpeg(
        "-itsoffset 0.4 -f lavfi -i testsrc2=s=64x48:r=25:d=0.6 -f lavfi -i sine=r=48000:d=1 -c:v mpeg4 -c:a pcm_s16le "
        "late.mkv");
    ffmpeg("-i late.mkv -c copy -ss 0.4 even.mkv");
    // A decoder that knows better when its first picture is shown than the demuxer does.
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=1 -f lavfi -i sine=r=48000:d=1 -c:v libxvid -bf 2 -c:a pcm_s16le "
        "delayed.avi");
    const std::string cut = "s of its sound before the pictures are left out, as mxf begins with them";
    const std::string moved = "begins with a picture that was moved, so that sound is heard ";
    for (const auto& [arguments, told] :
         {std::pair<std::string, std::vector<std::string>>{"even.mkv --identity", {}},
          {"late.mkv --identity", {"0.400 " + cut}},
          {"late.mkv --audio pcm_s16le --identity", {"0.400 " + cut}},
          {"late.mkv --start 0.2 --identity", {"0.200 " + cut}},
          {"late.mkv --start 0.6 --identity", {}},
          {"late.mkv --vf fps=50", {"0.400 " + cut}},
          {"even.mkv --vf setpts=PTS+0.2/TB", {moved + "0.200 s late"}},
          {"even.mkv --vf trim=start=0.2", {moved + "0.200 s late"}},
          {"late.mkv --vf fps=25:start_time=0", {"0.400 " + cut, moved + "0.400 s early"}},
          {"delayed.avi --identity", {"0.120 " + cut}}}) {
        SCOPED_TRACE(arguments);
        const std::string said = vfilter(arguments + " out.mxf -y --device cpu").err;
        for (const std::string& sentence : {cut, moved}) {
            EXPECT_EQ(said.find(sentence) != std::string::npos,
                      std::ranges::any_of(told, [&](const std::string& one) { return one.find(sentence) != one.npos; }))
                << said;
        }
        for (const std::string& sentence : told) {
            EXPECT_NE(said.find(sentence), std::string::npos) << said;
        }
        EXPECT_EQ(said.find("is heard up to"), std::string::npos) << said;
    }
    // A graph may have another clock than the input.
    EXPECT_NE(filter("late.mkv out.avi --vf fps=25").at("stderr").dump().find("not from 0.400 s"), std::string::npos);
}

// Opus begins before 0 in Matroska by what its decoder throws away, and a graph's time does not begin there.
TEST_F(ContainerClocks, OfPicturesBesideOpusAreNotRoundedToBeforeTheBeginning) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.6 -f lavfi -i sine=r=48000:d=0.6 -c:v libvpx -c:a libopus in.webm");
    for (const std::string output : {"out.mp4", "out.webm"}) {
        for (const std::string rate : {"10", "24"}) {
            const Result result = vfilter("in.webm -y --vf fps=" + rate + " --codec " +
                                          (output == "out.webm" ? "vp8 " : "mpeg4 ") + output);
            EXPECT_EQ(result.code, 0) << result;
            EXPECT_NEAR(picture_times(output).front(), 0, 0.001) << output << " " << rate;
        }
    }
}

// FFmpeg gives the pictures their numbers for times.
TEST_F(ContainerClocks, OfBareVc2IsThatOfItsRate) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -c:v vc2 -pix_fmt yuv420p -f dirac in.drc");
    filter("in.drc out.mkv --identity --codec ffv1");
    ASSERT_EQ(picture_times("out.mkv").size(), 10U);
    EXPECT_NEAR(picture_times("out.mkv").back(), 0.36, 0.001);
    filter("in.drc out.mkv --identity --codec ffv1 --start 0.2");
    EXPECT_EQ(picture_times("out.mkv").size(), 5U);
}

}  // namespace

}  // namespace vfilter::test
