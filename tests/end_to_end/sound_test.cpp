// Sound: copied, left out, encoded, and then neither a sample early nor late.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "tests/support/end_to_end.h"
#include "tests/support/waves.h"

namespace vfilter::test {

namespace {

class Sound : public EndToEnd {
protected:
    // Moving pictures with noise, one sample of which is like no other place.
    void make_noise(const std::string& name, const std::string& codec, double seconds, int rate = 48000,
                    const std::string& more = "") const {
        ffmpeg(
            fmt::format("-f lavfi -i testsrc2=s=160x120:r=25:d={0} -f lavfi -i "
                        "anoisesrc=d={0}:r={1}:c=pink:seed=3:a=0.5 -c:v libx264 -preset ultrafast -c:a {2} {3} {4}",
                        seconds, rate, codec, more, name));
    }
    // Decoded, one channel, at this rate.
    [[nodiscard]] std::vector<double> samples(const std::string& name, int rate = 48000) const {
        const std::string bytes = ffmpeg_output(fmt::format("-i {} -map 0:a:0 -ac 1 -ar {} -f f32le -", name, rate));
        std::vector<float> values(bytes.size() / sizeof(float));
        std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
        return {values.begin(), values.end()};
    }
};

// FFmpeg's reader of Matroska makes up the header of TTA by the length of the file.
TEST_F(Sound, OfTtaThatMatroskaDoesNotDescribeIsTold) {
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=0.2 -f lavfi -i sine=d=0.2 -c:v libx264 -c:a tta in.mkv");
    constexpr const char* told = "stream 1 (audio, tta) may lose its last second";
    const Result copied = vfilter("in.mkv out.mkv -y");
    EXPECT_EQ(copied.code, 0) << copied;
    EXPECT_NE(copied.err.find(told), std::string::npos) << copied;
    const Result encoded = vfilter("in.mkv out.mkv -y --audio flac");
    EXPECT_EQ(encoded.code, 0) << encoded;
    EXPECT_EQ(encoded.err.find(told), std::string::npos) << encoded;
}

// FFmpeg's muxer of Matroska says that it has no name for it, and writes it nevertheless.
TEST_F(Sound, ThatAContainerHasNoNameForIsEncoded) {
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=1 -f lavfi -i sine=r=22050:d=1 -c:v flv1 -c:a adpcm_swf in.flv");
    filter("in.flv out.mkv --box 3");
    EXPECT_EQ(probe("out.mkv").of("audio").at(0).codec(), "opus");
    EXPECT_NEAR(static_cast<double>(samples("out.mkv").size()), static_cast<double>(samples("in.flv").size()), 1000);
    filter("in.flv out.flv --box 3 --codec flv1");
    EXPECT_EQ(probe("out.flv").of("audio").at(0).codec(), "adpcm_swf");
}

TEST_F(Sound, IsEncodedWhereTheContainerCannotHoldIt) {
    make_noise("in.mkv", "pcm_s16le", 1.2345);
    // Since FFmpeg 6.1 MP4 holds PCM.
    const char* const in_mp4 =
        run("ffmpeg -v quiet -y -i in.mkv -map 0:a -c copy pcm.mp4").code == 0 ? "pcm_s16le" : "alac";
    for (const auto& [out, codec] : {std::pair("out.mp4", in_mp4), {"out.mov", "pcm_s16le"}, {"out.webm", "opus"}}) {
        const nlohmann::json report = filter(fmt::format("in.mkv {} --gaussian 5", out));
        EXPECT_EQ(probe(out).of("audio").at(0).codec(), codec) << out;
        EXPECT_EQ(report.at("streams_dropped").size(), 0U) << out;
        EXPECT_EQ(report.at("streams_encoded").size(), std::string(codec) == "pcm_s16le" ? 0U : 1U) << report;
        EXPECT_EQ(offset_of(samples("in.mkv"), samples(out)), 0) << out;
        EXPECT_EQ(samples("in.mkv").size(), samples(out).size()) << out;
    }
    EXPECT_EQ(samples("in.mkv"), samples("out.mp4"));  // ALAC or PCM
}

// A rate that it takes, packets that hold nothing but the header's end.
TEST_F(Sound, IsEncodedAsTheEncoderCanAndTheContainerIsRead) {
    make_noise("opus.mkv", "libopus", 1);
    filter("opus.mkv out.wmv --gaussian 5");
    EXPECT_EQ(probe("out.wmv").of("audio").at(0).codec(), "wmav2");
    for (const auto& [in, out, codec] : {std::tuple("aac.mp4", "out.mxf", "pcm_s16le"), {"aac.ts", "out.mpg", "mp2"}}) {
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s=64x64:d=0.4 -f lavfi -i sine=r=44100:d=0.4 -c:v libx264 -c:a aac {}",
                           in));
        filter(fmt::format("{} {} --gaussian 5", in, out));
        EXPECT_EQ(probe(out).of("audio").at(0).codec(), codec);
    }
    EXPECT_EQ(probe("out.mxf").of("audio").at(0).facts.at("sample_rate"), "48000");
    make_noise("in.mkv", "pcm_s16le", 1);
    filter("in.mkv out.nut --gaussian 5 --audio flac");
    EXPECT_EQ(probe("out.nut").of("audio").at(0).codec(), "flac");
}

