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
    {"-i", "FILE", "input", "{}", "the same; a second one is --add; the output is the name that stands alone",
     take_input},
    {"-itsoffset", "SECONDS", "add", "SECONDS=FILE", "how much later the file of the next -i begins", take_offset},
    {"-stream_loop", "N", "append", "INPUT", "the input N times more, one behind another", take_loops},
    {"-ss", "TIME", "start", "{}", "the same before and after -i: exact to the picture, the output begins at 0",
     take_start},
    {"-t", "TIME", "duration", "{}",
     "before -i so much of the input; after it of the output: --vf trim where -vf changes times", take_duration},
    {"-to", "TIME", "end", "{}",
     "before -i a time of the input; after it one of the output, which -ss before -i moves to 0", take_end},
    {"-frames:v -vframes", "N", "frames", "{}",
     "pictures of the output: --vf trim=end_frame=N beside -r, or where -vf changes their number", take_frames},
    {"-vf -filter:v", "GRAPH", "vf", "{}", "the same; once, as ffmpeg takes the last one and --vf adds up", take_graph},
    {"-s", "WxH", "vf", "scale=s={}",
     "scales after all other filters; before -i the size of a camera's, screen's or raw pictures", take_size},
    {"-r", "RATE", "vf", "fps={}",
     "a constant rate after all other filters: each time has the picture nearest to it, where ffmpeg may take another "
     "one; before -i the rate of pictures",
     take_rate},
    {"-framerate", "RATE", "framerate", "{}", "rate of a series of pictures, of a camera or of raw pictures",
     take_rate},
    {"-start_number", "N", "start-number", "{}", "number of the first picture that is written", nullptr,
     "before -i it is the first picture that is read; all that there are are read here, and --start Kf leaves out the "
     "first K: N less the first one's number"},
    {"-pattern_type", "glob", "", "", "a name with * or ? is one", take_pattern},
    {"-video_size", "WxH", "camera-size", "{}", "size of a camera's or screen's pictures, or of raw ones",
     take_input_size},
    {"-an", "", "audio", "none", "no sound", take_no_sound},
    {"-sn", "", "subtitles", "none", "no subtitles", take_no_subtitles},
    {"-dn", "", "streams", "video,audio,subtitles,attachments", "no data streams", take_no_data},
    {"-c:v -vcodec -codec:v", "CODEC", "codec", "{}", "encoder or codec; before -i rawvideo alone, of raw pictures",
     take_codec},
    {"-c:a -acodec -codec:a", "CODEC", "audio", "{}", "copy, which is what happens without it, or a codec",
     take_sound_codec, decoder_word},
    {"-c:s -scodec -codec:s", "copy|mov_text", "subtitles", "copy",
     "subtitles are copied, or become what the container has, as they do without it", take_subtitle_codec,
     decoder_word},
    {"-c -codec", "copy", "", "", "with a -c:v: all else is copied, as it is without it", take_all_codecs,
     decoder_word},
    {"-b:v -vb -b", "RATE", "bitrate", "{}", "bits per second; 0 beside -crf is what --crf does", take_bitrate},
    {"-b:a -ab", "RATE", "audio", "CODEC:KBITS", "with a -c:a: its bits per second", take_sound_rate},
    {"-ac", "N", "audio", "CODEC:channels=LAYOUT", "with a -c:a: what the sound is mixed to, 2 being stereo and 6 5.1",
     take_channels, sound_before},
    {"-ar", "HZ", "audio", "CODEC:samplerate={}", "with a -c:a: samples a second", take_samplerate, sound_before},
    {"-c:a:N -codec:a:N", "CODEC", "audio", "N={}", "of the sound with that number in the output, from 0",
     take_sound_codec, decoder_word},
    {"-b:a:N", "RATE", "audio", "N=CODEC:KBITS", "the same of its rate", take_sound_rate},
    {"-af -filter:a", "GRAPH", "af", "{}", "the same, for all sound that is not copied; once", take_sound_graph},
    {"-crf", "N", "crf", "{}", "the same"},
    {"-preset", "NAME", "preset", "{}", "the same; a preset of --list presets comes first"},
    {"-g", "N", "encoder-option", "g={}", "at most so many pictures between key frames"},
    {"-bf", "N", "encoder-option", "bf={}", "B-frames in a row"},
    {"-q:v -qscale:v -qscale", "N", "crf", "{}",
     "the quantiser of encoders that have one (mpeg4, mjpeg, mpeg2video); with others it is refused, as their scale is "
     "another",
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
    {"-pix_fmt", "NAME", "pix-fmt", "{}", "the same; before -i that of raw pictures", take_sample_format},
    {"-pixel_format", "NAME", "", "", "of raw pictures (-f rawvideo): --input-option pixel_format=NAME",
     take_sample_format},
    {"-f", "NAME", "format", "{}", "container of the output; before -i that of the input", take_format},
    {"-map_metadata", "0|-1", "strip", "metadata", "no tags, which -1 asks for; 0 is what happens without it",
     take_metadata},
    {"-map_chapters", "0", "", "", "what happens without it", take_chapters},
    {"-metadata", "KEY=VALUE", "metadata", "{}", "the same"},
    {"-metadata:s:a:N -metadata:s:s:N -metadata:s:v:N", "KEY=VALUE", "metadata", "KIND:N:{}",
     "of the stream with that number in the output", take_label},
    {"-disposition:a:N -disposition:s:N -disposition:v:N", "PURPOSE", "disposition", "KIND:N={}",
     "of the stream with that number in the output", take_label},
    {"-movflags -video_track_timescale -brand -frag_duration -write_tmcd -final_delay -avoid_negative_ts "
     "-max_interleave_delta -cluster_time_limit -mpegts_flags",
     "VALUE", "muxer-option", "NAME={}", "an option of the container, by its own name", take_own_option,
     "before -i it is about the input; --input-option KEY=VALUE"},
    {"-loop", "N", "muxer-option", "loop={}", "how often a GIF or WebP is played: 0 again and again", nullptr,
     "before -i it makes a video of a picture: vfilter photo.png out.mp4 --vf loop=-1:1,trim=end=SECONDS"},
    {"-plays", "N", "muxer-option", "plays={}", "the same of APNG"},
    {"-probesize -analyzeduration -fflags", "VALUE", "input-option", "NAME={}",
     "an option of the input, by its own name; before -i", take_input_option},
    {"-color_primaries", "NAME", "vf", "setparams=color_primaries={}", "names it, and changes no picture", take_colour},
    {"-color_trc", "NAME", "vf", "setparams=color_trc={}", "names it, and changes no picture", take_colour},
    {"-colorspace", "NAME", "vf", "setparams=colorspace={}",
     "names it, and changes no picture but RGB, which is converted to what it names", take_colour},
    {"-color_range", "tv|pc", "vf", "setparams=range={}",
     "names it, and changes no picture; RGB has none, and becomes tv where it is converted", take_colour},
    {"-aspect", "RATIO", "vf", "setdar={}", "of the whole picture, as it is shown", take_aspect},
    {"-hwaccel", "auto|cuda|none", "decode", "auto|cpu", "decodes on the GPU where that is faster, as without it",
     take_decoding},
    {"-hwaccel_output_format", "cuda", "", "", "what happens always where a GPU decodes", take_decoding},
    {"-timecode", "HH:MM:SS:FF", "metadata", "timecode={}", "of the first picture"},
    {"-max_muxing_queue_size -thread_queue_size", "N", "", "", "queues have room for what the container needs"},
    {"-tag:v -vtag", "TAG", "video-tag", "{}", "the same"},
    {"-map", "FILE[:v|a|s|d|t[:N]]", "streams", "video,KIND[:N]",
     "kinds of streams, or one of a kind; of all kinds all streams go without it", take_map},
    {"-threads", "N", "threads", "{}", "for decoder, filters and encoder each"},
    {"-fps_mode -vsync", "passthrough|vfr", "", "", "what happens always: each picture keeps its time", take_sync},
    {"-y", "", "overwrite", "", "the same"},
    {"-n", "", "no-overwrite", "", "the same"},
    {"-nostdin", "", "no-overwrite", "", "asks nothing: without -y no file is replaced", take_no_question},
    {"-loglevel -v", "LEVEL", "log-level", "{}", "ffmpeg's names and numbers", take_log},
    {"-update", "0|1", "", "", "a picture's name without a number is one picture"},
    {"-id3v2_version", "N", "", "", "sound beside video has no such tags"},
    {"-hide_banner -stats", "", "", "", "what happens always"},
    {"-noautorotate", "", "", "", "what happens without a --vf: how a video is to be turned is copied",
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
