#pragma once
// Lines of ffmpeg's words, as tests write them.

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "config/error.h"
#include "config/ffmpeg_words.h"

namespace vfilter {

/// Its words.
inline std::vector<std::string> split(const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    return words;
}

/// The line in our words.
inline std::string translated(const std::string& line) {
    const std::vector<std::string> words = split(line);
    std::vector<const char*> arguments;
    for (const std::string& word : words) {
        arguments.push_back(word.c_str());
    }
    std::string result;
    for (const std::string& word : without_ffmpeg_words(arguments)) {
        result += (result.empty() ? "" : " ") + word;
    }
    return result;
}

/// Why there is none.
inline std::string refused(const std::string& line) {
    try {
        return "accepted: " + translated(line);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        return error.what();
    }
}

}  // namespace vfilter
