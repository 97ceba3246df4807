#pragma once
// What can stand next on a command line: `vfilter --complete WORD... CURRENT` prints it, and the shells' completions
// are a few lines each that ask for it.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vfilter {

struct Completion {
    struct Word {
        std::string word;
        std::string description{};
    };
    std::vector<Word> words;  ///< all begin with the word that is being typed
    bool files = false;       ///< names of files can stand there as well
};

/// A list by its name of --list, a line "NAME  DESCRIPTION" for each: what only others know, such as encoders.
using ListOf = std::function<std::string(const std::string& what)>;

/// `typed` are the words after the program's name; the last one, which may be "", is being typed.
Completion complete(std::span<const std::string> typed, const ListOf& list_of);

/// "WORD<tab>DESCRIPTION" for each, and a line ":files" where files can stand.
std::string completion_lines(const Completion& completion);

/// For bash, zsh and fish: what is installed in their folders of completions.
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace vfilter
