// --audio for some of several streams, and the channels and samples that are asked for.

#include <string>
#include <vector>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class SoundOfEach : public EndToEnd {
protected:
    // A film's: 5.1 in English, mono in German, mono without a language. Each channel of the first has a tone.
    void make() const {
        ffmpeg(
            "-f lavfi -i testsrc2=s=64x64:r=25:d=1 -f lavfi -i "
            "\"aevalsrc=.2*sin(1900*t)|.2*sin(3100*t)|.2*sin(4400*t)|.1*sin(380*t)|.2*sin(5600*t)|.2*sin(6900*t):c=5.1:"
            "s="
            "48000:d=1\" -f lavfi -i sine=d=1:r=44100 -f lavfi -i sine=500:d=1:r=48000 -map 0 -map 1 -map 2 -map 3 "
            "-metadata:s:a:0 language=eng -metadata:s:a:1 language=ger -c:v mpeg4 -c:a:0 flac -c:a:1 libmp3lame "
            "-c:a:2 pcm_s16le in.mkv");
    }
    // "aac 44100 1" of each stream of sound.
    [[nodiscard]] std::vector<std::string> made(const std::string& arguments) const {
        const Result result = vfilter("in.mkv out.mkv -y --box 3 " + arguments);
        EXPECT_EQ(result.code, 0) << result;
        std::vector<std::string> sounds;
        for (const Stream& stream : probe("out.mkv").of("audio")) {
            sounds.push_back(stream.facts.value("codec_name", "") + " " + stream.facts.value("sample_rate", "") + " " +
                             std::to_string(stream.facts.value("channels", 0)));
        }
        return sounds;
    }
};

using Sounds = std::vector<std::string>;

TEST_F(SoundOfEach, IsAsItWasAskedForByNumberOrLanguage) {
    make();
    EXPECT_EQ(made("--audio 0=aac:128:channels=stereo"), (Sounds{"aac 48000 2", "mp3 44100 1", "pcm_s16le 48000 1"}));
    EXPECT_EQ(made("--audio opus --audio deu=copy"), (Sounds{"opus 48000 6", "mp3 44100 1", "opus 48000 1"}));
    EXPECT_EQ(made("--audio copy,2=flac:samplerate=44100,eng=none"), (Sounds{"mp3 44100 1", "flac 44100 1"}));
    EXPECT_EQ(made("--audio 1=flac --audio aac,0=ac3"), (Sounds{"ac3 48000 6", "aac 44100 1", "aac 48000 1"}));
    EXPECT_EQ(made("--streams video,audio:2 --audio 0=aac,2=mp3"), (Sounds{"mp3 48000 1"}));
    EXPECT_EQ(made("-map 0 -c:a copy -c:a:1 aac -b:a:1 96k"),
              (Sounds{"flac 48000 6", "aac 44100 1", "pcm_s16le 48000 1"}));
    EXPECT_EQ(made("--audio none,1=flac"), (Sounds{"flac 44100 1"}));
    EXPECT_EQ(made("--audio none --audio 1=copy"), (Sounds{"mp3 44100 1"}));
    EXPECT_EQ(made("--audio none --audio 1=copy --audio auto,0=none"), (Sounds{"mp3 44100 1", "pcm_s16le 48000 1"}));
    EXPECT_EQ(made("--audio 'fre?=none'"), (Sounds{"flac 48000 6", "mp3 44100 1", "pcm_s16le 48000 1"}));
}

// As ffmpeg mixes: the same samples.
TEST_F(SoundOfEach, ChannelsAreMixed) {
    make();
    for (const std::string channels : {"stereo", "mono"}) {
        const Result result = vfilter("in.mkv out.mkv -y --box 3 --audio 0=flac:channels=" + channels);
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_NE(result.err.find("5.1 at 48000 Hz becomes " + channels), std::string::npos) << result;
        EXPECT_EQ(result.err.find("no place for"), std::string::npos) << result;
        const std::string raw = std::string("-map 0:a:0 -f s24le -ac ") + (channels == "mono" ? "1" : "2") + " -";
        EXPECT_EQ(ffmpeg_output("-i out.mkv " + raw), ffmpeg_output("-i in.mkv " + raw)) << channels;
    }
}

TEST_F(SoundOfEach, ThatIsNotMadeAsAskedIsTold) {
    make();
    const Result opus = vfilter("in.mkv out.mkv --box 3 --audio 0=opus:samplerate=44100");
    EXPECT_EQ(opus.code, 0) << opus;
    EXPECT_NE(opus.err.find("the encoder libopus makes 48000 samples a second, not 44100"), std::string::npos) << opus;
}

TEST_F(SoundOfEach, OfWhatIsNotThereIsAMistake) {
    make();
    for (const auto& [audio, told] : {std::pair("3=aac", "--audio 3: there are 3, numbered from 0"),
                                      {"jpn=aac", "--audio jpn: there are eng, ger, und"},
                                      {"aac,opus", "two ways for all sound"},
                                      {"all=none", "one of several is 1=HOW"},
                                      {"audio:1=aac", "one of several is 1=HOW"},
                                      {"1=", "is none of auto"},
                                      {"copy:96", "is none of auto"},
                                      {"aac:channels=9", "is none of mono, stereo"},
                                      {"aac:96:bits=3", "is none of KBITS"}}) {
        const Result result = vfilter(std::string("in.mkv out.mkv --audio ") + audio);
        EXPECT_EQ(result.code, 2) << result;
        EXPECT_NE(result.err.find(told), std::string::npos) << result;
        EXPECT_FALSE(exists("out.mkv"));
    }
}

}  // namespace

}  // namespace vfilter::test
