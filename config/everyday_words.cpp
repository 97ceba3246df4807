#include "config/everyday_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/letters.h"
#include "config/option_values.h"

namespace vfilter {

namespace {

constexpr std::string_view own_option = ", an option of the encoder (ffmpeg -h encoder=libx264)";

constexpr EverydayWord word_table[] = {
    {"blur defocus smooth gaussianblur stackblur", "--gaussian 9", ", stronger with a larger number"},
    {"resize scale size width height resolution output-res output-size w l maxwidth maxheight", "--vf scale=1280:-2",
     ": a width, and the height that belongs to it"},
    {"autocrop auto-crop crop-mode loose-crop crop-detect cropdetect black-bars blackbars", "--crop auto",
     ": black bars are cut away; --vf crop=W:H:X:Y by numbers"},
    {"crop-by-numbers crop-size", "--vf crop=W:H:X:Y", ": width, height, and where the left upper corner lies"},
    {"pad padding letterbox", "--vf pad=1920:1080:-1:-1", ": a canvas of that size with the picture in its middle"},
    {"rotate turn", "--vf transpose=clock", ", cclock, or transpose=clock,transpose=clock for half a turn"},
    {"flip mirror videoflip transform", "--vf hflip", ", or vflip; transpose=clock turns"},
    {"fps frame-rate rate cfr constant-framerate framerate-out output-framerate", "--vf fps=30", ": a constant rate"},
    {"vfr pfr avsync variable-framerate", "", "each picture keeps its time without it, and --vf fps=30 makes a rate"},
    {"speed fast faster fast-motion speed-up speedup timelapse", "--vf setpts=PTS/2 --af atempo=2",
     ", twice as fast, pictures and sound"},
    {"slow slower slowmo slow-mo slow-motion slow-down slowdown", "--vf setpts=PTS*2 --af atempo=0.5",
     ", half as fast, pictures and sound"},
    {"fade-in fadein fade-out fadeout", "--vf fade=d=1 --af afade=d=1",
     ": the first second; fade=t=out:st=9:d=1 is one that begins after nine"},
    {"vertical portrait shorts reels", "--vf crop=ih*9/16:ih", ": the middle of a wide picture, for an upright screen"},
    {"mute no-audio no-sound silent", "--audio none", ""},
    {"add-audio audio-file audio-source srt srt-file subtitle subs sub-source sub-file mux input2", "--add FILE",
     ": its sound and subtitles"},
    {"audio-offset srt-offset sync itsoffset delay", "--add SECONDS=FILE", ": what is added begins so much later"},
    {"replace-audio", "--add FILE --streams all,audio:@1", ": of the sound that of that file alone"},
    {"audio-delay audio-shift", "--add 0.5=INPUT --streams 'all,audio:@1,subtitles:@0?,attachments:@0?'",
     ": the input's own sound, half a second later, or earlier with a -"},
    {"a audio-stream audio-track audio-tracks atrack", "--streams all,audio:0,audio:1",
     ": which sounds are kept, from 0; --audio 1=aac:128 encodes one of them"},
    {"audio-lang-list audio-lang native-language", "--streams all,audio:eng", ": the sounds in that language"},
    {"subtitle-stream subtitle-track sub-track sub-stream", "--streams all,subtitles:0",
     ": which subtitles are kept, from 0"},
    {"subtitle-lang-list subtitle-lang sub-lang", "--streams all,subtitles:eng", ": the subtitles in that language"},
    {"all-audio all-subtitles audio-copy sub-copy subtitle-copy attachment-copy data-copy chapter-copy markers", "",
     "all streams, chapters and tags are kept without it; a part is --start TIME --end TIME"},
    {"chapters chapter split", "--start chapter:2 --end chapter:4",
     ": chapters 2, 3 and 4, in one file; all of them are kept without it"},
    {"no-chapters", "ffmpeg -i OUTPUT -map 0 -map_chapters -1 -c copy NEW.mkv",
     ": vfilter keeps them, and --strip metadata leaves out their titles"},
    {"no-subtitles no-subs nosubs subtitles-off", "--subtitles none", ""},
    {"subtitle-forced", "--disposition subtitles:0=forced", ""},
    {"srt-lang", "--metadata subtitles:0:language=eng", ""},
    {"aname audio-title", "--metadata audio:0:title=NAME", ""},
    {"extract-audio audio-only no-video", "ffmpeg -i INPUT -map 0:a -c copy sound.mka", ": vfilter filters video"},
    {"audio-filter audio-filters", "--af GRAPH", ", as ffmpeg's -af"},
    {"video-filter video-filters", "--vf GRAPH", ", as ffmpeg's -vf"},
    {"volume louder quieter gain", "--af volume=6dB", ", or a part of it: volume=0.5"},
    {"loudness loudnorm normalize-audio", "--af loudnorm", ""},
    {"target-size max-size file-size filesize", "--bitrate RATE --two-pass",
     ": the bits of that size over the seconds"},
    {"vb video-bitrate vbr cbr", "--bitrate 2000k", ": with the unit, k or M"},
    {"multi-pass multipass 2pass twopass", "--bitrate 2000k --two-pass", ""},
    {"lossless", "--codec ffv1", " for mkv, or --codec x264 --encoder-option qp=0 of YUV with 8 or 10 bits"},
    {"copy remux", "--audio copy",
     " of the sound; the video is always encoded, and --codec ffv1 keeps every bit of it"},
    {"quality q qp cqp qvbr cq qscale", "--crf 23", ": lower is better, 18 to 28 is usual for H.264"},
    {"compress", "--crf 28", ", or --codec x265 --crf 28; --vf scale=1280:-2 makes it smaller still"},
    {"deinterlace decomb yadif nnedi", "--vf bwdif=mode=send_frame",
     ": one picture of two fields; --vf bwdif makes one of each, twice as many a second"},
    {"detelecine ivtc afs", "--vf fieldmatch,bwdif=mode=send_frame:deint=interlaced,decimate",
     ": four pictures of five"},
    {"stabilize stabilise deshake", "--vf deshake", ""},
    {"noise grain knn pmd denoise-dct convolution3d fft3d fastnlmeansdenoising fastnlmeansdenoisingcolored vpp-smooth",
     "--denoise medium", ", or --vf hqdn3d, which is faster"},
    {"edgelevel warpsharp lapsharp", "--sharpen 0.8", ""},
    {"medianblur", "--median 5", ": OpenCV's ksize"},
    {"filter2d sepfilter2d", "--kernel \"1 2 1; 2 4 2; 1 2 1\"", ": rows parted by ;, divided by their sum"},
    {"canny", "--vf edgedetect=low=0.1:high=0.4",
     ": Canny's, with thresholds from 0 to 1; --sobel has edges as they "
     "are"},
    {"clahe equalizehist", "--vf histeq", ": of the whole picture, as FFmpeg has no CLAHE"},
    {"threshold adaptivethreshold binarize", "--vf \"format=gray,lut=y='gt(val,127)*255'\"",
     ": white above 127, else black"},
    {"erode", "--vf erosion", ""},
    {"dilate", "--vf dilation", ""},
    {"morphologyex", "--vf erosion,dilation", " to open; dilation,erosion closes"},
    {"invert negative bitwise-not", "--vf negate", ""},
    {"mask", "--gaussian 9:mask=FILE", ": an argument of a filter (--help regions)"},
    {"banding bands", "--deband", ", against bands in smooth shades"},
    {"brightness contrast saturation gamma tweak", "--vf eq=brightness=0.05:contrast=1.1:saturation=1.2:gamma=1.1", ""},
    {"gray grey grayscale greyscale monochrome bw cvtcolor", "--preset black-and-white",
     " of YUV; --vf format=gray of RGB as well (PNG, GIF)"},
    {"text caption", "--vf drawtext=text=Hello", " (ffmpeg -h filter=drawtext)"},
    {"title main-feature", "--metadata title=NAME",
     " for the file's title, --vf drawtext=text=NAME for one in the pictures; discs are no input here"},
    {"logo overlay watermark", "--vf \"movie=logo.png[l];[in][l]overlay=8:8\" --allow-files --allow-network", ""},
    {"burn burn-in hardsub hardsubs burn-subtitles burn-subs subtitle-burn subtitle-burned subburn",
     "--vf subtitles=FILE --allow-files --allow-network", ": INPUT itself for its own"},
    {"lut lut3d cube", "--vf lut3d=FILE.cube --allow-files", ""},
    {"side-by-side split-screen stack", "--vf \"movie=other.mp4[r];[in][r]hstack\" --allow-files --allow-network", ""},
    {"freeze hold", "--vf tpad=stop_mode=clone:stop_duration=2", ": the last picture stays so long"},
    {"select-every", "--vf framestep=2", ": one of so many pictures"},
    {"aspect aspect-ratio dar", "--vf setdar=16/9", ""},
    {"sar pixel-aspect", "--vf setsar=1", ""},
    {"hide censor anonymize anonymise", "--preset redact --region X,Y,W,H", " (--help regions)"},
    {"mosaic pixel pixels", "--pixelate 16 --region X,Y,W,H", ""},
    {"output-depth bit-depth", "--pix-fmt yuv420p10", ": 10 bits"},
    {"output-csp", "--pix-fmt yuv444p", ""},
    {"colorspace", "--vf colorspace=all=bt709:iall=bt601-6-625", ": from BT.601 to BT.709"},
    {"colormatrix", "--vf setparams=colorspace=bt709", ": names it, and changes no picture"},
    {"colorprim", "--vf setparams=color_primaries=bt709", ": names it, and changes no picture"},
    {"transfer", "--vf setparams=color_trc=bt709", ": names it, and changes no picture"},
    {"max-cll master-display", "", "HDR10's values are kept without it"},
    {"tune encoder-tune", "--encoder-option tune=film", own_option},
    {"profile encoder-profile", "--encoder-option profile=high", own_option},
    {"level encoder-level", "--encoder-option level=4.1", own_option},
    {"keyint gop gop-len keyframes key-frames keyframe-interval", "--encoder-option g=250", own_option},
    {"bframes b-frames", "--encoder-option bf=3", own_option},
    {"ref refs", "--encoder-option refs=4", own_option},
    {"lookahead rc-lookahead", "--encoder-option rc-lookahead=40", own_option},
    {"aq aq-mode aq-strength", "--encoder-option aq-mode=1", own_option},
    {"max-bitrate maxrate bufsize vbv-maxrate vbv-bufsize", "--encoder-option maxrate=5M --encoder-option bufsize=10M",
     own_option},
    {"encopts", "--encoder-option KEY=VALUE", own_option},
    {"x264-params x264opts", "--encoder-option x264-params=KEY=VALUE", own_option},
    {"encoder-preset Z", "--preset NAME", ": one of the encoder's or of --list presets"},
    {"encoder e vcodec video-codec avcodec fourcc", "--codec NAME", ": --codec x265"},
    {"h264 x264", "--codec x264", ""},
    {"hevc h265 x265", "--codec x265", ""},
    {"av1", "--codec av1", ""},
    {"vp9", "--codec vp9", ""},
    {"prores", "--codec prores", ", in a .mov or .mkv"},
    {"container output-format out-format", "--format NAME",
     ": --format matroska; without it the output's ending says it"},
    {"aencoder E acodec audio-codec", "--audio NAME", ": --audio aac:160"},
    {"ab audio-bitrate abitrate B", "--audio aac:160", ": kilobits a second"},
    {"mixdown", "--audio aac:160:channels=stereo", ""},
    {"arate samplerate audio-samplerate", "--audio aac:160:samplerate=48000", ""},
    {"time length", "--duration TIME", ": so much, counted from --start"},
    {"trim cut clip from seek start-at ss", "--start TIME --end TIME", ": chapter:2 is a TIME as well"},
    {"skip skip-frames", "--start 5f", ": so many pictures, or --start 5 of seconds"},
    {"to until stop stop-at seekto", "--end TIME", ""},
    {"enable", "--gaussian 9:enable=5-10", ": an argument of a filter (--help regions)"},
    {"concat join merge concatenate stitch", "--append FILE", ": its pictures and sound come behind the input's"},
    {"repeat", "--append INPUT", ": the input once more, behind itself"},
    {"input-dir indir output-folder out-folder out-dir outdir", "vfilter FOLDER/* --output-dir done", ""},
    {"recursive", "vfilter FOLDER/* FOLDER/*/* --output-dir done", ": also of the folders in it, into one folder"},
    {"contact-sheet contactsheet montage storyboard",
     "vfilter in.mp4 sheet.png --vf fps=1,scale=160:-2,tile=4x4,trim=end_frame=1",
     ": sixteen small pictures in one, one of each second"},
    {"thumbnail screenshot snapshot", "vfilter in.mp4 shot.png --start 10 --frames 1",
     ": a picture's name as the output"},
    {"thumbnails screenshots snapshots", "vfilter in.mp4 shot_%d.png --vf fps=1",
     ": a picture's name with a number as the output"},
    {"extract extract-frames frames-dir", "vfilter FOLDER/* --output-dir done --name '{stem}/%05d.png'",
     ": the pictures of each in a folder of its own; of one, frames_%05d.png as the output"},
    {"gif", "vfilter in.mp4 out.gif --vf fps=12,scale=480:-2", ": a name with that ending"},
    {"gpu", "--device cuda", ""},
    {"gpu-select gpu-id gpu-index", "--device cuda:0", ": the first GPU; --list devices has all of them"},
    {"avhw hwaccel hw hwdec hw-decode hw-accel", "--decode gpu",
     ": decodes on the GPU, as auto does where that is faster; --codec h264_nvenc encodes there"},
    {"nvenc hwenc hw-encode", "--codec h264_nvenc",
     ", hevc_nvenc or av1_nvenc: NVIDIA's; other hardware encoders are not used"},
    {"avsw", "--decode cpu", ""},
    {"hdr sdr hdr2sdr hdr-to-sdr tonemap libplacebo-tonemapping colorspace-hdr2sdr",
     "--vf zscale=t=linear:npl=100:p=bt709,tonemap=hable,zscale=t=bt709:m=bt709:r=tv,format=yuv420p",
     ": SDR from HDR, which is kept otherwise"},
    {"rtsp ip-camera", "vfilter rtsp://camera/stream out.mp4 --allow-network", ""},
    {"rtmp broadcast", "vfilter in.mp4 rtmp://host/live/key --allow-network", ""},
    {"strip-gps remove-gps no-gps gps", "--strip gps", ""},
    {"no-metadata strip-metadata remove-metadata", "--strip metadata", ": all tags, also those of languages"},
    {"optimize optimise faststart fast-start web-optimized web-optimised", "",
     "mp4 and mov have their index in front without it"},
    {"input-file infile", "", "the input is the first name: vfilter in.mp4 out.mp4"},
    {"output-file outfile", "", "the output is the second name: vfilter in.mp4 out.mp4"},
    {"dont-overwrite never-overwrite no-clobber", "", "that is --no-overwrite, or -n"},
    {"info probe scan", "ffprobe FILE", "; vfilter FILE --format null says whether it is damaged, by the exit code 5"},
    {"check validate test", "vfilter FILE --format null", ": it is damaged if the exit code is 5"},
    {"ssim", "ffmpeg -i OUTPUT -i INPUT -lavfi ssim -f null -", ", which compares two files"},
    {"psnr", "ffmpeg -i OUTPUT -i INPUT -lavfi psnr -f null -", ", which compares two files"},
    {"vmaf", "ffmpeg -i OUTPUT -i INPUT -lavfi ssim -f null -",
     ", which compares two files by SSIM; libvmaf in its place is VMAF where FFmpeg has it"},
    {"resume continue", "vfilter *.mp4 --output-dir done --skip-existing", ": of many files; a single one begins anew"},
    {"force", "--overwrite", ", or -y"},
    {"verbose debug", "--log-level debug", ""},
    {"log-file logfile", "--report FILE.json",
     ": how the run ended; what is said while it lasts goes to stderr (2> log.txt)"},
    {"dry-run dryrun simulate", "vfilter in.mp4 --format null",
     ": filters all of it and writes nothing; --print-config says how options are understood"},
    {"preset-list list-presets presets", "vfilter --list presets", ""},
    {"encoder-list list-encoders list-codecs codecs", "vfilter --list encoders", ""},
    {"format-list list-formats formats", "vfilter --list formats", ""},
    {"filter-list list-filters", "vfilter --list filters", "; those of --vf are ffmpeg's: ffmpeg -filters"},
    {"device-list list-devices devices", "vfilter --list devices", ""},
    {"perf-monitor", "--stats", ""},
    {"jpg png", "vfilter in.mp4 frames_%04d.png", ": a name with that ending"},
};

}  // namespace

const EverydayWord* everyday_row(std::string_view word) {
    const auto* const found = std::ranges::find_if(
        word_table, [word](const EverydayWord& row) { return !word.empty() && has_word(row.words, word); });
    return found == std::end(word_table) ? nullptr : found;
}

std::span<const EverydayWord> everyday_words() {
    return word_table;
}

std::string everyday_lines() {
    std::string text;
    for (const EverydayWord& row : word_table) {
        text += fmt::format("{}\t{}\n", row.words.substr(0, row.words.find(' ')), row.line);
    }
    return text;
}

std::vector<std::string> spellings_of(const std::string& word) {
    // NVEncC's and rigaya's other encoders' filters are named so.
    constexpr std::string_view prefix = "vpp-";
    std::string plain = lower_case(word);
    std::ranges::replace(plain, '_', '-');
    std::vector<std::string> spellings{word};
    const auto add = [&spellings](const std::string& spelling) {
        if (!spelling.empty() && std::ranges::find(spellings, spelling) == spellings.end()) {
            spellings.push_back(spelling);
        }
    };
    add(plain);
    add(plain.substr(plain.starts_with(prefix) ? prefix.size() : 0));
    return spellings;
}

std::string without_kind(const std::string& word) {
    constexpr std::array<std::string_view, 2> kinds{"blur", "filter"};
    for (const std::string_view kind : kinds) {
        if (word.ends_with(kind) && word.size() > kind.size()) {
            const std::string rest = word.substr(0, word.size() - kind.size());
            return rest.ends_with('-') ? rest.substr(0, rest.size() - 1) : rest;
        }
    }
    return "";
}

std::string everyday_help(std::string_view word) {
    const EverydayWord* const row = everyday_row(word);
    return row == nullptr      ? ""
           : row->line.empty() ? fmt::format("{}: {}\n", word, row->note)
                               : fmt::format("{} is {}{}\n", word, row->line, row->note);
}

std::string everyday_hint(std::string_view word) {
    const EverydayWord* const row = everyday_row(word);
    return row == nullptr      ? ""
           : row->line.empty() ? fmt::format("; {}", row->note)
                               : fmt::format("; that is {}{}", row->line, row->note);
}

}  // namespace vfilter
