// Videos of one picture and of two, in which an encoder sees nothing of what it learns from later ones.

#include <fmt/format.h>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class FewPictures : public EndToEnd, public testing::WithParamInterface<const char*> {};

// libx265 knows its delay by the picture that lies so far behind, and else by memory that nobody has set, which glibc
// fills here: with zeroes, as memory mostly is, all looks well.
TEST_P(FewPictures, HaveTheirTimes) {
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=0.2 -f lavfi -i sine=d=0.2 -c:a aac -pix_fmt yuv420p in.mkv");
    for (const int count : {1, 2, 3}) {
        SCOPED_TRACE(count);
        const Result result = run(fmt::format(
            "MALLOC_PERTURB_=85 exec $VFILTER -y in.mkv out.{} --codec x265 --frames {}", GetParam(), count));
        ASSERT_EQ(result.code, 0) << result;
        const Stream video = probe(fmt::format("out.{}", GetParam())).video();
        EXPECT_EQ(std::ssize(video.packets), count);
        for (const Packet& packet : video.packets) {
            EXPECT_LE(packet.dts.value_or(0), packet.pts.value_or(-1));
            EXPECT_GE(static_cast<double>(packet.dts.value_or(0)) * video.tick, -1);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Containers, FewPictures, testing::Values("mkv", "mp4"),
                         [](const auto& container) { return std::string(container.param); });

}  // namespace

}  // namespace vfilter::test
