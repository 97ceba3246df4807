#include "config/recipe_page.h"

#include <fmt/format.h>

#include <span>
#include <string_view>
#include <utility>

#include "config/error.h"
#include "config/everyday_words.h"

namespace vfilter {

namespace {

/// A job. Its options are those of a row of everyday words, so that they are said in one place.
struct Recipe {
    std::string_view title;
    std::string_view word;         ///< of the row
    std::string_view text;         ///< what to know of it; "" for the row's own note
    std::string_view sample = {};  ///< what stands for the row's placeholder, as "FILE=logo.png"
    std::string_view input = {};   ///< "in.mp4" if not given
};

struct Group {
    std::string_view title;
    std::span<const Recipe> recipes;
};

constexpr Recipe shapes_recipes[] = {
    {"Resize", "resize",
     "A width, and the height that keeps the proportions. `--vf scale=-2:720` sets the height instead."},
    {"Crop", "crop-by-numbers", "Width, height, and position of the top left corner: here the top left quarter.",
     "W:H:X:Y=iw/2:ih/2:0:0"},
    {"Remove black bars", "autocrop", "They are searched for throughout the video."},
    {"Rotate", "rotate",
     "By a quarter turn to the right; `cclock` turns left, and `--vf hflip,vflip` makes half a turn."},
    {"Mirror", "flip", "Swaps left and right; `--vf vflip` swaps top and bottom."},
    {"Letterbox", "pad", "A canvas of that size with the picture in its middle; it must be larger than the picture."},
};

constexpr Recipe pictures_recipes[] = {
    {"Deinterlace", "deinterlace",
     "One picture from two fields; `--vf bwdif` makes one from each, twice as many a second."},
    {"Denoise", "noise", "Alternatives are `light`, `strong`, `film` and `animation`; `auto` measures the noise."},
    {"Stabilise", "stabilize", "In one pass, for shaky hands."},
    {"Sharpen", "edgelevel", "A larger number sharpens more; `0.8:threshold=3` leaves noise as it is."},
    {"HDR to SDR", "hdr", "By default HDR stays HDR. The result is 8-bit BT.709.", "", "hdr.mkv"},
    {"Brightness, contrast, saturation", "brightness", "`0`, `1`, `1` and `1` change nothing."},
    {"Black and white", "gray", "A preset for YUV; `--vf format=gray` also works for RGB (PNG, GIF)."},
    {"Logo", "logo", "Eight pixels from the top left corner."},
    {"Burn in subtitles", "burn", "To burn in the video's own subtitles, put its name in place of `film.srt`.",
     "FILE=film.srt"},
    {"Hide faces and plates", "hide", "For good; for moving regions see [cli.md](cli.md#hiding-faces-and-plates).",
     "X,Y,W,H=60%,10%,20%,30%"},
};

constexpr Recipe times_recipes[] = {
    {"Keep only a part", "trim", "Frame-accurate; the output begins at 0.", "TIME --end TIME=1:30 --end 2:00"},
    {"Join", "concat",
     "Pictures, sound and subtitles continue as if both were one. Repeat the option for each further file.",
     "FILE=b.mp4"},
    {"Split by chapters", "chapters",
     "From the second to the fourth, in one file; give the same number twice for a single chapter.", "", "film.mkv"},
    {"Speed", "speed", "Pictures and sound twice as fast; `--vf setpts=2*PTS --af atempo=0.5` is half as fast."},
    {"Constant rate", "fps", "Pictures are repeated and dropped as needed."},
    {"GIF", "gif", "Fewer and smaller pictures keep the file small."},
    {"A picture at one moment", "thumbnail", "At ten seconds."},
    {"A picture every second", "thumbnails", "`--vf fps=1/10` is one every ten seconds."},
    {"Contact sheet", "contact-sheet", "Sixteen small pictures in one, one per second."},
};

constexpr Recipe sounds_recipes[] = {
    {"Volume", "volume", "Six decibels louder; `volume=0.5` halves the amplitude."},
    {"Loudness", "loudness", "To -24 LUFS by EBU R 128; `loudnorm=I=-16` sets a different target."},
    {"Without sound", "mute", "Everything else is kept."},
    {"Replace the sound", "replace-audio", "Only that file's sound is kept.", "FILE=mix.wav"},
    {"Subtitles as a track", "subtitle", "They can be switched off, unlike burnt-in ones.", "FILE=film.srt"},
};

constexpr Recipe sizes_recipes[] = {
    {"Smaller", "compress", "A larger number makes a smaller file; the default is 23."},
    {"A target size", "target-size",
     "The rate is the size divided by the duration: 25 MB in 200 seconds are 25 * 8000 / 200 = 1000 kbit/s, "
     "minus the sound's rate.",
     "RATE=1000k"},
    {"Lossless", "lossless", "Keeps exactly what the filters produce; in .mkv.", "", "in.mkv"},
    {"Many files", "resume", "Finished files are skipped, so the same command resumes after an interruption."},
    {"Is a file damaged?", "check", "If it is, the exit code is 5 (`--help exit-codes`).", "FILE=in.mp4"},
};

constexpr Recipe addresses_recipes[] = {
    {"From an RTSP camera", "rtsp", "With `--reconnect 100` the camera may also disappear and come back."},
    {"To an RTMP server", "rtmp", "H.264 and AAC in FLV, at the pace of the input."},
};

constexpr Group recipe_groups[] = {
    {"Size and shape", shapes_recipes},
    {"The picture", pictures_recipes},
    {"Time", times_recipes},
    {"Sound and subtitles", sounds_recipes},
    {"File size, and many files", sizes_recipes},
    {"Network", addresses_recipes},
};

constexpr std::string_view with_programs = R"(## With other programs

GStreamer exchanges videos with vfilter through a pipe. Matroska holds everything that vfilter needs; NUT of GStreamer's
libav loses pictures (tried with 1.22):

