// Samples, to the bit: a lossless encoder shows what was decoded and what was filtered.

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <random>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

// A pixel format whose pictures are random numbers.
struct Format {
    std::string name;
    double samples_per_pixel;
    int depth = 8;
    std::string compared = {};  // the format in which to compare where ffv1 does not take this one
};

std::ostream& operator<<(std::ostream& stream, const Format& format) {
    return stream << format.name;
}

class Lossless : public EndToEnd {
protected:
    // Uncompressed, in NUT: "in.nut".
    void make_noise(const Format& format, int width, int height, int frames) const;
    // All samples of all pictures.
    std::string samples(const std::string& name, const std::string& format) const;
    void expect_blurred(const std::string& in, const std::string& out, int width, int height, int size) const;
};

void Lossless::make_noise(const Format& format, int width, int height, int frames) const {
    std::mt19937 random(7);
    const auto count = static_cast<std::size_t>(width * height * frames * format.samples_per_pixel);
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint_fast32_t sample = random() & ((1U << format.depth) - 1);
        bytes += static_cast<char>(sample & 0xff);
        if (format.depth > 8) {
            bytes += static_cast<char>(sample >> 8);
        }
    }
    write("noise.raw", bytes);
    ffmpeg(fmt::format("-f rawvideo -pixel_format {} -video_size {}x{} -framerate 25 -i noise.raw -c:v rawvideo in.nut",
                       format.name, width, height));
}

std::string Lossless::samples(const std::string& name, const std::string& format) const {
    return ffmpeg_output(fmt::format("-i {} -map 0:V:0 -fps_mode passthrough -f rawvideo -pix_fmt {} -", name, format));
}

// Every plane of full size, picture by picture, as cv::GaussianBlur makes it.
void Lossless::expect_blurred(const std::string& in, const std::string& out, int width, int height, int size) const {
    const std::size_t plane = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    ASSERT_EQ(in.size(), out.size());
    ASSERT_EQ(in.size() % plane, 0U);
    for (std::size_t at = 0; at < in.size(); at += plane) {
        cv::Mat source(height, width, CV_8UC1);
        std::memcpy(source.data, in.data() + at, plane);
        cv::Mat blurred;
        cv::GaussianBlur(source, blurred, {size, size}, 0, 0, cv::BORDER_REFLECT_101);
        ASSERT_EQ(0, std::memcmp(blurred.data, out.data() + at, plane)) << "plane " << at / plane;
    }
}

class LosslessFormat : public Lossless, public testing::WithParamInterface<Format> {};

TEST_P(LosslessFormat, SurvivesDecodingAndEncoding) {
    const Format& format = GetParam();
    make_noise(format, 48, 38, 3);
    const nlohmann::json report = filter("in.nut out.mkv --codec ffv1");
    const std::string compared = format.compared.empty() ? format.name : format.compared;
    if (format.compared.empty()) {
        EXPECT_EQ(probe("out.mkv").video().facts.at("pix_fmt"), format.name) << report.at("stderr");
    }
    const std::string wanted = samples("in.nut", compared);
    EXPECT_FALSE(wanted.empty());
    EXPECT_TRUE(wanted == samples("out.mkv", compared));
    // Filtered natively, in this depth, and as the reference says.
    EXPECT_EQ(filter("in.nut blurred.mkv --codec ffv1 --gaussian 5 --verify").at("verify").at("frames"), 1);
    EXPECT_FALSE(wanted == samples("blurred.mkv", compared));
}

// NUT has no tag for p010le and nv16: what is written there as such is read as another format.
// ffv1 takes 8-bit RGB in packed forms only, and FFmpeg's way back from BGRA to planes spoils alpha.
const Format formats[] = {
    {"yuv420p", 1.5},         {"yuv422p", 2},
    {"yuv444p", 3},           {"yuv440p", 2},
    {"yuv411p", 1.5},         {"gray", 1},
    {"gray10le", 1, 10},      {"gray16le", 1, 16},
    {"yuv420p9le", 1.5, 9},   {"yuv420p10le", 1.5, 10},
    {"yuv422p12le", 2, 12},   {"yuv444p14le", 3, 14},
    {"yuv420p16le", 1.5, 16}, {"gbrp10le", 3, 10},
    {"gbrp16le", 3, 16},      {"yuva420p", 2.5},
    {"yuva444p10le", 4, 10},  {"gbrp", 3, 8, "gbrp"},
    {"gbrap", 4, 8, "bgra"},  {"nv12", 1.5, 8, "yuv420p"},
    {"rgb24", 3, 8, "rgb24"},
};

