// Masks: what is a picture, and what is not.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "config/error.h"
#include "io/formats/gray_picture.h"
#include "io/log/complaints.h"
#include "tests/support/folder.h"

namespace vfilter {
namespace {

class Mask : public ::testing::Test {
protected:
    void make(const std::string& source, const std::string& more, const std::string& name) const {
        const std::string command = fmt::format("cd '{}' && ffmpeg -nostdin -v error -y -f lavfi -i {} {} {}",
                                                folder_.path().string(), source, more, name);
        ASSERT_EQ(std::system(command.c_str()), 0) << command;
    }
    [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
    [[nodiscard]] std::string refusal(const std::string& name) const {
        try {
            check_picture(path(name));
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage);
            const std::string beginning = fmt::format("mask={}: ", path(name));
            EXPECT_EQ(std::string(error.what()).find(beginning), 0U) << error.what();
            return std::string(error.what()).substr(beginning.size());
        }
        return "accepted";
    }
    /// The mean of all samples.
    [[nodiscard]] int shade(const std::string& name) const {
        const std::vector<std::uint8_t> samples = GrayPictures(path(name), 8, 6).at(0);
        EXPECT_EQ(samples.size(), 48U);
        return std::accumulate(samples.begin(), samples.end(), 0) / 48;
    }
    const test::Folder folder_;
};

TEST_F(Mask, ThatMovesHasAPictureForEach) {
    // A shade for each picture: 10, 20...
    const std::string shades = "\"nullsrc=s=64x48:r=25:d=0.4,format=gray,geq=lum='10*(N+1)'\"";
    make(shades, "-c:v ffv1", "video.mkv");
    make(shades, "-c:v libx264 -qp 0 -bf 2 -pix_fmt yuv420p", "video.mp4");
    make(shades, "-c:v png", "p%02d.png");
    make(shades, "-start_number 0", "q%d.pgm");
    for (const char* name : {"video.mkv", "video.mp4", "p%02d.png", "p%2d.png", "q%d.pgm"}) {
        GrayPictures pictures(path(name), 8, 6);
        EXPECT_TRUE(pictures.moves()) << name;
        for (const int number : {0, 1, 1, 4, 9, 2, 9, 12}) {
            EXPECT_NEAR(pictures.at(number).at(20), 10 * (std::min(number, 9) + 1), 2) << name << ' ' << number;
        }
        EXPECT_EQ(refusal(name), "accepted") << name;
    }
    make("color=white:s=64x48", "-frames:v 1", "one.png");
    EXPECT_FALSE(GrayPictures(path("one.png"), 8, 6).moves());
    for (const char* name : {"none%d.png", "p%d%d.png", "p%s.png", "p%"}) {
        EXPECT_EQ(refusal(name), "No such file or directory") << name;
    }
}

// Another picture in the place of one that is damaged would show what was to be hidden.
TEST_F(Mask, ThatIsDamagedStopsTheRun) {
    make("testsrc2=s=320x240:r=25:d=0.4,format=gray", "-c:v ffv1 -slicecrc 1 -level 3", "whole.mkv");
    std::filesystem::copy(path("whole.mkv"), path("damaged.mkv"));
    const auto size = static_cast<std::streamoff>(std::filesystem::file_size(path("damaged.mkv")));
    std::fstream(path("damaged.mkv"), std::ios::in | std::ios::out | std::ios::binary).seekp(size * 2 / 3) << "damage";
    connect_ffmpeg_log(false);
    GrayPictures pictures(path("damaged.mkv"), 320, 240);
    try {
        pictures.at(9);
        ADD_FAILURE() << "another mask";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::input);
        EXPECT_NE(std::string(error.what()).find("mask=" + path("damaged.mkv") + ": picture "), std::string::npos)
            << error.what();
    }
    EXPECT_EQ(GrayPictures(path("whole.mkv"), 320, 240).at(9).size(), 320U * 240);
    // Of numbered ones.
    const auto at_9 = [&] {
        try {
            GrayPictures(path("s%d.png"), 320, 240).at(9);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::input);
            return std::string(error.what());
        }
        return std::string();
    };
    make("testsrc2=s=320x240:r=25:d=0.4", "", "s%d.png");
    EXPECT_EQ(at_9(), "");
    std::filesystem::resize_file(path("s5.png"), std::filesystem::file_size(path("s5.png")) / 2);
    EXPECT_EQ(at_9().find("mask=" + path("s5.png") + ": "), 0U) << at_9();
    std::filesystem::remove(path("s5.png"));
    EXPECT_EQ(at_9(), "mask=" + path("s5.png") + ": is missing, and others follow it");
    // The first one is looked at before anything is made.
    make("testsrc2=s=640x480", "-frames:v 1", "whole.jpg");
    std::filesystem::copy(path("whole.jpg"), path("cut.jpg"));
    std::filesystem::resize_file(path("cut.jpg"), std::filesystem::file_size(path("cut.jpg")) / 2);
    EXPECT_EQ(refusal("whole.jpg"), "accepted");
    EXPECT_EQ(refusal("cut.jpg").find("its first picture cannot be had: "), 0U) << refusal("cut.jpg");
}

