// --help of words that are no topics, and what --help ffmpeg prints as ours.

#include "config/help.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/command_line.h"
#include "config/error.h"
#include "config/exit_texts.h"
#include "config/ffmpeg_words.h"
#include "config/help_topics.h"
#include "config/option_table.h"
#include "tests/config/ffmpeg_line.h"

namespace vfilter {
namespace {

std::string asked(const std::vector<const char*>& arguments) {
    const Command command = parse_command_line(arguments);
    EXPECT_EQ(command.action, Action::help);
    return help_text(command.topic);
}

TEST(HelpOfWords, TakesDashes) {
    for (const std::string word : {"crf", "gaussian", "ss", "vf", "c:v", "encoders"}) {
        const std::string help = help_text(word);
        EXPECT_NE(help, help_text("")) << word;
        EXPECT_EQ(asked({"--help", ("--" + word).c_str()}), help) << word;
        EXPECT_EQ(asked({"-h", ("-" + word).c_str()}), help) << word;
        EXPECT_EQ(asked({("--help=--" + word).c_str()}), help) << word;
    }
    EXPECT_EQ(asked({"--help", "-y"}), help_text("overwrite"));
    EXPECT_EQ(asked({"--help", "--nosuch", "--crf"}), help_text(""));
    EXPECT_EQ(asked({"--help", "--"}), help_text(""));
}

TEST(HelpOfWords, KnowsThoseOfEverydayAndOfFfmpeg) {
    const std::vector<std::pair<const char*, const char*>> all{
        {"resize", "resize is --vf scale=1280:-2: a width"},
        {"Deinterlace", "deinterlace is --vf bwdif=mode=send_frame"},
        {"burn", "burn is --vf subtitles=FILE"},
        {"watermark", "movie=logo.png"},
        {"stabilize", "--vf deshake"},
        {"vfr", "vfr: each picture keeps its time"},
        {"--dry-run", "vfilter in.mp4 --format null"},
        {"ss", "--start TIME"},
        {"c:a", "-c:a CODEC                --audio CODEC"},
        {"sws_flags", "--vf scale=W:H:flags=NAME"},
    };
    for (const auto& [word, told] : all) {
        EXPECT_NE(help_text(word).find(told), std::string::npos) << word << "\n" << help_text(word);
    }
    EXPECT_NE(help_text("ss").find("-ss TIME"), std::string::npos) << help_text("ss");
    EXPECT_THROW(help_text("nosuch"), Error);
    EXPECT_THROW(help_text("--nosuch"), Error);
}

TEST(HelpOfWords, TellsExitCodes) {
    for (const char* const word : {"exit-codes", "exit", "exit-code", "exit-status", "--exit"}) {
        EXPECT_NE(help_text(word).find("  130  stopped by SIGINT"), std::string::npos) << word;
    }
}

// The first of several, and a value in place of what stands for it.
std::string sampled(std::string text, bool of_bits) {
    const std::vector<std::pair<std::string_view, std::string_view>> samples{
        {"0|1", "0"},
        {"tv|pc", "tv"},
        {"auto|cpu", "cpu"},
        {"KIND[:N]", "audio:0"},
        {"LAYOUT", "stereo"},
        {"KIND:N", "audio:0"},
        {"N=", "0="},
        {"KEY=VALUE", "title=a"},
        {"SECONDS=FILE", "1=b.mka"},
        {"HH:MM:SS:FF", "01:00:00:00"},
        {"CODEC", of_bits ? "aac" : "x264"},
        {"KBITS", "128"},
        {"WxH", "64x48"},
        {"RATIO", "16:9"},
        {"RATE", of_bits ? "500k" : "25"},
        {"TIME", "1:30"},
        {"LEVEL", "info"},
        {"TAG", "hvc1"},
        {"HZ", "48000"},
        {"NAME=", "g="},
        {"PURPOSE", "default"},
        {"VALUE", "1"},
        {"GRAPH", "null"},
        {"NAME", "a"},
        {"INPUT", "a"},
        {"FILE", "a"},
    };
    for (const auto& [name, value] : samples) {
        for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size())) {
            text.replace(at, name.size(), value);
        }
    }
    if (text == "N" || text.ends_with("=N")) {
        text.back() = '2';
    }
    return text;
}

// What stands there is typed as it stands.
TEST(FfmpegRows, PrintWhatTheCommandLineTakes) {
    int rows = 0;
    for (const FfmpegWord& row : ffmpeg_words()) {
        if (row.option.empty()) {
            continue;
        }
        const std::string head = fmt::format("--{}{}", row.option, row.value.empty() ? ":" : " ");
        const std::string first(row.words.substr(0, row.words.find(' ')));
        std::string printed = ffmpeg_word_row(first.ends_with(":N") ? first.substr(0, first.size() - 1) + "0" : first);
        for (std::size_t end = printed.find("\n"); end != std::string::npos; end = printed.find("\n", end)) {
            printed.replace(end, printed.find_first_not_of("\n ", end) - end, " ");
        }
        const std::size_t at = printed.find(head);
        ASSERT_NE(at, std::string::npos) << printed;
        std::string value;
        if (!row.value.empty()) {
            const std::string rest = printed.substr(at + head.size());
            value = rest.substr(0, rest.find(": "));
        }
        const bool of_bits = row.option == "bitrate" || row.option == "audio";
        const std::string typed = sampled(value, of_bits);
        std::vector<std::string> words{"a", "b", fmt::format("--{}{}{}", row.option, value.empty() ? "" : "=", typed)};
        std::vector<const char*> arguments;
        for (const std::string& word : words) {
            arguments.push_back(row.option == "input" && word == "a" ? "-y" : word.c_str());
        }
        try {
            parse_command_line(arguments);
        } catch (const Error& error) {
            ADD_FAILURE() << row.words << ": --" << row.option << " " << value << "\n" << error.what();
        }
        ++rows;
    }
    EXPECT_GT(rows, 50);
}

// And what is advised instead of a word exists.
TEST(FfmpegRows, NameOptionsThatThereAre) {
    std::istringstream words(help_text("ffmpeg"));
    for (std::string word; words >> word;) {
        word.erase(0, word.find_first_not_of("(\""));
        if (word.starts_with("--")) {
            const std::string name = word.substr(2, word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", 2) - 2);
            EXPECT_NE(find_option(name), nullptr) << word;
        }
    }
}

// docs/cli.md may say more of a code than --help exit-codes, and says the same first.
TEST(ExitCodes, AreInDocsAsInHelp) {
    std::ifstream page(std::filesystem::path(VFILTER_SOURCE) / "docs/cli.md");
    std::string line;
    while (line != "## Exit codes") {
        ASSERT_TRUE(std::getline(page, line)) << "docs/cli.md has no such heading";
    }
    std::vector<std::string> rows;
    while (std::getline(page, line) && !line.starts_with("## ")) {
        if (line.starts_with("| ") && line != "| code | meaning |") {
            rows.push_back(line);
        }
    }
    ASSERT_EQ(rows.size(), std::size(exit_texts));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const ExitText& told = exit_texts[i];
        const std::string begin = fmt::format("| {} | {}", static_cast<int>(told.code), told.text);
        EXPECT_TRUE(rows[i].starts_with(begin + " ") || rows[i].starts_with(begin + ": ")) << begin << "\n" << rows[i];
    }
}

}  // namespace
}  // namespace vfilter
