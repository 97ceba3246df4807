// The table of encoders, and that what people are told is what it says.

#include "config/encoder_facts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "config/help.h"
#include "config/quality_texts.h"

namespace vfilter {
namespace {

// With one blank between words, wherever lines end.
std::string in_a_line(std::istream& text) {
    std::string line;
    for (std::string word; text >> word;) {
        line += (line.empty() ? "" : " ") + word;
    }
    return line;
}

std::string page_of_manual() {
    std::ifstream file(std::filesystem::path(VFILTER_SOURCE) / "docs/cli.md");
    return in_a_line(file);
}

std::string topic(const std::string& name) {
    std::istringstream text(help_text(name));
    return in_a_line(text);
}

TEST(EncoderFacts, StandInOneRowForEach) {
    std::set<std::string_view> names;
    for (const EncoderFacts& row : encoder_rows::all) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_EQ(&encoder_facts(row.name), &row);
        const EncoderQuality& quality = row.quality;
        const bool within = quality.usual >= std::min(quality.best, quality.worst) &&
                            quality.usual <= std::max(quality.best, quality.worst);
        EXPECT_TRUE(quality.usual < 0 || !quality.has_ends() || within) << row.name;
        EXPECT_TRUE(row.hdr.display.empty() || row.parameters != nullptr) << row.name;
    }
    EXPECT_EQ(encoder_facts("nosuch").name, "");
    EXPECT_EQ(encoder_facts("nosuch").passes, PassStatistics::none);
}

TEST(EncoderFacts, OfOptionsThatSayTheSameTellWhichCounts) {
    const EncoderFacts& x264 = encoder_facts("libx264");
    const EncoderFacts& x265 = encoder_facts("libx265");
    EXPECT_TRUE(x264.prefers("crf", "b"));
    EXPECT_TRUE(x264.prefers("qp", "b"));
    EXPECT_FALSE(x264.prefers("b", "qp"));
    EXPECT_TRUE(x265.prefers("b", "qp"));
    EXPECT_FALSE(x265.prefers("b", "crf"));
    EXPECT_FALSE(x264.prefers("crf", "crf"));
    EXPECT_FALSE(x264.prefers("crf", "cq"));
    EXPECT_FALSE(encoder_facts("libvpx-vp9").prefers("crf", "b"));
}

TEST(EncoderFacts, TellOtherHardwareByTheEndOfAName) {
    ASSERT_NE(hardware_of("h264_vaapi"), nullptr);
    EXPECT_TRUE(hardware_of("h264_vaapi")->own_memory);
    ASSERT_NE(hardware_of("h264_mf"), nullptr);
    EXPECT_FALSE(hardware_of("h264_mf")->own_memory);
    EXPECT_EQ(hardware_of("h264_nvenc"), nullptr);
    EXPECT_EQ(hardware_of("libx264"), nullptr);
}

TEST(EncoderFacts, OfQualityAreWhatHelpTells) {
    const std::string crf = topic("crf");
    const std::string encoders = topic("encoders");
    for (const ToldQuality& row : told_qualities) {
        const std::string told =
            fmt::format("{:g} for {}", encoder_facts(usual_encoder(row.common)).quality.usual, row.codec);
        EXPECT_NE(crf.find(told), std::string::npos) << told << " in " << crf;
        EXPECT_NE(encoders.find(told), std::string::npos) << told << " in " << encoders;
    }
    EXPECT_NE(encoders.find("32 for AV1 (SVT-AV1), where a smaller number"), std::string::npos) << encoders;
}

TEST(EncoderFacts, OfQualityAreWhatTheManualTells) {
    const std::string manual = page_of_manual();
    const auto quality = [](std::string_view encoder) { return encoder_facts(encoder).quality.usual; };
    const std::string nvidia =
        fmt::format("{}, {} and {}", quality("h264_nvenc"), quality("hevc_nvenc"), quality("av1_nvenc"));
    for (const std::string& told :
         {fmt::format(
              "Without it and without `--bitrate` it is {} for H.264 (x264), {} for HEVC (x265), {} for VP9, {} "
              "for VP8 (at most 4 Mbit/s), {} for AV1 by SVT-AV1 and {} by libaom, and {} for the three "
              "encoders of NVIDIA.",
              quality("libx264"), quality("libx265"), quality("libvpx-vp9"), quality("libvpx"), quality("libsvtav1"),
              quality("libaom-av1"), nvidia),
          fmt::format("without `--crf` and `--bitrate` it is {}; `--preset p1` to `p7`", nvidia),
          fmt::format("make pictures of quality {} ({}), and MJPEG of {}, without `--crf` and `--bitrate`",
                      quality("mpeg4"), quality("libtheora"), quality("mjpeg"))}) {
        EXPECT_NE(manual.find(told), std::string::npos) << told;
    }
}

}  // namespace
}  // namespace vfilter
