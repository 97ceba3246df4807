#pragma once
// Words of ffmpeg's command line where they mean one thing here: "-ss 5 -i in.mp4 -c:v libx264 out.mp4". One table,
// which the parser, --help ffmpeg and the completion walk.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vfilter {

struct FfmpegTranslation;

/// A row of the table. ffmpeg's options stand before -i or after it, and some mean another thing in each place.
struct FfmpegWord {
    std::string_view words;     ///< the same by several names, separated by blanks, each with its dash
    std::string_view argument;  ///< placeholder; "" for a flag
    std::string_view option;    ///< ours, without dashes; "" where there is nothing to be done or the word is refused
    /// Of ours, {} stands for the argument; "" for a flag. What --help prints has to work when it is typed: of what
    /// `special` makes by itself it is the form, with words in capitals.
    std::string_view value;
    std::string_view help;  ///< what it does here; of a refused word, what does it instead, {} stands for the word
    /// What takes more than a value put into place; null for others.
    void (*special)(FfmpegTranslation&, const FfmpegWord&, const std::string& value) = nullptr;
    std::string_view before_input = {};  ///< why it is refused before -i; "" where its place does not matter
    bool refused = false;
};

std::span<const FfmpegWord> ffmpeg_words();
/// The row of "-ss", or null. Numbers of streams are a letter in the table: "-c:a:1" is "-c:a:N".
const FfmpegWord* find_ffmpeg_word(std::string_view typed);
/// Whether a word that has no row is one of ffmpeg's for certain.
bool is_word_of_ffmpeg(std::string_view typed);
/// For --help ffmpeg.
std::string ffmpeg_word_rows();
/// The row of one word, as it is typed, for --help; "" where it is none.
std::string ffmpeg_word_row(std::string_view typed);

/// The arguments with ffmpeg's words replaced by ours; all others stay as and where they are. Throws Error(usage) with
/// our way for a word that means nothing here, or another thing.
std::vector<std::string> without_ffmpeg_words(std::span<const char* const> arguments);

}  // namespace vfilter
