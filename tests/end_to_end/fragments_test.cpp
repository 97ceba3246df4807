// mp4 in fragments, as it is written into pipes.

#include <string>
#include <utility>
#include <vector>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class Fragments : public EndToEnd {
protected:
    // "0.300 a|0.900 ": texts, each with the time from which it is shown.
    [[nodiscard]] std::string texts(const std::string& name) const {
        return run("$VFILTER " + name +
                   " words.mkv -y --identity 2>log; ffprobe -v error -select_streams s -show_entries "
                   "packet=pts_time,duration_time -of compact=p=0:nk=1 words.mkv")
            .out;
    }
};

// FFmpeg's muxer ends the program where a text begins before what it takes for the end of the last one.
TEST_F(Fragments, HoldSubtitlesThatOverlap) {
    write("in.srt",
          "1\n00:00:00,300 --> 00:00:01,000\na\n\n2\n00:00:00,900 --> 00:00:01,300\nb\n\n"
          "3\n00:00:01,300 --> 00:00:01,600\nc\n\n");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=2 -i in.srt -c:v mpeg4 -c:s subrip in.mkv");
    const Result piped = run("$VFILTER in.mkv - --format mp4 --codec mpeg4 --identity >piped.mp4");
    ASSERT_EQ(piped.code, 0) << piped;
    const Result file =
        vfilter("in.mkv file.mp4 --codec mpeg4 --identity --muxer-option movflags=frag_keyframe+empty_moov");
    ASSERT_EQ(file.code, 0) << file;
    const std::string shown = "0.300000|0.599000\n0.900000|0.099000\n1.000000|0.299000\n1.300000|0.299000\n";
    EXPECT_EQ(texts("piped.mp4"), shown);
    EXPECT_EQ(texts("file.mp4"), shown);
    // And those of fragments once more.
    const Result again = run("$VFILTER piped.mp4 - --format mp4 --codec mpeg4 --identity >again.mp4");
    EXPECT_EQ(again.code, 0) << again;
}

// Written before a stream begins, the index cannot say when it does.
TEST_F(Fragments, OfAnyOptionHoldTheirTimes) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=1 -f lavfi -i sine=r=48000:d=1 -c:v libx264 -c:a aac in.mp4");
    write("in.srt", "1\n00:00:00,300 --> 00:00:00,800\na\n\n");
    ffmpeg("-i in.mp4 -i in.srt -map 0 -map 1 -c copy -c:s subrip words.mkv");
    for (const auto& [option, single] : {std::pair<std::string, bool>{"movflags=frag_keyframe", false},
                                         {"movflags=dash", false},
                                         {"movflags=frag_every_frame", true},
                                         {"frag_duration=600000", false},
                                         {"frag_duration=20000", true},
                                         {"frag_size=2000", true}}) {
        SCOPED_TRACE(option);
        const Result result = vfilter("in.mp4 out.mp4 -y --identity --muxer-option " + option);
        EXPECT_EQ(result.code, 0) << result;
        const Result words = vfilter("words.mkv words.mp4 -y --identity --muxer-option " + option);
        EXPECT_EQ(words.code, single ? 2 : 0) << words;
        EXPECT_EQ(words.err.find("--subtitles none") != std::string::npos, single) << words;
    }
}

}  // namespace

}  // namespace vfilter::test
