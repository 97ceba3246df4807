// Configuration files: as --print-config writes them, read back, and as a person writes them.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "config/command_line.h"
#include "config/configuration.h"
#include "config/error.h"
#include "config/filter_page.h"
#include "tests/support/clips.h"

namespace vfilter {
namespace {

class Configuration : public ::testing::Test {
protected:
    Command read(const std::string& text) const {
        Command command;
        read_into(text, command);
        return command;
    }

    void read_into(const std::string& text, Command& command) const {
        std::ofstream(path_) << text;
        read_configuration(path_, command);
    }

    std::string refusal(const std::string& text) const {
        try {
            read(text);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage);
            const std::string what = error.what();
            const std::size_t at = what.find("c.toml");
            return at == std::string::npos ? what : what.substr(at);
        }
        return "accepted";
    }

    /// The one filter of a [[filter]] with these lines.
    std::string filter(const std::string& lines) const {
        const Command command = read("[[filter]]\n" + lines);
        EXPECT_EQ(command.options.filters.size(), 1U);
        return to_string(command.options.filters.at(0));
    }

private:
    testing::Folder folder_;
    std::string path_ = folder_ / "c.toml";
};

// Without the quotes, as a shell passes it.
std::string example_of(const FilterDef& def) {
    std::string text(def.example);
    std::erase(text, '"');
    return text;
}

std::vector<std::string> arguments_of(const FilterDef& def) {
    const std::string bare = def.needs_arguments() ? example_of(def) : "";
    std::vector<std::string> list{bare, example_of(def)};
    const std::string more = bare.empty() ? "" : bare + ":";
    for (const Parameter& parameter : def.parameters) {
        std::vector<std::string> values(parameter.choices.begin(), parameter.choices.end());
        if (values.empty()) {
            values = {std::to_string(parameter.minimum), std::to_string(parameter.maximum), "7", "0.30000000000000004",
                      "auto"};
        }
        for (const std::string& value : values) {
            const std::string alone = std::string(parameter.name) + "=" + value;
            list.push_back(more + alone);
            if (!more.empty()) {
                list.push_back(alone);
            }
        }
    }
    for (const char* const common : {"border=wrap", "border=constant", "chroma=scaled", "chroma=same", "chroma=off",
                                     "chroma=neutral", "alpha=on", "alpha=off", "region=25%,25%,50%,50%",
                                     "region=0,0,16,8+10,10,33.25%,4:invert=1", "region=0%,0.1%,12.5%,1:feather=1000",
                                     "mask=a=b \"c\" 'd',+#\\e\tf.png:invert=1:feather=3", "mask=1e3:region=1,2,3,4"}) {
        list.push_back(more + common);
    }
    // Drops those that give a parameter twice or leave out one that another needs.
    std::erase_if(list, [&](const std::string& arguments) {
        try {
            parse_filter(def, arguments);
            return false;
        } catch (const std::invalid_argument&) {
            return true;
        }
    });
    return list;
}

TEST_F(Configuration, EveryFilterIsReadAsItWasWritten) {
    Options all;
    for (const FilterDef& def : filter_table()) {
        const std::vector<std::string> list = arguments_of(def);
        EXPECT_GE(list.size(), 14U) << def.name;
        for (const std::string& arguments : list) {
            add_filter(all, std::string(def.name), arguments);
        }
    }
    for (const FilterPicture& picture : filter_pictures()) {
        add_filter(all, std::string(picture.filter), std::string(picture.arguments));
    }
    const std::string text = write_configuration(all);
    const Options back = read(text).options;
    ASSERT_EQ(back.filters.size(), all.filters.size());
    for (std::size_t i = 0; i < all.filters.size(); ++i) {
        EXPECT_EQ(back.filters[i].def, all.filters[i].def);
        EXPECT_EQ(to_string(back.filters[i]), to_string(all.filters[i]));
        EXPECT_EQ(back.filters[i].values, all.filters[i].values);
        EXPECT_EQ(back.filters[i].matrix, all.filters[i].matrix);
        EXPECT_EQ(back.filters[i].region, all.filters[i].region);
    }
    EXPECT_EQ(write_configuration(back), text);
}

// File names that the parser, a shell or TOML could mistake for something else.
const std::vector<std::string> odd_names{
    "a b:c=d,e;f.mp4", "\"'\"\"\"'''\\", "line\nfeed\r\t\x01\x7f", "#[x]{y}", "-", "ü—語.mkv", "a\\nb", "true"};

TEST_F(Configuration, EveryOptionIsReadAsItWasWritten) {
    const std::map<std::string_view, std::vector<std::string>> values{
        {"input", odd_names},
        {"output", odd_names},
        {"report", odd_names},
        {"trace", odd_names},
        {"format", {"matroska", "null"}},
        {"input-format", {"mpegts"}},
        {"live", {""}},
        {"camera-size", {"1280x720", "1x32768"}},
        {"camera-fps", {"30", "29.97"}},
        {"audio-device", {"default", "alsa:hw:1,0"}},
        {"add", {"film.srt", "1.5=a=b.srt", "-0.25=2=c.wav", "./3=d.srt", "a=b.srt", "=x.srt"}},
        {"append", odd_names},
        {"add-option", {"a=b", "@2:x=y=z", "empty="}},
        {"allow-network", {""}},
        {"allow-files", {""}},
        {"video-stream", {"0", "12", "all"}},
        {"max-pixels", {"1000", "2000000000"}},
        {"stall-timeout", {"0", "12.5"}},
        {"reconnect", {"1", "1000000"}},
        {"timeout", {"0.5", "86400"}},
        {"input-option", {"a=b", "x=y=z", "empty=", "lines=1\n2", "quotes=\"'"}},
        {"framerate", {"24", "23.976", "30000/1001"}},
        {"start-number", {"0", "7"}},
        {"output-dir", {"done"}},
        {"name", {"{stem}-{n}.{ext}"}},
        {"skip-existing", {""}},
        {"keep-going", {""}},
        {"jobs", {"4"}},
        {"codec", {"ffv1"}},
        {"crf", {"0", "20.5", "18"}},
        {"bitrate", {"1", "2500k", "8M", "1000000000000"}},
        {"preset", {"slow", "p7"}},
        {"pix-fmt", {"yuv420p10le"}},
        {"encoder-option", {"a=b", "x=y=z", "empty=", "lines=1\n2", "quotes=\"'"}},
        {"start", {"0", "1:02:03.5", "0.1", "20000000000000000f", "120f", "chapter:2"}},
        {"end", {"90f", "1e-05", "chapter:1000000"}},
        {"duration", {"5"}},
        {"frames", {"1", "1099511627776"}},
        {"crop", {"auto"}},
        {"strict", {""}},
        {"device", {"cpu", "cuda", "cuda:3", "all", "cuda:0,cuda:3,cuda:1"}},
        {"decode", {"cpu", "gpu"}},
        {"threads", {"3"}},
        {"gpu-streams", {"2"}},
        {"streams",
         {"video", "video,audio", "video,subtitles,data,attachments", "all,audio:1",
          "video,audio:ger,audio:0,subtitles:2", "video:1,audio", "video,audio:ger,audio"}},
        {"audio",
         {"none", "copy", "aac", "opus:96", "libfdk_aac:128.5", "flac:1M", "aac:128:channels=stereo:samplerate=44100",
          "0=copy,jpn=opus:96,ger?=none,2=auto", "none,1=copy", "copy,1=aac:channels=5.1", "aac:kbits=96"}},
        {"af", {"volume=6dB,highpass=f=100", "asplit[a][b];[b]lowpass[c];[a][c]amix"}},
        {"subtitles", {"none"}},
        {"metadata",
         {"title=One", "title=", "a=b=c", "audio:1:language=ger", "subtitles:eng?:title=", "audio:0:a:b=c"}},
        {"disposition", {"audio:1=default", "subtitles:ger?=forced+hearing_impaired", "audio:0=none"}},
        {"strip", {"gps", "metadata", "all"}},
        {"video-tag", {"hvc1", "AV 1"}},
        {"two-pass", {""}},
        {"encoders", {"3", "2:60"}},
        {"muxer-option", {"movflags=+faststart"}},
        {"verify", {""}},
        {"preview", {""}},
        {"max-latency", {"1", "33.3"}},
        {"progress", {"none", "json"}},
        {"stats", {"text", "json"}},
        {"log-level", {"debug", "quiet"}},
    };
    for (const OptionDef& def : option_table()) {
        if (!def.in_config()) {
            continue;
        }
        ASSERT_TRUE(values.contains(def.name)) << def.name;
        for (const std::string& value : values.at(def.name)) {
            Command first;
            def.apply(first, value);
            const std::string text = write_configuration(first.options);
            const Command second = read(text);
            EXPECT_FALSE(text.empty()) << def.name << " " << value;
            EXPECT_EQ(def.value.show(second.options), def.value.show(first.options)) << text;
            EXPECT_EQ(second.options.output.encoder_options, first.options.output.encoder_options) << text;
            EXPECT_EQ(second.options.input.input_options, first.options.input.input_options) << text;
        }
    }
    for (const std::string& name : odd_names) {
        Options options;
        options.input.path = name;
        EXPECT_EQ(read(write_configuration(options)).options.input.path, name);
    }
}

// By the alphabet audio and codec would come first.
TEST_F(Configuration, TheLaterOfTwoKeysCounts) {
    const auto kinds = [this](const std::string& text) { return read(text).options.output.kinds; };
    EXPECT_EQ(kinds("streams = 'all,subtitles:eng?'\naudio = 'none'"), kind::all & ~kind::audio);
    EXPECT_EQ(kinds("audio = 'none'\nstreams = 'all'"), kind::all);
    EXPECT_EQ(read("streams = 'video:1'\nvideo-stream = 'all'").options.input.video_stream, "all");
    EXPECT_EQ(read("video-stream = 'all'\nstreams = 'video:1'").options.input.video_stream, "1");
    EXPECT_EQ(kinds("[[filter]]\nname = 'box'\nsize = 3\n"), kind::all) << "filters have no place among keys";
}

// In a file the number of the video stands before the streams, whichever came later on the command line.
TEST_F(Configuration, TheVideoThatIsFilteredIsTheLaterOneInTheFileToo) {
    struct Case {
        std::vector<const char*> arguments;
        std::string video;
        std::size_t choices;
    };
    for (const Case& one : std::vector<Case>{{{"--streams", "all,video:1", "--video-stream", "0"}, "0", 0},
                                             {{"--streams", "all,video:1", "--video-stream", "all"}, "all", 0},
                                             {{"--video-stream", "0", "--streams", "all,video:1"}, "1", 1},
                                             {{"--streams", "all,video:1", "--video-stream", "1"}, "1", 1},
                                             {{"--streams", "all,video:1", "--streams", "all"}, "", 0},
                                             {{"--video-stream", "2", "--streams", "all"}, "2", 0}}) {
        std::vector<const char*> arguments{"a.mkv", "b.mkv"};
        arguments.insert(arguments.end(), one.arguments.begin(), one.arguments.end());
        const Options options = parse_command_line(arguments).options;
        const Options again = read(write_configuration(options)).options;
        for (const Options* const same : {&options, &again}) {
            EXPECT_EQ(same->input.video_stream, one.video) << one.arguments[1] << " " << one.arguments[3];
            EXPECT_EQ(same->output.choices.size(), one.choices) << one.arguments[1] << " " << one.arguments[3];
        }
    }
}

TEST_F(Configuration, BitRatesOfSoundKeepTheirDigits) {
    for (const char* const rate : {"aac:1.234567M", "aac:192", "aac:0.1k", "flac"}) {
        const Options options = parse_command_line(std::vector<const char*>{"a", "b", "--audio", rate}).options;
        EXPECT_EQ(read(write_configuration(options)).options.output.sound.bitrate, options.output.sound.bitrate)
            << rate;
    }
}

TEST_F(Configuration, FalseTakesAFlagBack) {
    for (const OptionDef& def : option_table()) {
        if (!def.in_config() || !def.argument.empty()) {
            continue;
        }
        Command command;
        def.apply(command, "");
        EXPECT_EQ(def.value.show(command.options), "true") << def.name;
        read_into(std::string(def.name) + " = true", command);
        EXPECT_EQ(def.value.show(command.options), "true") << def.name;
        read_into(std::string(def.name) + " = false", command);
        EXPECT_EQ(def.value.show(command.options), "") << def.name;
    }
}

TEST_F(Configuration, CannotHoldNamesThatAreNotUtf8) {
    Options options;
    options.input.path = "a\xff.mp4";
    EXPECT_THROW(write_configuration(options), Error);
}

TEST_F(Configuration, TakesListsNumbersAndSwitchesAsTomlHasThem) {
    const std::string matrix = "matrix=1 2 1; 2 4 2; 1 2 1";
    EXPECT_EQ(filter("name = 'kernel'\nmatrix = '1 2 1; 2 4 2; 1 2 1'"), matrix);
    EXPECT_EQ(filter("name = 'kernel'\nmatrix = [[1, 2, 1], [2, 4, 2], [1, 2, 1]]"), matrix);
    EXPECT_EQ(filter("name = 'kernel'\nmatrix = ['1 2 1', '2 4 2', '1,2,1']"), matrix);
    EXPECT_EQ(filter("name = 'kernel'\nmatrix = '''\n1 2 1\n2 4 2 # the middle\n1 2 1'''"), matrix);
    EXPECT_EQ(filter("name = 'kernel'\nmatrix = [1, -2.5, 1e-3]"), "matrix=1 -2.5 0.001");
    EXPECT_EQ(filter("name = 'kernel'\nmatrix = [[1, 2, 3, 4, 5, 4, 3, 2, 1]]"), "matrix=1 2 3 4 5 4 3 2 1;");
    EXPECT_EQ(filter("name = 'kernel'\nmatrix = [[1], [2], [1]]\nnormalise = false"), "normalise=no:matrix=1; 2; 1");
    const std::string region = "size=5:region=25%,25%,50%,50%";
    EXPECT_EQ(filter("name = 'gaussian'\nsize = 5\nregion = '25%,25%,50%,50%'"), region);
    EXPECT_EQ(filter("name = 'gaussian'\nsize = 5\nregion = ['25%', '25%', '50%', '50%']"), region);
    EXPECT_EQ(
        filter("name = 'gaussian'\nsize = 5\nregion = [[1, 2, 3, 4], '5,6,7,8', [0, 0, '50%', 9]]\ninvert = true"),
        "size=5:region=1,2,3,4+5,6,7,8+0,0,50%,9:invert=1");
    EXPECT_EQ(filter("name = 'gaussian'\nsigma = 1.0\nalpha = false\nchroma = 'off'"), "sigma=1:chroma=off:alpha=off");
    EXPECT_EQ(filter("name = 'laplacian'\nneighbours = 8"), "neighbours=8");
}

TEST_F(Configuration, MistakesInFiltersAreToldWhereTheyStand) {
    const auto told = [&](const std::string& lines) { return refusal("[[filter]]\n" + lines); };
    EXPECT_EQ(told("name = 'gaussian'\nborder = 'wrap'\nsize = 4").find("c.toml:4:8: gaussian: size 4 is even"), 0U);
    EXPECT_EQ(told("name = 'gausian'\nsize = 5").find("c.toml:2:8: unknown filter 'gausian'"), 0U);
    EXPECT_EQ(told("name = 'gaussian'\nborder = 'wrap'").find("c.toml:2:8: gaussian: a size or a sigma is needed"), 0U);
    EXPECT_EQ(told("name = 'gaussian'\nsize = 5\nsice = 3").find("c.toml:4:8: gaussian: no parameter 'sice'"), 0U);
    EXPECT_EQ(told("name = 'kernel'\nmatrix = [[1, 2, 1], [2, 4]]").find("c.toml:3:10: kernel: row 2"), 0U);
    EXPECT_EQ(told("name = 'gaussian'\nsize = 5\nregion = [1, 2, 3]").find("c.toml:4:10: gaussian: region="), 0U);
    EXPECT_EQ(told("name = 'gaussian'\nsize = [5]").find("c.toml:3:8: 'size' must be a text"), 0U);
    EXPECT_EQ(
        told("name = 'kernel'\nmatrix = [1, 2, 1, 2, 4, 2, 1, 2, 1]").find("c.toml:3:10: kernel: 9 numbers in one"),
        0U);
    EXPECT_EQ(told("name = 'kernel'\nmatrix = [[[1]]]").find("c.toml:3:12: 'matrix' must be a text"), 0U);
    EXPECT_EQ(told("name = 'kernel'\nmatrix = []").find("c.toml:3:10: kernel: the matrix is 0x0"), 0U);
    EXPECT_EQ(told("name = 'box'\nsize = 5\nfeather = 3").find("c.toml:4:11: box: invert and feather need"), 0U)
        << told("name = 'box'\nsize = 5\nfeather = 3");
    // No key or value smuggles in another argument.
    EXPECT_EQ(told("name = 'box'\nsize = 5\nmask = 'c:/m.png'").find("c.toml:4:8: 'mask': ':' ends an argument"), 0U);
    EXPECT_EQ(told("name = 'box'\n'size=5:alpha' = 'off'").find("c.toml:3:18: 'size=5:alpha': ':' ends"), 0U)
        << told("name = 'box'\n'size=5:alpha' = 'off'");
    EXPECT_NE(told("name = 'box'\nsize = nan").find("c.toml:3:8: box: size='nan' is not a number"), std::string::npos);
}

}  // namespace
}  // namespace vfilter