INSTANTIATE_TEST_SUITE_P(Formats, LosslessFormat, testing::ValuesIn(formats),
                         [](const testing::TestParamInfo<Format>& row) { return row.param.name; });

TEST_F(Lossless, AnySizeIsFilteredAsOpenCvDoes) {
    const std::pair<int, int> sizes[] = {{1, 1}, {3, 1}, {1, 7}, {2, 2}, {17, 3}, {161, 121}, {64, 48}, {255, 5}};
    for (const auto& [width, height] : sizes) {
        SCOPED_TRACE(fmt::format("{}x{}", width, height));
        make_noise({"yuv444p", 3}, width, height, 3);
        filter("in.nut out.mkv --codec ffv1 --gaussian 5 --verify");
        expect_blurred(samples("in.nut", "yuv444p"), samples("out.mkv", "yuv444p"), width, height, 5);
    }
}

// As OpenCV writes it.
TEST_F(Lossless, UncompressedAviHoldsItsBytes) {
    make_noise({"bgr24", 3}, 65, 47, 3);
    for (const std::string format : {"", " --pix-fmt bgr24"}) {
        ASSERT_EQ(vfilter("in.nut out.avi -y --codec rawvideo" + format).code, 0);
        EXPECT_EQ(probe("out.avi").video().facts.value("pix_fmt", ""), "bgr24");
        EXPECT_EQ(samples("out.avi", "bgr24"), samples("in.nut", "bgr24"));
    }
    ASSERT_EQ(vfilter("out.avi again.avi --codec rawvideo --identity").code, 0);
    EXPECT_EQ(samples("again.avi", "bgr24"), samples("in.nut", "bgr24"));
    const Result refused = vfilter("in.nut none.avi --codec rawvideo --pix-fmt yuv444p");
    EXPECT_EQ(refused.code, 8) << refused;
    EXPECT_NE(refused.err.find("avi does not take yuv444p pictures as they are (rawvideo); it takes yuv420p"),
              std::string::npos)
        << refused;
}

TEST_F(Lossless, OddSizesOfSubsampledFormatsSurvive) {
    for (const auto& [width, height] : {std::pair{161, 121}, {1, 1}, {3, 1}, {17, 3}}) {
        for (const std::string format : {"yuv420p", "yuv422p", "yuv420p10le", "nv12"}) {
            SCOPED_TRACE(fmt::format("{} {}x{}", format, width, height));
            ffmpeg(
                fmt::format("-f lavfi -i testsrc2=s=200x200:r=25:d=0.12 -vf noise=alls=40:allf=t,scale={}:{},format={} "
                            "-c:v rawvideo in.nut",
                            width, height, format));
            const std::string seen = format == "nv12" ? "yuv420p" : format;
            filter("in.nut out.mkv --codec ffv1");
            EXPECT_TRUE(samples("in.nut", seen) == samples("out.mkv", seen));
            filter("in.nut blurred.mkv --codec ffv1 --gaussian 5 --verify");
        }
    }
}

// What its chroma would lose at the edge is refused before the work.
TEST_F(Lossless, FfvhuffIsSoOrRefuses) {
    for (const std::string format : {"yuv420p10", "yuv422p12", "yuv411p", "yuv410p", "yuva420p", "yuv440p"}) {
        ffmpeg("-f lavfi -i testsrc2=s=16x16:r=25:d=0.08 -vf crop=9:9:exact=1,format=" + format + " -c:v ffv1 odd.mkv");
        ffmpeg("-f lavfi -i testsrc2=s=16x16:r=25:d=0.08 -vf format=" + format + " -c:v ffv1 even.mkv");
        EXPECT_EQ(vfilter("odd.mkv out.mkv -y --codec ffvhuff").code, 8) << format;
        const bool flat = format == "yuv422p12" || format == "yuv411p" || format == "yuv440p";
        ffmpeg("-i odd.mkv -vf scale=8:9 -pix_fmt " + format + " -c:v ffv1 high.mkv");
        EXPECT_EQ(vfilter("high.mkv out.mkv -y --codec ffvhuff").code, flat ? 0 : 8) << format;
        filter("even.mkv out.mkv -y --codec ffvhuff");
        EXPECT_EQ(picture_hashes("out.mkv"), picture_hashes("even.mkv")) << format;
    }
}

