#include "config/ffmpeg_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "config/ffmpeg_translation.h"
#include "config/option_values.h"
#include "config/text_layout.h"

namespace vfilter {

namespace {

using namespace ffmpeg_words_detail;

constexpr std::string_view sound_before = "before -i it is about raw sound, of which no input is made here";

constexpr FfmpegWord word_table[] = {
    {"-i",
     "FILE",
     "input",
     "{}",
     "the same; a second one is --add; the output is the name that stands alone",
     false,
     {},
     take_input},
    {"-itsoffset",
     "SECONDS",
     "add",
     "SECONDS=FILE",
     "how much later the file of the next -i begins",
     false,
     {},
     take_offset},
    {"-stream_loop", "N", "append", "INPUT", "the input N times more, one behind another", false, {}, take_loops},
    {"-ss",
     "TIME",
     "start",
     "{}",
     "the same before and after -i: exact to the picture, the output begins at 0",
     false,
     {},
     take_start},
    {"-t",
     "TIME",
     "duration",
     "{}",
     "before -i so much of the input; after it of the output: --vf trim where -vf changes times",
     false,
     {},
     take_duration},
    {"-to",
     "TIME",
     "end",
     "{}",
     "before -i a time of the input; after it one of the output, which -ss before -i moves to 0",
     false,
     {},
     take_end},
    {"-frames:v -vframes",
     "N",
     "frames",
     "{}",
     "pictures of the output: --vf trim=end_frame=N beside -r, or where -vf changes their number",
     false,
     {},
     take_frames},
    {"-vf -filter:v",
     "GRAPH",
     "vf",
     "{}",
     "the same; once, as ffmpeg takes the last one and --vf adds up",
     false,
     {},
     take_graph},
    {"-s",
     "WxH",
     "vf",
     "scale=s={}",
     "scales after all other filters; before -i the size of a camera's, screen's or raw pictures",
     false,
     {},
     take_size},
    {"-r",
     "RATE",
     "vf",
     "fps={}",
     "a constant rate after all other filters, by repeating and leaving out; before -i the rate of pictures",
     false,
     {},
     take_rate},
    {"-framerate",
     "RATE",
     "framerate",
     "{}",
     "rate of a series of pictures, of a camera or of raw pictures",
     false,
     {},
     take_rate},
    {"-start_number", "N", "start-number", "{}", "number of the first picture that is written", false,
     "before -i it is the first picture that is read; all that there are are read here, and --start Kf leaves out the "
     "first K: N less the first one's number"},
    {"-pattern_type", "glob", "", "", "a name with * or ? is one", false, {}, take_pattern},
    {"-video_size",
     "WxH",
     "camera-size",
     "{}",
     "size of a camera's or screen's pictures, or of raw ones",
     false,
     {},
     take_input_size},
    {"-an", "", "audio", "none", "no sound", false, {}, take_no_sound},
    {"-sn", "", "subtitles", "none", "no subtitles", false, {}, take_no_subtitles},
    {"-dn", "", "streams", "video,audio,subtitles,attachments", "no data streams", false, {}, take_no_data},
    {"-c:v -vcodec -codec:v",
     "CODEC",
     "codec",
     "{}",
     "encoder or codec; before -i rawvideo alone, of raw pictures",
     false,
     {},
     take_codec},
    {"-c:a -acodec -codec:a", "CODEC", "audio", "{}", "copy, which is what happens without it, or a codec", false,
     decoder_word, take_sound_codec},
    {"-c:s -scodec -codec:s", "copy|mov_text", "subtitles", "{}",
     "subtitles are copied, or become what the container has, as they do without it", false, decoder_word,
     take_subtitle_codec},
    {"-c -codec", "copy", "", "", "with a -c:v: all else is copied, as it is without it", false, decoder_word,
     take_all_codecs},
    {"-b:v -vb -b",
     "RATE",
     "bitrate",
     "{}",
     "bits per second; 0 beside -crf is what --crf does",
     false,
     {},
     take_bitrate},
    {"-b:a -ab", "RATE", "audio", "{}", "with a -c:a: its bits per second", false, {}, take_sound_rate},
    {"-ac", "N", "audio", "{}", "with a -c:a: how many channels the sound is mixed to", false, sound_before,
     take_channels},
    {"-ar", "HZ", "audio", "{}", "with a -c:a: samples a second", false, sound_before, take_samplerate},
    {"-c:a:N -codec:a:N", "CODEC", "audio", "N={}", "of the sound with that number in the output, from 0", false,
     decoder_word, take_sound_codec},
    {"-b:a:N", "RATE", "audio", "N={}", "the same of its rate", false, {}, take_sound_rate},
    {"-af -filter:a",
     "GRAPH",
     "af",
     "{}",
     "the same, for all sound that is not copied; once",
     false,
     {},
     take_sound_graph},
    {"-crf", "N", "crf", "{}", "the same"},
    {"-preset", "NAME", "preset", "{}", "the same; a preset of --list presets comes first"},
    {"-g", "N", "encoder-option", "g={}", "at most so many pictures between key frames"},
    {"-bf", "N", "encoder-option", "bf={}", "B-frames in a row"},
    {"-q:v -qscale:v -qscale", "N", "encoder-option", "global_quality",
     "the quantiser of encoders that have one (mpeg4, mjpeg, mpeg2video), for which --crf is the same; others have "
     "--crf",
     false, decoder_word, take_quantiser},
    {"-tune -profile:v -level -level:v -maxrate -minrate -bufsize -x264-params -x264opts -x265-params -svtav1-params "
     "-aom-params -qp -cq -qmin -qmax -refs -keyint_min -sc_threshold -flags -rc-lookahead -aq-mode -aq-strength "
     "-psy-rd "
     "-trellis -coder -subq -me_method -me_range -weightp -b_strategy -b-pyramid -nal-hrd -forced-idr -rc -multipass "
     "-spatial-aq -temporal-aq -cpu-used -deadline -quality -speed -row-mt -tiles -tile-columns -tile-rows "
     "-auto-alt-ref "
     "-lag-in-frames -lossless -compression_level -pred -mbd -strict -slices -slicecrc -context",
     "VALUE", "encoder-option", "{}", "an option of the encoder, by its own name", false, decoder_word,
     take_own_option},
    {"-pix_fmt", "NAME", "pix-fmt", "{}", "the same; before -i that of raw pictures", false, {}, take_sample_format},
    {"-pixel_format",
     "NAME",
     "",
     "",
     "of raw pictures (-f rawvideo): --input-option pixel_format=NAME",
     false,
     {},
     take_sample_format},
    {"-f", "NAME", "format", "{}", "container of the output; before -i that of the input", false, {}, take_format},
    {"-map_metadata", "0|-1", "strip", "metadata", "no tags; nothing with 0", false, {}, take_metadata},
    {"-map_chapters", "0", "", "", "what happens without it", false, {}, take_chapters},
    {"-metadata", "KEY=VALUE", "metadata", "{}", "the same"},
    {"-metadata:s:a:N -metadata:s:s:N -metadata:s:v:N",
     "KEY=VALUE",
     "metadata",
     "audio:N:{}",
     "of the stream with that number in the output",
     false,
     {},
     take_label},
    {"-disposition:a:N -disposition:s:N -disposition:v:N",
     "PURPOSE",
     "disposition",
     "audio:N={}",
     "of the stream with that number in the output",
     false,
     {},
     take_label},
    {"-movflags -video_track_timescale -brand -frag_duration -write_tmcd -final_delay -avoid_negative_ts "
     "-max_interleave_delta -cluster_time_limit -mpegts_flags",
     "VALUE", "muxer-option", "{}", "an option of the container, by its own name", false,
     "before -i it is about the input; --input-option KEY=VALUE", take_own_option},
    {"-loop", "N", "muxer-option", "loop={}", "how often a GIF or WebP is played: 0 again and again", false,
     "before -i it makes a video of a picture: vfilter photo.png out.mp4 --vf loop=-1:1,trim=end=SECONDS"},
    {"-plays", "N", "muxer-option", "plays={}", "the same of APNG"},
    {"-probesize -analyzeduration -fflags",
     "VALUE",
     "input-option",
     "{}",
     "an option of the input, by its own name; before -i",
     false,
     {},
     take_input_option},
    {"-color_primaries",
     "NAME",
     "vf",
     "setparams=color_primaries={}",
     "names it, and changes no picture",
     false,
     {},
     take_last},
    {"-color_trc", "NAME", "vf", "setparams=color_trc={}", "names it, and changes no picture", false, {}, take_last},
    {"-colorspace", "NAME", "vf", "setparams=colorspace={}", "names it, and changes no picture", false, {}, take_last},
    {"-color_range", "tv|pc", "vf", "setparams=range={}", "names it, and changes no picture", false, {}, take_last},
    {"-aspect", "RATIO", "vf", "setdar={}", "of the whole picture, as it is shown", false, {}, take_aspect},
    {"-hwaccel",
     "auto|cuda|none",
     "decode",
     "auto|cpu",
     "decodes on the GPU where that is faster, as without it",
     false,
     {},
     take_decoding},
    {"-hwaccel_output_format", "cuda", "", "", "what happens always where a GPU decodes", false, {}, take_decoding},
    {"-timecode", "HH:MM:SS:FF", "metadata", "timecode={}", "of the first picture"},
    {"-max_muxing_queue_size -thread_queue_size", "N", "", "", "queues have room for what the container needs"},
    {"-tag:v -vtag", "TAG", "video-tag", "{}", "the same"},
    {"-map",
     "FILE[:v|a|s|d|t[:N]]",
     "streams",
     "{}",
     "kinds of streams, or one of a kind; of all kinds all streams go without it",
     false,
     {},
     take_map},
    {"-threads", "N", "threads", "{}", "for decoder, filters and encoder each"},
    {"-fps_mode -vsync",
     "passthrough|vfr",
     "",
     "",
     "what happens always: each picture keeps its time",
     false,
     {},
     take_sync},
    {"-y", "", "overwrite", "", "the same"},
    {"-n", "", "no-overwrite", "", "the same"},
    {"-nostdin", "", "no-overwrite", "", "asks nothing: without -y no file is replaced", false, {}, take_no_question},
    {"-loglevel -v", "LEVEL", "log-level", "{}", "ffmpeg's names and numbers", false, {}, take_log},
    {"-update", "0|1", "", "", "a picture's name without a number is one picture"},
    {"-id3v2_version", "N", "", "", "sound beside video has no such tags"},
    {"-hide_banner -stats", "", "", "", "what happens always"},
    {"-noautorotate",
     "",
     "",
     "",
     "what happens without a --vf: how a video is to be turned is copied",
     false,
     {},
     take_no_turning},
    {"-safe", "0|1", "", "", "files of a list (-f concat -i LIST) may lie anywhere"},
    {"-nostats", "", "progress", "none", "no line of progress"},
    {"-encoders -codecs", "", "list", "encoders", "encoders of video"},
    {"-formats -muxers", "", "list", "formats", "containers that can be written"},
    {"-filters", "", "list", "filters", "filters of vfilter; those of --vf are ffmpeg's: ffmpeg -filters"},
    {"-pix_fmts", "", "list", "pixel-formats", "pixel formats"},
    {"-devices -sources", "", "list", "cameras", "cameras and microphones"},
    {"-hwaccels", "", "list", "devices", "processors and GPUs"},
    {"-version", "", "version", "", "the same"},

    {"-filter_complex -lavfi", "GRAPH", "", "",
     "one video comes in and one goes out here: a linear graph is --vf, one of sound --af (--vf setpts=PTS/2 --af "
     "atempo=2), a logo --vf \"movie=logo.png[l];[in][l]overlay=8:8\" --allow-files --allow-network; other graphs are "
     "ffmpeg's (ffmpeg -i a -i b -filter_complex GRAPH -c:v ffv1 -c:a copy -f nut - | vfilter - out.mkv)",
     true},
    {"-vn", "", "", "", "vfilter filters video; sound alone is ffmpeg's", true},
    {"-sws_flags", "NAME", "", "", "--vf scale=W:H:flags=NAME scales in that way", true},
    {"-filter:a:N", "GRAPH", "", "", "--af is for all sound that is encoded, and --audio N=copy leaves one as it is",
     true},
    {"-q:a", "N", "", "", "sound takes a rate: --audio CODEC:KBIT", true},
    {"-pass", "N", "", "", "--two-pass does both passes in one run", true},
    {"-sseof", "TIME", "", "", "times count from the beginning: --start TIME", true},
    {"-re", "", "", "",
     "towards an address a file is read at its own pace without it; --live does so always, and leaves pictures out "
     "where "
     "that is too fast",
     true},
    {"-copyts", "", "", "", "timestamps are kept without it, and begin at 0 with --start", true},
    {"-shortest", "", "", "", "each stream is kept to its end: --duration TIME ends all where the shortest does", true},
    {"-progress", "URL", "", "", "--progress json writes a line for each step on stderr", true},
    {"-report", "", "", "", "--log-level debug tells everything, --report FILE writes the outcome", true},
    {"-force_key_frames", "TIMES", "", "", "--encoder-option g=N puts at most N pictures between key frames", true},
    {"-bsf:v -bsf:a -bsf -vbsf -absf", "NAME", "", "", "what a container needs of packets is done without it", true},
    {"-target", "NAME", "", "",
     "its parts are options: a DVD of PAL is out.vob --codec mpeg2video --bitrate 6M --audio ac3 --vf "
     "fps=25,scale=720:576",
     true},
    {"-c:v:N -codec:v:N -b:v:N -crf:v:N -preset:v:N -profile:v:N -q:v:N -filter:v:N -frames:v:N -tag:v:N", "VALUE", "",
     "",
     "one video is filtered, and is :v:0 in the output; --video-stream N takes another, --video-stream all all alike",
     true},
    {"-metadata:s:v -metadata:s:a -metadata:s:s", "KEY=VALUE", "", "", "of one stream each: {}:0 KEY=VALUE", true},
    {"-metadata:s", "KEY=VALUE", "", "", "of one stream each: -metadata:s:a:0 KEY=VALUE", true},
    {"-disposition:v -disposition:a -disposition:s", "PURPOSE", "", "", "of one stream each: {}:0 PURPOSE", true},
    {"-disposition", "PURPOSE", "", "", "of one stream each: -disposition:a:0 PURPOSE", true},
    {"-autorotate", "", "", "",
     "how a video is to be turned is copied, and with any --vf it is turned as it is shown: --vf null", true},
    {"-display_rotation", "DEGREES", "", "",
     "how a video is to be turned is copied; --vf transpose=clock turns its pictures", true},
    {"-display_hflip -display_vflip", "", "", "",
     "how a video is to be mirrored is copied; --vf hflip, or vflip, mirrors its pictures", true},
    {"-segment_time -hls_time -hls_list_size -hls_playlist_type -hls_segment_filename", "VALUE", "", "",
     "the output is one file, of which ffmpeg makes others: ffmpeg -i OUTPUT -c copy -f hls NAME.m3u8", true},
    {"-decoders -demuxers -protocols -bsfs", "", "", "", "those of ffmpeg are listed by itself: ffmpeg -decoders",
     true},
    {"-fs", "BYTES", "", "", "--bitrate RATE --two-pass makes a size: its bits over the seconds", true},
    {"-async", "N", "", "", "sound keeps its times; --af aresample=async=1 fills what is missing", true},
    {"-skip_frame", "NAME", "", "", "all pictures are decoded; --vf select=key takes key pictures", true},
    {"-xerror", "", "", "", "--strict ends the run at the first damage", true},
    {"-benchmark", "", "", "", "--stats tells what the time went into", true},
};

// "-c:a:1" is "-c:a:N".
std::string with_letter(std::string_view word) {
    const std::size_t colon = word.find_last_not_of("0123456789");
    const bool numbered = colon != std::string_view::npos && word[colon] == ':' && colon + 1 < word.size();
    return std::string(word.substr(0, numbered ? colon + 1 : word.size())) + (numbered ? "N" : "");
}

const FfmpegWord* row_of(std::string_view word) {
    return std::ranges::find_if(word_table, [word](const FfmpegWord& row) { return has_word(row.words, word); });
}

bool is_of_pictures(const FfmpegWord& row) {
    constexpr std::array<std::string_view, 6> pictures{"crf", "preset", "encoder-option", "pix-fmt", "vf", "frames"};
    return std::ranges::find(pictures, row.option) != pictures.end();
}

}  // namespace

std::span<const FfmpegWord> ffmpeg_words() {
    return word_table;
}

const FfmpegWord* find_ffmpeg_word(std::string_view typed) {
    // One video is filtered, the output's first: "-c:v:0".
    if (constexpr std::string_view first = ":0"; typed.ends_with(":v:0")) {
        const FfmpegWord* const of_all = find_ffmpeg_word(typed.substr(0, typed.size() - first.size()));
        if (of_all != nullptr && !of_all->refused) {
            return of_all;
        }
    }
    const auto* const found = row_of(typed.ends_with(":N") ? "" : with_letter(typed));
    if (found != std::end(word_table)) {
        return found;
    }
    // ffmpeg takes a kind of streams behind each of its words that are about streams: "-crf:v".
    const auto* const plain = typed.ends_with(":v") ? row_of(typed.substr(0, typed.size() - 2)) : found;
    return plain != std::end(word_table) && is_of_pictures(*plain) ? plain : nullptr;
}

std::string ffmpeg_word_rows() {
    constexpr std::size_t column = 28;
    std::string understood;
    std::string refused;
    for (const FfmpegWord& row : word_table) {
        const std::string head = fmt::format("{}{}{}", row.words, row.argument.empty() ? "" : " ", row.argument);
        const std::string ours = row.option.empty()
                                     ? ""
                                     : fmt::format("--{}{}{}: ", row.option, row.value.empty() ? "" : " ",
                                                   with_value(row.value, std::string(row.argument)));
        const std::string help = with_value(row.help, std::string(row.words.substr(0, row.words.find(' '))));
        (row.refused ? refused : understood) += help_row(head, fmt::format("{}{}", ours, help), column);
    }
    return fmt::format(
        "These words of ffmpeg are understood:\n{}\nThese are not; what does it instead:\n{}\n{}", understood, refused,
        wrapped("An encoder's own option is --encoder-option KEY=VALUE, a container's is --muxer-option, "
                "an input's is --input-option. Without a word about them all streams are kept."));
}

}  // namespace vfilter
