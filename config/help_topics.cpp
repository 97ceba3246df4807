#include "config/help_topics.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/exit_texts.h"
#include "config/ffmpeg_words.h"
#include "config/filter_texts.h"
#include "config/option_values.h"
#include "config/quality_texts.h"
#include "config/text_layout.h"

namespace vfilter {

namespace {

std::string option_row(const OptionDef& def) {
    return help_row(option_head(def), def.help);
}

std::string exit_code_rows() {
    std::string text = "Exit codes:\n";
    for (const ExitText& row : exit_texts) {
        text += fmt::format("  {:>3}  {}\n", static_cast<int>(row.code), row.text);
    }
    return text;
}

constexpr FixedText encoders_text = with_qualities(
    "The container is chosen by the output's name or --format, the codec by --codec: H.264 for mp4, mkv and mov, VP9 "
    "for webm if not given. --list encoders has all of them.\n\n"
    "  --codec libx264 --crf 18 --preset slow     good, any player\n"
    "  --codec ffv1                               lossless, in .mkv\n"
    "  --codec libx265 --encoder-option tune=grain\n\n"
    "Without --crf and --bitrate the quality is --crf ",
    true,
    ", where a smaller number is a better picture and a larger file. Hardware encoders other than "
    "NVIDIA's (h264_nvenc, hevc_nvenc, av1_nvenc) are not used.\n\n"
    "A .gif gets the 256 colours of its clip: a file is read twice for them. Fewer and smaller pictures make it "
    "small: --vf fps=12,scale=480:-2\n");

constexpr HelpTopic topics[] = {
    {"filters", "what filters there are, and how a chain of them is written",
     "Filters are options, and run in the order in which they stand. The first value may be given without its name, "
     "others are key=value, joined by colons:\n\n"
     "  --gaussian 5   --gaussian 9:sigma=2   --gaussian sigma=2.5:chroma=off\n"
     "  --filters \"gaussian=5,box=3\"          the same as --gaussian 5 --box 3\n\n"
     "--help FILTER has the arguments of one of them, with a formula and an example.\n",
     "", "filters region dither list", filter_rows},
    {"regions", "filters in a part of the picture: rectangles, tracks, masks",
     "Every filter takes a region, as the picture is shown. Outside of it each byte stays as it was decoded.\n\n"
     "  --gaussian 9:region=100,50,64,48          x,y,width,height in pixels\n"
     "  --gaussian 9:region=60%,10%,20%,30%       or in percent of the picture\n"
     "  --box 31:region=0,0,50,50+200,0,50,50     several, joined by +\n"
     "  --gaussian 9:mask=mask.png                white is filtered, black is not\n"
     "  --gaussian 9:region=10%,10%,50%,50%:feather=8:invert=yes\n"
     "  --pixelate 24:region=@tracks.csv:pad=10%  boxes that move, as trackers write\n"
     "  --fill black:enable=5-10                  from 5 seconds on, before 10\n\n"
     "A blur can be undone by anyone who knows its size. To hide faces and plates for good: --preset redact --region "
     "@tracks.csv, or --fill black.\n",
     "", "region"},
    {"vf", "steps of FFmpeg's libavfilter in the chain",
     "What ffmpeg takes after -vf, any number of times up to 32, anywhere among the filters:\n\n"
     "  vfilter in.mkv out.mkv --vf bwdif --gaussian sigma=2 --vf scale=1280:-2\n\n"
     "\"ffmpeg -filters\" lists what there is, \"ffmpeg -h filter=scale\" explains one. A graph has one input and one "
     "output of pictures; what lies between may have branches and labels.\n\n"
     "What a graph changes, the output has: size, pixel format, rate, number and times of pictures, colours. Filters "
     "after it work on what it gives; their regions are of that size.\n\n"
     "Pictures come as they are shown: where the input asks to be turned, they are, before the first graph. Time "
     "begins with 0 at --start, or where the input begins. --start, --end, --duration and --frames are about the "
     "input.\n\n"
     "--crop auto looks at pictures all over the file, and puts a crop that cuts black bars away before all steps.\n\n"
     "Filters that open files or load libraries (lut3d, frei0r) need --allow-files, those that can open addresses as "
     "well (movie, subtitles) --allow-network, too. Filters of hardware devices (hwupload, scale_cuda) are not for "
     "here.\n\n"
     "In a configuration file:\n\n"
     "  [[filter]]\n"
     "  name = \"vf\"\n"
     "  graph = \"bwdif,scale=1280:-2\"\n",
     "", "vf crop allow-files allow-network"},
    {"streams", "which video, sound, subtitles, tags",
     "Everything that the output can hold is copied: all sound, subtitles, data and attachments, with chapters, tags "
     "and timestamps. Sound that it cannot hold is encoded. Of several videos the best one is filtered. What cannot be "
     "kept is named.\n\n"
     "  --audio none       --audio aac:128       --subtitles none\n"
     "  --audio aac:160:channels=stereo          5.1 mixed to two channels\n"
     "  --audio 0=aac:160,jpn=copy,ger=none      each of several as it is wanted\n"
     "  --add film.srt     --add -0.5=mix.wav    of other files, one 0.5 s earlier\n"
     "  --append b.mp4     --append c.mp4        clips, one behind another\n"
     "  --af loudnorm      --af volume=6dB       filters of sound, as of -af\n"
     "  --vf setpts=PTS/2 --af atempo=2          twice as fast, all of it\n"
     "  --start chapter:2 --end chapter:4        chapters 2, 3 and 4\n"
     "  --streams video,audio                    these kinds alone\n"
     "  --streams all,audio:1,subtitles:eng      one sound of several (from 0)\n"
     "  --strip gps        --strip metadata      --metadata title=Holiday\n",
     option_group::streams, "video-stream"},
    {"part", "a part of the input, by times or numbers", "", option_group::part},
    {"pictures", "single pictures and series of them",
     "  vfilter photo.jpg soft.png --gaussian sigma=2       one picture\n"
     "  vfilter frames_%04d.png out.mp4 --framerate 24      a series as a video\n"
     "  vfilter 'shots/*.png' out.mkv --codec ffv1          a glob, in quotes\n"
     "  vfilter in.mp4 frames_%05d.png --sharpen 1          a file for each picture\n\n"
     "The format follows from the name's ending. A file of that very name goes before a series. Each picture appears "
     "whole or not at all, and 16 bits stay 16 bits.\n",
     "", "framerate start-number"},
    {"live", "cameras, screens, network, preview",
     "  vfilter /dev/video0 --preview --gaussian 9\n"
     "  vfilter /dev/video0 talk.mkv --preview --gaussian sigma=12\n"
     "  vfilter webcam talk.mp4 --audio-device default\n"
     "  vfilter rtsp://camera/stream out.mp4 --allow-network --gaussian 5\n"
     "  vfilter webcam /dev/video9 --gaussian 9         for programs that read cameras\n\n"
     "Inputs: a camera /dev/video0, a screen x11grab::0, a graph of FFmpeg's lavfi:testsrc2, or an address. The newest "
     "picture wins; pictures that were dropped are counted and reported.\n\n"
     "--preview shows a window: pictures as they are meant (turned, HDR tone-mapped), outlines of regions, the time "
     "and a bar. Keys: h lists them; space pauses, left and right seek in a file, [ ] make a filter weaker and "
     "stronger. "
     "The mouse draws the chosen filter's region. The command line of it all is printed at the end.\n",
     option_group::live, "preview max-latency"},
    {"files", "many files with one command",
     "  vfilter *.mp4 --output-dir done --gaussian 5\n"
     "  vfilter *.mov --output-dir done --name '{stem}-blur.mp4' --jobs 4 --gaussian 9\n"
     "  vfilter *.mp4 --output-dir done --gaussian 5 --skip-existing       go on later\n"
     "  vfilter *.mp4 --output-dir done --name '{stem}/%05d.png'           pictures\n\n"
     "Each file is a run of its own. At the end a table says what came of each, and the exit code is 0 if all are "
     "finished. Without --output-dir there is one input and one output; - is stdin and stdout.\n",
     option_group::files, "mend"},
    {"encoders", "codecs, quality, containers", encoders_text.view(), option_group::encoding,
     "two-pass format video-tag muxer-option"},
    {"machine", "processors, limits of time, checks", "", option_group::machine, "doctor"},
    {"reports", "progress, messages, reports, lists", "", option_group::telling,
     "list print-config help complete version"},
    {"ffmpeg", "ffmpeg's options and their equivalents here", "", "", "", ffmpeg_word_rows},
    {"exit-codes", "how a run tells a script what came of it", "", "", "", exit_code_rows},
    {"all", "every option", "", "", "", all_option_rows},
};

}  // namespace

std::string option_head(const OptionDef& def) {
    return fmt::format("{}--{}{}{}", def.short_name.empty() ? "    " : fmt::format("-{}, ", def.short_name), def.name,
                       def.argument.empty() ? "" : " ", def.argument);
}

std::span<const HelpTopic> help_topics() {
    return topics;
}

const HelpTopic* find_topic(std::string_view name) {
    const auto* const found = std::ranges::find(topics, name, &HelpTopic::name);
    return found == std::end(topics) ? nullptr : found;
}

std::vector<std::string_view> help_names() {
    std::vector<std::string_view> names;
    for (const HelpTopic& topic : topics) {
        names.push_back(topic.name);
    }
    for (const FilterDef& def : filter_table()) {
        names.push_back(def.name);
    }
    for (const OptionDef& def : option_table()) {
        if (find_topic(def.name) == nullptr) {
            names.push_back(def.name);
        }
    }
    return names;
}

std::vector<const OptionDef*> options_of(const HelpTopic& topic) {
    std::vector<const OptionDef*> options;
    for (const OptionDef& def : option_table()) {
        if (def.group == topic.group) {
            options.push_back(&def);
        }
    }
    for (const std::string_view name : parts_of(topic.options, ' ')) {
        if (const OptionDef* const def = find_option(name)) {
            options.push_back(def);
        }
    }
    return options;
}

std::string option_rows(const HelpTopic& topic) {
    std::string text;
    for (const OptionDef* const def : options_of(topic)) {
        text += option_row(*def);
    }
    return text;
}

std::string option_rows(std::string_view names) {
    return option_rows(HelpTopic{.name = {}, .summary = {}, .text = {}, .group = {}, .options = names});
}

std::string all_option_rows() {
    std::string text =
        fmt::format("Filters, run in the order given (--help FILTER for one of them):\n{}", filter_rows());
    std::string_view section;
    for (const OptionDef& def : option_table()) {
        if (def.group != section) {
            section = def.group;
            text += fmt::format("\n{}:\n", section);
        }
        text += option_row(def);
    }
    return text;
}

std::string filter_rows() {
    std::string text;
    for (const FilterDef& def : filter_table()) {
        text += help_row(fmt::format("    {}", filter_head(def)), def.help);
    }
    return text;
}

}  // namespace vfilter