TEST_F(Mask, OfOnePictureIsReadInAnyFormat) {
    for (const std::string name : {"a.png", "a.jpg", "a.bmp", "a.tga", "a.pgm", "a.tiff", "a.gif", "a.webp", "a.dpx",
                                   "one.mkv", "one.mp4", "a.apng"}) {
        make("color=c=0xb4b4b4:s=64x48,format=rgb24", "-frames:v 1", name);
        EXPECT_NEAR(shade(name), 0xb4, 3) << name;
    }
    std::filesystem::copy(path("a.png"), path("no extension"));
    std::filesystem::copy(path("a.jpg"), path("wrong.png"));
    EXPECT_NEAR(shade("no extension"), 0xb4, 3);
    EXPECT_NEAR(shade("wrong.png"), 0xb4, 3);
    // With sound, and nothing but one picture.
    make("color=c=0xb4b4b4:s=64x48:r=1:d=1", "-f lavfi -i sine=d=3 -frames:v 1 -c:v ffv1 -c:a flac", "sound.mkv");
    EXPECT_NEAR(shade("sound.mkv"), 0xb4, 3);
}

// What is white in all that lies under a pixel is white there, up to the edge.
TEST_F(Mask, OfAnotherSizeIsTheMeanOrTheNearest) {
    constexpr int width = 128;
    constexpr int height = 96;
    std::string samples;
    for (int i = 0; i < width * height; ++i) {
        const int x = i % width;
        const int y = i / width;
        const bool box = x >= 20 && x < 60 && y >= 20 && y < 60;
        samples += static_cast<char>(box ? 255 : x >= 100 ? 7 * x + 13 * y : 0);
    }
    const std::string header = "P5\n128 96\n255\n";
    std::ofstream(path("box.pgm"), std::ios::binary) << header << samples;
    const auto given = [&](int x, int y) {
        return static_cast<unsigned char>(samples[static_cast<std::size_t>(y * width + x)]);
    };
    for (const auto& [made_width, made_height] :
         {std::pair{64, 48}, {32, 24}, {50, 37}, {256, 192}, {200, 96}, {200, 31}}) {
        const std::vector<std::uint8_t> made = GrayPictures(path("box.pgm"), made_width, made_height).at(0);
        ASSERT_EQ(made.size(), static_cast<std::size_t>(made_width * made_height));
        // Shares of the given pixels that lie under it, or all of the nearest one.
        const auto shares = [](int length, int made_length, int place) {
            std::vector<double> weights(static_cast<std::size_t>(length));
            for (int i = 0; i < length; ++i) {
                const double begin = std::max<double>(i, 1.0 * place * length / made_length);
                const double end = std::min(i + 1.0, (place + 1.0) * length / made_length);
                weights[static_cast<std::size_t>(i)] =
                    length > made_length ? std::max(0.0, end - begin) * made_length / length
                                         : (i == (2 * place + 1) * length / (2 * made_length) ? 1 : 0);
            }
            return weights;
        };
        for (int y = 0; y < made_height; ++y) {
            const std::vector<double> rows = shares(height, made_height, y);
            for (int x = 0; x < made_width; x += 3) {
                const std::vector<double> columns = shares(width, made_width, x);
                double exact = 0;
                for (int j = 0; j < height; ++j) {
                    for (int i = 0; rows[static_cast<std::size_t>(j)] > 0 && i < width; ++i) {
                        exact += rows[static_cast<std::size_t>(j)] * columns[static_cast<std::size_t>(i)] * given(i, j);
                    }
                }
                ASSERT_NEAR(made[static_cast<std::size_t>(y * made_width + x)], exact, 0.5001)
                    << made_width << 'x' << made_height << ' ' << x << ' ' << y;
            }
        }
    }
}

