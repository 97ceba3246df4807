// Presets and configuration files in whole runs.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class Presets : public EndToEnd {
protected:
    // Nobody's own presets take part.
    Presets() {
        setenv("XDG_CONFIG_HOME", path("config").c_str(), 1);
        make_clip("in.mkv", 5);
    }
    ~Presets() override { unsetenv("XDG_CONFIG_HOME"); }
    Presets(const Presets&) = delete;
    Presets& operator=(const Presets&) = delete;
};

struct Shipped {
    std::string name;
    std::string output;
    std::string codec;
    std::string pix_fmt;
};

TEST_F(Presets, ThatAreShippedRun) {
    const std::vector<Shipped> shipped{
        {"archive", "out.mkv", "ffv1", "yuv420p"}, {"black-and-white", "out.mp4", "h264", "yuv420p"},
        {"draft", "out.mp4", "h264", "yuv420p"},   {"edit-prores", "out.mov", "prores", "yuv422p10le"},
        {"redact", "out.mp4", "h264", "yuv420p"},  {"sharpen-light", "out.mp4", "h264", "yuv420p"},
        {"sketch", "out.mp4", "h264", "yuv420p"},  {"subtitle-backdrop", "out.mp4", "h264", "yuv420p"},
        {"web-mp4", "out.mp4", "h264", "yuv420p"},
    };
    const Result list = vfilter("--list presets");
    EXPECT_EQ(list.code, 0) << list;
    ASSERT_EQ(lines_of(list.out).size(), shipped.size()) << list;
    for (std::size_t i = 0; i < shipped.size(); ++i) {
        const Shipped& one = shipped[i];
        SCOPED_TRACE(one.name);
        EXPECT_TRUE(lines_of(list.out)[i].starts_with(one.name + " ")) << list;
        filter(fmt::format("in.mkv {} --preset {}", one.output, one.name));
        const Stream video = probe(one.output).video();
        EXPECT_EQ(video.codec(), one.codec);
        EXPECT_EQ(video.facts.value("pix_fmt", ""), one.pix_fmt);
    }
}

TEST_F(Presets, ArchiveKeepsEveryBit) {
    filter("in.mkv out.mkv --preset archive");
    EXPECT_EQ(picture_hashes("out.mkv"), picture_hashes("in.mkv"));
}

TEST_F(Presets, AreFoundNextToAnInstalledProgram) {
    ASSERT_EQ(run(fmt::format("mkdir -p prefix/bin prefix/share/vfilter && cp \"$VFILTER\" prefix/bin/ && "
                              "cp -r '{}/config/presets' prefix/share/vfilter/ && ln -s prefix/bin/vfilter link",
                              VFILTER_SOURCE))
                  .code,
              0);
    const std::string place = std::filesystem::canonical(path("prefix")).string() + "/share/vfilter/presets/";
    for (const char* const program : {"prefix/bin/vfilter", "./link", "PATH=prefix/bin:$PATH; vfilter"}) {
        const Result list = run(fmt::format("{} --list presets", program));
        EXPECT_EQ(list.code, 0) << list;
        EXPECT_NE(list.out.find("(" + place + "archive.toml)"), std::string::npos) << list;
    }
    ASSERT_EQ(run("rm -r prefix/share").code, 0);
    const Result none = run("prefix/bin/vfilter --list presets");
    EXPECT_EQ(none.code, 0) << none;
    EXPECT_EQ(none.out, "");
    for (const std::string preset : {"redact --region 0,0,9,9", "web-mp4", "black-and-white"}) {
        const Result missing = run("prefix/bin/vfilter in.mkv out.mp4 --preset " + preset);
        EXPECT_EQ(missing.code, 2) << missing;
        EXPECT_NE(missing.err.find("this preset comes with vfilter, but "), std::string::npos) << missing;
    }
}

// The file that --print-config writes, read back, filters the same.
TEST_F(Presets, AreWrittenOutByPrintConfig) {
    std::filesystem::create_directories(path("config/vfilter/presets"));
    write("config/vfilter/presets/mine.toml",
          "# of the user\n[[filter]]\nname = 'kernel'\nmatrix = [[1, 2, 1], [2, 4, 2], [1, 2, 1]]\n"
          "region = '25%,25%,50%,50%'\n");
    ffmpeg("-f lavfi -i \"color=black:s=160x120,format=gray,geq=lum='255*lt(X,80)'\" -frames:v 1 \"a=b 'c.png\"");
    const std::string line =
        "in.mkv --sobel direction=x:scale=0.5 --preset mine --box '5:mask=a=b '\\''c.png:invert=1:feather=4' "
        "--preset archive --frames 3 --threads 1 --device cpu";
    filter(line + " 'out \"1\".mkv'");
    const Result config = vfilter(line + " 'out \"1\".mkv' --print-config");
    ASSERT_EQ(config.code, 0) << config;
    write("run.toml", config.out);
    EXPECT_EQ(vfilter("--config run.toml --print-config").out, config.out);
    const std::vector<std::string> wanted = picture_hashes("out \"1\".mkv");
    EXPECT_EQ(wanted.size(), 3U);
    EXPECT_NE(wanted, picture_hashes("in.mkv", "-frames:v 3"));
    std::filesystem::remove(path("out \"1\".mkv"));
    filter("--config run.toml");
    EXPECT_EQ(picture_hashes("out \"1\".mkv"), wanted);
}

TEST_F(Presets, ThatNoEncoderKnowsAreAnError) {
    const Result result = vfilter("-y in.mkv out.mp4 --preset sofften");
    EXPECT_EQ(result.code, 8) << result;
    EXPECT_FALSE(exists("out.mp4"));
}

// RGB has no chroma to take away; the pictures would come out as they are.
TEST_F(Presets, BlackAndWhiteIsNotSaidOfRgb) {
    make_clip("in.mkv", 3, "-c:v libx264rgb");
    const Result refused = vfilter("in.mkv out.mkv --preset black-and-white");
    EXPECT_EQ(refused.code, 2) << refused;
    EXPECT_NE(refused.err.find("identity: RGB pictures have no chroma to set to grey"), std::string::npos) << refused;
    EXPECT_FALSE(exists("out.mkv"));

    filter("in.mkv out.mkv --vf format=yuv444p --preset black-and-white --codec ffv1");
    const std::string pixels = ffmpeg_output("-v error -i out.mkv -frames:v 1 -pix_fmt yuv444p -f rawvideo -");
    ASSERT_FALSE(pixels.empty());
    const std::size_t luma = pixels.size() / 3;
    EXPECT_EQ(pixels.find_first_not_of('\x80', luma), std::string::npos);
}

}  // namespace

}  // namespace vfilter::test