TEST_F(Sound, OfWindowsIsCopiedIntoMatroska) {
    make_noise("in.wmv", "wmav2", 1);
    EXPECT_EQ(filter("in.wmv out.mkv --gaussian 5").at("streams_encoded"), nlohmann::json::array());
    EXPECT_EQ(samples("out.mkv"), samples("in.wmv"));
}

// A second in a packet, of which Matroska does not say how long it is.
TEST_F(Sound, OfLongPacketsIsWhole) {
    for (const double seconds : {3, 1}) {  // of one packet, nothing tells how long they are
        make_noise("in.mkv", "wavpack", seconds);
        filter("in.mkv out.mkv --gaussian 5");
        EXPECT_EQ(samples("out.mkv"), samples("in.mkv"));
    }
}

// In containers that hold no times of sound, and PCM in QuickTime.
TEST_F(Sound, OfContainersWithoutTimesIsFilledOrTold) {
    const std::string tone = "-f lavfi -i \"aevalsrc='if(gt(t,2),0.5*sin(2*PI*440*t),0)':s=48000:d=3\" ";
    const std::string pictures = "-f lavfi -i testsrc2=s=160x120:r=25:d=3 ";
    ffmpeg(pictures + tone + "-af \"aselect='not(between(t,0.8,1.8))'\" -c:v libx264 -c:a pcm_s16le gap.mkv");
    ffmpeg(pictures + "-itsoffset 1.5 -f lavfi -i sine=r=48000:d=2 -c:v libx264 -c:a aac late.mp4");
    ffmpeg(pictures + "-itsoffset 1.5 -f lavfi -i sine=r=48000:d=2 -c:v libx264 -c:a pcm_s16le late.mov");
    const auto begin_of_tone = [&](const std::string& name) {
        const std::vector<double> values = samples(name);
        const auto found = std::ranges::find_if(values, [](double value) { return std::abs(value) > 0.05; });
        return static_cast<double>(found - values.begin()) / 48000;
    };
    ffmpeg(pictures + "-itsoffset 1.5 -f lavfi -i sine=r=48000:d=2 -c:v libx264 -c:a flac late.mkv");
    for (const auto& [in, out, told, begin] : {std::tuple("gap.mkv", "out.mov", true, 0.997),
                                               {"late.mov", "out.ogv", false, 1.5},
                                               {"late.mkv", "out.ogv", false, 1.5},
                                               {"late.mkv", "out.ogv --audio flac --start 0.5", false, 1.0},
                                               {"gap.mkv", "out.avi", true, 0.997},
                                               {"gap.mkv", "out.avi --audio mp3", false, 2.0},
                                               {"gap.mkv", "out.mxf", false, 2.0},
                                               {"late.mp4", "out.avi", true, 0.02},
                                               {"late.mp4", "out.avi --audio pcm", false, 1.5},
                                               {"late.mp4", "out.mxf", false, 1.5},
                                               {"late.mov", "out.avi", false, 1.5},
                                               {"late.mov", "out.mov", false, 0.02},
                                               {"late.mp4", "out.avi --audio pcm --start 0.5", false, 1.0},
                                               {"late.mp4", "out.mxf --start 0.5", false, 0.98}}) {
        SCOPED_TRACE(std::string(in) + " " + out);
        const nlohmann::json report = filter(fmt::format("{} {} -y --gaussian 3", in, out));
        const std::string name = std::string(out).substr(0, 7);
        EXPECT_NEAR(begin_of_tone(name), begin, 0.035);
        EXPECT_EQ(report.at("stderr").dump().find("stream 1 is heard up to ") != std::string::npos, told) << report;
        EXPECT_EQ(count_pictures(name), report.at("frames").at("in"));
        // Of late.mp4 the sound ends half a second after the pictures.
        const bool cut = std::string(in) == "late.mp4" && name == "out.mxf";
        EXPECT_EQ(report.at("stderr").dump().find("s of its sound are left out, as mxf ends") != std::string::npos,
                  cut);
    }
}

