// QuickTime and AVI as other programs write them: several edits, key frames that are none, matrices, times that nobody
// knows. Made of what ffmpeg writes, by changing boxes.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

std::string number(std::uint32_t value) {
    std::string bytes(4, '\0');
    for (char& byte : bytes) {
        byte = static_cast<char>(value >> 24U);
        value <<= 8U;
    }
    return bytes;
}

class ChangedMovies : public EndToEnd {
protected:
    // In the index, which ffmpeg writes behind everything else: where the name of the last box of this type is.
    static std::size_t last(const std::string& bytes, const std::string& type) {
        const std::size_t at = bytes.rfind(type);
        EXPECT_NE(at, std::string::npos) << type;
        return at;
    }
    // Of a movie with one track. Each plays so many milliseconds, from so many seconds of the media on.
    void set_edits(const std::string& name, const std::vector<std::pair<std::uint32_t, double>>& edits) const {
        std::string bytes = content(name);
        const std::size_t media = last(bytes, "mdhd");
        std::uint32_t ticks = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            ticks = ticks << 8U | static_cast<unsigned char>(bytes.at(media + 16 + i));
        }
        std::string list = number(0) + number(static_cast<std::uint32_t>(edits.size()));
        for (const auto& [milliseconds, begin] : edits) {
            list += number(milliseconds) + number(static_cast<std::uint32_t>(begin * ticks)) + number(1U << 16U);
        }
        const std::string made = number(static_cast<std::uint32_t>(16 + list.size())) + "edts" +
                                 number(static_cast<std::uint32_t>(8 + list.size())) + "elst" + list;
        const auto size_at = [&](std::size_t type) {
            std::uint32_t size = 0;
            for (std::size_t i = 0; i < 4; ++i) {
                size = size << 8U | static_cast<unsigned char>(bytes.at(type - 4 + i));
            }
            return size;
        };
        const std::size_t old = last(bytes, "edts");
        const auto more = static_cast<std::uint32_t>(made.size()) - size_at(old);
        for (const char* const parent : {"moov", "trak"}) {
            const std::size_t at = last(bytes, parent);
            bytes.replace(at - 4, 4, number(size_at(at) + more));
        }
        bytes.replace(old - 4, size_at(old), made);
        write(name, bytes);
    }
};

// Behind each edit lie pictures that it hides, up to the next key frame, and then the next one goes back.
TEST_F(ChangedMovies, PartsOfSeveralEditsHaveAllPictures) {
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=24:d=3 -c:v libx264 -g 12 in.mp4");
    set_edits("in.mp4", {{500, 1.0 / 12}, {500, 1.25}, {1000, 0.5}});
    ASSERT_EQ(vfilter("in.mp4 all.nut -y --identity --codec ffv1").code, 0);
    const std::vector<std::string> all = picture_hashes("all.nut");
    const std::vector<double> times = picture_times("all.nut");
    ASSERT_EQ(all.size(), 48U);
    for (const double end : {0.4, 0.6, 0.9, 1.33, 1.9}) {
        const Result result = vfilter(fmt::format("in.mp4 out.nut -y --identity --codec ffv1 --end {}", end));
        EXPECT_EQ(result.code, 0) << result;
        const auto wanted = std::ranges::count_if(times, [&](double at) { return at < end - 0.001; });
        EXPECT_EQ(picture_hashes("out.nut"), std::vector(all.begin(), all.begin() + wanted)) << end;
    }
}

// Without a table of key frames each picture is one.
TEST_F(ChangedMovies, PartsBeginWithTrueKeyFrames) {
    for (const std::string codec : {"libx264", "mpeg4", "mpeg2video"}) {
        make_clip("in.mp4", 100, "-an -g 40 -sc_threshold 1000000000 -c:v " + codec);
        std::string bytes = content("in.mp4");
        bytes.replace(last(bytes, "stss"), 4, "free");
        write("in.mp4", bytes);
        const std::vector<std::string> all = picture_hashes("in.mp4");
        ASSERT_EQ(all.size(), 100U) << codec;
        for (const int start : {30, 70, 97}) {
            const Result result = vfilter(fmt::format("in.mp4 out.nut -y --identity --codec ffv1 --start {}f", start));
            EXPECT_EQ(result.code, 0) << codec << start << result;
            EXPECT_EQ(picture_hashes("out.nut"), std::vector(all.begin() + start, all.end())) << codec << start;
        }
    }
}

