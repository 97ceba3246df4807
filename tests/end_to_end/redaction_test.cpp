// Regions that move, when filters work, and what of a hidden part can be had back.

#include <fmt/format.h>

#include <algorithm>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class Redaction : public EndToEnd {
protected:
    static constexpr int width = 96;
    static constexpr int height = 64;

    void make_input(const std::string& format, const std::string& more = "") const {
        ffmpeg(fmt::format(
            "-y -f lavfi -i testsrc2=s={}x{}:r=25:d=0.8,noise=alls=20:allf=t{} -pix_fmt {} -c:v ffv1 in.mkv", width,
            height, more, format));
    }
    // All pictures of a file as bytes of that format.
    [[nodiscard]] std::string samples(const std::string& name, const std::string& format) const {
        return ffmpeg_output(
            fmt::format("-i {} -map 0:V:0 -fps_mode passthrough -f rawvideo -pix_fmt {} -", name, format));
    }
    nlohmann::json redact(const std::string& arguments) const {
        return filter("in.mkv out.mkv --codec ffv1 --device cpu " + arguments);
    }
};

TEST_F(Redaction, TracksMoveAndNothingElseChanges) {
    make_input("gray");
    write("tracks.csv", "1,a,10,20,20,10\n11,a,40,20,20,10\n6,b,-5,50,10,40\n8,b,500,50,10,40\n");
    const std::string in = samples("in.mkv", "gray");
    const nlohmann::json report = redact("--fill white:region=@tracks.csv --verify");
    const std::string out = samples("out.mkv", "gray");
    ASSERT_EQ(in.size(), out.size());
    constexpr std::size_t picture = std::size_t{width} * height;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const int n = static_cast<int>(i / picture);
        const int x = static_cast<int>(i % width);
        const int y = static_cast<int>(i % picture / width);
        const bool a = n <= 10 && x >= 10 + 3 * n && x < 30 + 3 * n && y >= 20 && y < 30;
        const bool b = n == 5 && x < 5 && y >= 50;
        if (a || b) {
            ASSERT_EQ(static_cast<unsigned char>(out[i]), 255) << n << ": " << x << ',' << y;
        } else {
            ASSERT_EQ(out[i], in[i]) << n << ": " << x << ',' << y;
        }
    }
    const nlohmann::json& step = report.at("filters").at(0);
    EXPECT_EQ(step.at("pictures"), 11);
    EXPECT_EQ(step.at("regions").at(0), (nlohmann::json{{"region", "a"}, {"pictures", 11}}));
    EXPECT_EQ(step.at("regions").at(1), (nlohmann::json{{"region", "b"}, {"pictures", 1}}));
}

TEST_F(Redaction, FiltersWorkWhenTheyAreEnabled) {
    make_input("yuv420p");
    const nlohmann::json report =
        redact("--fill black:enable=3f-5f --gaussian 9:enable=0.4-0.48 --sobel enable=100f- --verify");
    const std::string in = samples("in.mkv", "yuv420p");
    const std::string out = samples("out.mkv", "yuv420p");
    redact("--fill black");
    const std::string filled = samples("out.mkv", "yuv420p");
    redact("--gaussian 9");
    const std::string blurred = samples("out.mkv", "yuv420p");
    constexpr std::size_t picture = std::size_t{width} * height * 3 / 2;
    for (std::size_t n = 0; n < 20; ++n) {
        const std::string& wanted = n == 3 || n == 4 ? filled : n == 10 || n == 11 ? blurred : in;
        EXPECT_TRUE(out.substr(n * picture, picture) == wanted.substr(n * picture, picture)) << n;
    }
    EXPECT_EQ(report.at("filters").at(0).at("pictures"), 2);
    EXPECT_EQ(report.at("filters").at(1).at("pictures"), 2);
    EXPECT_EQ(report.at("filters").at(2).at("pictures"), 0);
    const auto told = report.at("stderr").dump();
    EXPECT_NE(told.find("--sobel has changed nothing: no picture is in enable=100f-"), std::string::npos) << told;
    EXPECT_EQ(told.find("--fill"), std::string::npos) << told;
}

