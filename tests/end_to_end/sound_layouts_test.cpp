// Sound that is encoded anew: each channel is heard where it was, each bit is kept, or a line says what is not.

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/end_to_end.h"
#include "tests/support/waves.h"

namespace vfilter::test {

namespace {

constexpr int tone_rate = 48000;

// A tone of its own for each place. Side and back are one, as in 5.1 of both kinds.
double tone_of(const std::string& channel) {
    static const std::map<std::string, double> tones{{"FL", 200},  {"FR", 350},   {"FC", 500},  {"LFE", 50},
                                                     {"BL", 650},  {"BR", 800},   {"BC", 950},  {"SL", 1100},
                                                     {"SR", 1250}, {"FLC", 1400}, {"FRC", 1550}};
    return tones.at(channel);
}

struct Heard {
    const char* layout;
    const char* channels;
    const char* out;
    const char* codec;
    const char* becomes;  // the layout of the output, as ffprobe names it
    const char* places;   // of its channels
    const char* told;     // that have no place
};

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), {}};
}

class SoundLayouts : public EndToEnd {
protected:
    void make_tones(const std::string& layout, const std::vector<std::string>& channels,
                    const std::string& name) const {
        std::string tones;
        for (const std::string& channel : channels) {
            tones += fmt::format("{}0.08*sin(2*PI*{}*t)", tones.empty() ? "" : "|", tone_of(channel));
        }
        ffmpeg(
            fmt::format("-f lavfi -i testsrc2=s=64x64:r=25:d=0.4 -f lavfi -i \"aevalsrc='{}':s={}:c={}:d=0.4\" -c:v "
                        "libx264 -preset ultrafast -c:a {} {}",
                        tones, tone_rate, layout, name.ends_with(".mov") ? "pcm_s24le" : "wavpack", name));
    }
    // The tones of each channel of the output.
    [[nodiscard]] std::vector<std::string> tones(const std::string& name, std::size_t count) const {
        const std::string bytes = ffmpeg_output(fmt::format("-i {} -map 0:a:0 -f f32le -", name));
        std::vector<float> values(bytes.size() / sizeof(float));
        std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
        std::vector<std::string> heard(count);
        for (std::size_t i = 0; i < count; ++i) {
            for (const std::string channel : {"FL", "FR", "FC", "LFE", "BL", "BR", "BC", "SL", "SR", "FLC", "FRC"}) {
                constexpr std::size_t first = 4800;
                constexpr std::size_t length = 9600;
                const auto part = std::span<const float>(values).subspan(first * count + i, (length - 1) * count + 1);
                const double turns = tone_of(channel) / static_cast<double>(tone_rate);
                heard[i] += loudness_of(part, count, turns) > 0.02 ? channel : "";
            }
        }
        return heard;
    }
    // Each sample of the sound as a number that holds it.
    [[nodiscard]] std::string exact(const std::string& name) const {
        return ffmpeg_output(fmt::format("-i {} -map 0:a:0 -c:a pcm_f64le -f md5 -", name));
    }
};

TEST_F(SoundLayouts, EachChannelIsHeardWhereItWas) {
    // As of FFmpeg 6.1.
    const bool pcm_in_mp4 = run("ffmpeg -v error -f lavfi -i anullsrc -t 0.1 -c:a pcm_f32le pcm.mp4").code == 0;
    for (Heard row : {
             Heard{"7.1", "FL FR FC LFE BL BR SL SR", "out.mp4", "flac", "7.1", "FL FR FC LFE BL BR SL SR", ""},
             {"quad", "FL FR BL BR", "out.mp4", "flac", "quad", "FL FR BL BR", ""},
             {"5.1(side)", "FL FR FC LFE SL SR", "out.mp4", "alac", "5.1", "FL FR FC LFE SL SR", ""},
             {"2.1", "FL FR LFE", "out.mp4", "alac", "5.1", "FL FR - LFE - -", ""},
             {"2.1", "FL FR LFE", "out.webm", "opus", "5.1", "FL FR - LFE - -", ""},
             {"5.0", "FL FR FC BL BR", "out.webm", "opus", "5.0", "FL FR FC BL BR", ""},
             {"6.1", "FL FR FC LFE BC SL SR", "out.webm", "opus", "6.1", "FL FR FC LFE BC SL SR", ""},
             {"4.0", "FL FR FC BC", "out.webm", "opus", "6.1", "FL FR FC - BC - -", ""},
             {"5.1(side)", "FL FR FC LFE SL SR", "out.mp4 --audio aac", "aac", "5.1", "FL FR FC LFE SL SR", ""},
             {"7.0", "FL FR FC BL BR SL SR", "out.mp4 --audio aac", "aac", "7.1", "FL FR FC - BL BR SL SR", ""},
             {"4.1", "FL FR FC LFE BC", "out.mp4 --audio aac", "aac", "5.1", "FL FR FC LFE BC BC", "BC"},
             {"3.1", "FL FR FC LFE", "out.mkv --audio flac", "flac", "3.1", "FL FR FC LFE", ""},
         }) {
        SCOPED_TRACE(fmt::format("{} {}", row.layout, row.out));
        make_tones(row.layout, words_of(row.channels), "in.mkv");
        if (pcm_in_mp4 && row.out == std::string_view("out.mp4")) {  // which has every place, and every bit
            row.codec = "pcm_f32le";
            row.becomes = row.layout;
            row.places = row.channels;
        }
        const nlohmann::json report = filter(fmt::format("in.mkv {} --box 3", row.out));
        const std::string name = std::string(row.out).substr(0, std::string(row.out).find(' '));
        const Stream sound = probe(name).of("audio").at(0);
        EXPECT_EQ(sound.codec(), row.codec);
        EXPECT_EQ(sound.facts.value("channel_layout", ""), row.becomes);
        std::vector<std::string> wanted = words_of(row.places);
        std::ranges::replace(wanted, std::string("-"), std::string());
        EXPECT_EQ(tones(name, wanted.size()), wanted);
        const std::string told = fmt::format(", which has no place for {}", row.told);
        EXPECT_EQ(report.at("stderr").dump().find("has no place for") != std::string::npos, *row.told != '\0')
            << report;
        EXPECT_TRUE(*row.told == '\0' || report.at("stderr").dump().find(told) != std::string::npos) << report;
    }
}

