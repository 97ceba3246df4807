#include "config/ffmpeg_words.h"

#include "config/ffmpeg_translation.h"

namespace vfilter {

namespace ffmpeg_words_detail {

namespace {

constexpr std::string_view sound_before = "before -i it is about raw sound, of which no input is made here";

// `instead` is what does it here; {} stands for the word.
constexpr FfmpegWord refused(std::string_view words, std::string_view argument, std::string_view instead) {
    FfmpegWord row{words, argument, "", "", instead};
    row.refused = true;
    return row;
}

constexpr FfmpegWord word_table[] = {
    {"-i", "FILE", "input", "{}", "the same; a second one becomes --add; the output is the name without an option",
     take_input},
    {"-itsoffset", "SECONDS", "add", "SECONDS=FILE", "delays the file of the next -i by that much", take_offset},
    {"-stream_loop", "N", "append", "INPUT", "repeats the input N more times", take_loops},
    {"-ss", "TIME", "start", "{}", "the same before and after -i: frame-accurate, and the output begins at 0",
     take_start},
    {"-t", "TIME", "duration", "{}",
     "before -i a duration of the input, after it one of the output: --vf trim if -vf changes times", take_duration},
    {"-to", "TIME", "end", "{}",
     "before -i a time of the input, after it one of the output, which a -ss before -i moves to 0", take_end},
    {"-frames:v -vframes", "N", "frames", "{}",
     "pictures of the output: --vf trim=end_frame=N with -r, or if -vf changes their number", take_frames},
    {"-vf -filter:v", "GRAPH", "vf", "{}", "the same, but only once: ffmpeg uses the last one, while --vf accumulates",
     take_graph},
    {"-s", "WxH", "vf", "scale=s={}",
     "scales after all other filters; before -i the size of camera, screen or raw pictures", take_size},
    {"-r", "RATE", "vf", "fps={}",
     "a constant rate after all other filters: each time gets the nearest picture, where ffmpeg may take a "
     "different one; before -i the rate of the pictures that are read",
     take_rate},
    {"-framerate", "RATE", "framerate", "{}", "rate of a picture sequence, a camera or raw pictures", take_rate},
    {"-start_number", "N", "start-number", "{}", "number of the first picture written", nullptr,
     "before -i it is the first picture that is read; all that there are are read here, and --start Kf leaves out the "
     "first K: N less the first one's number"},
    {"-pattern_type", "glob", "", "", "a name with * or ? is a glob", take_pattern},
    {"-video_size", "WxH", "camera-size", "{}", "size of camera, screen or raw pictures", take_input_size},
    {"-an", "", "audio", "none", "no sound", take_no_sound},
    {"-sn", "", "subtitles", "none", "no subtitles", take_no_subtitles},
    {"-dn", "", "streams", "video,audio,subtitles,attachments", "no data streams", take_no_data},
    {"-c:v -vcodec -codec:v", "CODEC", "codec", "{}", "encoder or codec; before -i only rawvideo, for raw pictures",
     take_codec},
    {"-c:a -acodec -codec:a", "CODEC", "audio", "{}", "a codec, or copy, which is also the default", take_sound_codec,
     decoder_word},
    {"-c:s -scodec -codec:s", "copy|mov_text", "subtitles", "copy",
     "subtitles are copied, or converted to what the container supports, as by default", take_subtitle_codec,
     decoder_word},
    {"-c -codec", "copy", "", "", "only with -c:v: everything else is copied, as by default", take_all_codecs,
     decoder_word},
    {"-b:v -vb -b", "RATE", "bitrate", "{}", "bits per second; 0 together with -crf is what --crf does", take_bitrate},
    {"-b:a -ab", "RATE", "audio", "CODEC:KBITS", "only with -c:a: its bits per second", take_sound_rate},
    {"-ac", "N", "audio", "CODEC:channels=LAYOUT",
     "only with -c:a: number of channels to mix to; 2 is stereo, 6 is 5.1", take_channels, sound_before},
    {"-ar", "HZ", "audio", "CODEC:samplerate={}", "only with -c:a: samples per second", take_samplerate, sound_before},
    {"-c:a:N -codec:a:N", "CODEC", "audio", "N={}", "for the audio stream with that number in the output, from 0",
     take_sound_codec, decoder_word},
    {"-b:a:N", "RATE", "audio", "N=CODEC:KBITS", "bits per second of that audio stream", take_sound_rate},
    {"-af -filter:a", "GRAPH", "af", "{}", "the same, for all sound that is not copied; only once", take_sound_graph},
    {"-crf", "N", "crf", "{}", "the same"},
    {"-preset", "NAME", "preset", "{}", "the same; a preset of --list presets takes precedence"},
    {"-g", "N", "encoder-option", "g={}", "at most N pictures between key frames"},
    {"-bf", "N", "encoder-option", "bf={}", "B-frames in a row"},
    {"-q:v -qscale:v -qscale", "N", "crf", "{}",
     "the quantiser of encoders that have one (mpeg4, mjpeg, mpeg2video); refused for others, whose scale is "
     "different",
     take_quantiser, decoder_word},
    {"-tune -profile -profile:v -level -level:v -maxrate -minrate -bufsize -x264-params -x264opts -x265-params "
     "-svtav1-params "
     "-aom-params -qp -cq -qmin -qmax -refs -keyint_min -sc_threshold -flags -rc-lookahead -aq-mode -aq-strength "
     "-psy-rd "
     "-trellis -coder -subq -me_method -me_range -weightp -b_strategy -b-pyramid -nal-hrd -forced-idr -rc -multipass "
     "-spatial-aq -temporal-aq -cpu-used -deadline -quality -speed -row-mt -tiles -tile-columns -tile-rows "
     "-auto-alt-ref "
     "-lag-in-frames -lossless -compression_level -pred -mbd -strict -slices -slicecrc -context",
     "VALUE", "encoder-option", "NAME={}", "an option of the encoder, by its own name", take_own_option, decoder_word},
    {"-pix_fmt", "NAME", "pix-fmt", "{}", "the same; before -i the format of raw pictures", take_sample_format},
    {"-pixel_format", "NAME", "", "", "format of raw pictures (-f rawvideo): --input-option pixel_format=NAME",
     take_sample_format},
    {"-f", "NAME", "format", "{}", "output container; before -i the input's", take_format},
    {"-map_metadata", "0|-1", "strip", "metadata", "-1 drops all tags; 0 is the default", take_metadata},
    {"-map_chapters", "0", "", "", "this is the default", take_chapters},
    {"-metadata", "KEY=VALUE", "metadata", "{}", "the same"},
    {"-metadata:s:a:N -metadata:s:s:N -metadata:s:v:N", "KEY=VALUE", "metadata", "KIND:N:{}",
     "for the stream with that number in the output", take_label},
    {"-disposition:a:N -disposition:s:N -disposition:v:N", "PURPOSE", "disposition", "KIND:N={}",
     "for the stream with that number in the output", take_label},
    {"-movflags -video_track_timescale -brand -frag_duration -write_tmcd -final_delay -avoid_negative_ts "
     "-max_interleave_delta -cluster_time_limit -mpegts_flags",
     "VALUE", "muxer-option", "NAME={}", "an option of the container, by its own name", take_own_option,
     "before -i it is about the input; --input-option KEY=VALUE"},
    {"-loop", "N", "muxer-option", "loop={}", "how often a GIF or WebP is played; 0 means forever", nullptr,
     "before -i it makes a video of a picture: vfilter photo.png out.mp4 --vf loop=-1:1,trim=end=SECONDS"},
    {"-plays", "N", "muxer-option", "plays={}", "the same for APNG"},
    {"-probesize -analyzeduration -fflags", "VALUE", "input-option", "NAME={}",
     "an option of the input, by its own name; only before -i", take_input_option},
    {"-color_primaries", "NAME", "vf", "setparams=color_primaries={}", "sets the tag, and changes no pixels",
     take_colour},
    {"-color_trc", "NAME", "vf", "setparams=color_trc={}", "sets the tag, and changes no pixels", take_colour},
    {"-colorspace", "NAME", "vf", "setparams=colorspace={}",
     "sets the tag, and changes no pixels, except that RGB is converted to what it names", take_colour},
    {"-color_range", "tv|pc", "vf", "setparams=range={}",
     "sets the tag, and changes no pixels; RGB has no range, and becomes tv if it is converted", take_colour},
    {"-aspect", "RATIO", "vf", "setdar={}", "aspect ratio of the whole picture as displayed", take_aspect},
    {"-hwaccel", "auto|cuda|none", "decode", "auto|cpu", "decodes on the GPU if that is faster, as by default",
     take_decoding},
    {"-hwaccel_output_format", "cuda", "", "", "always the case if a GPU decodes", take_decoding},
    {"-timecode", "HH:MM:SS:FF", "metadata", "timecode={}", "time code of the first picture"},
    {"-max_muxing_queue_size -thread_queue_size", "N", "", "",
     "no effect: queues have room for what the container needs"},
    {"-tag:v -vtag", "TAG", "video-tag", "{}", "the same"},
    {"-map", "FILE[:v|a|s|d|t[:N]]", "streams", "video,KIND[:N]",
     "kinds of streams, or one stream of a kind; by default all streams of all kinds are kept", take_map},
    {"-threads", "N", "threads", "{}", "each for decoder, filters and encoder"},
    {"-fps_mode -vsync", "passthrough|vfr", "", "", "always the case: each picture keeps its time", take_sync},
    {"-y", "", "overwrite", "", "the same"},
    {"-n", "", "no-overwrite", "", "the same"},
    {"-nostdin", "", "no-overwrite", "", "never asks: without -y no file is replaced", take_no_question},
    {"-loglevel -v", "LEVEL", "log-level", "{}", "takes ffmpeg's names and numbers", take_log},
    {"-update", "0|1", "", "", "a name without a number is always a single picture"},
    {"-id3v2_version", "N", "", "", "no effect: sound in video files has no such tags"},
    {"-hide_banner -stats", "", "", "", "always the case"},
    {"-noautorotate", "", "", "", "the default without --vf: the rotation is copied, not applied", take_no_turning},
    {"-safe", "0|1", "", "", "no effect: files of a list (-f concat -i LIST) may be anywhere"},
    {"-nostats", "", "progress", "none", "no progress line"},
    {"-encoders -codecs", "", "list", "encoders", "video encoders"},
    {"-formats -muxers", "", "list", "formats", "containers that can be written"},
    {"-filters", "", "list", "filters", "vfilter's own filters; for those of --vf use ffmpeg -filters"},
    {"-pix_fmts", "", "list", "pixel-formats", "pixel formats"},
    {"-devices -sources", "", "list", "cameras", "cameras and microphones"},
    {"-hwaccels", "", "list", "devices", "processors and GPUs"},
    {"-version", "", "version", "", "the same"},

    refused(
        "-filter_complex -lavfi", "GRAPH",
        "one video comes in and one goes out here: a linear graph is --vf, one of sound --af (--vf setpts=PTS/2 --af "
        "atempo=2), a logo --vf \"movie=logo.png[l];[in][l]overlay=8:8\" --allow-files --allow-network; other graphs "
        "are "
        "ffmpeg's (ffmpeg -i a -i b -filter_complex GRAPH -c:v ffv1 -c:a copy -f nut - | vfilter - out.mkv)"),
    refused("-vn", "", "vfilter filters video; sound alone is ffmpeg's"),
    refused("-sws_flags", "NAME", "--vf scale=W:H:flags=NAME scales in that way"),
    refused("-filter:a:N", "GRAPH", "--af is for all sound that is encoded, and --audio N=copy leaves one as it is"),
    refused("-q:a -qscale:a -aq", "N", "sound takes a rate: --audio CODEC:KBIT"),
    refused("-pass", "N", "--two-pass does both passes in one run"),
    refused("-sseof", "TIME", "times count from the beginning: --start TIME"),
    refused(
        "-re", "",
        "towards an address a file is read at its own pace without it; --live does so always, and leaves pictures out "
        "where "
        "that is too fast"),
    refused("-copyts", "", "timestamps are kept without it, and begin at 0 with --start"),
    refused("-shortest", "", "each stream is kept to its end: --duration TIME ends all where the shortest does"),
    refused("-progress", "URL", "--progress json writes a line for each step on stderr"),
    refused("-report", "", "--log-level debug tells everything, --report FILE writes the outcome"),
    refused("-force_key_frames", "TIMES", "--encoder-option g=N puts at most N pictures between key frames"),
    refused("-bsf:v -bsf:a -bsf -vbsf -absf", "NAME", "what a container needs of packets is done without it"),
    refused("-target", "NAME",
            "its parts are options: a DVD of PAL is out.vob --codec mpeg2video --bitrate 6M --audio ac3 --vf "
            "fps=25,scale=720:576"),
    refused("-c:v:N -codec:v:N -b:v:N -crf:v:N -preset:v:N -profile:v:N -q:v:N -filter:v:N -frames:v:N -tag:v:N",
            "VALUE",
            "one video is filtered, and is :v:0 in the output; --video-stream N takes another, --video-stream all all "
            "alike"),
    refused("-metadata:s:v -metadata:s:a -metadata:s:s", "KEY=VALUE", "of one stream each: {}:0 KEY=VALUE"),
    refused("-metadata:s -metadata:s:N", "KEY=VALUE", "of one stream each, by its kind: -metadata:s:a:0 KEY=VALUE"),
    refused("-disposition:v -disposition:a -disposition:s", "PURPOSE", "of one stream each: {}:0 PURPOSE"),
    refused("-disposition -disposition:N", "PURPOSE", "of one stream each, by its kind: -disposition:a:0 PURPOSE"),
    refused("-aframes -frames:a -dframes -frames:d", "N", "--duration TIME ends all streams"),
    refused("-frame_pts", "0|1", "pictures are numbered one after another, from --start-number N"),
    refused("-autorotate", "",
            "how a video is to be turned is copied, and with any --vf it is turned as it is shown: --vf null"),
    refused("-display_rotation", "DEGREES",
            "how a video is to be turned is copied; --vf transpose=clock turns its pictures"),
    refused("-display_hflip -display_vflip", "",
            "how a video is to be mirrored is copied; --vf hflip, or vflip, mirrors its pictures"),
    refused("-segment_time -hls_time -hls_list_size -hls_playlist_type -hls_segment_filename", "VALUE",
            "the output is one file, of which ffmpeg makes others: ffmpeg -i OUTPUT -c copy -f hls NAME.m3u8"),
    refused("-decoders -demuxers -protocols -bsfs", "", "those of ffmpeg are listed by itself: ffmpeg -decoders"),
    refused("-fs", "BYTES", "--bitrate RATE --two-pass makes a size: its bits over the seconds"),
    refused("-async", "N", "sound keeps its times; --af aresample=async=1 fills what is missing"),
    refused("-skip_frame", "NAME", "all pictures are decoded; --vf select=key takes key pictures"),
    refused("-xerror", "", "--strict ends the run at the first damage"),
    refused("-benchmark", "", "--stats tells what the time went into"),
};

}  // namespace

}  // namespace ffmpeg_words_detail

std::span<const FfmpegWord> ffmpeg_words() {
    return ffmpeg_words_detail::word_table;
}

}  // namespace vfilter
