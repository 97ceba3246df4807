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
    {"Resize", "resize", "A width, and the height that belongs to it. `--vf scale=-2:720` goes by the height."},
    {"Crop", "crop-by-numbers", "Width, height, and where the left upper corner lies: here the left upper quarter.",
     "W:H:X:Y=iw/2:ih/2:0:0"},
    {"Cut black bars away", "autocrop", "They are looked for all along the video."},
    {"Rotate", "rotate", "By a quarter to the right; `cclock` to the left, and `--vf hflip,vflip` by half a turn."},
    {"Mirror", "flip", "Left and right; `--vf vflip` is top and bottom."},
    {"Letterbox", "pad", "A canvas of that size with the picture in its middle; it has to be the larger one."},
};

constexpr Recipe pictures_recipes[] = {
    {"Deinterlace", "deinterlace",
     "One picture of two fields; `--vf bwdif` makes one of each, twice as many a second."},
    {"Denoise", "noise", "`light`, `strong`, `film` and `animation` are others, `auto` measures the noise."},
    {"Stabilise", "stabilize", "One pass, for a shaky hand."},
    {"Sharpen", "edgelevel", "More with a larger number; `0.8:threshold=3` leaves noise as it is."},
    {"HDR to SDR", "hdr", "Without it HDR stays HDR. The result is 8-bit BT.709.", "", "hdr.mkv"},
    {"Brightness, contrast, saturation", "brightness", "`0`, `1`, `1` and `1` change nothing."},
    {"Black and white", "gray", "A preset for YUV; `--vf format=gray` takes RGB (PNG, GIF) as well."},
    {"Logo", "logo", "Eight pixels from the left upper corner."},
    {"Burn subtitles in", "burn", "The video's own name in place of `film.srt` takes its own.", "FILE=film.srt"},
    {"Hide faces and plates", "hide", "For good: [cli.md](cli.md#hiding-faces-and-plates) has regions that move.",
     "X,Y,W,H=60%,10%,20%,30%"},
};

constexpr Recipe times_recipes[] = {
    {"Cut a part out", "trim", "Exact to the picture; the output begins at 0.", "TIME --end TIME=1:30 --end 2:00"},
    {"Join", "concat", "Pictures, sound and subtitles go on as if both were one. Once for each file.", "FILE=b.mp4"},
    {"Split by chapters", "chapters",
     "From the second to the fourth, in one file; the same number twice is one chapter.", "", "film.mkv"},
    {"Speed", "speed", "Twice as fast, pictures and sound; `--vf setpts=2*PTS --af atempo=0.5` is half as fast."},
    {"Constant rate", "fps", "Pictures are repeated and left out."},
    {"GIF", "gif", "Fewer and smaller pictures make it small."},
    {"A picture of one moment", "thumbnail", "At ten seconds."},
    {"A picture every second", "thumbnails", "`--vf fps=1/10` is one every ten seconds."},
    {"Contact sheet", "contact-sheet", "Sixteen small pictures in one, one of each second."},
};

constexpr Recipe sounds_recipes[] = {
    {"Volume", "volume", "Six decibels more; `volume=0.5` is half of it."},
    {"Loudness", "loudness", "By EBU R 128, to -24 LUFS; `loudnorm=I=-16` to another value."},
    {"Without sound", "mute", "All else is kept."},
    {"Another sound", "replace-audio", "That of the file alone.", "FILE=mix.wav"},
    {"Subtitles as a track", "subtitle", "They can be switched off, unlike burnt-in ones.", "FILE=film.srt"},
};

constexpr Recipe sizes_recipes[] = {
    {"Smaller", "compress", "A larger number is a smaller file; 23 if not given."},
    {"A target size", "target-size",
     "The rate is the size over the time: 25 MB in 200 seconds are 25 * 8000 / 200 = 1000 kbit/s, less the sound's.",
     "RATE=1000k"},
    {"Without loss", "lossless", "Of what the filters make; in .mkv.", "", "in.mkv"},
    {"Many files", "resume", "What is finished already is left as it is, so that the same line goes on after a stop."},
    {"Is a file damaged?", "check", "The exit code is 5 then (`--help exit-codes`).", "FILE=in.mp4"},
};

constexpr Recipe addresses_recipes[] = {
    {"From an RTSP camera", "rtsp", "With `--reconnect 100` the camera may go away, too."},
    {"To an RTMP server", "rtmp", "H.264 and AAC in FLV, at the pace of the input."},
};

constexpr Group recipe_groups[] = {
    {"Size and shape", shapes_recipes},
    {"The picture", pictures_recipes},
    {"Time", times_recipes},
    {"Sound and subtitles", sounds_recipes},
    {"Size of the file, and many files", sizes_recipes},
    {"Network", addresses_recipes},
};

constexpr std::string_view with_programs = R"(## With other programs

GStreamer takes and gives videos through a pipe. Matroska has all that vfilter needs; NUT of GStreamer's libav loses
pictures (tried with 1.22):

    gst-launch-1.0 -q filesrc location=in.mp4 ! decodebin ! videoconvert ! matroskamux streamable=true ! fdsink | vfilter - out.mp4 --gaussian 5
    vfilter in.mp4 - --gaussian 5 | gst-launch-1.0 -q fdsrc ! matroskademux ! decodebin ! videoconvert ! autovideosink

ffmpeg gives and takes NUT without loss of a time or a sample:

    ffmpeg -v error -i in.mp4 -c copy -f nut - | vfilter - out.mp4 --gaussian 5
    vfilter in.mp4 - --codec ffv1 --format nut | ffmpeg -v error -i - -c:v ffv1 -c:a copy kept.mkv

A script with OpenCV writes its frames as raw pictures, in OpenCV's order of colours,

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

of which nothing says the size, the pixel format and the rate:

    python3 frames.py | vfilter - out.mp4 --input-format rawvideo --input-option video_size=1920x1080 --input-option pixel_format=bgr24 --input-option framerate=30 --pix-fmt yuv420p

It can read them so, too: each picture is width * height * 3 bytes.

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
        "<!-- Written by docs/make_filters.sh from the table of everyday words. What is wrong here is wrong there. "
        "-->\n\n"
        "# Recipes: everyday jobs\n\n"
        "Each line is a whole command, and several jobs can be done by one: their options stand behind each other, "
        "and\n"
        "filters run in the order written. `vfilter --help WORD` knows the same jobs by the words at the end of this "
        "page:\n"
        "`vfilter --help resize`. [cli.md](cli.md) has the details, [filters.md](filters.md) the filters with their\n"
        "pictures.\n\n";
    for (const Group& group : recipe_groups) {
        text += fmt::format("## {}\n\n", group.title);
        for (const Recipe& recipe : group.recipes) {
            text += recipe_text(recipe);
        }
    }
    text += fmt::format(
        "{}\n## By other words\n\nWords that other programs have for options, and what does it here. In "
        "capitals: what is\nyours.\n\n| word | here |\n|---|---|\n",
        with_programs);
    for (const EverydayWord& row : everyday_words()) {
        text += row_text(row);
    }
    return text;
}

}  // namespace vfilter
