#include "config/everyday_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "config/option_values.h"

namespace vfilter {

namespace {

struct EverydayWord {
    std::string_view words;  ///< parted by spaces
    std::string_view ours;
};

constexpr EverydayWord everyday_words[] = {
    {"blur defocus", "--gaussian 9, stronger with a larger number"},
    {"resize scale size width height resolution", "--vf scale=1280:-2: a width, and the height that belongs to it"},
    {"crop", "--vf crop=W:H:X:Y"},
    {"rotate turn", "--vf transpose=clock, cclock, or transpose=clock,transpose=clock for half a turn"},
    {"flip mirror", "--vf hflip, or vflip"},
    {"fps frame-rate rate", "--vf fps=30"},
    {"speed slow fast slow-motion timelapse", "--vf setpts=PTS/2 --af atempo=2, twice as fast, pictures and sound"},
    {"mute no-audio no-sound silent", "--audio none"},
    {"add-audio audio-file audio-source srt srt-file subtitle subs sub-source sub-file mux input2",
     "--add FILE: its sound and subtitles"},
    {"audio-offset srt-offset sync itsoffset delay", "--add SECONDS=FILE: what is added begins so much later"},
    {"replace-audio", "--add FILE --streams video,audio:@1: the sound of that file alone"},
    {"audio-delay audio-shift",
     "--add 0.5=INPUT --streams video,audio:@1: the input's own sound, half a second later, or earlier with a -"},
    {"extract-audio audio-only", "ffmpeg -i INPUT -vn -c:a copy sound.m4a: vfilter filters video"},
    {"volume louder quieter", "--af volume=6dB"},
    {"loudness loudnorm normalize-audio", "--af loudnorm"},
    {"target-size max-size file-size filesize", "--bitrate RATE --two-pass: the bits of that size over the seconds"},
    {"lossless", "--codec ffv1 for mkv, or --codec x264 --encoder-option qp=0 of YUV with 8 or 10 bits"},
    {"copy remux", "--audio copy of the sound; the video is always encoded, and --codec ffv1 keeps every bit of it"},
    {"quality q qp cqp cq qscale", "--crf N: lower is better, 18 to 28 is usual for H.264"},
    {"compress", "--crf 28, or --codec x265 --crf 28; --vf scale=1280:-2 makes it smaller still"},
    {"deinterlace decomb yadif", "--vf bwdif"},
    {"stabilize stabilise deshake", "--vf deshake"},
    {"noise grain", "--denoise medium, or --vf hqdn3d, which is faster"},
    {"banding bands", "--deband, against bands in smooth shades"},
    {"brightness contrast saturation gamma", "--vf eq=brightness=0.05:contrast=1.1:saturation=1.2:gamma=1.1"},
    {"gray grey grayscale greyscale monochrome bw", "--preset black-and-white"},
    {"text caption title", "--vf drawtext=text=Hello (ffmpeg -h filter=drawtext)"},
    {"logo overlay watermark", "--vf \"movie=logo.png[l];[in][l]overlay=8:8\" --allow-files --allow-network"},
    {"burn burn-in hardsub hardsubs burn-subtitles burn-subs", "--vf subtitles=FILE --allow-files --allow-network"},
    {"lut lut3d cube", "--vf lut3d=FILE.cube --allow-files"},
    {"side-by-side split-screen stack", "--vf \"movie=other.mp4[r];[in][r]hstack\" --allow-files --allow-network"},
    {"freeze hold", "--vf tpad=stop_mode=clone:stop_duration=2: the last picture stays so long"},
    {"aspect aspect-ratio dar", "--vf setdar=16/9"},
    {"hide censor anonymize anonymise", "--preset redact --region X,Y,W,H (--help regions)"},
    {"mosaic pixel pixels", "--pixelate 16 --region X,Y,W,H"},
    {"tune profile level keyint bframes ref refs vbv-maxrate vbv-bufsize",
     "an option of the encoder: --encoder-option tune=film (ffmpeg -h encoder=libx264)"},
    {"encoder vcodec video-codec avcodec", "--codec NAME: --codec x265"},
    {"aencoder acodec audio-codec", "--audio NAME: --audio aac:160"},
    {"trim cut clip from seek start-at ss", "--start TIME --end TIME"},
    {"to until stop stop-at", "--end TIME"},
    {"enable", "an argument of a filter: --gaussian 9:enable=5-10 (--help regions)"},
    {"concat join merge concatenate stitch", "--append FILE: its pictures and sound come behind the input's"},
    {"thumbnail screenshot snapshot", "a picture's name as the output: vfilter in.mp4 shot.png --start 10 --frames 1"},
    {"thumbnails screenshots snapshots", "--vf fps=1 and a picture's name with a number as the output: shot_%d.png"},
    {"gif", "a name with that ending: vfilter in.mp4 out.gif --vf fps=12,scale=480:-2"},
    {"gpu hwaccel", "--device cuda"},
    {"hdr sdr tonemap",
     "SDR from HDR, which is kept otherwise: --vf "
     "zscale=t=linear:npl=100:p=bt709,tonemap=hable,zscale=t=bt709:m=bt709:r=tv,format=yuv420p"},
    {"strip-gps remove-gps no-gps gps", "--strip gps"},
    {"info probe", "ffprobe FILE; vfilter FILE --format null says whether it is damaged, by the exit code 5"},
    {"check validate test", "vfilter FILE --format null: it is damaged if the exit code is 5"},
    {"resume continue", "--skip-existing of many files (--output-dir); a single one begins anew"},
    {"force", "--overwrite, or -y"},
    {"verbose debug", "--log-level debug"},
    {"jpg png", "a name with that ending: vfilter in.mp4 frames_%04d.png"},
};

}  // namespace

std::string everyday_hint(std::string_view word) {
    const auto* const found =
        std::ranges::find_if(everyday_words, [word](const EverydayWord& row) { return has_word(row.words, word); });
    return found == std::end(everyday_words) || word.empty() ? "" : fmt::format("; that is {}", found->ours);
}

}  // namespace vfilter