// Muxers that find out only when they begin that they do not take a codec.
TEST_F(Sound, ThatWasAskedForIsNotLeftOut) {
    make_noise("in.mkv", "pcm_s16le", 0.4);
    const Result result = vfilter("in.mkv out.ogv --audio aac --gaussian 3");
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_NE(result.err.find("does not take the aac that --audio makes of stream 1"), std::string::npos) << result;
    EXPECT_FALSE(exists("out.ogv"));
    // It takes one, and no second.
    ffmpeg("-i in.mkv -map 0:v -map 0:a -map 0:a -c copy two.mkv");
    const auto said = filter("two.mkv out.flv --audio aac --gaussian 3").at("stderr").dump();
    EXPECT_NE(said.find("flv cannot hold it beside the others"), std::string::npos) << said;
}

// Readers count FLAC in Ogg from 0, so that all begins there.
TEST_F(Sound, OfAVideoThatBeginsLateIsNotEarlyInOgg) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:r=25:d=1 -f lavfi -i sine=d=1 -c:v libx264 -c:a flac -output_ts_offset 5 in.mkv");
    const auto said = filter("in.mkv out.ogv --gaussian 3").at("stderr").dump();
    EXPECT_EQ(said.find("is heard up to"), std::string::npos) << said;
    EXPECT_NEAR(probe("out.ogv").pictures.at(0), 0, 0.03);
    EXPECT_NEAR(static_cast<double>(samples("out.ogv").size()) / 48000, 1, 0.03);
}

TEST_F(Sound, RatesThatTheEncoderDoesNotKeepAreTold) {
    make_noise("in.mkv", "pcm_s16le", 0.4);
    for (const auto& [audio, told] : {std::pair("aac:99999", "bits a second of sound of 48000 Hz in 1 channels, not"),
                                      {"flac:128k", "the rate of 128000 bits a second has no effect"},
                                      {"aac:128k", ""}}) {
        const auto said = filter(fmt::format("in.mkv out.mkv --gaussian 3 --audio {}", audio)).at("stderr").dump();
        EXPECT_EQ(said.find("bits a second") != std::string::npos, *told != '\0') << said;
        EXPECT_NE(said.find(told), std::string::npos) << said;
    }
}

// Of the two lengths that packets of Vorbis have.
TEST_F(Sound, OfVorbisIsNotFarFromItsTimeInAvi) {
    make_noise("in.mkv", "libvorbis", 3);
    const auto said = filter("in.mkv out.avi --gaussian 3 --audio copy").at("stderr").dump();
    EXPECT_EQ(said.find("is heard up to"), std::string::npos) << said;
}

// Files that were joined, whose times begin again.
TEST_F(Sound, WhoseTimesGoBackIsKept) {
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=2 -f lavfi -i sine=d=2 -c:v libx264 -c:a libmp3lame one.mkv");
    write("words.srt", "1\n00:00:00,500 --> 00:00:00,900\nA\n\n2\n00:00:01,500 --> 00:00:01,900\nB\n");
    ffmpeg("-i one.mkv -i words.srt -map 0 -map 1 -c copy two.mkv");
    for (const char* const name : {"one.mkv", "two.mkv"}) {
        ASSERT_EQ(run(fmt::format("cat {0} {0} > in.mkv", name)).code, 0);
        filter("in.mkv out.mkv -y --gaussian 3 --audio flac");
        EXPECT_EQ(count_pictures("out.mkv"), 100);
        EXPECT_NEAR(static_cast<double>(samples("out.mkv").size()) / 48000, 4, 0.15) << name;
    }
}

// Before the first picture, where the clock is negative.
TEST_F(Sound, BeforeThePicturesIsHeardInMp4) {
    ffmpeg(
        "-itsoffset 0.5 -f lavfi -i testsrc2=s=64x64:r=25:d=2 -f lavfi -i sine=f=440:d=2.5 -c:v libx264 -bf 0 -c:a ac3 "
        "-muxdelay 0 -output_ts_offset 95441.5 in.ts");
    filter("in.ts out.mp4 --gaussian 3");
    EXPECT_EQ(samples("out.mp4").size(), samples("in.ts").size());
}

