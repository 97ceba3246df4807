// The command line, the configuration file and the texts made from the tables.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "config/command_line.h"
#include "config/configuration.h"
#include "config/error.h"
#include "config/option_table.h"
#include "tests/support/clips.h"

namespace vfilter {
namespace {

Command parsed(const std::vector<const char*>& arguments) {
    return parse_command_line(arguments);
}

std::string refusal(const std::vector<const char*>& arguments) {
    try {
        parsed(arguments);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        return error.what();
    }
    return "accepted";
}

TEST(CommandLine, TakesNamesAndOptionsInAnyOrder) {
    for (const auto& arguments :
         std::vector<std::vector<const char*>>{{"a.mp4", "b.mp4", "--gaussian", "5"},
                                               {"--gaussian", "5", "a.mp4", "b.mp4"},
                                               {"a.mp4", "--gaussian=5", "b.mp4"},
                                               {"-i", "a.mp4", "--gaussian", "5", "-o", "b.mp4"},
                                               {"b.mp4", "-i", "a.mp4", "--gaussian", "5"},
                                               {"--gaussian", "5", "--", "a.mp4", "b.mp4"}}) {
        const Options options = parsed(arguments).options;
        EXPECT_EQ(options.input.path, "a.mp4");
        EXPECT_EQ(options.output.path, "b.mp4");
        ASSERT_EQ(options.filters.size(), 1U);
        EXPECT_EQ(to_string(options.filters[0]), "size=5");
    }
}

// Beside ffmpeg's -i; elsewhere they are names like any other.
TEST(CommandLine, ProtocolsOfFfmpegsAreStandardStreamsAndFiles) {
    struct Row {
        const char* input;
        const char* output;
        const char* read;
        const char* written;
    };
    for (const Row& row : {Row{"pipe:", "pipe:", "-", "-"}, Row{"pipe:0", "pipe:1", "-", "-"},
                           Row{"file:a.mp4", "file:b.mkv", "a.mp4", "b.mkv"},
                           Row{"file:/tmp/a:1.mp4", "file:-b.mkv", "/tmp/a:1.mp4", "./-b.mkv"},
                           Row{"file:http://host/a", "file:-", "./http://host/a", "./-"},
                           Row{"file:webcam", "file:pipe:1", "./webcam", "./pipe:1"},
                           Row{"./pipe:0", "./file:b.mkv", "./pipe:0", "./file:b.mkv"},
                           Row{"pipe:0.mp4", "files:b.mkv", "pipe:0.mp4", "files:b.mkv"}}) {
        SCOPED_TRACE(row.input);
        const Options ffmpegs = parsed({"-i", row.input, row.output}).options;
        EXPECT_EQ(ffmpegs.input.path, row.read);
        EXPECT_EQ(ffmpegs.output.path, row.written);
        const Options plain = parsed({row.input, row.output}).options;
        EXPECT_EQ(plain.input.path, row.input);
        EXPECT_EQ(plain.output.path, row.output);
    }
    const InputOptions input = parsed({"-i", "a", "-i", "file:c.srt", "b"}).options.input;
    EXPECT_EQ(input.added.at(0).path, "c.srt");
    EXPECT_NE(refusal({"-i", "pipe:3", "b"}).find("pipe:3: of pipes standard input is read alone"), std::string::npos);
    EXPECT_NE(refusal({"-i", "pipe:1", "b"}).find("pipe:0 or -"), std::string::npos);
    EXPECT_NE(refusal({"-i", "a", "pipe:0"}).find("pipe:1 or -"), std::string::npos);
    EXPECT_NE(refusal({"-i", "file:", "b"}).find("file:: which file?"), std::string::npos);
}

TEST(CommandLine, MistakesNameWhatWasMeant) {
    EXPECT_NE(refusal({"a", "b", "--loudness", "-16"}).find("'--loudness'; that is --af loudnorm"), std::string::npos);
    EXPECT_NE(refusal({"a", "b", "--crf=20", "-16"}).find("'-16'"), std::string::npos);
    EXPECT_NE(
        refusal({"a", "-q", "5", "b.mp4"}).find("'b.mp4' is one name too many: -q is --quiet; a quality is --crf 5"),
        std::string::npos);
    EXPECT_NE(refusal({"f_01.png", "f_02.png", "f_03.png", "b.mp4"}).find("in quotes 'f_*.png' is a series"),
              std::string::npos);
    EXPECT_NE(refusal({"9.png", "10.png", "b.mp4"}).find("in quotes '*.png' is a series"), std::string::npos);
    for (const std::vector<const char*>& names : {std::vector<const char*>{"a1.mp4", "a2.mp4", "b.mp4"},
                                                  {"a1.png", "b1.png", "b.mp4"},
                                                  {"a.png", "b.png", "b.mp4"}}) {
        EXPECT_NE(refusal(names).find("one output; --output-dir"), std::string::npos);
    }
    EXPECT_NE(refusal({"a", "b", "--subtitles", "film.srt"}).find("--add FILE"), std::string::npos);
    EXPECT_NE(refusal({"a", "b", "--audio", "music.mp3"}).find("--add FILE"), std::string::npos);
}

TEST(CommandLine, KeepsTheOrderOfFilters) {
    const Options options =
        parsed({"a", "b.mkv", "--box", "3", "--gaussian", "5", "--box", "7", "--filters", "gaussian=9,box=5"}).options;
    std::string order;
    for (const FilterSpec& filter : options.filters) {
        order += std::string(filter.def->name) + " " + to_string(filter) + "; ";
    }
    EXPECT_EQ(order, "box size=3; gaussian size=5; box size=7; gaussian size=9; box size=5; ");
}

TEST(CommandLine, DitherIsForFiltersThatRound) {
    const Options options = parsed({"a", "b.mkv", "--median", "3", "--box", "3", "--dither", "--gaussian",
                                    "5:dither=off", "--deband", "dither=off", "--sobel"})
                                .options;
    std::vector<std::optional<bool>> dithers;
    for (const FilterSpec& filter : options.filters) {
        dithers.push_back(filter.dither);
    }
    EXPECT_EQ(dithers, (std::vector<std::optional<bool>>{std::nullopt, true, false, false, true}));
    EXPECT_EQ(to_string(options.filters[1]), "size=3:dither=on");
    EXPECT_EQ(parsed({"a", "b.mkv", "--box", "3"}).options.filters[0].dither, std::nullopt);
    EXPECT_NE(refusal({"a", "b.mkv", "--dither", "--median", "3"}).find("--dither: there is no filter"),
              std::string::npos);
    EXPECT_NE(refusal({"a", "b.mkv", "--median", "3:dither=on"}).find("nothing to dither"), std::string::npos);
}

TEST(CommandLine, NamesMayBeAnythingAfterTwoDashes) {
    const Options options = parsed({"--", "-a.mp4", "--b.mp4"}).options;
    EXPECT_EQ(options.input.path, "-a.mp4");
    EXPECT_EQ(options.output.path, "--b.mp4");
    const Options pipes = parsed({"-", "-"}).options;
    EXPECT_EQ(pipes.input.path, "-");
    EXPECT_EQ(pipes.output.path, "-");
}

TEST(CommandLine, ReadsTimes) {
    EXPECT_DOUBLE_EQ(parse_position("start", "12.5").value, 12.5);
    EXPECT_DOUBLE_EQ(parse_position("start", "1:02:03.25").value, 3723.25);
    EXPECT_DOUBLE_EQ(parse_position("start", "2:03").value, 123);
    EXPECT_DOUBLE_EQ(parse_position("start", "90:59.5").value, 5459.5);
    EXPECT_TRUE(parse_position("start", "120f").frames);
    for (const char* wrong :
         {"", "f", "1:2:3:4", "abc", "-1", "1e999", "nan", "1.5f", "1:", ":1", "1:99", "1:60:00", "0:60"}) {
        EXPECT_THROW(parse_position("start", wrong), Error) << wrong;
    }
    const Options chapters = parsed({"a", "b", "--start", "chapter:2", "--end", "chapter:2"}).options;
    EXPECT_TRUE(chapters.input.start->chapter && chapters.input.end->chapter);
    EXPECT_DOUBLE_EQ(chapters.input.end->value, 2);
    EXPECT_FALSE(parsed({"a", "b", "--start", "2"}).options.input.start->chapter);
    EXPECT_NE(refusal({"a", "b", "--start", "chapter:3", "--end", "chapter:2"}).find("not after"), std::string::npos);
    for (const char* const wrong : {"chapter:0", "chapter:1.5", "chapter:", "chapter:2f", "chapter:1000001"}) {
        EXPECT_NE(refusal({"a", "b", "--end", wrong}).find("not a chapter by its number"), std::string::npos) << wrong;
    }
}

TEST(CommandLine, MistakesAreToldWithTheirRemedy) {
    EXPECT_NE(refusal({"a", "b", "--gausian", "5"}).find("did you mean '--gaussian'"), std::string::npos);
    EXPECT_NE(refusal({"a", "b", "--presset=x"}).find("did you mean '--preset'"), std::string::npos);
    EXPECT_NE(refusal({"a", "b", "--gaussian", "4"}).find("take 3 or 5"), std::string::npos);
    EXPECT_NE(refusal({"a", "b", "--filters", "boxx=3"}).find("did you mean 'box'"), std::string::npos);
    EXPECT_NE(refusal({"a", "b", "c"}).find("'c' is one name too many"), std::string::npos);
    EXPECT_NE(refusal({"a"}).find("no output"), std::string::npos);
    EXPECT_NE(refusal({}).find("no input"), std::string::npos);
    EXPECT_NE(refusal({"a", "b", "--crf", "20", "--bitrate", "1M"}).find("exclude"), std::string::npos);
    EXPECT_NE(refusal({"a", "b", "--threads", "-3"}).find("0 to 1024"), std::string::npos);
    for (const char* const device : {"gpu", "cuda:", "cuda:0,", ",cuda", "cuda:0,cpu", "all,cuda", "cuda:0, cuda:1"}) {
        EXPECT_NE(refusal({"a", "b", "--device", device}).find("none of auto, cpu"), std::string::npos) << device;
    }
    EXPECT_NE(refusal({"a", "b", "--device", "cuda,cuda:0"}).find("named twice"), std::string::npos);
    EXPECT_NE(refusal({"a", "b", "-z"}).find("unknown option '-z'"), std::string::npos);
    EXPECT_NE(refusal({"a", "b", "-yn"}).find("unknown option '-yn'"), std::string::npos);
    EXPECT_NE(refusal({"a", "b", "--vff", "null"}).find("did you mean '--vf'"), std::string::npos);
    EXPECT_NE(refusal({"a", "b", "--bx", "3"}).find("did you mean '--box'"), std::string::npos);
    EXPECT_EQ(refusal({"a", "b", "--vd", "3"}).find("did you mean"), std::string::npos);
    EXPECT_NE(refusal({"a", "b", "--audio", "1"}).find("--streams all,audio:1, by language or from 0"),
              std::string::npos);
    EXPECT_NE(refusal({"a", "b", "--audio", "1,2"}).find("--streams all,audio:1,audio:2"), std::string::npos);
    EXPECT_NE(refusal({"a", "b", "--audio", "eng,jpn"}).find("--streams all,audio:eng,audio:jpn"), std::string::npos);
    EXPECT_NE(refusal({"a", "b", "--subtitles", "eng"}).find("--streams all,subtitles:eng"), std::string::npos);
    EXPECT_NE(refusal({"a", "b", "--subtitles", "1"}).find("--streams all,subtitles:1, from 0"), std::string::npos);
}

// The word after a filter may be a file name, which is not taken for its arguments.
// A script's variable that was not set.
TEST(CommandLine, EmptyValuesAreMistakes) {
    for (const OptionDef& def : option_table()) {
        if (def.value.apply == nullptr || def.argument.empty()) {
            continue;
        }
        Command command;
        EXPECT_THROW(apply_value(command, def, ""), Error) << def.name;
        const std::string empty = fmt::format("--{}=", def.name);
        EXPECT_NE(refusal({"a", "b", empty.c_str(), "--verify"}).find("the value is empty"), std::string::npos)
            << def.name;
    }
    for (const FilterDef& def : filter_table()) {
        const std::string empty = fmt::format("--{}=", def.name);
        EXPECT_NE(refusal({"a", "b", empty.c_str(), "--verify"}).find("the value is empty"), std::string::npos)
            << def.name;
    }
    EXPECT_NE(refusal({"a", "b", "--config=", "--verify"}).find("the value is empty"), std::string::npos);
}

TEST(CommandLine, ANumberIsNoKindOfStreams) {
    for (const char* const number : {"2", "0", "99"}) {
        const std::string told = refusal({"a", "b", "--streams", number});
        EXPECT_NE(told.find("--gpu-streams " + std::string(number)), std::string::npos) << told;
    }
}

TEST(CommandLine, OneOfSeveralStreamsIsChosen) {
    const auto choices = [](const std::string& text) {
        Command command;
        apply_value(command, *find_option("streams"), text);
        return command.options.output.choices;
    };
    EXPECT_EQ(choices("all,audio:1"), (std::vector<StreamChoice>{{kind::audio, 1, "", false}}));
    EXPECT_EQ(choices("video,subtitles:ger"), (std::vector<StreamChoice>{{kind::subtitles, -1, "ger", false}}));
    EXPECT_EQ(choices("video,audio:3?"), (std::vector<StreamChoice>{{kind::audio, 3, "", true}}));
    EXPECT_EQ(choices("video,audio:1,audio"),
              (std::vector<StreamChoice>{{kind::audio, 1, "", false}, {kind::audio, -1, "", true}}))
        << "all of them, and one of them first";
    EXPECT_TRUE(choices("video,video:1,audio,audio").empty());
    for (const std::string wrong :
         {"audio:1", "all:1", "video:eng", "video:0,video:1", "video,audio:", "video,audio:x", "video,audio:-1"}) {
        EXPECT_THROW(choices(wrong), Error) << wrong;
    }
}

TEST(CommandLine, TheOneVideoThatIsKeptIsFiltered) {
    Command command;
    apply_value(command, *find_option("streams"), "video:2,audio");
    EXPECT_EQ(command.options.input.video_stream, "2");
    EXPECT_EQ(command.options.output.choices, (std::vector<StreamChoice>{{kind::video, 2, "", false}}));
    EXPECT_EQ(command.options.output.kinds, kind::video | kind::audio);
}

TEST(CommandLine, AFilterThatNeedsArgumentsIsNotGivenAName) {
    const std::string bare = "--gaussian: a size or a sigma is needed (see --help gaussian)";
    const std::string named = "--gaussian: a size or a sigma is needed, and 'in.mp4' is none (see --help gaussian)";
    EXPECT_EQ(refusal({"in.mp4", "out.mp4", "--gaussian"}), bare);
    EXPECT_EQ(refusal({"in.mp4", "out.mp4", "--gaussian", "--verify"}), bare);
    EXPECT_EQ(refusal({"in.mp4", "out.mp4", "--gaussian", "-y"}), bare);
    EXPECT_EQ(refusal({"in.mp4", "out.mp4", "--gaussian", "--", "x"}), bare);
    EXPECT_EQ(refusal({"--gaussian", "in.mp4", "out.mp4"}), named);
    EXPECT_EQ(refusal({"--gaussian", ""}), bare);
    EXPECT_EQ(refusal({"a", "b", "--filters", "box=3,gaussian"}), bare.substr(2));
    EXPECT_NE(refusal({"a", "b", "--gaussian", "sgima=3"}).find("did you mean 'sigma'"), std::string::npos);
    EXPECT_NE(refusal({"a", "b", "--gaussian", "5x"}).find("'5x' is none"), std::string::npos);
    EXPECT_EQ(parsed({"--gaussian", "--help"}).action, Action::help);
    for (const FilterDef& def : filter_table()) {
        const std::string option = "--" + std::string(def.name);
        if (def.needs_arguments()) {
            EXPECT_NE(refusal({option.c_str(), "in.mp4", "out.mp4"}).find("is needed"), std::string::npos) << def.name;
            EXPECT_NE(refusal({"in.mp4", "out.mp4", option.c_str()}).find("is needed"), std::string::npos) << def.name;
        } else {
            EXPECT_EQ(parsed({option.c_str(), "in.mp4", "out.mp4"}).options.input.path, "in.mp4") << def.name;
        }
    }
    for (const char* const slip : {"0,8", "2x", "1.5.3", "5px", "10%x"}) {
        EXPECT_EQ(looks_like_mistyped_number(slip), std::string_view(slip) != "10%x") << slip;
    }
    for (const char* const name : {"2020.3gp", "2.mp4", "1.5x.mkv", "2clip", "3/4", "x2", "", "7_%02d.png"}) {
        EXPECT_FALSE(looks_like_mistyped_number(name)) << name;
    }
    EXPECT_NE(refusal({"a", "b", "--sharpen", "0,8"}).find("'0,8'"), std::string::npos);
    EXPECT_EQ(parsed({"--sharpen", "2020.3gp", "b"}).options.input.path, "2020.3gp");
    EXPECT_EQ(parsed({"--kernel", " # blur\n1 2 1\n", "a", "b"}).options.filters.size(), 1U);
    EXPECT_EQ(parsed({"--kernel", "-1 0 1", "a", "b"}).options.filters.size(), 1U);
}

TEST(CommandLine, AMatrixWithoutItsSemicolonsIsTold) {
    EXPECT_EQ(
        refusal({"a", "b", "--kernel", "1 2 1 2 4 2 1 2 1"}),
        "kernel: 9 numbers in one row: did you mean \"1 2 1; 2 4 2; 1 2 1\"? A row of 9 ends with a ';' (see --help "
        "kernel)");
    std::string numbers = "0";
    for (int i = 1; i < 49; ++i) {
        numbers += i % 2 == 0 ? " 0" : ",0.5";
        if (i == 24) {
            EXPECT_NE(refusal({"a", "b", "--kernel", numbers.c_str()}).find("25 numbers in one row"),
                      std::string::npos);
        }
    }
    EXPECT_NE(refusal({"a", "b", "--kernel", numbers.c_str()}).find("\"0 0.5 0 0.5 0 0.5 0; 0.5 0 "),
              std::string::npos);
    // A row that is meant ends with a semicolon, and what is written is read back.
    for (const char* row : {"1", "1 2 1", "1 2 3 4 5 4 3 2 1;", "1 1 1 1 1 1 1 1 1 1 1"}) {
        const FilterSpec made = parsed({"a", "b", "--kernel", row}).options.filters.at(0);
        EXPECT_EQ(made.matrix.size(), 1U);
        EXPECT_EQ(parse_filter(*made.def, to_string(made)).matrix, made.matrix) << to_string(made);
    }
    testing::Folder folder;
    const std::string path = folder / "m.txt";
    const std::string file = "file=" + path;
    std::ofstream(path) << "1 2 1 2 4 2 1 2 1\n";
    EXPECT_NE(refusal({"a", "b", "--kernel", file.c_str()}).find("\"1 2 1; 2 4 2; 1 2 1\""), std::string::npos);
    std::ofstream(path) << "1 2 1 2 4 2 1 2 1;\n";
    EXPECT_EQ(parsed({"a", "b", "--kernel", file.c_str()}).options.filters.at(0).matrix[0].size(), 9U);
}

TEST(CommandLine, StatsTakesItsFormatButNoFile) {
    const Options plain = parsed({"--stats", "a", "b"}).options;
    EXPECT_EQ(plain.stats, StatsFormat::text);
    EXPECT_EQ(plain.input.path, "a");
    EXPECT_EQ(parsed({"--stats", "json", "a", "b"}).options.stats, StatsFormat::json);
    EXPECT_EQ(parsed({"a", "b", "--stats=json"}).options.stats, StatsFormat::json);
}

TEST(CommandLine, NullNeedsNoOutputName) {
    EXPECT_EQ(parsed({"a", "--format", "null"}).options.output.format, "null");
}

TEST(CommandLine, ConfigurationIsWrittenAndReadBack) {
    const Command first = parsed({"a b.mp4",
                                  "c\"d.mkv",
                                  "--gaussian",
                                  "9:sigma=2:border=wrap:chroma=off",
                                  "--box",
                                  "3",
                                  "--crf",
                                  "20.5",
                                  "--encoder-option",
                                  "tune=film",
                                  "--encoder-option",
                                  "x=y=z",
                                  "--start",
                                  "1:00",
                                  "--end",
                                  "90f",
                                  "--verify",
                                  "--strict",
                                  "--threads",
                                  "3",
                                  "--stats=json",
                                  "--progress",
                                  "none",
                                  "--frames",
                                  "7"});
    testing::Folder folder;
    const std::string text = write_configuration(first.options);
    std::ofstream(folder / "c.toml") << text;
    const std::string path = folder / "c.toml";
    const Command second = parsed({"--config", path.c_str()});
    EXPECT_EQ(write_configuration(second.options), text);
    EXPECT_EQ(second.options.input.path, "a b.mp4");
    EXPECT_EQ(second.options.output.encoder_options, first.options.output.encoder_options);
    ASSERT_EQ(second.options.filters.size(), 2U);
    EXPECT_EQ(to_string(second.options.filters[0]), to_string(first.options.filters[0]));
    EXPECT_TRUE(second.options.verify);
}

TEST(CommandLine, MistakesOfConfigurationsAreToldWithLineAndColumn) {
    testing::Folder folder;
    const std::string path = folder / "c.toml";
    const auto refused = [&](const std::string& text) {
        std::ofstream(path) << text;
        return refusal({"--config", path.c_str()});
    };
    EXPECT_NE(refused("input = 'a'\nouptut = 'b'\n").find("c.toml:2:10: unknown key 'ouptut'; did you mean 'output'?"),
              std::string::npos);
    EXPECT_NE(refused("input = \n").find("c.toml:1:"), std::string::npos);
    EXPECT_NE(refused("[[filter]]\nname = 'gaussian'\nsize = 4\n").find("c.toml:3:8: gaussian: size 4 is even"),
              std::string::npos);
    EXPECT_NE(refused("[[filter]]\nsize = 4\n").find("needs a name"), std::string::npos);
    EXPECT_NE(refused("filter = 3\n").find("[[filter]]"), std::string::npos);
    EXPECT_NE(refused("verify = 'yes'\n").find("true or false"), std::string::npos);
    EXPECT_NE(refused("crf = 'x'\n").find("c.toml:1:7"), std::string::npos);
    EXPECT_NE(refused(std::string(2 << 20, '#')).find("larger than 1 MiB"), std::string::npos);
    EXPECT_NE(refusal({"--config", "/nonexistent.toml"}).find("cannot be read"), std::string::npos);
}

}  // namespace
}  // namespace vfilter