TEST_F(Redaction, WhatCoversNothingIsTold) {
    make_input("yuv420p");
    write("tracks.csv", "1,a,10,20,20,10\n5,b,500,50,10,40\n");
    write("late.csv", "1000,a,10,20,20,10\n");
    ffmpeg("-f lavfi -i color=black:s=96x64 -frames:v 1 black.png");
    const auto told = redact("--fill black:region=@late.csv --fill white:region=@tracks.csv --box 3:mask=black.png")
                          .at("stderr")
                          .dump();
    EXPECT_NE(told.find("--fill has changed nothing: nothing of late.csv is in any picture"), std::string::npos)
        << told;
    EXPECT_NE(told.find("--fill: 1 of 2 tracks of tracks.csv is in no picture: b"), std::string::npos) << told;
    EXPECT_NE(told.find("--box has changed nothing: its region covers no pixel"), std::string::npos) << told;
    const auto inverted = redact("--fill black:region=0,0,96,64:invert=yes").at("stderr").dump();
    EXPECT_NE(inverted.find("--fill has changed nothing: its region covers no pixel"), std::string::npos) << inverted;
}

// Tracks and spans are of the input, wherever the output begins.
TEST_F(Redaction, AStartLeavesTracksWhereTheyAre) {
    make_input("gray");
    write("tracks.csv", "13,a,10,20,20,10\n");
    write("seconds.csv", "time,id,left,top,width,height\n0.48,a,10,20,20,10\n");
    redact("--fill white:region=@tracks.csv");
    const std::string whole = samples("out.mkv", "gray");
    constexpr std::size_t picture = std::size_t{width} * height;
    for (const char* const start : {"--start 10f", "--start 0.4"}) {
        for (const char* const region :
             {"@tracks.csv", "@seconds.csv", "10,20,20,10:enable=12f-13f", "10,20,20,10:enable=0.48-0.52"}) {
            redact(fmt::format("{} --fill white:region={}", start, region));
            EXPECT_TRUE(samples("out.mkv", "gray") == whole.substr(10 * picture)) << start << ' ' << region;
        }
    }
}

TEST_F(Redaction, AMaskOfAVideoGoesWithItsPictures) {
    make_input("gray");
    // A bar that moves by 4 pixels a picture, and stays where it is after ten.
    const std::string bars = fmt::format(
        "-y -f lavfi -i \"nullsrc=s={}x{}:r=25:d=0.4,format=gray,"
        "geq=lum='255*between(X,4*N,4*N+7)'\" ",
        width, height);
    ffmpeg(bars + "-c:v ffv1 mask.mkv");
    ffmpeg(bars + "mask%02d.png");
    const std::string in = samples("in.mkv", "gray");
    ASSERT_EQ(run("mkdir '100%' && cp mask[0-9]*.png '100%'").code, 0);
    for (const char* const mask : {"mask.mkv", "mask%02d.png", "mask%2d.png", "100%/mask%02d.png"}) {
        const nlohmann::json report = redact(fmt::format("--fill white:mask={} --verify", mask));
        const std::string out = samples("out.mkv", "gray");
        constexpr std::size_t picture = std::size_t{width} * height;
        for (std::size_t i = 0; i < in.size(); ++i) {
            const int n = std::min(static_cast<int>(i / picture), 9);
            const int x = static_cast<int>(i % width);
            const bool inside = x >= 4 * n && x <= 4 * n + 7;
            ASSERT_EQ(static_cast<unsigned char>(out[i]), inside ? 255 : static_cast<unsigned char>(in[i]))
                << n << ": " << x;
        }
        EXPECT_NE(report.at("stderr").dump().find("ends after 10 pictures"), std::string::npos) << report.at("stderr");
    }
}

