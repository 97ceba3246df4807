#include "config/concat_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "config/error.h"
#include "config/file_names.h"
#include "filters/names.h"

namespace vfilter {

namespace {

constexpr std::size_t max_line = 65536;
constexpr std::size_t max_lines = 10'000;
constexpr std::string_view between_words = " \t\r";

// The next word, as ffmpeg reads them: a backslash stands before a character that means itself, and what is between
// single quotes does.
std::string take_word(std::string_view& rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of(between_words), rest.size()));
    std::string word;
    while (!rest.empty() && between_words.find(rest.front()) == std::string_view::npos) {
        const char c = rest.front();
        rest.remove_prefix(1);
        if (c == '\\' && !rest.empty()) {
            word += rest.front();
            rest.remove_prefix(1);
        } else if (c == '\'') {
            const std::size_t end = std::min(rest.find('\''), rest.size());
            word += rest.substr(0, end);
            rest.remove_prefix(std::min(end + 1, rest.size()));
        } else {
            word += c;
        }
    }
    rest.remove_prefix(std::min(rest.find_first_not_of(between_words), rest.size()));
    return word;
}

}  // namespace

std::vector<std::string> read_concat_list(const std::string& path) {
    std::ifstream list(path == "-" ? "/dev/stdin" : path, std::ios::binary);
    if (!list) {
        throw Error(ExitCode::input, fmt::format("{}: {}", path, std::strerror(errno)));
    }
    std::vector<std::string> files;
    std::size_t number = 0;
    if (const int first = list.peek(); first == 0 || first >= 0xFE) {
        throw Error(ExitCode::usage, fmt::format("{}: is no list of files in text (file NAME)", path));
    }
    for (std::string line; std::getline(list, line);) {
        const auto refuse = [&](std::string_view why) {
            throw Error(ExitCode::usage, fmt::format("{}:{}: {}", path, number, why));
        };
        if (++number > max_lines || line.size() > max_line) {
            refuse("a list of files has at most 10000 lines of 64 KiB");
        }
        std::string_view rest = line;
        const std::string word = take_word(rest);
        if (word.empty() || word.starts_with('#') || word == "ffconcat") {
            continue;
        }
        if (word != "file") {
            refuse(
                fmt::format("'{}': a list can only hold lines of the form file NAME, as files are appended whole "
                            "(--append)",
                            shortened(word)));
        }
        const std::string name = take_word(rest);
        if (name.empty() || !rest.empty()) {
            refuse("'file' has one name behind it, in single quotes where it has blanks");
        }
        if (name.starts_with("file:")) {
            files.push_back(input_name(name));  // beside the program, and not beside the list, as ffmpeg has it
            continue;
        }
        // Never an address or a graph, which a name without a folder might be.
        const std::filesystem::path folder = std::filesystem::path(path).parent_path();
        files.push_back(((folder.empty() ? "." : folder) / name).string());
    }
    if (files.empty()) {
        throw Error(ExitCode::input, fmt::format("{}: names no file", path));
    }
    return files;
}

}  // namespace vfilter
