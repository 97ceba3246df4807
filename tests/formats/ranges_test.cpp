// What samples mean once they are those of another format: black stays black, and white white.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

constexpr int ramp_width = 64;
constexpr int ramp_height = 4;

struct Ramp {
    std::string format;
    int depth;
    bool limited;
    [[nodiscard]] std::string tag() const { return limited ? "tv" : "pc"; }
};

// Of a row from black to white, with chroma of no colour: 4:2:0, or none.
std::string ramp_picture(const Ramp& ramp) {
    std::string bytes;
    const int unit = 1 << (ramp.depth - 8);
    const auto put = [&](int sample) {
        bytes += static_cast<char>(sample & 255);
        if (ramp.depth > 8) {
            bytes += static_cast<char>(sample >> 8);
        }
    };
    const double black = ramp.limited ? 16 * unit : 0;
    const double white = ramp.limited ? 235 * unit : (1 << ramp.depth) - 1;
    for (int i = 0; i < ramp_width * ramp_height; ++i) {
        put(static_cast<int>(std::lround(black + (white - black) * (i % ramp_width) / (ramp_width - 1))));
    }
    for (int i = 0; ramp.format.starts_with("yuv") && i < ramp_width * ramp_height / 2; ++i) {
        put(128 * unit);
    }
    return bytes;
}

// The first row's samples of the first picture, of whatever depth the file has.
std::vector<int> first_row(const std::string& raw, int depth, bool swapped = false) {
    std::vector<int> row;
    for (std::size_t i = 0; i < ramp_width; ++i) {
        const auto at = [&](std::size_t place) { return static_cast<int>(static_cast<unsigned char>(raw.at(place))); };
        row.push_back(depth == 8 ? at(i) : swapped ? at(2 * i) * 256 + at(2 * i + 1) : at(2 * i + 1) * 256 + at(2 * i));
    }
    return row;
}

class FormatRanges : public EndToEnd {
protected:
    void make_ramp(const Ramp& ramp, const std::string& file) const {
        write("ramp.raw", ramp_picture(ramp));
        ffmpeg(fmt::format("-f rawvideo -pixel_format {} -video_size {}x{} -i ramp.raw -color_range {} -c:v ffv1 {}",
                           ramp.format, ramp_width, ramp_height, ramp.tag(), file));
    }
    [[nodiscard]] std::string tag_of(const std::string& file) const {
        return probe(file).video().facts.value("color_range", "unknown");
    }
    // By how much the samples of a file are beside the ramp of that depth and range; a large number if there are none.
    [[nodiscard]] double off(const std::string& file, int depth, bool limited, bool swapped = false) const {
        const std::string raw = ffmpeg_output("-i " + file + " -frames:v 1 -f rawvideo -");
        const std::size_t least = static_cast<std::size_t>(ramp_width) * (depth > 8 ? 2 : 1);
        if (raw.size() < least) {
            return std::numeric_limits<double>::max();
        }
        const std::vector<int> row = first_row(raw, depth, swapped);
        const int unit = 1 << (depth - 8);
        const double black = limited ? 16 * unit : 0;
        const double white = limited ? 235 * unit : (1 << depth) - 1;
        double most = 0;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const double exact = black + (white - black) * static_cast<double>(i) / (ramp_width - 1);
            most = std::max(most, std::abs(row[i] - exact));
        }
        // Black and white themselves are exact.
        const bool ends = row.front() == static_cast<int>(black) && row.back() == static_cast<int>(white);
        return ends ? most : std::numeric_limits<double>::max();
    }
};

const Ramp ramps[] = {
    {"yuv420p", 8, true}, {"yuv420p", 8, false}, {"yuv420p10le", 10, true}, {"yuv420p10le", 10, false}};

// How far a sample may be from the exact ramp of `depth`: half a level of what was given, and one of what is made.
double half_levels(const Ramp& given, int depth) {
    return 1 + 0.6 * std::ldexp(1.0, std::max(0, depth - given.depth));
}

TEST_F(FormatRanges, LumaAsGrayIsOfTheRangeThatTheFileSays) {
    for (const Ramp& ramp : ramps) {
        make_ramp(ramp, "in.mkv");
        for (const auto& [format, depth] :
             {std::pair<std::string, int>{"gray", 8}, {"gray10le", 10}, {"gray12le", 12}, {"gray16le", 16}}) {
            const Result result =
                vfilter(fmt::format("in.mkv out.mkv -y --device cpu --codec ffv1 --pix-fmt {} --identity", format));
            ASSERT_EQ(result.code, 0) << result;
            const std::string what = ramp.format + " " + ramp.tag() + " -> " + format;
            EXPECT_EQ(tag_of("out.mkv"), ramp.tag()) << what;
            EXPECT_LE(off("out.mkv", depth, ramp.limited), half_levels(ramp, depth)) << what;
            EXPECT_FALSE(says(result, "range")) << what << '\n' << result;
        }
    }
}