TEST_F(Mask, IsTheFileOfThatVeryName) {
    make("color=black:s=64x48", "-frames:v 1", "black.png");
    for (const char* name : {"pic%d.png", "pic%03d.png", "pic[1-5].png", "pic*.png", "pic?.png", "%%.png", "pipe:.png",
                             "http:.png", "subfile,,start,0,end,0,,:x.png", "a:b|c.png", "é %n.png"}) {
        std::filesystem::copy(path("black.png"), path(name));
        EXPECT_EQ(shade(name), 0) << name;
    }
}

TEST_F(Mask, HasALimitOfPixels) {
    make("color=white:s=8000x8000,format=gray", "-frames:v 1 -compression_level 1", "most.png");
    make("color=white:s=8000x8001,format=gray", "-frames:v 1 -compression_level 1", "more.png");
    make("color=white:s=8000x8001,format=gray", "-frames:v 1 -c:v png -compression_level 1", "more.mkv");
    EXPECT_EQ(shade("most.png"), 235);  // lavfi's white
    EXPECT_NE(refusal("more.png").find("64 million"), std::string::npos) << refusal("more.png");
    EXPECT_NE(refusal("more.mkv").find("8000x8001 pixels; a mask has at most 64 million"), std::string::npos)
        << refusal("more.mkv");
    std::ofstream(path("huge.bin")) << "x";
    std::filesystem::resize_file(path("huge.bin"), (std::uintmax_t{1} << 30U) + 1);
    EXPECT_EQ(refusal("huge.bin"), "larger than 1024 MiB");
}

TEST_F(Mask, IsARegularFile) {
    ASSERT_EQ(mkfifo(path("fifo.png").c_str(), 0600), 0);
    EXPECT_EQ(refusal("fifo.png"), "not a regular file");
    EXPECT_EQ(refusal("."), "a folder, not a file");
    EXPECT_EQ(refusal("none.png"), "No such file or directory");
    EXPECT_EQ(refusal("none/none.png"), "No such file or directory");
    for (const char* name : {"/dev/zero", "/dev/stdin", "/dev/null", "-"}) {
        EXPECT_THROW(check_picture(name), Error) << name;
    }
    std::ofstream(path("notes.txt")) << "some words\n";
    std::ofstream(path("empty.png"));
    EXPECT_NE(refusal("notes.txt").find("no picture"), std::string::npos) << refusal("notes.txt");
    EXPECT_NE(refusal("empty.png").find("no picture"), std::string::npos) << refusal("empty.png");
    make("color=white:s=64x48", "-frames:v 1", "white.png");
    std::filesystem::create_symlink(path("white.png"), path("link.png"));
    EXPECT_EQ(shade("link.png"), 255);
}

}  // namespace
}  // namespace vfilter
