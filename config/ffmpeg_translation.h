#pragma once
// The words of ffmpeg that take more than a value put into place. Only files of config/ffmpeg_* use this.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/ffmpeg_limits.h"
#include "config/ffmpeg_words.h"

namespace vfilter {

/// What is said of the pictures of a file that does not tell it itself, before its -i.
struct FfmpegPictures {
    std::string rate;
    std::string size;
    std::optional<FfmpegWord> size_word;  ///< which told it
    std::string sample_format;
    std::optional<FfmpegWord> raw_codec;  ///< "-c:v rawvideo", as programs that send pictures write it
};

/// What is read.
struct FfmpegInputs {
    int count = 0;       ///< of -i, so far
    std::string format;  ///< of -f before -i
    int loops = 0;       ///< of -stream_loop
    std::string later;   ///< of -itsoffset, for the next -i
};

/// What is said of one sound, or of all; each "" where nothing is.
struct FfmpegSound {
    std::string codec;
    std::string kilobits;
    std::string rate_word;  ///< by which they were told
    std::string channels;   ///< our name of them
    std::string samplerate;
};
constexpr int all_sounds = -1;

struct FfmpegSounds {
    std::map<int, FfmpegSound> said;   ///< by their numbers in the output; all_sounds without one
    std::optional<std::string> graph;  ///< of -af
    bool none = false;                 ///< -an
};

/// What is said of one stream, by its number in the output.
struct FfmpegLabel {
    FfmpegWord row;    ///< with the word that was typed
    std::string kind;  ///< our name of it
    int number = 0;
    std::string text;
};

/// What -map takes.
struct FfmpegMapped {
    std::string kind;       ///< our name of it
    int file = 0;           ///< from 0, in the order of -i
    std::string which;      ///< number or language; "" for all
    bool optional = false;  ///< no mistake where there is none
};

/// Which streams are in the output, and what is said of them.
struct FfmpegStreams {
    std::optional<std::vector<FfmpegMapped>> mapped;  ///< of -map
    std::vector<FfmpegLabel> labels;
    bool copies_subtitles = false;
    bool no_subtitles = false;
    bool no_data = false;
};

/// A command line half way.
struct FfmpegTranslation {
    std::vector<std::string> words;  ///< ours
    std::vector<std::string> last;   ///< those that come after all others
    bool before_input = false;       ///< of the word at hand
    std::string name;                ///< the last that stands alone
    std::string name_before_start;   ///< what it was at -ss
    FfmpegInputs inputs;
    FfmpegPictures pictures;
    FfmpegPart part;
    FfmpegSounds sound;
    FfmpegStreams streams;
    std::optional<FfmpegWord> copies_video;  ///< the last word about the video's codec, if it says that
    std::optional<std::string> graph;        ///< of -vf
    std::optional<FfmpegWord> keeps_turn;    ///< -noautorotate, if it is there
    bool asks = true;

    /// An option of ours; "" for a flag.
    void add(std::string_view option, std::string_view value);
    /// Whether -map leaves any stream of that kind, by our name of it.
    [[nodiscard]] bool keeps(std::string_view kind) const;
};

namespace ffmpeg_words_detail {

inline constexpr std::string_view decoder_word =
    "before -i it is about the input, whose decoder is chosen automatically; leave it out, or "
    "write it after -i for the output";

using Translation = FfmpegTranslation;
using Word = FfmpegWord;

/// Throws Error(usage) with the word's name.
[[noreturn]] void refuse(const Word& row, std::string_view why);
/// Adds what becomes of streams, sound and subtitles, which words anywhere decide.
void finish_streams(Translation& to);
/// Throws Error(usage) where the format is that of a device of other systems, with what is here instead.
void refuse_foreign_device(const Word& row, std::string_view format);
/// The form with the value in place of its {}.
std::string with_value(std::string_view form, const std::string& value);

/// A time as our options take it. Throws Error(usage) with the word's name.
std::string time_of(const Word& row, const std::string& value);

// Each is the `special` of the rows that name it.
void take_input(Translation& to, const Word& row, const std::string& typed);
void take_offset(Translation& to, const Word& row, const std::string& value);
void take_loops(Translation& to, const Word& row, const std::string& value);
void take_start(Translation& to, const Word& row, const std::string& value);
void take_duration(Translation& to, const Word& row, const std::string& value);
void take_end(Translation& to, const Word& row, const std::string& value);
void take_frames(Translation& to, const Word& row, const std::string& value);
void take_format(Translation& to, const Word& row, const std::string& value);
void take_rate(Translation& to, const Word& row, const std::string& value);
void take_size(Translation& to, const Word& row, const std::string& value);
void take_input_size(Translation& to, const Word& row, const std::string& value);
void take_sample_format(Translation& to, const Word& row, const std::string& value);
void take_codec(Translation& to, const Word& row, const std::string& value);
void take_all_codecs(Translation& to, const Word& row, const std::string& value);
void take_sound_codec(Translation& to, const Word& row, const std::string& value);
void take_subtitle_codec(Translation& to, const Word& row, const std::string& value);
void take_quantiser(Translation& to, const Word& row, const std::string& value);
void take_own_option(Translation& to, const Word& row, const std::string& value);
void take_input_option(Translation& to, const Word& row, const std::string& value);
void take_last(Translation& to, const Word& row, const std::string& value);
void take_colour(Translation& to, const Word& row, const std::string& value);
void take_aspect(Translation& to, const Word& row, const std::string& value);
void take_decoding(Translation& to, const Word& row, const std::string& value);
void take_sound_rate(Translation& to, const Word& row, const std::string& value);
void take_channels(Translation& to, const Word& row, const std::string& value);
void take_samplerate(Translation& to, const Word& row, const std::string& value);
void take_label(Translation& to, const Word& row, const std::string& value);
void take_map(Translation& to, const Word& row, const std::string& value);
void take_log(Translation& to, const Word& row, const std::string& value);
void take_graph(Translation& to, const Word& row, const std::string& value);
void take_sound_graph(Translation& to, const Word& row, const std::string& value);
void take_sync(Translation& to, const Word& row, const std::string& value);
void take_pattern(Translation& to, const Word& row, const std::string& value);
void take_no_sound(Translation& to, const Word& row, const std::string& value);
void take_no_subtitles(Translation& to, const Word& row, const std::string& value);
void take_no_data(Translation& to, const Word& row, const std::string& value);
void take_bitrate(Translation& to, const Word& row, const std::string& value);
void take_metadata(Translation& to, const Word& row, const std::string& value);
void take_chapters(Translation& to, const Word& row, const std::string& value);
void take_no_turning(Translation& to, const Word& row, const std::string& value);
void take_no_question(Translation& to, const Word& row, const std::string& value);

}  // namespace ffmpeg_words_detail

}  // namespace vfilter
