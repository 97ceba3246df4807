// Zeroes inside of pictures, as disks leave them where they have lost a sector.

#include <algorithm>

#include "tests/support/faults.h"

namespace vfilter::test {

namespace {

class LostSectors : public Faults {};

// Zeroes are valid codes of JPEG, which the decoder makes pictures of.
TEST_F(LostSectors, OfMotionJpegAreTold) {
    constexpr std::size_t sector = 512;
    for (const char* tables : {"default", "optimal"}) {
        ffmpeg(
            fmt::format("-f lavfi -i testsrc2=s=640x360:r=25:d=0.4 -vf noise=alls=20:allf=t:all_seed=3 -c:v mjpeg "
                        "-huffman {} -q:v 3 clip.avi",
                        tables));
        ASSERT_EQ(vfilter("clip.avi --format null -q --strict").code, 0);
        const std::string whole = content("clip.avi");
        for (std::size_t i = 1; i < 10; ++i) {
            std::string bytes = whole;
            const std::size_t at = whole.size() * i / 10 / sector * sector;
            std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), 8 * sector, '\0');
            write("lost.avi", bytes);
            const Result result = vfilter("lost.avi --format null");
            EXPECT_EQ(result.code, 5) << tables << ", " << at << ": " << result;
        }
    }
}

// The decoder makes something of them, often without a word.
TEST_F(LostSectors, InsideOfPicturesAreTold) {
    struct Kind {
        const char* encoder;
        const char* container;
    };
    constexpr Kind kinds[] = {
        {"libx264 -preset medium -crf 20", "mp4"},
        {"libx265 -preset ultrafast -x265-params log-level=none", "mp4"},
        {"libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 2M", "mp4"},
        {"libsvtav1 -preset 10 -crf 30", "mp4"},
        {"mpeg4 -q:v 2", "mp4"},
        {"libopenjpeg -s 320x176", "mov"},
        {"huffyuv -pix_fmt yuv422p", "avi"},
        {"ffv1 -level 1", "avi"},
    };
    constexpr std::size_t sector = 512;
    for (const auto& [encoder, container] : kinds) {
        const std::string clip = fmt::format("clip.{}", container);
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s=640x360:r=25:d=1 -pix_fmt yuv420p -c:v {} {} {}", encoder,
                           clip == "clip.mp4" ? "-movflags faststart" : "", clip));
        ASSERT_EQ(vfilter(clip + " --format null -q --strict").code, 0);
        const std::string whole = content(clip);
        for (std::size_t i = 2; i < 9; ++i) {
            std::string bytes = whole;
            const std::size_t at = whole.size() * i / 10 / sector * sector;
            std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), sector, '\0');
            const std::string lost = fmt::format("lost.{}", container);
            write(lost, bytes);
            const Result result = vfilter(lost + " --format null");
            EXPECT_EQ(result.code, 5) << encoder << ", " << at << ": " << result;
        }
    }
}

}  // namespace

}  // namespace vfilter::test
