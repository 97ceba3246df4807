// How a word of ffmpeg's is found in the table, and what --help says of it.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "config/ffmpeg_translation.h"
#include "config/ffmpeg_words.h"
#include "config/option_values.h"
#include "config/text_layout.h"
#include "filters/names.h"

namespace vfilter {

namespace {

using ffmpeg_words_detail::with_value;

// "-c:a:1" is "-c:a:N".
std::string with_letter(std::string_view word) {
    const std::size_t colon = word.find_last_not_of("0123456789");
    const bool numbered = colon != std::string_view::npos && word[colon] == ':' && colon + 1 < word.size();
    return std::string(word.substr(0, numbered ? colon + 1 : word.size())) + (numbered ? "N" : "");
}

const FfmpegWord* row_of(std::string_view word) {
    const auto found =
        std::ranges::find_if(ffmpeg_words(), [word](const FfmpegWord& row) { return has_word(row.words, word); });
    return found == ffmpeg_words().end() ? nullptr : &*found;
}

bool is_of_pictures(const FfmpegWord& row) {
    constexpr std::array<std::string_view, 6> pictures{"crf", "preset", "encoder-option", "pix-fmt", "vf", "frames"};
    return std::ranges::find(pictures, row.option) != pictures.end();
}

// Of its words those that are to be named.
std::string row_text(const FfmpegWord& row, std::string_view words) {
    constexpr std::size_t column = 28;
    const std::string head = fmt::format("{}{}{}", words, row.argument.empty() ? "" : " ", row.argument);
    const std::string ours = row.option.empty() ? ""
                                                : fmt::format("--{}{}{}: ", row.option, row.value.empty() ? "" : " ",
                                                              with_value(row.value, std::string(row.argument)));
    const std::string help = with_value(row.help, std::string(words.substr(0, words.find(' '))));
    return help_row(head, fmt::format("{}{}", ours, help), column);
}

// Options of ffmpeg's that are in no row: a word like one of ours is meant for none of them.
constexpr std::string_view other_words =
    "-L -abort_on -accurate_seek -apad -apre -atag -attach -autoscale -benchmark_all -bits_per_raw_sample "
    "-buildconf -canvas_size -ch_layout -channel_layout -channel_layouts -colors -copyinkf -copytb "
    "-correct_ts_overflow -cpucount -cpuflags -dc -debug -debug_ts -discard -dispositions -dts_delta_threshold "
    "-dts_error_threshold "
    "-dump -dump_attachment -enc_time_base -ffprobe -filter -filter_complex_script -filter_complex_threads "
    "-filter_hw_device -filter_script -filter_threads -find_stream_info -fix_sub_duration -force_fps -fpre "
    "-frame_drop_threshold -guess_layout_max -h -help -hex -ignore_unknown -init_hw_device -inter_matrix "
    "-intra -intra_matrix -isync -itsscale -layouts -license -map_channel -max_alloc -max_error_rate -muxdelay "
    "-muxpreload -passlogfile -pre -presets -program -psnr -qphist -rc_override -readrate -recast_media "
    "-reinit_filter -sample_fmt -sample_fmts -sdp_file -seek_timestamp -sinks -spre -stag -start_at_zero -stats_period "
    "-stdin -streamid -time_base -timelimit -timestamp -top -vol -vpre -vstats -vstats_file -vstats_version";

}  // namespace

const FfmpegWord* find_ffmpeg_word(std::string_view typed) {
    // One video is filtered, the output's first: "-c:v:0".
    if (constexpr std::string_view first = ":0"; typed.ends_with(":v:0")) {
        const FfmpegWord* const of_all = find_ffmpeg_word(typed.substr(0, typed.size() - first.size()));
        if (of_all != nullptr && !of_all->refused) {
            return of_all;
        }
    }
    if (const FfmpegWord* const found = row_of(typed.ends_with(":N") ? "" : with_letter(typed)); found != nullptr) {
        return found;
    }
    // ffmpeg takes a kind of streams behind each of its words that are about streams: "-crf:v".
    const FfmpegWord* const plain = typed.ends_with(":v") ? row_of(typed.substr(0, typed.size() - 2)) : nullptr;
    return plain != nullptr && is_of_pictures(*plain) ? plain : nullptr;
}

bool is_word_of_ffmpeg(std::string_view typed) {
    return typed.size() > 2 && typed[0] == '-' && typed[1] != '-' &&
           (typed.find_first_of(":_") != std::string_view::npos || has_word(other_words, typed));
}

std::string ffmpeg_word_row(std::string_view typed) {
    const FfmpegWord* const row = find_ffmpeg_word(typed);
    return row == nullptr ? "" : row_text(*row, typed);
}

std::string ffmpeg_word_rows() {
    std::string understood;
    std::string refused;
    for (const FfmpegWord& row : ffmpeg_words()) {
        (row.refused ? refused : understood) += row_text(row, row.words);
    }
    return fmt::format(
        "These options of ffmpeg are accepted:\n{}\nThese are refused; what to use instead:\n{}\n{}", understood,
        refused,
        wrapped(
            "To set an encoder's own options, use --encoder-option KEY=VALUE; for a container's, --muxer-option; for "
            "an input's, --input-option. By default all streams are kept."));
}

}  // namespace vfilter