// Those whose samples come out as others, by their own decoder, and no more than those.
TEST_F(Lossless, EncodersThatChangeSamplesTellIt) {
    const auto tells = [this](const std::string& arguments) {
        const Result result = vfilter(arguments + " -y --identity");
        EXPECT_EQ(result.code, 0) << result;
        return result.err.find("changes samples although its codec is called lossless") != std::string::npos;
    };
    make_noise({"yuv422p10le", 2, 10}, 130, 98, 2);
    EXPECT_TRUE(tells("in.nut out.mov --codec v210"));
    EXPECT_FALSE(tells("in.nut out.mkv --codec ffv1"));
    make_noise({"yuv420p", 1.5}, 130, 98, 2);
    EXPECT_TRUE(tells("in.nut out.webp --encoder-option lossless=1"));
    EXPECT_FALSE(tells("in.nut out%d.tiff --pix-fmt yuv420p"));
    make_noise({"bgra", 4}, 130, 98, 2);
    EXPECT_FALSE(tells("in.nut out.webp --encoder-option lossless=1"));
    EXPECT_FALSE(tells("in.nut out%d.png"));
    ffmpeg("-f lavfi -i color=gray:s=130x98:d=0.08 -pix_fmt yuv422p10 -c:v ffv1 in.mkv");
    EXPECT_FALSE(tells("in.mkv out.mov --codec v210")) << "none of the levels that it changes";
    // What a decoder here makes of them is not all that they hold.
    make_noise({"gray", 1}, 132, 98, 2);
    EXPECT_FALSE(tells("in.nut out.mov --codec qtrle"));
    make_noise({"yuva420p", 2.5}, 130, 98, 2);
    EXPECT_FALSE(tells("in.nut out.webm --codec libvpx-vp9 --encoder-option lossless=1"));
    EXPECT_EQ(run("ffmpeg -v error -c:v libvpx-vp9 -i out.webm -f md5 -").out,
              run("ffmpeg -v error -i in.nut -f md5 -").out);
    make_noise({"bgr8", 1}, 130, 98, 2);
    EXPECT_FALSE(tells("in.nut out.gif --pix-fmt bgr8"));
}

TEST_F(Lossless, EncodersWhosePicturesNobodyDecodesAreRefused) {
    for (const int rows : {1, 5}) {
        make_noise({"yuv420p", rows == 1 ? 3.0 : 1.6}, rows == 1 ? 1 : 6, rows, 1);
        const Result tiff = vfilter("in.nut out.tiff -y --identity --pix-fmt yuv420p");
        EXPECT_EQ(tiff.code, 8) << tiff;
        EXPECT_NE(tiff.err.find("cannot be decoded"), std::string::npos) << tiff;
    }
    make_noise({"bgr24", 3}, 1, 1, 2);
    EXPECT_EQ(vfilter("in.nut out.flv --identity --codec flashsv").code, 8) << "libavcodec ended the program";
}

// Its slices are cut by luma, and FFmpeg's chroma of a quarter of that has no place for all samples in them.
TEST_F(Lossless, Ffv1InSlicesIsSoOrRefuses) {
    for (const std::string format : {"yuv411p", "yuv410p", "yuv420p", "yuv422p10", "yuv440p"}) {
        for (const auto& [width, height] : {std::pair{21, 23}, {33, 21}, {24, 20}}) {
            SCOPED_TRACE(fmt::format("{} {}x{}", format, width, height));
            ffmpeg(
                fmt::format("-f lavfi -i testsrc2=s=64x64:r=25:d=0.08 -vf crop={}:{}:exact=1,format={},noise=alls=40 "
                            "-c:v rawvideo in.nut",
                            width, height, format));
            const Result run = vfilter("in.nut out.mkv -y --codec ffv1 --encoder-option level=3");
            const bool refused = format.starts_with("yuv41") && width % 4 != 0;
            EXPECT_EQ(run.code, refused ? 8 : 0);
            if (refused) {
                filter("in.nut out.mkv -y --codec ffv1");
            }
            EXPECT_EQ(picture_hashes("out.mkv"), picture_hashes("in.nut"));
        }
    }
}

