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
    "The output's name or --format selects the container, --codec the codec: by default H.264 for mp4, mkv "
    "and mov, VP9 for webm. --list encoders lists all of them.\n\n"
    "  --codec libx264 --crf 18 --preset slow     good quality, any player\n"
    "  --codec ffv1                               lossless, in .mkv\n"
    "  --codec libx265 --encoder-option tune=grain\n\n"
    "Without --crf and --bitrate, the quality is --crf ",
    true,
    ", where a smaller number means a better picture and a larger file. Hardware encoders other than "
    "NVIDIA's (h264_nvenc, hevc_nvenc, av1_nvenc) are not used.\n\n"
    "A .gif gets a palette of 256 colours made from its clip, for which a file is read twice. Fewer and "
    "smaller pictures keep it small: --vf fps=12,scale=480:-2\n");

constexpr HelpTopic topics[] = {
    {"filters", "the filters, and how to write a chain of them",
     "Filters are options, and run in the order given. The first value needs no name; write the others as "
     "key=value, joined by colons:\n\n"
     "  --gaussian 5   --gaussian 9:sigma=2   --gaussian sigma=2.5:chroma=off\n"
     "  --filters \"gaussian=5,box=3\"          the same as --gaussian 5 --box 3\n\n"
     "--help FILTER explains the arguments of one filter, with a formula and an example.\n",
     "", "filters region dither list", filter_rows},
    {"regions", "filter a part of the picture: rectangles, tracks, masks",
     "Every filter accepts a region, in coordinates of the displayed picture. Outside it, every byte stays as "
     "it was decoded.\n\n"
     "  --gaussian 9:region=100,50,64,48          x,y,width,height in pixels\n"
     "  --gaussian 9:region=60%,10%,20%,30%       or in percent of the picture\n"
     "  --box 31:region=0,0,50,50+200,0,50,50     several, joined by +\n"
     "  --gaussian 9:mask=mask.png                white is filtered, black is not\n"
     "  --gaussian 9:region=10%,10%,50%,50%:feather=8:invert=yes\n"
     "  --pixelate 24:region=@tracks.csv:pad=10%  moving boxes, as trackers write\n"
     "  --fill black:enable=5-10                  from 5 seconds to just before 10\n\n"
     "Anyone who knows the size of a blur can undo it. To hide faces and plates for good, use --preset redact "
     "--region @tracks.csv, or --fill black.\n",
     "", "region"},
    {"vf", "graphs of FFmpeg's libavfilter in the chain",
     "--vf takes what ffmpeg takes after -vf, up to 32 times, anywhere among the filters:\n\n"
     "  vfilter in.mkv out.mkv --vf bwdif --gaussian sigma=2 --vf scale=1280:-2\n\n"
     "\"ffmpeg -filters\" lists the filters, \"ffmpeg -h filter=scale\" explains one. A graph has one video input "
     "and one video output; between them it may have branches and labels.\n\n"
     "What a graph changes also changes in the output: size, pixel format, rate, number and times of "
     "pictures, colours. Filters after it work on its result, and their regions use its size.\n\n"
     "Graphs get pictures as displayed: if the input asks to be rotated, that is done before the first graph. "
     "Time starts at 0 at --start, or where the input begins. --start, --end, --duration and --frames refer "
     "to the input.\n\n"
     "--crop auto examines pictures throughout the file, and inserts a crop that removes black bars before "
     "all steps.\n\n"
     "Filters that open files or load libraries (lut3d, frei0r) need --allow-files; those that can also open "
     "addresses (movie, subtitles) need --allow-network, too. Filters of hardware devices (hwupload, "
     "scale_cuda) are refused.\n\n"
     "In a configuration file:\n\n"
     "  [[filter]]\n"
     "  name = \"vf\"\n"
     "  graph = \"bwdif,scale=1280:-2\"\n",
     "", "vf crop allow-files allow-network"},
    {"streams", "which video, sound, subtitles and tags are kept",
     "Everything that the output can hold is copied: all sound, subtitles, data and attachments, with "
     "chapters, tags and timestamps. Sound that it cannot hold is encoded. If there are several videos, the "
     "best one is filtered. What cannot be kept is reported.\n\n"
     "  --audio none       --audio aac:128       --subtitles none\n"
     "  --audio aac:160:channels=stereo          5.1 mixed to two channels\n"
     "  --audio 0=aac:160,jpn=copy,ger=none      each audio stream differently\n"
     "  --add film.srt     --add -0.5=mix.wav    other files, one 0.5 s earlier\n"
     "  --append b.mp4     --append c.mp4        clips, one after another\n"
     "  --af loudnorm      --af volume=6dB       audio filters, as with -af\n"
     "  --vf setpts=PTS/2 --af atempo=2          pictures and sound twice as fast\n"
     "  --start chapter:2 --end chapter:4        chapters 2, 3 and 4\n"
     "  --streams video,audio                    only these kinds\n"
     "  --streams all,audio:1,subtitles:eng      one audio stream of several (from 0)\n"
     "  --strip gps        --strip metadata      --metadata title=Holiday\n",
     option_group::streams, "video-stream"},
    {"part", "a part of the input, by times or frames", "", option_group::part},
    {"pictures", "single pictures and picture sequences",
     "  vfilter photo.jpg soft.png --gaussian sigma=2       one picture\n"
     "  vfilter frames_%04d.png out.mp4 --framerate 24      a sequence as a video\n"
     "  vfilter 'shots/*.png' out.mkv --codec ffv1          a glob, in quotes\n"
     "  vfilter in.mp4 frames_%05d.png --sharpen 1          one file per picture\n\n"
     "The extension selects the format. A file of exactly that name takes precedence over a sequence. Each "
     "picture appears whole or not at all, and 16 bits stay 16 bits.\n",
     "", "framerate start-number"},
    {"live", "cameras, screens, network, preview",
     "  vfilter /dev/video0 --preview --gaussian 9\n"
     "  vfilter /dev/video0 talk.mkv --preview --gaussian sigma=12\n"
     "  vfilter webcam talk.mp4 --audio-device default\n"
     "  vfilter rtsp://camera/stream out.mp4 --allow-network --gaussian 5\n"
     "  vfilter webcam /dev/video9 --gaussian 9         a camera for other programs\n\n"
     "Inputs: a camera (/dev/video0), a screen (x11grab::0), an FFmpeg graph (lavfi:testsrc2) or an address. "
     "The newest picture wins; dropped pictures are counted and reported.\n\n"
     "--preview opens a window: pictures as intended (rotated, HDR tone-mapped), outlines of regions, the "
     "time and a bar. Press h for a list of all keys: space pauses, left and right seek in a file, [ and ] "
     "make a filter weaker and stronger. The mouse draws the selected filter's region. At the end, the "
     "resulting command line is printed.\n",
     option_group::live, "preview max-latency"},
    {"files", "many files with one command",
     "  vfilter *.mp4 --output-dir done --gaussian 5\n"
     "  vfilter *.mov --output-dir done --name '{stem}-blur.mp4' --jobs 4 --gaussian 9\n"
     "  vfilter *.mp4 --output-dir done --gaussian 5 --skip-existing       resume\n"
     "  vfilter *.mp4 --output-dir done --name '{stem}/%05d.png'           pictures\n\n"
     "Each file is a run of its own. At the end a table lists the result of each, and the exit code is 0 if "
     "all are finished. Without --output-dir there is one input and one output; - is stdin or stdout.\n",
     option_group::files, "mend"},
    {"encoders", "codecs, quality, containers", encoders_text.view(), option_group::encoding,
     "two-pass format video-tag muxer-option"},
    {"machine", "processors, time limits, checks", "", option_group::machine, "doctor"},
    {"reports", "progress, messages, reports, lists", "", option_group::telling,
     "list print-config help complete version"},
    {"ffmpeg", "ffmpeg's options and their equivalents here", "", "", "", ffmpeg_word_rows},
    {"exit-codes", "what the exit code says about a run", "", "", "", exit_code_rows},
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
