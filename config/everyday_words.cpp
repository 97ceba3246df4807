#include "config/everyday_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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
    {"add-audio audio-file audio-source srt srt-file subtitle sub-source sub-file mux input2",
     "--add FILE: its sound and subtitles"},
    {"audio-offset srt-offset sync itsoffset delay", "--add SECONDS=FILE: what is added begins so much later"},
    {"quality q qp cqp cq qscale", "--crf N: lower is better, 18 to 28 is usual for H.264"},
    {"compress", "--crf 28, or --codec x265 --crf 28; --vf scale=1280:-2 makes it smaller still"},
    {"deinterlace decomb yadif", "--vf bwdif"},
    {"stabilize stabilise deshake", "--vf deshake"},
    {"noise grain", "--denoise medium, or --vf hqdn3d, which is faster"},
    {"banding bands", "--deband, against bands in smooth shades"},
    {"brightness contrast saturation gamma", "--vf eq=brightness=0.05:contrast=1.1:saturation=1.2:gamma=1.1"},
    {"gray grey grayscale greyscale monochrome bw", "--preset black-and-white"},
    {"text caption title watermark", "--vf drawtext=text=Hello (ffmpeg -h filter=drawtext)"},
    {"logo overlay", "--vf \"movie=logo.png[l];[in][l]overlay=8:8\" --allow-files --allow-network"},
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
    {"gif", "a name with that ending: vfilter in.mp4 out.gif --vf fps=12,scale=480:-2"},
    {"gpu hwaccel", "--device cuda"},
    {"hdr tonemap", "--vf zscale=t=linear:npl=100:p=bt709,tonemap=hable,zscale=t=bt709:m=bt709:r=tv,format=yuv420p"},
    {"jpg png", "a name with that ending: vfilter in.mp4 frames_%04d.png"},
};

bool has_word(std::string_view words, std::string_view word) {
    while (!words.empty()) {
        const std::string_view one = words.substr(0, words.find(' '));
        if (one == word) {
            return true;
        }
        words.remove_prefix(std::min(one.size() + 1, words.size()));
    }
    return false;
}

}  // namespace

std::string everyday_hint(std::string_view word) {
    const auto* const found =
        std::ranges::find_if(everyday_words, [word](const EverydayWord& row) { return has_word(row.words, word); });
    return found == std::end(everyday_words) || word.empty() ? "" : fmt::format("; that is {}", found->ours);
}

}  // namespace vfilter
