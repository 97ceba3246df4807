// Options as the documents and help texts print them, such as `--jobs 4`: there are such options, and they take such
// values. tests/end_to_end/printed_examples_test.cpp runs whole command lines.

#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "config/command_line.h"
#include "config/error.h"
#include "config/help.h"
#include "config/help_topics.h"
#include "filters/filters.h"
#include "tests/support/folder.h"

namespace vfilter {
namespace {

// Words of a shell's line, up to a remark or another command. Nothing is expanded.
std::vector<std::string> shell_words(const std::string& line) {
    std::vector<std::string> words;
    bool within = false;
    char quote = 0;
    for (const char letter : line) {
        const bool blank = letter == ' ' && quote == 0;
        if (!within && !blank) {
            if (letter == '#' || letter == '|' || letter == '>' || letter == '&') {
                break;
            }
            words.emplace_back();
        }
        within = !blank;
        if (quote == 0 && (letter == '\'' || letter == '"')) {
            quote = letter;
        } else if (letter == quote) {
            quote = 0;
        } else if (within) {
            words.back() += letter;
        }
    }
    return words;
}

// Whether a word stands for what the reader has: FILE, N, [ARGS], cpu|gpu, key=value.
bool is_placeholder(const std::string& word) {
    const bool letters = !word.empty() && std::isupper(static_cast<unsigned char>(word[0])) != 0;
    return letters || word.find('|') != std::string::npos || word.starts_with('[') || word.find("...") != word.npos ||
           word.find("NAME") != word.npos || word.find("XXXX") != word.npos || word.find("=value") != word.npos;
}

bool is_option(const std::string& word) {
    const std::string name = word.substr(2, word.find('=') - 2);
    return find_option(name) != nullptr || find_filter(name) != nullptr;
}

// What one place prints is read by the program: "--jobs 4", or a whole "vfilter in.mp4 out.mp4 --box 3".
void look_at(const std::string& printed, const std::string& place) {
    std::vector<std::string> words = shell_words(printed);
    const bool whole = !words.empty() && words[0] == "vfilter";
    bool complete = whole || words.size() > 1;  // an option alone is its name, and may want a value
    for (const std::string& word : words) {
        if (word.starts_with("--") && word.size() > 2) {
            EXPECT_TRUE(is_option(word)) << place << ": " << printed;
        }
        complete = complete && !is_placeholder(word);
    }
    if (!complete) {
        return;
    }
    if (whole) {
        words.erase(words.begin());
    } else {
        words.insert(words.begin(), {"in.mp4", "out.mp4"});
    }
    std::vector<const char*> arguments;
    for (const std::string& word : words) {
        arguments.push_back(word.c_str());
    }
    try {
        parse_command_line(arguments);
    } catch (const Error& error) {
        ADD_FAILURE() << place << ": " << printed << "\n" << error.what();
    }
}

// Of a page in Markdown: `--...` and `vfilter ...` in sentences, and lines of code that begin with vfilter.
void look_at_page(const std::string& page, const std::string& place) {
    std::string prose;
    bool fenced = false;
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) {
        fenced = fenced != line.starts_with("```");
        if (fenced || line.starts_with("    ")) {
            const std::size_t begin = line.find_first_not_of(' ');
            if (begin != std::string::npos && line.compare(begin, 8, "vfilter ") == 0) {
                look_at(line.substr(begin), place);
            }
        } else {
            prose += line.substr(std::min(line.find_first_not_of(' '), line.size())) + " ";
        }
    }
    int found = 0;
    for (std::size_t begin = 0; (begin = prose.find('`', begin)) != std::string::npos;) {
        const std::size_t end = std::min(prose.find('`', begin + 1), prose.size());
        const std::string printed = prose.substr(begin + 1, end - begin - 1);
        // After an escaped |, as tables have it, nothing is an example.
        if ((printed.starts_with("--") || printed.starts_with("vfilter ")) && printed.find('\\') == std::string::npos) {
            look_at(printed, place);
            ++found;
        }
        begin = end + 1;
    }
    EXPECT_GT(found, 0) << place;
}

class PrintedWords : public ::testing::Test {
protected:
    PrintedWords() {
        // What is read where a filter is.
        for (const char* const name : {"tracks.csv", "faces.csv"}) {
            std::ofstream(folder_ / name) << "1,1,10,10,20,20\n";
        }
        std::filesystem::current_path(folder_.path());
    }
    ~PrintedWords() override { std::filesystem::current_path(before_); }

private:
    test::Folder folder_;
    std::filesystem::path before_ = std::filesystem::current_path();
};

TEST_F(PrintedWords, OfTheDocumentsAreRead) {
    for (const char* const name : {"README.md", "docs/cli.md", "docs/filters.md", "docs/formats.md",
                                   "docs/from-ffmpeg.md", "docs/recipes.md", "docs/reliability.md", "docs/report.md"}) {
        std::ifstream file(std::filesystem::path(VFILTER_SOURCE) / name);
        look_at_page({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()}, name);
    }
}

// Lines of topics that begin with an option have one or more of them, and a remark, with two blanks or more between.
TEST_F(PrintedWords, OfTopicsAreRead) {
    int found = 0;
    for (const HelpTopic& topic : help_topics()) {
        std::istringstream lines{std::string(topic.text)};
        for (std::string line; std::getline(lines, line);) {
            for (std::size_t begin = 2; line.compare(0, 3, "  -") == 0 && line.compare(begin, 2, "--") == 0;) {
                const std::size_t end = std::min(line.find("  ", begin), line.size());
                look_at(line.substr(begin, end - begin), "--help " + std::string(topic.name));
                begin = std::min(line.find_first_not_of(' ', end), line.size());
                ++found;
            }
        }
    }
    EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace vfilter
