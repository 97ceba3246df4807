// Presets: which file a name stands for, and what comes with the program.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "config/command_line.h"
#include "config/configuration.h"
#include "config/error.h"
#include "config/presets.h"
#include "tests/support/clips.h"

namespace vfilter {
namespace {

/// A variable of the environment, restored at the end.
class Variable {
public:
    explicit Variable(const char* name) : name_(name) {
        if (const char* const value = std::getenv(name)) {
            before_ = value;
        }
    }
    ~Variable() { set(before_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

    void set(const std::optional<std::string>& value) const {
        value ? setenv(name_, value->c_str(), 1) : unsetenv(name_);
    }

private:
    const char* name_;
    std::optional<std::string> before_;
};

class Presets : public ::testing::Test {
protected:
    Presets() { config_.set(folder_.path().string()); }

    void write(const std::string& name, const std::string& text, const std::string& below = "vfilter/presets") const {
        std::filesystem::create_directories(folder_.path() / below);
        std::ofstream(folder_.path() / below / name) << text;
    }

    static Options parse(std::vector<const char*> arguments) {
        arguments.insert(arguments.begin(), {"in.mp4", "out.mp4"});
        return parse_command_line(arguments).options;
    }

    static std::string refusal(const std::vector<const char*>& arguments) {
        try {
            parse(arguments);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage);
            return error.what();
        }
        return "accepted";
    }

    Variable config_{"XDG_CONFIG_HOME"};
    Variable home_{"HOME"};
    testing::Folder folder_;
};

std::string filters_of(const Options& options) {
    std::string text;
    for (const FilterSpec& filter : options.filters) {
        text += std::string(filter.def->name) + " " + to_string(filter) + "; ";
    }
    return text;
}

TEST(ShippedPresets, AreThoseOfTheFolder) {
    std::size_t count = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(VFILTER_SOURCE) / "config/presets")) {
        EXPECT_TRUE(is_shipped_preset(entry.path().stem().string())) << entry.path();
        ++count;
    }
    EXPECT_EQ(count, 9U) << "a new one has a place in config/presets.cpp, too";
    EXPECT_FALSE(is_shipped_preset("slow"));
    EXPECT_FALSE(is_shipped_preset("archive draft"));
}

TEST_F(Presets, AreReadWhereTheyStand) {
    write("mine.toml", "codec = 'ffv1'\npreset = 'slow'\n[[filter]]\nname = 'box'\nsize = 7\n");
    const Options options =
        parse({"--gaussian", "3", "--codec", "libx264", "--preset", "mine", "--gaussian=5", "--threads", "2"});
    EXPECT_EQ(filters_of(options), "gaussian size=3; box size=7; gaussian size=5; ");
    EXPECT_EQ(options.output.codec, "ffv1");
    EXPECT_EQ(options.output.preset, "slow");
    EXPECT_EQ(parse({"--preset=mine", "--codec", "libx264"}).output.codec, "libx264");
    EXPECT_EQ(filters_of(parse({"--preset", "mine", "--preset", "mine"})), "box size=7; box size=7; ");
}

TEST_F(Presets, OtherNamesAreTheEncoders) {
    EXPECT_EQ(parse({"--preset", "veryslow"}).output.preset, "veryslow");
    EXPECT_EQ(parse({"--preset", "12"}).output.preset, "12");
    // Until the user overrides it.
    write("veryslow.toml", "codec = 'libx265'\n");
    EXPECT_EQ(parse({"--preset", "veryslow"}).output.preset, "");
    EXPECT_EQ(parse({"--preset", "veryslow"}).output.codec, "libx265");
}

TEST_F(Presets, SayNothingToAnotherEncoder) {
    write("fast.toml",
          "encoder-option = [\"tune=grain\", \"level=31\"]\ncodec = \"libx264\"\npreset = \"ultrafast\"\n"
          "pix-fmt = \"yuv420p\"\ncrf = 20\n");
    write("keep.toml", "codec = \"ffv1\"\nencoder-option = [\"level=3\"]\n");
    write("slow.toml", "preset = \"slow\"\nencoder-option = [\"g=9\"]\n");
    using Said = std::vector<std::pair<std::string, std::string>>;

    const OutputOptions same = parse({"--preset", "fast", "--codec", "libx264"}).output;
    EXPECT_EQ(same.preset, "ultrafast");
    EXPECT_EQ(same.encoder_options, (Said{{"tune", "grain"}, {"level", "31"}}));

    for (const char* const name : {"x264", "h264", "avc"}) {
        const OutputOptions named = parse({"--preset", "fast", "--codec", name}).output;
        EXPECT_EQ(named.codec, name);
        EXPECT_EQ(named.preset, "ultrafast") << name << " is libx264";
        EXPECT_EQ(named.encoder_options, same.encoder_options) << name;
    }

    const OutputOptions other = parse({"--preset", "fast", "--codec", "libx265"}).output;
    EXPECT_EQ(other.codec, "libx265");
    EXPECT_EQ(other.preset, "");
    EXPECT_EQ(other.encoder_options, Said{});
    EXPECT_EQ(other.pix_fmt, "yuv420p");
    EXPECT_EQ(other.crf, 20);

    const OutputOptions kept = parse({"--preset", "fast", "--preset", "keep"}).output;
    EXPECT_EQ(kept.preset, "");
    EXPECT_EQ(kept.encoder_options, (Said{{"level", "3"}}));

    EXPECT_EQ(parse({"--preset", "fast", "--preset", "ultrafast", "--codec", "libx265"}).output.preset, "ultrafast");
    // What the user says himself stays, and what a file says that names no encoder.
    EXPECT_EQ(
        parse({"--preset", "fast", "--encoder-option", "tune=grain", "--codec", "libx265"}).output.encoder_options,
        (Said{{"tune", "grain"}}));
    const OutputOptions own =
        parse({"--preset", "fast", "--encoder-option", "tune=film", "--preset", "slow", "--codec", "libx265"}).output;
    EXPECT_EQ(own.preset, "slow");
    EXPECT_EQ(own.encoder_options, (Said{{"tune", "film"}, {"g", "9"}}));
}

TEST_F(Presets, WithinAFileAreTheEncoders) {
    write("one.toml", "preset = 'two'\n");
    write("two.toml", "codec = 'ffv1'\n");
    EXPECT_EQ(parse({"--preset", "one"}).output.preset, "two");
    EXPECT_EQ(parse({"--preset", "one"}).output.codec, "");
}

TEST_F(Presets, AreNoPaths) {
    write("other.toml", "codec = 'ffv1'\n", "vfilter");
    write(".hidden.toml", "codec = 'ffv1'\n");
    for (const char* const name : {"../other", "/etc/passwd", ".hidden", ".", "a/b", "./one"}) {
        EXPECT_NE(refusal({"--preset", name}).find("is a path, not the name of a preset"), std::string::npos) << name;
    }
    std::filesystem::create_directories(folder_.path() / "vfilter/presets/folder.toml");
    EXPECT_EQ(parse({"--preset", "folder"}).output.preset, "folder");
}

TEST_F(Presets, MistakesAreToldWithFileLineAndColumn) {
    write("wrong.toml", "# a mistake\ncodek = 'ffv1'\n");
    EXPECT_NE(refusal({"--preset", "wrong"}).find("vfilter/presets/wrong.toml:2:9: unknown key 'codek'"),
              std::string::npos);
}

TEST_F(Presets, AreLookedForInTheUsersFolderFirst) {
    const auto codec = [] { return parse({"--preset", "archive"}).output.codec; };
    EXPECT_EQ(codec(), "ffv1");
    write("archive.toml", "codec = 'of-xdg'\n");
    write("archive.toml", "codec = 'of-home'\n", ".config/vfilter/presets");
    EXPECT_EQ(codec(), "of-xdg");
    home_.set(folder_.path().string());
    EXPECT_EQ(codec(), "of-xdg");
    for (const auto& useless : {std::optional<std::string>(), std::optional<std::string>("relative")}) {
        config_.set(useless);
        EXPECT_EQ(codec(), "of-home");
    }
    home_.set(std::nullopt);
    EXPECT_EQ(codec(), "ffv1");
}

TEST_F(Presets, AreListedWithDescriptionAndFile) {
    write("mine.toml", "\n  # not at the beginning of the line\n#  What it does. \r\n# More.\ncodec = 'ffv1'\n");
    write("bare.toml", "codec = 'ffv1'\n");
    write("archive.toml", "# my own\n");
    write("notes.txt", "# no preset\n");
    write(".hidden.toml", "# hidden\n");
    const std::string path = (folder_.path() / "vfilter/presets/").string();
    const std::string list = preset_list();
    EXPECT_NE(list.find("mine                What it does. (" + path + "mine.toml)\n"), std::string::npos) << list;
    EXPECT_NE(list.find("bare                (" + path + "bare.toml)\n"), std::string::npos) << list;
    EXPECT_NE(list.find("archive             my own (" + path + "archive.toml)\n"), std::string::npos) << list;
    EXPECT_EQ(list.find("notes"), std::string::npos) << list;
    EXPECT_EQ(list.find("hidden"), std::string::npos) << list;
    EXPECT_NE(list.find("web-mp4"), std::string::npos) << list;
}

TEST_F(Presets, ThatAreShippedAreSound) {
    // FFmpeg's encoders' presets, and tunes that people use like presets: none may change its meaning.
    const std::vector<std::string> taken{
        "ultrafast", "superfast",  "veryfast",   "faster",  "fast",    "medium",     "slow",        "slower",
        "veryslow",  "placebo",    "default",    "hp",      "hq",      "bd",         "ll",          "llhq",
        "llhp",      "lossless",   "losslesshp", "speed",   "quality", "balanced",   "film",        "animation",
        "grain",     "stillimage", "none",       "picture", "photo",   "drawing",    "icon",        "text",
        "good",      "best",       "realtime",   "psnr",    "ssim",    "fastdecode", "zerolatency", "high_quality"};
    const std::vector<Preset> list = presets();
    EXPECT_GE(list.size(), 6U);
    for (const Preset& preset : list) {
        EXPECT_EQ(std::ranges::count(taken, preset.name), 0) << preset.name;
        EXPECT_NE(preset.name.find_first_not_of("p0123456789"), std::string::npos) << preset.name;  // p1, 12
        EXPECT_EQ(find_filter(preset.name), nullptr) << preset.name;
        EXPECT_LT(preset.description.size(), 70U) << preset.name;
        EXPECT_GT(preset.description.size(), 10U) << preset.name;
        const Options options = parse({"--preset", preset.name.c_str()});
        EXPECT_EQ(options.input.path, "in.mp4") << preset.name;
        EXPECT_TRUE(!options.filters.empty() || !options.output.codec.empty()) << preset.name;
        // --crf and --bitrate exclude each other: a shipped preset leaves the choice to the user.
        EXPECT_FALSE(options.output.crf || options.output.bitrate) << preset.name;
        EXPECT_EQ(options.output.format, "") << preset.name;
    }
}

TEST_F(Presets, ThatAreShippedAreInTheManual) {
    std::ifstream file(std::filesystem::path(VFILTER_SOURCE) / "docs/cli.md");
    const std::string manual{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    for (const Preset& preset : presets()) {
        EXPECT_NE(manual.find("| `" + preset.name + "` | " + preset.description + " |"), std::string::npos)
            << preset.name << ": " << preset.description;
    }
}

}  // namespace
}  // namespace vfilter
