// Which option a mistyped one is taken for, and which it is not.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "config/command_line.h"
#include "config/error.h"

namespace vfilter {
namespace {

std::string told(const std::string& word) {
    try {
        parse_command_line(std::vector<const char*>{"a.mp4", "b.mp4", word.c_str()});
        return "accepted";
    } catch (const Error& error) {
        return error.what();
    }
}

TEST(UnknownOptions, AreTakenForSlips) {
    const std::vector<std::pair<std::string, std::string>> all{
        {"--gausian", "'--gaussian'"},
        {"--ouptut", "'--output'"},
        {"--utput-dir", "'--output-dir'"},
        {"--shapren", "'--sharpen'"},
        {"--over-write", "'--overwrite'"},
        {"--loglevel", "'--log-level'"},
        {"--no-overwrit", "'--no-overwrite'"},
        {"--encoder-optoin", "'--encoder-option'"},
        {"--bit-rate", "'--bitrate'"},
        {"--thread", "'--threads'"},
        {"--xoutput", "'--output'"},
        {"--inputformat", "'--input-format'"},
        {"--sub", "'--subtitles'"},
        {"--hfilters", "'--filters'"},
    };
    for (const auto& [typed, meant] : all) {
        EXPECT_NE(told(typed).find("did you mean " + meant), std::string::npos) << told(typed);
    }
}

// Words of their own that are spelled like an option.
TEST(UnknownOptions, OfAnotherMeaningAreNot) {
    const std::vector<std::pair<std::string, std::string>> all{
        {"--output-format", "--format NAME"},
        {"--output-file", "the output is the second name"},
        {"--input-file", "the input is the first name"},
        {"--encoder-list", "vfilter --list encoders"},
        {"--presets", "vfilter --list presets"},
        {"--preset-list", "vfilter --list presets"},
        {"--devices", "vfilter --list devices"},
        {"--repeat", "--append INPUT"},
        {"--keyframes", "--encoder-option g=250"},
        {"--prores", "--codec prores"},
        {"--no-metadata", "--strip metadata"},
        {"--no-subtitles", "--subtitles none"},
        {"--no-video", "ffmpeg -i INPUT -map 0:a"},
        {"--framerate-out", "--vf fps=30"},
        {"--audio-filter", "--af GRAPH"},
        {"--hwdec", "--decode gpu"},
        {"--time", "--duration TIME"},
        {"--container", "--format NAME"},
        {"--subtitle-burn", "--vf subtitles=FILE"},
        {"--web-optimized", "index in front"},
        {"--hdr2sdr", "tonemap=hable"},
        {"--log-file", "--report FILE.json"},
        {"--dry-run", "vfilter in.mp4 --format null"},
        {"--no-chapters", "-map_chapters -1"},
        {"--recursive", "FOLDER/*/*"},
        {"--hw", "h264_nvenc"},
        {"--gpu-select", "--device cuda:0"},
        {"--hwaccel", "--decode gpu"},
        {"--psnr", "-lavfi psnr"},
        {"--ssim", "-lavfi ssim"},
    };
    for (const auto& [typed, instead] : all) {
        EXPECT_NE(told(typed).find(instead), std::string::npos) << told(typed);
        EXPECT_EQ(told(typed).find("did you mean"), std::string::npos) << told(typed);
    }
    for (const char* const typed : {"--output-colour", "--video-off", "--no-region", "--key-frame", "--audio-format"}) {
        EXPECT_EQ(told(typed).find("did you mean"), std::string::npos) << told(typed);
    }
}

}  // namespace
}  // namespace vfilter