TEST_F(FormatRanges, LumaAsGrayOfPicturesIsFull) {
    for (const Ramp& ramp : ramps) {
        make_ramp(ramp, "in.mkv");
        struct Target {
            std::string options;
            int depth;
            bool swapped;
        };
        for (const Target& target :
             {Target{"out.png --pix-fmt gray", 8, false}, Target{"out.png --pix-fmt gray16be", 16, true},
              Target{"out.pgm", 8, false}, Target{"out.nut --codec rawvideo --pix-fmt gray", 8, false},
              Target{"out.nut --codec rawvideo --pix-fmt gray16le", 16, false}}) {
            const std::string name = target.options.substr(0, target.options.find(' '));
            if (name == "out.pgm" && ramp.depth > 8) {
                continue;  // 16 bits there
            }
            const Result result = vfilter(fmt::format("in.mkv {} -y --device cpu --identity", target.options));
            ASSERT_EQ(result.code, 0) << result;
            const std::string what = ramp.format + " " + ramp.tag() + " -> " + target.options;
            EXPECT_LE(off(name, target.depth, false, target.swapped), half_levels(ramp, target.depth)) << what;
            EXPECT_EQ(says(result, "converted to the full range"), ramp.limited) << what << '\n' << result;
            EXPECT_FALSE(says(result, "limited range:")) << what << '\n' << result;
        }
    }
}

// The other way: what says nothing as YUV is limited.
TEST_F(FormatRanges, FullGrayAsLumaIsLimited) {
    for (const Ramp& ramp : {Ramp{"gray", 8, false}, Ramp{"gray10le", 10, false}, Ramp{"gray16le", 16, false}}) {
        make_ramp(ramp, "in.mkv");
        const Result result = vfilter("in.mkv out.pgmyuv -y --device cpu --identity");
        ASSERT_EQ(result.code, 0) << result;
        EXPECT_TRUE(says(result, "the limited range")) << result;
    }
}

TEST_F(FormatRanges, LimitedGrayIsNotTakenForFullBehindGraphs) {
    for (const Ramp& ramp : {Ramp{"gray", 8, true}, Ramp{"gray10le", 10, true}, Ramp{"gray16le", 16, true}}) {
        make_ramp(ramp, "in.mkv");
        struct Target {
            std::string options;
            int depth;
            bool limited;
            bool swapped;
        };
        for (const Target& target :
             {Target{"out.png --vf null --pix-fmt gray16be", 16, false, true},
              Target{"out.png --vf format=gray", 8, false, false},
              Target{"out.png --vf format=gray16be", 16, false, true},
              Target{"out.mkv --vf format=gray --codec ffv1", 8, true, false},
              Target{"out.mkv --vf format=gray16le --codec ffv1", 16, true, false},
              Target{"out.mkv --vf format=gray12le,format=gray10le --codec ffv1", 10, true, false},
              Target{"out.mkv --vf format=gray,format=yuv420p --codec ffv1", 8, true, false},
              Target{"out.mkv --vf format=gray16le --identity --codec ffv1", 16, true, false}}) {
            const Result result = vfilter(fmt::format("in.mkv {} -y --device cpu", target.options));
            ASSERT_EQ(result.code, 0) << result;
            const std::string name = target.options.substr(0, target.options.find(' '));
            const std::string what = ramp.format + " -> " + target.options;
            EXPECT_LE(off(name, target.depth, target.limited, target.swapped), 1 + half_levels(ramp, target.depth))
                << what << '\n'
                << result;
            EXPECT_TRUE(name != "out.mkv" || tag_of(name) == "tv") << what << ": " << tag_of(name);
        }
    }
}

