// Which streams are kept, by kind, number and language.

#include <string>
#include <vector>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class StreamChoices : public EndToEnd {
protected:
    void make() const {
        write("s.srt", "1\n00:00:00,100 --> 00:00:00,500\nhi\n");
        ffmpeg(
            "-f lavfi -i testsrc2=s=64x64:r=25:d=1 -f lavfi -i sine=d=1 -f lavfi -i sine=500:d=1 -i s.srt -map 0 -map "
            "1 "
            "-map 2 -map 3 -map 3 -metadata:s:a:0 language=ger -metadata:s:a:1 language=eng -metadata:s:s:0 "
            "language=fre -metadata:s:s:1 language=eng -c:v libx264 -c:a aac -c:s srt in.mkv");
    }
    // "audio ger" of each stream but the video.
    [[nodiscard]] std::vector<std::string> kept(const std::string& arguments) const {
        const Result result = vfilter("in.mkv out.mkv -y --box 3 " + arguments);
        EXPECT_EQ(result.code, 0) << result;
        std::vector<std::string> streams;
        for (const Stream& stream : probe("out.mkv").streams) {
            if (stream.type() != "video") {
                streams.push_back(stream.type() + " " + stream.tag("language"));
            }
        }
        return streams;
    }
};

TEST_F(StreamChoices, AreByNumberOrLanguage) {
    make();
    using Names = std::vector<std::string>;
    EXPECT_EQ(kept("--streams all,audio:1"), (Names{"audio eng", "subtitle fre", "subtitle eng"}));
    EXPECT_EQ(kept("--streams video,audio:deu,subtitles:fra"), (Names{"audio ger", "subtitle fre"}));
    EXPECT_EQ(kept("-map 0:v -map 0:s:1"), (Names{"subtitle eng"}));
    EXPECT_EQ(kept("-map 0:v -map 0:a:7?"), Names{});
    EXPECT_EQ(kept("--streams video,audio:1 --audio opus"), (Names{"audio eng"}));
}

TEST_F(StreamChoices, OneVideoIsKeptAlone) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:r=25:d=1 -f lavfi -i testsrc=s=96x64:r=25:d=1 -f lavfi -i sine=d=1 -map 0 -map 1 "
        "-map 2 -c:v libx264 -c:a aac two.mkv");
    for (const std::string words : {"-map 0:v:1 -map 0:a", "--streams video:1,audio"}) {
        const Result result = vfilter("two.mkv out.mkv -y " + words);
        EXPECT_EQ(result.code, 0) << result;
        const Media made = probe("out.mkv");
        ASSERT_EQ(made.streams.size(), 2U) << words;
        EXPECT_EQ(made.of("video").size(), 1U) << words;
        EXPECT_EQ(made.of("video").at(0).facts.value("width", 0), 96) << words;
    }
}

// Another one, which is a picture already, was copied into the file in its place.
TEST_F(StreamChoices, PicturesAreOfTheFilteredVideo) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=0.08 -f lavfi -i testsrc2=s=96x64:r=25:d=0.08 -map 0 -map 1 -c:v mjpeg "
        "two.mkv");
    for (const std::string output : {"out.png --frames 1", "out%d.png", "out%d.webp", "out.avif --codec libaom-av1"}) {
        const Result result = vfilter("two.mkv " + output + " -y --video-stream 1");
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_NE(result.err.find("stream 0 (video, mjpeg) is left out"), std::string::npos) << result;
    }
    EXPECT_EQ(content("out.png").substr(1, 3), "PNG");
    for (const std::string name : {"out.png", "out1.png", "out2.png", "out2.webp"}) {
        EXPECT_EQ(probe(name).video().facts.value("width", 0), 96) << name;
    }
}

TEST_F(StreamChoices, OfWhatIsNotThereAreMistakes) {
    make();
    const Result number = vfilter("in.mkv out.mkv --streams video,audio:2");
    EXPECT_EQ(number.code, 2) << number;
    EXPECT_NE(number.err.find("--streams audio:2: there are 2, numbered from 0"), std::string::npos) << number;
    const Result language = vfilter("in.mkv out.mkv --streams video,subtitles:jpn");
    EXPECT_EQ(language.code, 2) << language;
    EXPECT_NE(language.err.find("--streams subtitles:jpn: there are fre, eng"), std::string::npos) << language;
    EXPECT_FALSE(exists("out.mkv"));
}

}  // namespace

}  // namespace vfilter::test
