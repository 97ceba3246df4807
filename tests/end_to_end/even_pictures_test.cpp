// Pictures of a constant rate whose times a container of milliseconds has rounded.

#include <utility>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class EvenPictures : public EndToEnd {
protected:
    [[nodiscard]] std::vector<double> steps(const std::string& name) const {
        std::vector<double> steps;
        const std::vector<double> times = probe(name).pictures;
        for (std::size_t i = 1; i < times.size(); ++i) {
            steps.push_back(times[i] - times[i - 1]);
        }
        return steps;
    }
};

TEST_F(EvenPictures, HaveTheirRateWhereverTheyBegin) {
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=60000/1001:d=1 -c:v mpeg4 -bf 0 in.mkv");
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=24000/1001:d=1.5 -c:v flv in.flv");
    const std::pair<std::string, double> runs[] = {{"in.mkv out.mp4", 60000.0 / 1001},
                                                   {"in.mkv out.nut", 60000.0 / 1001},
                                                   {"in.mkv out.mp4 --start 0.2", 60000.0 / 1001},
                                                   {"in.mkv out.mp4 --vf hflip", 60000.0 / 1001},
                                                   {"in.flv out.mov", 24000.0 / 1001}};
    for (const auto& [arguments, rate] : runs) {
        filter(arguments + " -y --codec mpeg4");
        const std::string output = arguments.substr(7, 7);
        const std::vector<double> found = steps(output);
        EXPECT_GT(found.size(), 20U);
        for (const double step : found) {
            EXPECT_NEAR(step, 1 / rate, 2e-6) << arguments;
        }
        EXPECT_LT(probe(output).pictures.front(), 1 / rate) << arguments;
    }
}

// A picture that is missing or late is where it was.
TEST_F(EvenPictures, ThatAreNotKeepTheirTimes) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:r=30:d=2 -vf \"select='not(eq(n,7))'\" -fps_mode passthrough -c:v mpeg4 "
        "whole.mkv");
    ffmpeg("-i whole.mkv -c copy -bsf:v \"setts=ts=TS+eq(N\\,20)*12\" in.mkv");
    filter("in.mkv out.mp4");
    const std::vector<double> in = probe("in.mkv").pictures;
    const std::vector<double> out = probe("out.mp4").pictures;
    ASSERT_EQ(in.size(), out.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
        EXPECT_NEAR(in[i], out[i], 0.0005 + 1e-6) << i;
    }
    EXPECT_NEAR(out[7], 8 / 30.0, 1e-5);
    EXPECT_NEAR(out[20], 0.712, 1e-5);
    EXPECT_NEAR(out[21], 22 / 30.0, 1e-5);
}

}  // namespace

}  // namespace vfilter::test