// The task itself: what a decoder of B-frames gives, blurred, frame by frame.
// VFILTER_CLIP=FILE takes a video of yours, of 8 bits.
TEST_F(Lossless, LumaOfAClipIsOpenCvsBlur) {
    const char* const given = std::getenv("VFILTER_CLIP");
    if (given != nullptr) {
        std::filesystem::create_symlink(std::filesystem::absolute(given), path("in.mp4"));
    } else {
        make_clip("in.mp4", 50);
    }
    const Media clip = probe("in.mp4");
    const auto width = clip.video().facts.at("width").get<int>();
    const auto height = clip.video().facts.at("height").get<int>();
    for (const int size : {3, 5, 7}) {
        SCOPED_TRACE(size);
        filter(fmt::format("in.mp4 out.mkv --codec ffv1 --gaussian {}", size));
        // "gray" of a limited range would be stretched: the plane is taken out as it is.
        const auto luma = [&](const std::string& name) {
            return ffmpeg_output(fmt::format("-i {} -vf extractplanes=y -fps_mode passthrough -f rawvideo -", name));
        };
        const std::string in = luma("in.mp4");
        EXPECT_EQ(in.size(), static_cast<std::size_t>(width * height) * clip.pictures.size());
        expect_blurred(in, luma("out.mkv"), width, height, size);
    }
}

TEST_F(Lossless, ChromaIsFilteredAsAsked) {
    make_noise({"yuv420p", 1.5}, 64, 48, 2);
    const auto plane = [&](const std::string& name, const char* which) {
        return ffmpeg_output(
            fmt::format("-i {} -vf extractplanes={} -fps_mode passthrough -f rawvideo -", name, which));
    };
    filter("in.nut off.mkv --codec ffv1 --gaussian 5:chroma=off");
    expect_blurred(plane("in.nut", "y"), plane("off.mkv", "y"), 64, 48, 5);
    EXPECT_TRUE(plane("in.nut", "u") == plane("off.mkv", "u"));
    EXPECT_TRUE(plane("in.nut", "v") == plane("off.mkv", "v"));
    filter("in.nut same.mkv --codec ffv1 --gaussian 5:chroma=same");
    expect_blurred(plane("in.nut", "u"), plane("same.mkv", "u"), 32, 24, 5);
    filter("in.nut scaled.mkv --codec ffv1 --gaussian 5");
    EXPECT_FALSE(plane("scaled.mkv", "u") == plane("same.mkv", "u"));
    EXPECT_FALSE(plane("scaled.mkv", "u") == plane("in.nut", "u"));
    EXPECT_TRUE(plane("scaled.mkv", "y") == plane("same.mkv", "y"));
}

TEST_F(Lossless, AChainIsOneFilterAfterAnother) {
    make_noise({"yuv420p10le", 1.5, 10}, 64, 48, 4);
    filter("in.nut blurred.mkv --codec ffv1 --gaussian 5");
    filter("blurred.mkv second.mkv --codec ffv1 --box 3:border=replicate");
    filter("in.nut chain.mkv --codec ffv1 --gaussian 5 --box 3:border=replicate");
    filter("in.nut text.mkv --codec ffv1 --filters gaussian=5,box=3:border=replicate");
    filter("in.nut turned.mkv --codec ffv1 --box 3:border=replicate --gaussian 5");
    const auto wanted = picture_hashes("second.mkv");
    EXPECT_EQ(wanted.size(), 4U);
    EXPECT_EQ(wanted, picture_hashes("chain.mkv"));
    EXPECT_EQ(wanted, picture_hashes("text.mkv"));
    EXPECT_NE(wanted, picture_hashes("turned.mkv"));
    EXPECT_NE(wanted, picture_hashes("blurred.mkv"));
}

TEST_F(Lossless, TheResultDoesNotDependOnThreads) {
    make_noise({"yuv420p", 1.5}, 322, 242, 5);
    filter("in.nut one.mkv --codec ffv1 --gaussian 9 --threads 1");
    for (const int threads : {2, 3, 8}) {
        filter(fmt::format("in.nut many.mkv --codec ffv1 --gaussian 9 --threads {}", threads));
        EXPECT_EQ(picture_hashes("one.mkv"), picture_hashes("many.mkv")) << threads;
    }
}

}  // namespace

}  // namespace vfilter::test