// Its encoder refuses more channels, and does not say so before.
TEST_F(SoundLayouts, OfWindowsMediaAreTwo) {
    make_tones("5.1", words_of("FL FR FC LFE BL BR"), "plain.mkv");
    ffmpeg("-i plain.mkv -c:v copy -c:a libopus in.mkv");
    filter("in.mkv out.wmv --box 3");
    EXPECT_EQ(probe("out.wmv").of("audio").at(0).codec(), "ac3");
    EXPECT_EQ(probe("out.wmv").of("audio").at(0).facts.at("channels"), 6);
    const nlohmann::json report = filter("in.mkv out.wmv --box 3 --audio wmav2");
    EXPECT_EQ(probe("out.wmv").of("audio").at(0).facts.at("channels"), 2);
    EXPECT_NE(report.at("stderr").dump().find("has no place for"), std::string::npos) << report.at("stderr");
}

TEST_F(SoundLayouts, ThatAContainerDoesNotNameIsTold) {
    make_tones("quad", words_of("FL FR BL BR"), "quad.mov");
    make_tones("5.1", words_of("FL FR FC LFE BL BR"), "usual.mov");
    EXPECT_EQ(filter("quad.mov out.mkv --box 3").at("tags_dropped"), nlohmann::json({"channels quad of stream 1"}));
    EXPECT_EQ(filter("quad.mov out.mov --box 3").at("tags_dropped"), nlohmann::json::array());
    EXPECT_EQ(filter("usual.mov out.mkv --box 3").at("tags_dropped"), nlohmann::json::array());
}

// PCM of Matroska says how many channels it has, and not where they are.
TEST_F(SoundLayouts, ThatNobodyNamesGoIntoMp4) {
    make_tones("stereo", words_of("FL FR"), "stereo.mov");
    make_tones("5.1", words_of("FL FR FC LFE BL BR"), "six.mov");
    for (const std::string name : {"stereo", "six"}) {
        ffmpeg("-i " + name + ".mov -c copy " + name + ".mkv");
        filter(name + ".mkv " + name + ".mp4 --box 3");
        EXPECT_EQ(exact(name + ".mp4"), exact(name + ".mov"));
    }
}

TEST_F(SoundLayouts, EachBitIsKeptOrTold) {
    const std::string inputs =
        "-f lavfi -i testsrc2=s=64x64:r=25:d=0.4 -f lavfi -i anoisesrc=r=48000:d=0.4:seed=3 -c:v libx264 ";
    ffmpeg(inputs + "-c:a pcm_f32le floats.mov");
    ffmpeg(inputs + "-c:a pcm_s32le deep.mov");
    ffmpeg(inputs + "-c:a pcm_s24le usual.mov");
    ffmpeg(inputs + "-c:a wavpack -sample_fmt fltp packed.mkv");
    for (const auto& [in, out, codec, told] :
         {std::tuple("usual.mov", "out.mkv --audio pcm", "pcm_s24le", ""),
          {"deep.mov", "out.mkv --audio pcm", "pcm_s32le", ""},
          {"floats.mov", "out.mkv --audio pcm", "pcm_f32le", ""},
          {"deep.mov", "out.mkv --audio wavpack", "wavpack", ""},
          {"packed.mkv", "out.mov", "pcm_f32le", ""},
          {"packed.mkv", "out.avi", "pcm_f32le", ""},
          {"packed.mkv", "out.wmv", "pcm_f32le", ""},
          {"deep.mov", "out.mkv --audio flac", "flac", ", with loss: 24 bits of 32"},
          {"floats.mov", "out.mkv --audio alac", "alac", ", with loss: 24 bits of 32 of floating point"},
          {"deep.mov", "out.mxf", "pcm_s24le", ", with loss: 24 bits of 32"}}) {
        SCOPED_TRACE(fmt::format("{} {}", in, out));
        const nlohmann::json report = filter(fmt::format("{} {} --box 3", in, out));
        const std::string name = std::string(out).substr(0, 7);
        EXPECT_EQ(probe(name).of("audio").at(0).codec(), codec);
        const std::string becomes = report.at("streams_encoded").dump();
        EXPECT_EQ(becomes.find("with loss") != std::string::npos, *told != '\0') << becomes;
        EXPECT_NE(becomes.find(told), std::string::npos) << becomes;
        EXPECT_EQ(exact(in) == exact(name), *told == '\0');
    }
}

}  // namespace

}  // namespace vfilter::test