// At odd places: what of chroma a covered pixel has anything of is filled, and all else is the input's.
TEST_F(Redaction, NoChromaOfTheOriginalIsLeft) {
    struct Format {
        std::string name;
        int pitch_x;
        int pitch_y;
        bool interlaced = false;
    };
    for (const Format& format : {Format{"yuv420p", 2, 2}, Format{"yuv422p", 2, 1}, Format{"yuv411p", 4, 1},
                                 Format{"nv12", 2, 2}, Format{"yuv420p", 2, 2, true}}) {
        const std::string planar = format.name == "nv12" ? "yuv420p" : format.name;
        const std::string codec = format.name == "nv12" ? "rawvideo in.nut"
                                  : format.interlaced   ? "libx264 -qp 0 -flags +ildct+ilme in.mkv"
                                                        : "ffv1 in.mkv";
        ffmpeg(fmt::format("-y -f lavfi -i testsrc2=s={}x{}:r=25:d=0.2,noise=alls=20:allf=t -pix_fmt {} -c:v {}", width,
                           height, format.name, codec));
        const std::string name = format.name == "nv12" ? "in.nut" : "in.mkv";
        filter(name + " out.mkv --codec ffv1 --fill black:region=11,7,23,15+51,33,1,1");
        const std::string in = samples(name, planar);
        const std::string out = samples("out.mkv", planar);
        const int columns = width / format.pitch_x;
        const int rows = height / format.pitch_y;
        const std::size_t luma = std::size_t{width} * height;
        const std::size_t chroma = static_cast<std::size_t>(columns * rows);
        const int fields = format.interlaced ? 2 : 1;
        ASSERT_EQ(in.size(), out.size());
        std::vector<bool> covered(chroma);
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) {
                if ((x >= 11 && x < 34 && y >= 7 && y < 22) || (x == 51 && y == 33)) {
                    const int row = y / fields / format.pitch_y * fields + y % fields;
                    covered[static_cast<std::size_t>(row * columns + x / format.pitch_x)] = true;
                }
            }
        }
        for (std::size_t i = 0; i < in.size(); ++i) {
            const std::size_t at = i % (luma + 2 * chroma);
            if (at >= luma) {
                const std::size_t sample = (at - luma) % chroma;
                ASSERT_EQ(static_cast<unsigned char>(out[i]), covered[sample] ? 128 : static_cast<unsigned char>(in[i]))
                    << format.name << format.interlaced << ": " << sample % static_cast<std::size_t>(columns) << ','
                    << sample / static_cast<std::size_t>(columns);
            }
        }
    }
}

// Somebody who knows the kernel: the best linear guess of what was there before a Gaussian blur.
cv::Mat wiener(const cv::Mat& blurred, double sigma, double noise) {
    cv::Mat kernel(blurred.size(), CV_64F, cv::Scalar(0));
    for (int y = 0; y < kernel.rows; ++y) {
        for (int x = 0; x < kernel.cols; ++x) {
            const double dx = std::min(x, kernel.cols - x) / sigma;
            const double dy = std::min(y, kernel.rows - y) / sigma;
            kernel.at<double>(y, x) = std::exp(-(dx * dx + dy * dy) / 2);
        }
    }
    kernel /= cv::sum(kernel)[0];
    cv::Mat of_kernel;
    cv::Mat of_picture;
    cv::dft(kernel, of_kernel, cv::DFT_COMPLEX_OUTPUT);
    cv::dft(blurred, of_picture, cv::DFT_COMPLEX_OUTPUT);
    for (int y = 0; y < kernel.rows; ++y) {
        for (int x = 0; x < kernel.cols; ++x) {
            const double gain = of_kernel.at<cv::Vec2d>(y, x)[0];  // symmetric, hence real
            of_picture.at<cv::Vec2d>(y, x) *= gain / (gain * gain + noise);
        }
    }
    cv::Mat guess;
    cv::dft(of_picture, guess, cv::DFT_INVERSE | cv::DFT_SCALE | cv::DFT_REAL_OUTPUT);
    return guess;
}

