// Options by everyday's names.

#include "config/everyday_words.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "config/command_line.h"
#include "config/error.h"
#include "config/option_table.h"

namespace vfilter {
namespace {

TEST(EverydayWords, AreToldWhatDoesThemHere) {
    EXPECT_NE(everyday_hint("resize").find("--vf scale"), std::string::npos);
    EXPECT_NE(everyday_hint("mute").find("--audio none"), std::string::npos);
    EXPECT_NE(everyday_hint("speed").find("--vf setpts=PTS/2 --af atempo=2,"), std::string::npos);
    EXPECT_NE(everyday_hint("watermark").find("overlay"), std::string::npos);
    EXPECT_NE(everyday_hint("check").find("exit code is 5"), std::string::npos);
    EXPECT_NE(everyday_hint("burn").find("--vf subtitles=FILE --allow-files --allow-network"), std::string::npos);
    EXPECT_NE(everyday_hint("lut").find("--vf lut3d=FILE.cube --allow-files"), std::string::npos);
    EXPECT_NE(everyday_hint("lossless").find("--encoder-option qp=0"), std::string::npos);
    EXPECT_EQ(everyday_hint("nonsense"), "");
    EXPECT_EQ(everyday_hint(""), "");
    EXPECT_EQ(everyday_hint("size width"), "");
    for (const char* const argument : {"--resize", "--resize=320x240"}) {
        try {
            parse_command_line(std::vector<const char*>{"a.mp4", "b.mp4", argument});
            ADD_FAILURE() << argument;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage);
            EXPECT_NE(std::string(error.what()).find("that is --vf scale"), std::string::npos) << error.what();
        }
    }
}

// What each line does is tried by end_to_end's EverydayLines.
TEST(EverydayWords, StandInOneRow) {
    std::set<std::string> seen;
    for (const EverydayWord& row : everyday_words()) {
        EXPECT_FALSE(row.line.empty() && row.note.empty()) << row.words;
        std::istringstream words{std::string(row.words)};
        for (std::string word; words >> word;) {
            EXPECT_TRUE(seen.insert(word).second) << word;
            EXPECT_EQ(find_option(word), nullptr) << word;
        }
    }
}

TEST(EverydayWords, AreKnownByOtherSpellings) {
    EXPECT_EQ(spellings_of("vpp-Edge_Level"),
              (std::vector<std::string>{"vpp-Edge_Level", "vpp-edge-level", "edge-level"}));
    EXPECT_EQ(spellings_of("crop"), std::vector<std::string>{"crop"});
    EXPECT_EQ(without_kind("medianblur"), "median");
    EXPECT_EQ(without_kind("bilateral-filter"), "bilateral");
    EXPECT_EQ(without_kind("blur"), "");
}

// Words of HandBrake's, NVEncC's and OpenCV's.
TEST(EverydayWords, OfOtherProgramsAreToldWhatDoesThem) {
    struct Told {
        const char* typed;
        const char* told;
    };
    constexpr Told all[] = {
        {"--cfr", "--vf fps=30"},
        {"--vfr", "each picture keeps its time"},
        {"--vb", "--bitrate 2000k"},
        {"-a", "--streams all,audio:0,audio:1"},
        {"--aq", "--encoder-option aq-mode=1"},
        {"--output-depth", "--pix-fmt yuv420p10"},
        {"--output-res", "--vf scale=1280:-2"},
        {"--audio-stream", "--streams all,audio:0,audio:1"},
        {"--skip", "--start 5f"},
        {"--chapters", "--start chapter:2 --end chapter:4"},
        {"--split", "--start chapter:2 --end chapter:4"},
        {"--input-dir", "vfilter FOLDER/* --output-dir done"},
        {"--level", "--encoder-option level=4.1"},
        {"--bframes", "--encoder-option bf=3"},
        {"--keyint", "--encoder-option g=250"},
        {"--deinterlace", "--vf bwdif=mode=send_frame"},
        {"--decomb", "--vf bwdif=mode=send_frame"},
        {"--title", "discs are no input here"},
        {"--gray", "--vf format=gray of RGB"},
        {"--replace-audio", "--streams all,audio:@1"},
        {"--audio-delay", "'all,audio:@1,subtitles:@0?,attachments:@0?'"},
        {"--canny", "--vf edgedetect"},
        {"--clahe", "--vf histeq"},
        {"--threshold", "format=gray,lut=y="},
        {"--erode", "--vf erosion"},
        {"--dilate", "--vf dilation"},
        {"--invert", "--vf negate"},
        {"--videoflip", "--vf hflip"},
        {"--medianBlur", "--median 5"},
        {"--GaussianBlur", "--gaussian 9"},
        {"--bilateralFilter", "'--bilateral'"},
        {"--boxFilter", "'--box'"},
        {"--Laplacian", "'--laplacian'"},
        {"--mask", "--gaussian 9:mask=FILE"},
        {"--output_dir", "'--output-dir'"},
        {"--vpp-knn", "--denoise medium"},
        {"--vpp-pmd", "--denoise medium"},
        {"--vpp-resize", "--vf scale=1280:-2"},
        {"--vpp-deband", "--deband"},
        {"--vpp-unsharp", "--sharpen AMOUNT"},
        {"--vpp-edgelevel", "--sharpen 0.8"},
        {"--vpp-yadif", "--vf bwdif=mode=send_frame"},
        {"--vpp-nlmeans", "--nlmeans SIGMA"},
        {"--vpp-denoise-dct", "--denoise medium"},
        {"--vpp-rotate", "--vf transpose=clock"},
        {"--vpp-transform", "--vf hflip"},
        {"--vpp-pad", "--vf pad="},
        {"--vpp-subburn", "--vf subtitles=FILE"},
        {"--vpp-delogo", "region=X,Y,W,H"},
        {"--vpp-tweak", "--vf eq="},
        {"--vpp-curves", "--vf curves="},
        {"--vpp-colorspace", "--vf colorspace=all="},
        {"-e", "--codec NAME"},
        {"-E", "--audio NAME"},
        {"--ab", "--audio aac:160"},
        {"--autocrop", "that is --crop auto"},
        {"--auto-crop", "that is --crop auto"},
        {"--crop-mode", "that is --crop auto"},
        {"--loose-crop", "that is --crop auto"},
        {"--cropdetect", "that is --crop auto"},
        {"-crop", "'--crop auto'"},
        {"--vpp-crop", "'--crop auto'"},
        {"--filters=crop=2:2", "--vf crop=..."},
    };
    for (const Told& row : all) {
        try {
            parse_command_line(std::vector<const char*>{"a.mp4", "b.mp4", row.typed});
            ADD_FAILURE() << row.typed;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage) << row.typed;
            EXPECT_NE(std::string(error.what()).find(row.told), std::string::npos) << error.what();
        }
    }
}

}  // namespace
}  // namespace vfilter
