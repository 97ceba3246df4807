// Animations of transparent pictures, under names of single ones, and how often they are shown.

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class Animations : public EndToEnd {
protected:
    // A square on nothing, which moves and fades.
    void make(const std::string& name) const {
        ffmpeg(
            "-f lavfi -i \"color=black@0:s=64x48:r=10:d=0.5,format=rgba,geq=r=255:g=9:b=9:"
            "a='if(between(X-N*12,0,9),255-N*40,0)'\" " +
            name);
    }
    // The flags of each ANMF chunk.
    [[nodiscard]] std::vector<int> flags(const std::string& name) const {
        const std::string file = content(name);
        std::vector<int> found;
        for (std::size_t at = file.find("ANMF"); at != std::string::npos; at = file.find("ANMF", at + 4)) {
            found.push_back(static_cast<unsigned char>(file.at(at + 8 + 15)));
        }
        return found;
    }
};

// FFmpeg's muxer lets each be blended with those before.
TEST_F(Animations, OfWebpShowNothingOfFormerPictures) {
    make("in.apng");
    filter("in.apng out.webp --identity");
    constexpr int do_not_blend = 2;
    EXPECT_EQ(flags("out.webp"), std::vector<int>(5, do_not_blend));
    EXPECT_EQ(content("out.webp").size(),
              8 + static_cast<std::size_t>(static_cast<unsigned char>(content("out.webp")[4])) +
                  256 * static_cast<unsigned char>(content("out.webp")[5]));
    filter("in.apng one.webp --identity --frames 1");
    EXPECT_EQ(flags("one.webp"), std::vector<int>{});
}

TEST_F(Animations, UnderTheNameOfAPictureAreToldTheirFormat) {
    make("in.apng");
    std::filesystem::rename(path("in.apng"), path("in.png"));
    const Result result = vfilter("in.png out.png --identity");
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_NE(result.err.find("out.png: holds one picture, and 5 came; out_%04d.png names each, --frames 1 takes the "
                              "first, --format apng makes an animation"),
              std::string::npos)
        << result;
    EXPECT_EQ(result.err.find("image2pipe"), std::string::npos) << result;
    EXPECT_EQ(names(), std::vector<std::string>{"in.png"});
    filter("in.png out.png --identity --format apng");
    EXPECT_EQ(count_pictures("out.png"), 5);
}

TEST_F(Animations, OfGifTellWhatBecomesOfTransparency) {
    make("in.apng");
    const std::string told = "what is partly transparent becomes opaque or invisible";
    EXPECT_NE(filter("in.apng out.gif --identity").at("stderr").dump().find(told), std::string::npos);
    EXPECT_EQ(filter("out.gif again.gif --identity").at("stderr").dump().find(told), std::string::npos);
}

TEST_F(Animations, AreShownAsOften) {
    // Big-endian in acTL, little-endian in GIF's extension and in WebP's ANIM.
    const auto number = [&](const std::string& file, const std::string& mark, std::size_t at, int shift) {
        const std::string bytes = content(file);
        const std::size_t found = bytes.find(mark);
        if (found == std::string::npos) {
            return -1;
        }
        const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[found + at + i]); };
        return shift == 0 ? byte(0) << 8 | byte(1) : byte(1) << 8 | byte(0);
    };
    const auto apng = [&](const std::string& file) { return number(file, "acTL", 10, 0); };
    const auto gif = [&](const std::string& file) { return number(file, "NETSCAPE2.0", 13, 1); };
    const auto webp = [&](const std::string& file) { return number(file, "ANIM", 12, 1); };
    const std::string source = "-f lavfi -i testsrc2=s=64x48:r=10:d=0.5 ";
    for (const int plays : {0, 1, 3}) {
        SCOPED_TRACE(plays);
        const int again = plays == 0 ? 0 : plays == 1 ? -1 : plays - 1;
        ffmpeg(fmt::format("{}-plays {} in.apng {}-loop {} in.gif", source, plays, "", again));
        for (const std::string input : {"in.apng", "in.gif"}) {
            for (const std::string output : {"out.apng", "out.gif", "out.webp"}) {
                const Result result = vfilter(input + " " + output + " -y --gaussian 3");
                ASSERT_EQ(result.code, 0) << result;
            }
            EXPECT_EQ(apng("out.apng"), plays) << input;
            EXPECT_EQ(gif("out.gif"), again) << input;
            EXPECT_EQ(webp("out.webp"), plays) << input;
        }
    }
    EXPECT_EQ(vfilter("in.apng out.apng -y --gaussian 3 --muxer-option plays=7").code, 0);
    EXPECT_EQ(apng("out.apng"), 7);
}

// Animations in AVIF have their alpha in a track that may be the larger one.
TEST_F(Animations, OfColoursAreFilteredAndNotTheirAlpha) {
    ffmpeg(
        "-f lavfi -i color=gray:s=64x48:r=5:d=1 -f lavfi -i testsrc2=s=64x48:r=5:d=1 "
        "-map 0 -map 1 -c:v mpeg4 -disposition:v:0 0 -disposition:v:1 default two.mp4");
    std::string file = content("two.mp4");
    const std::size_t second = file.rfind("vide");
    ASSERT_NE(second, file.find("vide"));
    file.replace(second, 4, "auxv");
    write("alpha.mp4", file);
    for (const std::string input : {"alpha.mp4", "- < alpha.mp4"}) {
        SCOPED_TRACE(input);
        const Result result = vfilter(input + " out.mkv -y --identity --codec ffv1");
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_TRUE(result.err.find("only stream 0") != std::string::npos) << result;
        EXPECT_TRUE(result.err.find("(alpha or depth of another)") != std::string::npos) << result;
    }
    for (const std::string output : {"out.gif", "out.apng", "out.swf"}) {
        const Result result = vfilter("alpha.mp4 " + output + " --identity");
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_NE(result.err.find("stream 1 (video, mpeg4, und) is left out"), std::string::npos) << result;
    }
}

// One picture of each would be all that comes of them.
TEST_F(Animations, AndVideosAreNoSeriesOfPictures) {
    for (const char* const name : {"clip_1.mp4", "clip_2.mp4", "still_2.gif"}) {
        ffmpeg(std::string("-f lavfi -i testsrc2=s=32x32:r=10:d=0.5 ") + name);
    }
    for (const std::string in : {"'clip_*.mp4'", "clip_%d.mp4"}) {
        const Result result = vfilter(in + " out.mkv -y --identity --codec ffv1");
        EXPECT_EQ(result.code, 2) << result;
        EXPECT_TRUE(says(result, "clip_1.mp4 has more than one picture") && says(result, "--append")) << result;
    }
    ffmpeg("-f lavfi -i testsrc2=s=32x32 -frames:v 1 still_1.gif");
    const Result mixed = vfilter("still_%d.gif out.mkv -y --identity --codec ffv1");
    EXPECT_EQ(mixed.code, 5) << mixed;
    EXPECT_TRUE(says(mixed, "still_2.gif: has more than one picture")) << mixed;
    ffmpeg("-y -f lavfi -i testsrc2=s=32x32 -frames:v 1 still_2.gif");
    filter("still_%d.gif out.mkv --identity --codec ffv1");
    EXPECT_EQ(count_pictures("out.mkv"), 2);
}

}  // namespace

}  // namespace vfilter::test
