// Tags and purposes of streams that the user gives.

#include <string>
#include <vector>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class StreamLabels : public EndToEnd {
protected:
    // Two sounds and two subtitles, in English and without a language; the first of each is the default.
    void make() const {
        write("s.srt", "1\n00:00:00,100 --> 00:00:00,300\nhi\n");
        ffmpeg(
            "-f lavfi -i testsrc2=s=64x64:r=25:d=0.4 -f lavfi -i sine=d=0.4 -f lavfi -i sine=500:d=0.4 -i s.srt -i "
            "s.srt "
            "-map "
            "0 -map 1 -map 2 -map 3 -map 4 -metadata:s:a:0 language=eng -metadata:s:a:0 title=Film -metadata:s:s:0 "
            "language=eng -disposition:a:0 default -disposition:a:1 0 -disposition:s:0 default -disposition:s:1 0 -c:v "
            "mpeg4 -c:a aac -c:s srt in.mkv");
    }
    // "fre Two default+forced" of each stream but the first.
    [[nodiscard]] std::vector<std::string> labels(const std::string& output, const std::string& arguments) const {
        const Result result = vfilter("in.mkv " + output + " -y --box 3 " + arguments);
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_EQ(result.err.find("leaves out"), std::string::npos) << result;
        std::vector<std::string> labels;
        for (const Stream& stream : probe(output).streams) {
            std::string label = stream.tag("language") + " " + stream.tag("title");
            if (output.ends_with(".mp4")) {
                label = stream.tag("language") + " " + stream.tag("handler_name");
            }
            for (const auto& [name, set] : stream.facts.at("disposition").items()) {
                label += set == 1 ? " " + name : "";
            }
            labels.push_back(label);
        }
        labels.erase(labels.begin());
        return labels;
    }
};

using Labels = std::vector<std::string>;

TEST_F(StreamLabels, AreThoseThatWereGiven) {
    make();
    const Labels before{"eng Film default", " ", "eng  default", " "};
    EXPECT_EQ(labels("out.mkv", ""), before);
    EXPECT_EQ(labels("out.mkv",
                     "--metadata audio:1:language=fre --metadata audio:eng:title= --metadata subtitles:eng:title=Signs "
                     "--disposition audio:1=default --disposition audio:0=none "
                     "--disposition subtitles:0=forced+hearing_impaired"),
              (Labels{"eng ", "fre  default", "eng Signs forced hearing_impaired", " "}));
    EXPECT_EQ(labels("out.mp4",
                     "--metadata audio:1:language=fre --metadata audio:1:title=Two --disposition audio:1=default "
                     "--disposition audio:0=0 --subtitles none"),
              (Labels{"eng Film", "fre Two default"}));
    EXPECT_EQ(labels("out.mkv", "--audio 1=opus --metadata audio:1:title=B --strip metadata"),
              (Labels{"  default", " B", "  default", " "}));
    EXPECT_EQ(labels("out.mkv", "-map 0 -metadata:s:a:1 title=B -disposition:s:1 forced -disposition:a:0 0"),
              (Labels{"eng Film", " B", "eng  default", "  forced"}));
    EXPECT_EQ(labels("out.mkv", "-map 0:v -map 0:a:1 -metadata:s:a:0 title=B"), (Labels{" B"}));
    EXPECT_EQ(labels("out.mkv", "--metadata 'audio:jpn?:title=B' --disposition 'subtitles:7?=forced'"), before);
}

TEST_F(StreamLabels, ThatTheContainerCannotHoldAreNamed) {
    make();
    const Result result = vfilter("in.mkv out.avi --box 3 --subtitles none --metadata audio:1:language=fre");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_NE(result.err.find("language of stream 2"), std::string::npos) << result;
}

TEST_F(StreamLabels, OfStreamsThatAreLeftOutAreTold) {
    make();
    for (const std::string words : {"--disposition audio:0=default", "--metadata audio:0:title=x"}) {
        const Result result = vfilter("in.mkv out.mkv -y --box 3 --streams video " + words);
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_NE(result.err.find("the output has no such stream\n"), std::string::npos) << result;
    }
    const Result left = vfilter("in.mkv out.mkv -y --streams all,subtitles:1 --metadata subtitles:0:language=fre");
    EXPECT_EQ(left.code, 0) << left;
    EXPECT_NE(left.err.find("names are those of the input's streams, of which it has subtitles:1"), std::string::npos)
        << left;
    const Result right = vfilter("in.mkv out.mkv -y --streams all,subtitles:1 --metadata subtitles:1:language=fre");
    EXPECT_EQ(right.code, 0) << right;
    EXPECT_EQ(right.err.find("no such stream"), std::string::npos) << right;
    EXPECT_EQ(probe("out.mkv").of("subtitle").at(0).tag("language"), "fre");
}

TEST_F(StreamLabels, OfNothingAreMistakes) {
    make();
    for (const auto& [words, told] :
         {std::pair("--metadata audio:2:title=x", "--metadata audio:2: there are 2, numbered from 0"),
          {"--disposition subtitles:jpn=forced", "--disposition subtitles:jpn: there are eng, und"},
          {"--metadata audio:title=x", "of which of them? audio:0:title=x"},
          {"--metadata audio:0:title", "'title' is not of the form key=value"},
          {"--metadata s:a:0:title=x", "audio:0:title=x"},
          {"--disposition audio:0=best", "'best' is none of none, default"},
          {"--disposition audio=default", "KIND:STREAM=PURPOSE"},
          {"-metadata:s:a:1 title=x", "-metadata:s:a:1: which stream that is depends on -map"}}) {
        const Result result = vfilter(std::string("in.mkv out.mkv ") + words);
        EXPECT_EQ(result.code, 2) << result;
        EXPECT_NE(result.err.find(told), std::string::npos) << result;
        EXPECT_FALSE(exists("out.mkv"));
    }
}

}  // namespace

}  // namespace vfilter::test
