// Which pictures spans, tracks and masks mean by their numbers: the input's, wherever the run begins and whatever a
// graph makes of it.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class Numbers : public EndToEnd {
protected:
    static constexpr int width = 64;
    static constexpr int height = 48;

    // Gray, 70 pictures in four seconds, of which five are missing after each twelve.
    void make_uneven(const std::string& name) const {
        ffmpeg(
            fmt::format("-f lavfi -i color=gray:s={}x{}:d=4:r=25 -vf \"select='not(between(mod(n\\,17)\\,3\\,7))'\" "
                        "-fps_mode vfr -c:v libx264 -pix_fmt yuv420p {}",
                        width, height, name));
    }
    // A letter for each picture: W is white in its middle.
    [[nodiscard]] std::string white(const std::string& arguments) const {
        const Result run = vfilter("in.mp4 out.mkv -y --codec ffv1 " + arguments);
        EXPECT_EQ(run.code, 0) << run;
        ffmpeg("-i out.mkv -fps_mode passthrough -f rawvideo -pix_fmt gray out.raw");
        const std::string samples = content("out.raw");
        constexpr std::size_t size = std::size_t{width} * height;
        std::string letters;
        for (std::size_t at = 0; at + size <= samples.size(); at += size) {
            const auto middle = static_cast<unsigned char>(samples[at + std::size_t{width} * (height / 2) + width / 2]);
            letters += middle > 200 ? 'W' : '.';
        }
        return letters;
    }
};

TEST_F(Numbers, AreTheInputsWhereThePartBegins) {
    make_uneven("in.mp4");
    const std::string whole = white("--fill white:enable=20f-25f");
    ASSERT_EQ(whole.substr(0, 26), "....................WWWWW.");
    const std::string part = white("--fill white:enable=20f-25f --start 1 --verify");
    ASSERT_LT(part.size(), whole.size());
    EXPECT_EQ(part, whole.substr(whole.size() - part.size()));

    std::string table;
    for (int number = 20; number < 25; ++number) {
        table += fmt::format("{},a,0,0,{},{}\n", number + 1, width, height);
    }
    write("boxes.csv", table);
    EXPECT_EQ(white("--fill white:region=@boxes.csv --start 1"), part);
}

TEST_F(Numbers, AreTheInputsBehindAGraph) {
    make_uneven("in.mp4");
    EXPECT_EQ(white("--vf \"select='gte(n,10)'\" --fill white:enable=20f-25f").substr(0, 16), "..........WWWWW.");
    EXPECT_EQ(white("--vf reverse --fill white:enable=20f-25f").find('W'), 70U - 25U);
    // Those five are shown for a fifth of a second.
    const std::string twice = white("--vf fps=50 --fill white:enable=20f-25f");
    EXPECT_EQ(std::ranges::count(twice, 'W'), 10);
    EXPECT_EQ(twice.find('W'), 60U) << twice;
    const std::string part = white("--start 1 --vf fps=50 --fill white:enable=20f-25f");
    EXPECT_EQ(std::ranges::count(part, 'W'), 10) << part;
}

TEST_F(Numbers, MeanTimesAtTheAverageRate) {
    make_uneven("in.mp4");
    // 70 pictures in 4 s: 35 of them take 2 s, in which there are as many.
    EXPECT_EQ(white("--fill white --end 35f").size(), 35U);
}

}  // namespace

}  // namespace vfilter::test
