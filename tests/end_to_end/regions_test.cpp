// Filters on a part of the picture, chains, and filters that are no smoothings, as whole runs with a lossless encoder.

#include <fmt/format.h>

#include <algorithm>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class Regions : public EndToEnd {
protected:
    static constexpr int width = 96;
    static constexpr int height = 64;

    void make_input(const std::string& format) const {
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s={}x{}:r=25:d=0.2,noise=alls=20 -pix_fmt {} -c:v rawvideo in.nut",
                           width, height, format));
    }
    // All pictures of a file as bytes of that format.
    [[nodiscard]] std::string samples(const std::string& name, const std::string& format) const {
        return ffmpeg_output(
            fmt::format("-i {} -map 0:V:0 -fps_mode passthrough -f rawvideo -pix_fmt {} -", name, format));
    }
    [[nodiscard]] std::string filtered(const std::string& arguments, const std::string& format) const {
        filter(fmt::format("in.nut out.nut --codec rawvideo {}", arguments));
        return samples("out.nut", format);
    }
};

constexpr const char* region_formats[] = {"yuv420p", "yuv444p10le", "gray", "gbrp", "nv12", "yuva420p"};

TEST_F(Regions, WhatLiesOutsideIsTheInputsToTheByte) {
    for (const std::string format : {"gray", "yuv444p"}) {
        make_input(format);
        const std::string in = samples("in.nut", format);
        const std::string everywhere = filtered("--gaussian 9", format);
        const std::string part = filtered("--gaussian 9:region=10,20,30,25 --verify", format);
        const std::string inverse = filtered("--gaussian 9:region=10,20,30,25:invert=1", format);
        ASSERT_EQ(in.size(), part.size());
        int inside = 0;
        for (std::size_t i = 0; i < in.size(); ++i) {
            const int x = static_cast<int>(i % width);
            const int y = static_cast<int>(i / width % height);
            const bool within = x >= 10 && x < 40 && y >= 20 && y < 45;
            inside += within ? 1 : 0;
            ASSERT_EQ(part[i], within ? everywhere[i] : in[i]) << format << ' ' << x << ',' << y;
            ASSERT_EQ(inverse[i], within ? in[i] : everywhere[i]) << format << ' ' << x << ',' << y;
        }
        EXPECT_GT(inside, 0);
        EXPECT_NE(part, in);
    }
}

TEST_F(Regions, MasksAreScaledAndBlended) {
    make_input("gray");
    ffmpeg(
        "-f lavfi -i color=black:s=24x16,format=rgb24,drawbox=0:0:12:16:white:fill,drawbox=6:0:6:16:gray:fill"
        " -frames:v 1 mask.png");
    const std::string in = samples("in.nut", "gray");
    const std::string everywhere = filtered("--sobel", "gray");
    const std::string part = filtered("--sobel mask=mask.png --verify", "gray");
    int mixed = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const int x = static_cast<int>(i % width);
        if (x < 20) {
            ASSERT_EQ(part[i], everywhere[i]) << x;
        } else if (x >= 52) {
            ASSERT_EQ(part[i], in[i]) << x;
        } else if (x >= 28 && x < 44) {
            const auto a = static_cast<unsigned char>(in[i]);
            const auto b = static_cast<unsigned char>(everywhere[i]);
            ASSERT_NEAR(static_cast<unsigned char>(part[i]), (a + b) / 2.0, 1.5 + std::abs(a - b) / 100.0) << x;
            ++mixed;
        }
    }
    EXPECT_GT(mixed, 0);
}

TEST_F(Regions, ChainsEqualTheirFiltersOneByOne) {
    const std::vector<std::string> chain = {"--sharpen 1.5:size=7:threshold=2",
                                            "--gaussian 5:region=25%,0%,50%,50%:feather=6",
                                            "--kernel '1 2 3; 4 -5 6; 7 8 9'"};
    for (const std::string format : region_formats) {
        make_input(format);
        const std::string together = filtered(chain[0] + " " + chain[1] + " " + chain[2] + " --verify", format);
        filter("in.nut one.nut --codec rawvideo " + chain[0]);
        filter("one.nut two.nut --codec rawvideo " + chain[1]);
        filter("two.nut three.nut --codec rawvideo " + chain[2]);
        EXPECT_TRUE(samples("three.nut", format) == together) << format;
        EXPECT_FALSE(samples("two.nut", format) == together) << format;
    }
}

TEST_F(Regions, IdentityChangesNothing) {
    for (const std::string format : region_formats) {
        make_input(format);
        EXPECT_TRUE(filtered("--identity", format) == samples("in.nut", format)) << format;
    }
}

TEST_F(Regions, SobelIsOpenCvsAndChromaIsNeutral) {
    make_input("yuv420p");
    const std::string in = samples("in.nut", "yuv420p");
    const std::string out = filtered("--sobel --verify", "yuv420p");
    constexpr std::size_t luma = std::size_t{width} * height;
    constexpr std::size_t picture = luma * 3 / 2;
    ASSERT_EQ(out.size(), in.size());
    for (std::size_t at = 0; at < in.size(); at += picture) {
        cv::Mat source(height, width, CV_8UC1);
        std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(at), luma, source.ptr<char>());
        cv::Mat x;
        cv::Mat y;
        cv::Mat wanted;
        cv::Sobel(source, x, CV_32F, 1, 0);
        cv::Sobel(source, y, CV_32F, 0, 1);
        cv::magnitude(x, y, x);
        x.convertTo(wanted, CV_8U);
        for (std::size_t i = 0; i < luma; ++i) {
            ASSERT_EQ(static_cast<unsigned char>(out[at + i]), wanted.data[i]) << i;
        }
        for (std::size_t i = luma; i < picture; ++i) {
            ASSERT_EQ(static_cast<unsigned char>(out[at + i]), 128) << i;
        }
    }
}