// A cut of an mp4 keeps the sound that lies before it, and hides it.
TEST_F(Sound, ThatACutHidesIsNotHeardAgain) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x120:r=25:d=3 -f lavfi -i "
        "\"aevalsrc='if(lt(t,1.7),0.5*sin(2*PI*440*t),0)':s=48000:d=3\" -c:v libx264 -g 250 -c:a aac whole.mp4");
    ASSERT_EQ(run("ffmpeg -v error -y -ss 2 -i whole.mp4 -c copy in.mp4").code, 0);
    for (const std::string out : {"out.mkv", "out.ts", "out.avi", "out.flv", "out.nut", "out.mp4"}) {
        filter("in.mp4 " + out + " --gaussian 3");
        const std::vector<double> heard = samples(out);
        EXPECT_LT(heard.size(), 48000 * 1.2) << out;
        EXPECT_LT(std::ranges::max(heard), 0.1) << out;
    }
}

TEST_F(Sound, IsLeftOutWhereOnlyACopyIsWanted) {
    make_noise("in.mkv", "pcm_s16le", 1);
    const nlohmann::json report = filter("in.mkv out.webm --gaussian 5 --audio copy");
    EXPECT_EQ(probe("out.webm").of("audio").size(), 0U);
    EXPECT_EQ(report.at("streams_dropped").size(), 1U);
    filter("in.mkv none.mkv --gaussian 5 --audio none");
    EXPECT_EQ(probe("none.mkv").of("audio").size(), 0U);
}

TEST_F(Sound, OfAnyCodecIsNeitherEarlyNorLate) {
    make_noise("in.mkv", "flac", 1.2345);
    make_noise("in44.mkv", "flac", 1.2345, 44100);
    make_noise("in.mp4", "aac", 1.2345, 48000, "-b:a 256k");
    for (const char* const in : {"in.mkv", "in44.mkv", "in.mp4"}) {
        const Stream told = probe(in).of("audio").at(0);
        const std::vector<double> before = samples(in);
        for (const auto& [out, codec] : {std::pair("out.mp4", "aac:256"),
                                         {"out.mov", "aac:256"},
                                         {"out.mov", "alac"},
                                         {"out.webm", "opus:256"},
                                         {"out.mkv", "opus:256"},
                                         {"out.mkv", "flac"},
                                         {"out.mp4", "opus:256"}}) {
            filter(fmt::format("{} {} --gaussian 5 --audio {}", in, out, codec));
            const std::vector<double> after = samples(out);
            EXPECT_EQ(offset_of(before, after), 0) << in << " " << out << " " << codec;
            const bool movie_out = std::string(out).starts_with("out.m") && std::string(out) != "out.mkv";
            const bool movie_in = std::string(in) == "in.mp4";
            if (movie_out) {
                const Stream sound = probe(out).of("audio").at(0);
                // ffmpeg's edit lists have milliseconds.
                EXPECT_NEAR(std::stod(sound.facts.at("duration").get<std::string>()), 1.2345,
                            movie_in ? 0.0006 : 2.0 / 44100)
                    << in << " " << out << " " << codec;
            } else {
                // Of mp4 and mov FFmpeg decodes all of the last packet, whatever the container says of its length, by
                // which we go.
                const nlohmann::json& facts = told.facts;
                const std::int64_t wanted =
                    movie_in ? std::llround(48000 * std::stod(facts.at("duration").get<std::string>()))
                             : std::ssize(before);
                EXPECT_LE(std::abs(wanted - std::ssize(after)), std::string(in) == "in44.mkv" ? 1 : 0)
                    << in << " " << out << " " << codec;
            }
        }
    }
}

TEST_F(Sound, OfAPartBeginsAndEndsWithIt) {
    make_noise("in.mkv", "flac", 4, 48000, "-g 12");
    filter("in.mkv out.mkv --gaussian 5 --audio flac --start 1.2 --duration 2");
    const std::vector<double> whole = samples("in.mkv");
    const std::vector<double> part = samples("out.mkv");
    ASSERT_EQ(part.size(), 96000U);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 57600));
}

// Packets of AAC are missing: what stands behind them stays where it was, with silence between.
TEST_F(Sound, KeepsGapsAsSilence) {
    make_noise("in0.mp4", "aac", 3, 48000, "-b:a 256k");
    ffmpeg("-i in0.mp4 -c copy -bsf:a \"noise=drop='between(n,40,59)'\" in.mkv");
    filter("in.mkv out.mkv --gaussian 5 --audio flac");
    const std::vector<double> before = samples("in0.mp4");
    const std::vector<double> after = samples("out.mkv");
    const auto from = [](const std::vector<double>& all, std::ptrdiff_t begin) {
        return std::vector<double>(all.begin() + begin, all.begin() + begin + 15000);
    };
    // ffmpeg's copy begins later by a packet: Matroska has no edit list.
    const int shift = offset_of(from(before, 10000), from(after, 10000));
    EXPECT_EQ(offset_of(from(before, 100000), from(after, 100000)), shift);
    EXPECT_NEAR(static_cast<double>(before.size()) + shift, static_cast<double>(after.size()), 48);
    const auto silent =
        std::count_if(after.begin() + 39 * 1024, after.begin() + 60 * 1024, [](double v) { return v == 0; });
    EXPECT_GT(silent, 18 * 1024);
}