// 0 where one of them is flat: then it tells nothing.
double correlation(const cv::Mat& a, const cv::Mat& b) {
    cv::Scalar mean_a;
    cv::Scalar mean_b;
    cv::Scalar spread_a;
    cv::Scalar spread_b;
    cv::meanStdDev(a, mean_a, spread_a);
    cv::meanStdDev(b, mean_b, spread_b);
    const double product = spread_a[0] * spread_b[0];
    return product < 1e-9 ? 0 : (a - mean_a[0]).dot(b - mean_b[0]) / (static_cast<double>(a.total()) * product);
}

// What red is in YCgCo and others nobody here knows; greys are the same in most of them.
TEST_F(Redaction, ColoursNeedAMatrixThatIsKnown) {
    for (const std::string matrix : {"ycgco", "ictcp", "chroma-derived-nc", "smpte2085", "rgb"}) {
        ffmpeg(
            "-y -f lavfi -i testsrc2=s=64x48:d=0.08 -vf format=yuv444p -c:v ffv1 -color_primaries bt709 -color_trc "
            "bt709 -colorspace " +
            matrix + " in.mkv");
        const Result refused = vfilter("in.mkv out.mkv -y --codec ffv1 --fill '#204080:region=0,0,16,16'");
        EXPECT_EQ(refused.code, 2) << refused;
        const std::string name = matrix == "rgb" ? "gbr" : matrix;
        EXPECT_NE(refused.err.find("fill: what #204080 is in pictures of the colour matrix " + name + " is not known"),
                  std::string::npos)
            << refused;
        const bool keeps_greys = matrix != "smpte2085" && matrix != "rgb";
        const Result white = vfilter("in.mkv out.mkv -y --codec ffv1 --fill white");
        EXPECT_EQ(white.code, keeps_greys ? 0 : 2) << white;
        EXPECT_EQ(vfilter("in.mkv out.mkv -y --codec ffv1 --fill black").code, matrix != "rgb" ? 0 : 2) << matrix;
        EXPECT_EQ(vfilter("in.mkv out.mkv -y --codec ffv1 --gaussian 5 --pixelate 8").code, 0) << matrix;
        EXPECT_EQ(vfilter("in.mkv out.mkv -y --codec ffv1 --vf setparams=colorspace=bt709 --fill '#204080'").code, 0);
    }
    ffmpeg("-y -f lavfi -i testsrc2=s=64x48:d=0.08 -vf format=yuv444p -c:v ffv1 -colorspace bt2020nc in.mkv");
    EXPECT_EQ(vfilter("in.mkv out.mkv -y --codec ffv1 --fill '#204080'").code, 0);
}

TEST_F(Redaction, ABlurCanBeUndoneAndRedactCannot) {
    constexpr int side = 256;
    cv::Mat plate(side, side, CV_8UC1, cv::Scalar(90));
    const cv::Rect place(24, 88, 208, 80);
    cv::rectangle(plate, place, cv::Scalar(225), cv::FILLED);
    cv::putText(plate, "K 27 RX", {36, 146}, cv::FONT_HERSHEY_DUPLEX, 1.6, cv::Scalar(20), 5);
    write("plate.raw", std::string(plate.ptr<char>(), plate.total()));
    ffmpeg(fmt::format("-f rawvideo -pix_fmt gray -s {0}x{0} -i plate.raw -c:v ffv1 in.mkv", side));
    const auto guessed = [&](const std::string& arguments, const cv::Rect& where) {
        redact(arguments);
        const std::string out = samples("out.mkv", "gray");
        cv::Mat made(side, side, CV_8UC1);
        std::copy_n(out.begin(), made.total(), made.ptr<char>());
        cv::Mat real;
        made.convertTo(real, CV_64F);
        cv::Mat original;
        plate.convertTo(original, CV_64F);
        return correlation(wiener(real, 10, 1e-4)(where), original(where));
    };
    // The characters alone: the plate's own shape is no secret.
    const cv::Rect characters(36, 104, 184, 48);
    const double blurred = guessed("--gaussian sigma=10", characters);
    const double redacted = guessed("--preset redact --region 24,88,208,80", characters);
    EXPECT_GT(blurred, 0.6);
    EXPECT_LT(std::abs(redacted), 0.3);
}

}  // namespace

}  // namespace vfilter::test