TEST_F(Regions, AlphaOfEdgesIsKeptUnlessAskedFor) {
    make_input("yuva420p");
    constexpr std::size_t luma = std::size_t{width} * height;
    const auto alpha = [&](const std::string& all) { return all.substr(luma * 3 / 2, luma); };
    const std::string in = samples("in.nut", "yuva420p");
    EXPECT_TRUE(alpha(filtered("--sobel", "yuva420p")) == alpha(in));
    write("raw", std::string(luma * 5 / 2, '\x37'));
    EXPECT_TRUE(alpha(filtered("--gaussian 5:alpha=off", "yuva420p")) == alpha(in));
    EXPECT_FALSE(alpha(filtered("--sobel alpha=on", "yuva420p")) == alpha(in));
}

TEST_F(Regions, MatricesComeFromFiles) {
    make_input("gray");
    write("blur.txt", "# a little blur\n1, 2, 1\n2 4 2 # middle\n\n1 2 1\n");
    EXPECT_TRUE(filtered("--kernel file=blur.txt", "gray") == filtered("--gaussian 3", "gray"));
    EXPECT_TRUE(filtered("--filters kernel=file=blur.txt", "gray") == filtered("--gaussian 3", "gray"));
    EXPECT_TRUE(filtered("--filters 'gaussian=3:region=0,0,50,50,box=3,sobel'", "gray") ==
                filtered("--gaussian 3:region=0,0,50,50 --box 3 --sobel", "gray"));
}

// A phone stores what it sees and says by how much to turn it: whoever draws a rectangle sees it turned.
TEST_F(Regions, OfTurnedVideosAreMeantAsShown) {
    ffmpeg(fmt::format("-f lavfi -i testsrc2=s={}x{}:r=25:d=0.12 -pix_fmt yuv444p -c:v libx264 -qp 0 plain.mp4", width,
                       height));
    ffmpeg("-f lavfi -i testsrc2=s=64x40 -vf format=gray -frames:v 1 mask.png");
    std::string file = content("plain.mp4");
    const auto number = [](std::int32_t value) {
        std::string bytes;
        for (const int shift : {24, 16, 8, 0}) {
            bytes += static_cast<char>((static_cast<std::uint32_t>(value) >> shift) & 0xFFU);
        }
        return bytes;
    };
    const auto matrix = [&](int a, int b, int c, int d) {
        constexpr int one = 65536;
        return number(a * one) + number(b * one) + number(0) + number(c * one) + number(d * one) + number(0);
    };
    const std::size_t at = file.find(matrix(1, 0, 0, 1), file.find("tkhd"));
    ASSERT_NE(at, std::string::npos);
    struct Turn {
        int a, b, c, d;  // what becomes of the axes
        std::string as;  // the same by ffmpeg's filters
    };
    const Turn turns[] = {{0, 1, -1, 0, "transpose=1"}, {-1, 0, 0, -1, "hflip,vflip"}, {0, -1, 1, 0, "transpose=2"},
                          {-1, 0, 0, 1, "hflip"},       {1, 0, 0, -1, "vflip"},        {0, 1, 1, 0, "transpose=0"},
                          {0, -1, -1, 0, "transpose=3"}};
    for (const Turn& turn : turns) {
        const std::string wanted_matrix = matrix(turn.a, turn.b, turn.c, turn.d);
        write("turned.mp4", file.replace(at, wanted_matrix.size(), wanted_matrix));
        ffmpeg("-y -i turned.mp4 -c:v rawvideo upright.nut");
        // Of one sample alone, so that it does not matter whether rows or columns come first. Blocks are counted from
        // the top left of what is shown.
        const std::string arguments =
            " --codec rawvideo --kernel 1:bias=20:region=3,5,20,30 --kernel 1:bias=30:region=10%,20%,33%,50% "
            "--kernel 1:bias=-40:mask=mask.png --kernel 1:bias=10:region=3,5,20,30:feather=4:invert=1 --pixelate "
            "13:region=8,8,40,30";
        filter("turned.mp4 out.nut" + arguments);
        filter("upright.nut wanted.nut" + arguments);
        ffmpeg(fmt::format("-y -i out.nut -vf {} -c:v rawvideo shown.nut", turn.as));
        const std::string shown = samples("shown.nut", "yuv444p");
        EXPECT_TRUE(shown == samples("wanted.nut", "yuv444p")) << turn.as;
        EXPECT_FALSE(shown == samples("upright.nut", "yuv444p")) << turn.as;
    }
    write("turned.mp4", file.replace(at, 24, matrix(0, 1, -1, 0)));
    const Result beyond = vfilter("turned.mp4 out.nut -y --codec rawvideo --box 3:region=64,0,10,10");
    EXPECT_EQ(beyond.code, 2) << beyond;
    EXPECT_NE(beyond.err.find("64x96"), std::string::npos) << beyond;
}

}  // namespace

}  // namespace vfilter::test