// FFmpeg goes nowhere in an AVI of which the sound alone has what it calls key frames.
TEST_F(ChangedMovies, WithoutAnyKeyFrameAreReadFromTheBeginning) {
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=1 -f lavfi -i sine=d=1 -c:v mpeg4 -g 5 -c:a pcm_s16le in.avi");
    std::string bytes = content("in.avi");
    constexpr std::size_t entry = 16;
    for (std::size_t at = last(bytes, "idx1") + 8; at + entry <= bytes.size(); at += entry) {
        bytes[at + 4] = bytes.compare(at, 4, "00dc") == 0 ? '\0' : bytes[at + 4];
    }
    write("in.avi", bytes);
    const Result result = vfilter("in.avi out.nut -y --identity --codec ffv1 --start 0.4");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_NE(result.err.find("it is read from the beginning up to --start"), std::string::npos) << result;
    const std::vector<std::string> all = picture_hashes("in.avi");
    EXPECT_EQ(picture_hashes("out.nut"), std::vector(all.begin() + 10, all.end()));
}

// What was written while it was being recorded does not know how long it will be.
TEST_F(ChangedMovies, OfUnknownDurationMissNothing) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:r=25:d=3 -f lavfi -i sine=d=3 -c:v libx264 -g 25 -c:a aac -movflags "
        "frag_keyframe+empty_moov in.mp4");
    std::string bytes = content("in.mp4");
    for (std::size_t at = bytes.find("mdhd"); at != std::string::npos; at = bytes.find("mdhd", at + 1)) {
        bytes.replace(at + 20, 4, number(UINT32_MAX));
    }
    write("in.mp4", bytes);
    for (const std::string part : {"", "--start 1.4", "--start 0.4 --end 1"}) {
        const Result result = vfilter("in.mp4 out.mkv -y --box 3 " + part);
        EXPECT_EQ(result.code, 0) << part << result;
    }
}

// The matrix that stretches pictures is the shape of their pixels, and no rotation.
TEST_F(ChangedMovies, StretchedByAMatrixAreStretchedOnce) {
    ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -c:v libx264 in.mp4");
    std::string bytes = content("in.mp4");
    constexpr std::size_t matrix = 44;  // behind the name of the box
    bytes.replace(last(bytes, "tkhd") + matrix, 4, number(3U << 15U));
    write("in.mp4", bytes);
    // Of two shapes FFmpeg goes by the one of the pixels.
    EXPECT_NE(vfilter("in.mp4 out.mkv -y --box 3").err.find("the stretch of the picture is left out"),
              std::string::npos);
    EXPECT_EQ(vfilter("in.mp4 out.mp4 -y --box 3").code, 0);
    EXPECT_NE(probe("out.mp4").video().side_data("Display Matrix").dump().find("98304"), std::string::npos);
    bytes.replace(last(bytes, "pasp"), 4, "free");
    write("in.mp4", bytes);
    ASSERT_EQ(probe("in.mp4").video().facts.at("sample_aspect_ratio"), "3:2");
    for (const std::string out : {"out.mkv", "out.mp4", "out.mov", "out.avi"}) {
        const Result result = vfilter("in.mp4 " + out + " -y --box 3");
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_EQ(result.err.find("is left out"), std::string::npos) << result;
        EXPECT_EQ(probe(out).video().facts.at("sample_aspect_ratio"), "3:2") << out;
        EXPECT_TRUE(probe(out).video().side_data("Display Matrix").is_null()) << out;
    }
    // Upside down besides, that stays.
    bytes.replace(last(bytes, "tkhd") + matrix, 4, number(0U - (3U << 15U)));
    bytes.replace(last(bytes, "tkhd") + matrix + 16, 4, number(0U - (1U << 16U)));
    write("in.mp4", bytes);
    EXPECT_EQ(vfilter("in.mp4 out.mp4 -y --box 3").code, 0);
    const nlohmann::json turned = probe("out.mp4").video().side_data("Display Matrix");
    ASSERT_TRUE(turned.is_object());
    EXPECT_NE(turned.dump().find("-65536           0"), std::string::npos) << turned;
    EXPECT_EQ(turned.dump().find("98304"), std::string::npos) << turned;
    EXPECT_NE(vfilter("in.mp4 out.nut -y --box 3").err.find("rotation of the picture is left out"), std::string::npos);
    // What is turned by right angles can be upright.
    for (const bool right : {true, false}) {
        ffmpeg(fmt::format("-y -f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -c:v mpeg4 plain{}.mp4", right));
        ASSERT_EQ(
            run(fmt::format("ffmpeg -v quiet -y -display_rotation {1} -i plain{0}.mp4 -c copy in.mp4 || ffmpeg -v "
                            "error -y -i plain{0}.mp4 -c copy -metadata:s:v rotate={1} in.mp4",
                            right, right ? 90 : 12))
                .code,
            0);
        const Result lost = vfilter("in.mp4 out.avi -y --box 3");
        EXPECT_NE(lost.err.find("rotation of the picture is left out"), std::string::npos) << lost;
        EXPECT_EQ(lost.err.find("--vf null turns the pictures upright") != std::string::npos, right) << lost;
        EXPECT_EQ(vfilter("in.mp4 out.avi -y --vf null").err.find("rotation") == std::string::npos, right);
    }
}

}  // namespace

}  // namespace vfilter::test
