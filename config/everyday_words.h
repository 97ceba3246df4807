#pragma once
// Options that people expect by a name of everyday's or of another program's, and what does it here.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vfilter {

/// Words, and what is to be typed instead of them.
struct EverydayWord {
    std::string_view words;  ///< parted by spaces
    std::string_view line;   ///< options as a shell takes them, or a whole command; "" where there is nothing to do
    std::string_view note;   ///< what follows it, with its own sign in front; without a line the whole sentence
};

std::span<const EverydayWord> everyday_words();

/// A line each: its first word, a tab, and what is to be typed. For tests that type it.
std::string everyday_lines();

/// The words by which a typed one may be known: "vpp-Edge_Level" itself, "vpp-edge-level" and "edge-level".
std::vector<std::string> spellings_of(const std::string& word);

/// "median" of "medianblur", "bilateral" of "bilateral-filter"; "" of any other word.
std::string without_kind(const std::string& word);

/// "resize is --vf scale=1280:-2: a width ..." for --help; "" for a word that is in no list.
std::string everyday_help(std::string_view word);

/// The row that has a word, or null.
const EverydayWord* everyday_row(std::string_view word);

/// "; that is --vf scale=1280:-2" for resize; "" for a word that is in no list.
std::string everyday_hint(std::string_view word);

}  // namespace vfilter
