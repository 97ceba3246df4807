// What stands twice, or beside --help: nothing of it goes unheard.

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "config/command_line.h"
#include "config/configuration.h"
#include "config/error.h"
#include "tests/support/clips.h"

namespace vfilter {
namespace {

using Arguments = std::vector<const char*>;

Command command_of(const Arguments& arguments) {
    return parse_command_line(arguments);
}

std::string answer(const Arguments& arguments) {
    try {
        command_of(arguments);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        return error.what();
    }
    return "accepted";
}

TEST(RepeatedOptions, GraphsOfSoundAreJoined) {
    EXPECT_EQ(command_of({"a", "b", "--af", "volume=6dB", "--gaussian", "5", "--af", "loudnorm", "--af=atempo=2"})
                  .options.output.sound_graph,
              "volume=6dB,loudnorm,atempo=2");
    const std::string quoted = "ametadata=mode=add:key=a:value='[b]'";
    EXPECT_EQ(command_of({"a", "b", "--af", quoted.c_str(), "--af", "loudnorm"}).options.output.sound_graph,
              quoted + ",loudnorm")
        << "no label";
    EXPECT_NE(answer({"a", "b", "--af", "[in]volume=2[out]", "--af", "loudnorm"}).find("--af: given twice"),
              std::string::npos);
    EXPECT_NE(answer({"a", "b", "--af", "loudnorm", "--af", ""}).find("--af: the value is empty"), std::string::npos);
    const std::string half(40'000, 'x');
    EXPECT_NE(answer({"a", "b", "--af", half.c_str(), "--af", half.c_str()}).find("longer than 65536"),
              std::string::npos);
    EXPECT_NE(answer({"-i", "a", "-af", "volume=2", "-af", "volume=3", "b"}).find("use --af, which may be repeated"),
              std::string::npos);
}

TEST(RepeatedOptions, OfPrivacyTheMostCounts) {
    EXPECT_EQ(command_of({"a", "b", "--strip", "metadata", "--strip", "gps"}).options.output.strip, Strip::tags);
    EXPECT_EQ(command_of({"a", "b", "--strip", "gps", "--strip", "all"}).options.output.strip, Strip::extras);
}

TEST(RepeatedOptions, FilesAreNamedOnce) {
    EXPECT_NE(answer({"--input", "a", "--input", "b", "c"}).find("--input: given twice, the second time with 'b'; "),
              std::string::npos);
    EXPECT_NE(answer({"a", "-o", "b", "-o", "c"}).find("--output: given twice"), std::string::npos);
    EXPECT_NE(answer({"a", "--output-dir", "b", "--output-dir", "c"}).find("--output-dir: given twice"),
              std::string::npos);
    EXPECT_EQ(answer({"-i", "a", "-i", "b.wav", "c"}), "accepted") << "which is ffmpeg's, and --add";
}

TEST(RepeatedOptions, FilesOfOptionsAreOverridden) {
    const testing::Folder folder;
    const std::string path = folder / "c.toml";
    std::ofstream(path) << "input = \"x.mkv\"\noutput = \"y.mkv\"\naf = \"volume=6dB\"\n";
    const Options options = command_of({"--config", path.c_str(), "-i", "a", "-o", "b", "--af", "loudnorm"}).options;
    EXPECT_EQ(options.input.path, "a");
    EXPECT_EQ(options.output.path, "b");
    EXPECT_EQ(options.output.sound_graph, "loudnorm");
}

TEST(RepeatedOptions, HelpWinsOverAllElse) {
    for (const Arguments& arguments : {Arguments{"-i", "in.mp4", "-vn", "--help"},
                                       {"--help", "-nonsense"},
                                       {"-crf", "--help"},
                                       {"--config", "--help"},
                                       {"a", "--nonsense", "-h"},
                                       {"-ss", "1", "-ss", "2", "--help=", "x"}}) {
        const Command command = command_of(arguments);
        EXPECT_EQ(command.action, Action::help) << arguments.front();
        EXPECT_EQ(command.topic, "");
    }
    EXPECT_EQ(command_of({"-vn", "--help", "gaussian", "--box", "x"}).topic, "gaussian");
    EXPECT_EQ(command_of({"-vn", "--help=vf"}).topic, "vf");
    EXPECT_EQ(command_of({"--help", "-vn"}).topic, "-vn") << "which is asked about";
    EXPECT_EQ(command_of({"a", "--", "--help"}).action, Action::run) << "a name";
}

TEST(RepeatedOptions, ManyInputsAreReadAsTheyWereWritten) {
    const Options first =
        command_of({"a \"1\".mp4", "b.mp4", "-i", "c.mp4", "--output-dir", "d", "--keep-going"}).options;
    const testing::Folder folder;
    const std::string path = folder / "c.toml";
    const std::string text = write_configuration(first);
    std::ofstream(path) << text;
    const Options second = command_of({"--config", path.c_str()}).options;
    EXPECT_EQ(second.batch.inputs, (std::vector<std::string>{"c.mp4", "a \"1\".mp4", "b.mp4"}));
    EXPECT_EQ(second.batch.inputs, first.batch.inputs);
    EXPECT_EQ(write_configuration(second), text);
    EXPECT_EQ(command_of({"--config", path.c_str(), "e.mp4"}).options.batch.inputs.size(), 4U);
    std::ofstream(path) << "input = [\"a\", \"b\"]\n";
    EXPECT_NE(answer({"--config", path.c_str(), "c"}).find("--output-dir, which is missing"), std::string::npos);
}

TEST(RepeatedOptions, SmallTimesAreNoNames) {
    const Options options =
        command_of({"a", "b", "--add", "0.00001=mix.wav", "--add", "-1000000=x", "--add", "y"}).options;
    const testing::Folder folder;
    const std::string path = folder / "c.toml";
    const std::string text = write_configuration(options);
    EXPECT_NE(text.find("\"0.00001=mix.wav\", \"-1000000=x\", \"0=y\""), std::string::npos) << text;
    std::ofstream(path) << text;
    EXPECT_EQ(command_of({"--config", path.c_str()}).options.input.added, options.input.added);
}

TEST(RepeatedOptions, TheFilteredVideoIsThere) {
    EXPECT_NE(answer({"a", "b", "--streams", "video:1?"})
                  .find("--streams: 'video:1?': the video that is filtered has to "
                        "be there: video:1"),
              std::string::npos);
    EXPECT_EQ(answer({"a", "b", "--streams", "video:0?,audio:1?"}), "accepted");
}

TEST(RepeatedOptions, RatesHaveFfmpegsUnits) {
    EXPECT_EQ(command_of({"-i", "a", "-b:v", "300K", "b"}).options.output.bitrate, 300'000);
    EXPECT_EQ(command_of({"a", "b", "--bitrate", "300k"}).options.output.bitrate, 300'000);
}

}  // namespace
}  // namespace vfilter