    gst-launch-1.0 -q filesrc location=in.mp4 ! decodebin ! videoconvert ! matroskamux streamable=true ! fdsink | vfilter - out.mp4 --gaussian 5
    vfilter in.mp4 - --gaussian 5 | gst-launch-1.0 -q fdsrc ! matroskademux ! decodebin ! videoconvert ! autovideosink

With ffmpeg, NUT loses neither a timestamp nor a sample:

    ffmpeg -v error -i in.mp4 -c copy -f nut - | vfilter - out.mp4 --gaussian 5
    vfilter in.mp4 - --codec ffv1 --format nut | ffmpeg -v error -i - -c:v ffv1 -c:a copy kept.mkv

An OpenCV script writes its frames as raw pictures, in OpenCV's order of colours:

```python
# frames.py
import sys
import cv2

video = cv2.VideoCapture("in.mp4")
while True:
    there, frame = video.read()
    if not there:
        break
    sys.stdout.buffer.write(frame.tobytes())
```

Raw pictures do not say their size, pixel format and rate, so the command has to:

    python3 frames.py | vfilter - out.mp4 --input-format rawvideo --input-option video_size=1920x1080 --input-option pixel_format=bgr24 --input-option framerate=30 --pix-fmt yuv420p

It can read raw pictures in the same way: each has width * height * 3 bytes.

    vfilter in.mp4 - --format rawvideo --pix-fmt bgr24 --gaussian 5 > frames.bgr
)";

std::string replaced(std::string text, std::string_view name, std::string_view value) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size())) {
        text.replace(at, name.size(), value);
    }
    return text;
}

// The row's line as a whole command.
std::string command_of(const Recipe& recipe, const EverydayWord& row) {
    const std::string_view input = recipe.input.empty() ? "in.mp4" : recipe.input;
    const std::string_view extension = input.substr(input.rfind('.'));
    std::string line(row.line);
    if (const std::size_t equals = recipe.sample.find('='); equals != std::string_view::npos) {
        line = replaced(line, recipe.sample.substr(0, equals), recipe.sample.substr(equals + 1));
    }
    return line.starts_with("--") ? fmt::format("vfilter {} out{} {}", input, extension, line) : line;
}

std::string recipe_text(const Recipe& recipe) {
    const EverydayWord* const row = everyday_row(recipe.word);
    if (row == nullptr || row->line.empty()) {
        throw Error(ExitCode::internal, fmt::format("no row of everyday words has {}", recipe.word));
    }
    return fmt::format("**{}**: {}\n\n    {}\n\n", recipe.title, recipe.text, command_of(recipe, *row));
}

// Markdown's tables part cells by a bar.
std::string cell(std::string_view text) {
    return replaced(std::string(text), "|", "\\|");
}

std::string row_text(const EverydayWord& row) {
    return row.line.empty() ? fmt::format("| {} | {} |\n", row.words, cell(row.note))
                            : fmt::format("| {} | `{}`{} |\n", row.words, cell(row.line), cell(row.note));
}

}  // namespace

std::string recipe_page() {
    std::string text =
        "<!-- Written by docs/make_filters.sh from the table of everyday words. Correct errors there. -->\n\n"
        "# Recipes: everyday jobs\n\n"
        "Each line is a whole command, and one command can do several jobs: write their options one after "
        "another; filters\n"
        "run in the order written. `vfilter --help WORD` finds the same jobs by the words at the end of this "
        "page, such as\n"
        "`vfilter --help resize`. [cli.md](cli.md) has the details, [filters.md](filters.md) the filters with "
        "their\n"
        "pictures.\n\n";
    for (const Group& group : recipe_groups) {
        text += fmt::format("## {}\n\n", group.title);
        for (const Recipe& recipe : group.recipes) {
            text += recipe_text(recipe);
        }
    }
    text += fmt::format(
        "{}\n"
        "## By other words\n\n"
        "Names of options in other programs, and what to use here. Replace the words in capitals.\n\n"
        "| word | here |\n"
        "|---|---|\n",
        with_programs);
    for (const EverydayWord& row : everyday_words()) {
        text += row_text(row);
    }
    return text;
}

}  // namespace vfilter