// White of a matrix of numbers with no exact Y, and red, by each way.
TEST_F(FormatRanges, WordsThatNameColoursChangeNoSample) {
    std::string white;
    std::string red;
    for (int i = 0; i < 3 * 16 * 8; ++i) {
        const bool of_red = i >= 2 * 16 * 8;  // green, blue, red
        white += "\xff\x03";
        red += of_red ? std::string("\xff\x03") : std::string(2, '\0');
    }
    const auto luma = [&](const std::string& words) {
        const Result result =
            vfilter("in.mkv out.mkv -y --device cpu --codec ffv1 --pix-fmt yuv444p10le --identity " + words);
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_TRUE(says(result, "converted from gbrp10le to yuv444p10le")) << words << '\n' << result;
        return first_row(ffmpeg_output("-i out.mkv -f rawvideo -"), 10).front();
    };
    const std::string make = "-f rawvideo -pixel_format gbrp10le -video_size 16x8 -i in.raw -c:v ffv1 in.mkv";
    write("in.raw", white);
    ffmpeg(make);
    for (const std::string words : {"", "-color_trc bt709", "-color_primaries bt709", "-colorspace bt709",
                                    "-color_trc bt709 -color_primaries bt709 -colorspace bt2020nc"}) {
        EXPECT_EQ(luma(words), 940) << words;
    }
    write("in.raw", red);
    ffmpeg(make);
    EXPECT_EQ(luma("-color_trc bt709"), 64 + 262);
    EXPECT_EQ(luma("-colorspace bt709"), 64 + 186);
    EXPECT_EQ(probe("out.mkv").video().facts.value("color_space", "unknown"), "bt709");
    const Result result = vfilter("in.mkv out.mkv -y --codec ffv1 --pix-fmt yuv444p10le --identity -color_range pc");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_TRUE(says(result, "names the range pc")) << result;
    // Full YUV keeps its range where only its name is asked for.
    make_ramp({"yuv420p", 8, false}, "full.mkv");
    ASSERT_EQ(vfilter("full.mkv out.mkv -y --codec ffv1 --pix-fmt yuv420p10le --identity -color_trc bt709").code, 0);
    EXPECT_EQ(tag_of("out.mkv"), "pc");
}

// What is recommended for them: to the nearest, and white is white.
TEST_F(FormatRanges, FloatsAreRoundedToTheNearest) {
    const float values[] = {0, 0.0625F, 0.125F, 0.25F, 0.3F, 0.75F, 0.9375F, 1};
    const float outside[] = {-1, 0, 1, 2, 1e30F, std::numeric_limits<float>::quiet_NaN(), 0.5F, 0.1F};
    const auto wanted = [](float value, int largest) {
        return value > 0 ? static_cast<int>(std::floor(std::min(double{value}, 1.0) * largest + 0.5)) : 0;
    };
    for (const auto& row : {values, outside}) {
        for (const bool colours : {false, true}) {
            std::string file = colours ? "PF\n8 2\n-1.0\n" : "Pf\n8 2\n-1.0\n";
            for (int i = 0; i < 2 * 8 * (colours ? 3 : 1); ++i) {
                const float value = row[(colours ? i / 3 : i) % 8];
                file.append(reinterpret_cast<const char*>(&value), sizeof(value));
            }
            write("in.pfm", file);
            for (const std::string deep : {"16", ""}) {
                const std::string format = (colours ? "gbrp" : "gray") + deep;
                const Result result = vfilter("in.pfm out.png -y --device cpu --vf format=" + format + " --identity");
                ASSERT_EQ(result.code, 0) << result;
                const std::string as = std::string(colours ? "rgb" : "gray") +
                                       (deep.empty() ? (colours ? "24" : "") : (colours ? "48le" : "16le"));
                const std::string raw = ffmpeg_output("-i out.png -f rawvideo -pix_fmt " + as + " -");
                const std::size_t bytes = deep.empty() ? 1 : 2;
                const std::size_t step = bytes * (colours ? 3 : 1);
                ASSERT_EQ(raw.size(), 16 * step);
                for (std::size_t i = 0; i < 8; ++i) {
                    int sample = static_cast<unsigned char>(raw[i * step]);
                    sample += deep.empty() ? 0 : 256 * static_cast<unsigned char>(raw[i * step + 1]);
                    EXPECT_EQ(sample, wanted(row[i], deep.empty() ? 255 : 65535)) << format << ' ' << row[i];
                }
            }
        }
    }
}

// Without the format in front, libswscale has to know the range.
TEST_F(FormatRanges, FloatsAreFullInAnyGraph) {
    std::string file = "Pf\n8 2\n-1.0\n";
    for (int i = 0; i < 16; ++i) {
        const float value = static_cast<float>(i % 8) / 7;
        file.append(reinterpret_cast<const char*>(&value), sizeof(value));
    }
    write("in.pfm", file);
    const Result result = vfilter("in.pfm out.png -y --device cpu --vf hflip,hflip,format=gray16 --identity");
    ASSERT_EQ(result.code, 0) << result;
    const std::string raw = ffmpeg_output("-i out.png -f rawvideo -pix_fmt gray16le -");
    ASSERT_EQ(raw.size(), 32U);
    for (std::size_t i = 0; i < 8; ++i) {
        const int sample = static_cast<unsigned char>(raw[2 * i]) + 256 * static_cast<unsigned char>(raw[2 * i + 1]);
        EXPECT_NEAR(sample, 65535.0 * static_cast<double>(i) / 7, 2);
    }
}

}  // namespace

}  // namespace vfilter::test