TEST_F(Sound, DamageIsCounted) {
    make_noise("in0.mkv", "flac", 2);
    ffmpeg("-i in0.mkv -c copy -bsf:a noise=amount=20000 in.mkv");
    const nlohmann::json report = filter("in.mkv out.webm --gaussian 5", Damage::expected);
    EXPECT_EQ(report.at("exit_code"), 5);
    EXPECT_GT(report.at("damage").at("packets").get<int>() + report.at("damage").at("errors_logged").get<int>(), 0);
}

TEST_F(Sound, StreamsAreChosenByKind) {
    make_clip("in0.mp4");
    write("words.srt", "1\n00:00:00,100 --> 00:00:00,800\nHello\n");
    ffmpeg("-i in0.mp4 -i words.srt -map 0 -map 1 -c copy in.mkv");
    const auto kinds = [&](const std::string& arguments) {
        filter("in.mkv out.mkv --gaussian 5 " + arguments);
        std::string text;
        for (const Stream& stream : probe("out.mkv").streams) {
            text += stream.type() + " ";
        }
        return text;
    };
    EXPECT_EQ(kinds(""), "video audio subtitle ");
    EXPECT_EQ(kinds("--streams video"), "video ");
    EXPECT_EQ(kinds("--streams video,subtitles"), "video subtitle ");
    EXPECT_EQ(kinds("--subtitles none"), "video audio ");
    EXPECT_EQ(kinds("--audio none"), "video subtitle ");
    EXPECT_EQ(vfilter("in.mkv x.mkv --gaussian 5 --streams audio").code, 2);
    EXPECT_EQ(vfilter("in.mkv x.webm --gaussian 5 --audio aac").code, 4);
    // Written, but read by nobody.
    for (const std::string out :
         {"x.nut --audio wmav2", "x.wtv --audio aac", "x.avi --audio eac3", "x.avi --audio g722"}) {
        const Result refused = vfilter("in.mkv " + out + " --gaussian 5");
        EXPECT_EQ(refused.code, 4) << refused;
        EXPECT_NE(refused.err.find(" cannot hold "), std::string::npos) << refused;
    }
    EXPECT_EQ(vfilter("in.mkv x.mkv --gaussian 5 --audio nonsense").code, 8);
}

// Whose muxer fails behind all of the work.
TEST_F(Sound, OfTransportStreamsIsEncodedForSmoothStreaming) {
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=0.4 -f lavfi -i sine=d=0.4 -c:v libx264 -c:a aac in.ts");
    const nlohmann::json report = filter("in.ts out.ismv --box 3");
    EXPECT_EQ(report.at("streams_encoded"), nlohmann::json({"stream 1 (audio, aac) becomes aac"}));
}

// As broadcasts do between films and advertisements: containers with one header for all of AAC cannot tell.
TEST_F(Sound, OfOtherChannelsInTheMiddleIsTold) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x120:r=25:d=2 -f lavfi -i sine=d=2:sample_rate=48000 -ac 2 -c:v libx264 -c:a aac "
        "a.ts");
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x120:r=25:d=2 -f lavfi -i anoisesrc=d=2:r=48000 -ac 6 -c:v libx264 -c:a aac "
        "-output_ts_offset 2.1 b.ts");
    write("in.ts", content("a.ts") + content("b.ts"));
    for (const std::string out : {"out.mkv", "out.mp4"}) {
        SCOPED_TRACE(out);
        const Result result = vfilter("in.ts " + out);
        EXPECT_EQ(result.code, 5) << result;
        EXPECT_NE(result.err.find("the sound has another rate or other channels"), std::string::npos) << result;
        EXPECT_EQ(ffmpeg_output("-i " + out + " -map 0:a -f md5 -").substr(0, 4), "MD5=");
    }
    EXPECT_EQ(vfilter("in.ts out.ts").code, 0);
    const Result encoded = vfilter("in.ts flac.mkv --audio flac");
    EXPECT_EQ(encoded.code, 0) << encoded;
    EXPECT_NE(encoded.err.find("the sound is 5.1 at 48000 Hz"), std::string::npos) << encoded;
}

}  // namespace

}  // namespace vfilter::test
