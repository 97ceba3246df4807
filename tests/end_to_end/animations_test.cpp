// Animations of transparent pictures, and under names of single ones.

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

}  // namespace

}  // namespace vfilter::test
