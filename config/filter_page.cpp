#include "config/filter_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/filter_texts.h"

namespace vfilter {

namespace {

constexpr FilterPicture pictures[] = {
    {"gaussian", "gaussian", "sigma=3", ""},
    {"box", "box", "13", ""},
    {"motion", "motion", "31", ""},
    {"sharpen", "sharpen", "3:sigma=1.5", ""},
    {"sobel", "sobel", "scale=0.3", ""},
    {"scharr", "scharr", "scale=0.08", ""},
    {"prewitt", "prewitt", "scale=0.4", ""},
    {"laplacian", "laplacian", "8:scale=0.5", ""},
    {"log", "log", "1.4:scale=2:bias=128", ""},
    {"dog", "dog", "1:scale=8", ""},
    {"emboss", "emboss", "0.5:style=relief", ""},
    {"kernel", "kernel", "1 0 0 0 0 0 0 0 0 0 0 0 1", ""},
    {"nlmeans", "nlmeans", "10", "", 20},
    {"denoise", "denoise", "strong", "", 12},
    {"bilateral", "bilateral", "40:size=9", "", 12},
    {"guided", "guided", "25:size=9", "", 12},
    {"deband", "deband", "8:range=16", "", 0, 1, 32},
    {"median", "median", "5", "", 20},
    {"tmedian", "tmedian", "2", "", 14, 5},
    {"taverage", "taverage", "4", "", 14, 9},
    {"pixelate", "pixelate", "12", ""},
    {"fill", "fill", "#204080:region=40%,30%,25%,40%", ""},
    {"identity", "identity", "", ""},
    {"region", "gaussian", "sigma=6:region=4%,20%,40%,58%:feather=16",
     "One rectangle, in percent of the picture; the blur fades in over 16 pixels, inside it."},
    {"regions", "sobel", "scale=0.3:region=0,0,160,120+160,120,160,120",
     "Two rectangles, in pixels. Each may lie anywhere in the picture, and they may overlap."},
    {"mask", "gaussian", "sigma=6:mask=mask.png:invert=1",
     "A white disc on black as the mask, and `invert`: everything but the disc is blurred."},
};

// Arguments as typed in a shell, to which # begins a comment.
std::string quoted(std::string_view arguments) {
    const bool plain = arguments.find_first_of(" ;#") == std::string_view::npos;
    return fmt::format("{}{}{}{}", arguments.empty() ? "" : " ", plain ? "" : "\"", arguments, plain ? "" : "\"");
}

// With the marks of Markdown escaped.
std::string escaped(std::string_view text) {
    std::string result;
    for (const char letter : text) {
        result += std::string_view("\\*_|<[").find(letter) == std::string_view::npos ? "" : "\\";
        result += letter;
    }
    return result;
}

// A formula is a list of lines, separated by "; " outside parentheses: inside them it separates rows of a matrix.
std::string code_block(std::string_view formula) {
    std::string text = "    ";
    int depth = 0;
    for (std::size_t i = 0; i < formula.size(); ++i) {
        depth += formula[i] == '(' ? 1 : formula[i] == ')' ? -1 : 0;
        if (depth == 0 && formula.substr(i).starts_with("; ")) {
            text += "\n    ";
            ++i;
        } else {
            text += formula[i];
        }
    }
    return text + "\n\n";
}

std::string table_of(const std::vector<ArgumentText>& arguments) {
    std::string text = "| argument | unit | range | default | |\n|---|---|---|---|---|\n";
    for (const ArgumentText& argument : arguments) {
        text += fmt::format("| `{}` | {} | {} | {} | {} |\n", argument.name, escaped(argument.unit),
                            escaped(argument.range), escaped(argument.fallback), escaped(argument.help));
    }
    return text + "\n";
}

std::string picture_text(const FilterPicture& picture) {
    const std::string command = fmt::format("--{}{}", picture.filter, quoted(picture.arguments));
    return fmt::format("![before, and after {}](filters/{}.jpg)\n\nBefore{}, and after `{}`\n\n", escaped(command),
                       picture.name,
                       picture.pictures > 1 ? fmt::format(", one of {}, each with noise", picture.pictures)
                       : picture.noise > 0  ? ", with noise"
                       : picture.levels > 0 ? fmt::format(", in {} levels of luma", picture.levels)
                                            : "",
                       command);
}

std::string shared_section() {
    std::string text =
        "## Arguments of all filters\n\n"
        "| argument | |\n"
        "|---|---|\n";
    const std::vector<ArgumentText> arguments = shared_arguments(nullptr);
    for (const ArgumentText& argument : arguments) {
        text += fmt::format("| `{}` | {} |\n", argument.name, escaped(argument.help));
    }
    for (const ArgumentText& argument : arguments) {
        if (!argument.words.empty()) {
            text += fmt::format("\n`{}` is one of\n\n", argument.name);
        }
        for (const auto& [word, meaning] : argument.words) {
            text += fmt::format("    {:<14}{}\n", word, meaning);
        }
    }
    return text + "\n";
}

std::string section_of(const FilterDef& def) {
    std::string text = fmt::format("## {}\n\n{}.\n\n{}", def.name, escaped(def.help), code_block(def.formula));
    if (!def.source.empty()) {
        text += fmt::format("Source: {}.\n\n", escaped(def.source));
    }
    if (const std::vector<ArgumentText> arguments = own_arguments(def); !arguments.empty()) {
        text += table_of(arguments);
    }
    std::string usual;
    for (const ArgumentText& argument : shared_arguments(&def)) {
        if (!argument.fallback.empty()) {
            usual += fmt::format("{}`{}={}`", usual.empty() ? "" : ", ", argument.name, argument.fallback);
        }
    }
    text += fmt::format(
        "{}Defaults: {}.\n\n"
        "    {}\n\n",
        def.needs_arguments() ? "Arguments are required. " : "", usual, example_line(def));
    const auto picture = std::ranges::find(pictures, def.name, &FilterPicture::name);
    return picture == std::end(pictures) ? text : text + picture_text(*picture);
}

std::string parts_section() {
    std::string text =
        "## A part of the picture\n\n"
        "`region`, `mask`, `invert` and `feather` restrict any filter to a part of the picture; `region=@FILE` "
        "and `enable` do\n"
        "so picture by picture ([cli.md](cli.md#hiding-faces-and-plates)). Samples outside keep their exact "
        "values. A filter\n"
        "still reads samples across the edge of its region, so the region has no border of its own; `border` is "
        "that of the\n"
        "picture.\n\n";
    for (const FilterPicture& picture : pictures) {
        if (!picture.caption.empty()) {
            text += fmt::format("{}\n\n{}", picture.caption, picture_text(picture));
        }
    }
    return text;
}

std::string places_section() {
    return "## Places, sizes and fields\n\n"
           "If a video is displayed rotated, `region`, `mask` and the blocks of `pixelate` refer to the picture as "
           "displayed.\n"
           "Directions refer to the picture as stored: `motion`, the gradients' `direction`, `emboss`' `angle` and "
           "the matrix\n"
           "of `kernel`. After any `--vf`, such as `--vf null`, pictures are rotated, and both are the same.\n\n"
           "The two fields of interlaced pictures are filtered separately, so vertical sizes count rows of a field, "
           "which are\n"
           "twice as far apart; `--vf bwdif` makes whole pictures.\n\n"
           "With `chroma=scaled`, p is the number of luma pixels from one chroma sample to the next along an axis. "
           "Gaussians have\n"
           "the radius ceil(radius / p) and the deviation sigma / p, and the small ones' own taps only where p is "
           "1; `box` and\n"
           "`motion` have size / p samples, of which those at both ends count as fractions; other filters have the "
           "radius\n"
           "ceil(radius / p).\n\n"
           "A mask of a different size is scaled to the picture: a pixel is the mean of what lies under it in a "
           "larger mask, and\n"
           "the nearest pixel of a smaller one. Colours are weighted by BT.601, and transparent areas count as "
           "black. With the\n"
           "combined weight w of mask and feather, from 0 to 255, and u = w + floor(w / 128), the result is\n"
           "floor((s (256 - u) + filtered u + 128) / 256); subsampled chroma has the largest weight of its "
           "pixels.\n\n"
           "The patterns of `deband` and of `dither` are formulas: kernels/arithmetic/deband.h and dithered.h.\n\n";
}

std::string time_section() {
    return "## Several pictures\n\n"
           "With `frames=N` a filter uses 2 N pictures besides the one being filtered, N before and N after it; "
           "`after=M` puts\n"
           "M of them after it, and all others before. With live inputs none come after unless `after` says so, as "
           "each of them\n"
           "has to be waited for. At the ends of the video the window is mirrored: before the first picture comes "
           "the second.\n"
           "Where the mirror shows a picture that is not in the window, as in videos shorter than the window or "
           "with `after`, the\n"
           "nearest one in the window replaces it. If only a part is filtered (`--start`, `--end`, `--frames`), its "
           "ends count as\n"
           "those of the video. A filter sees the other pictures as the filters before it have left them.\n\n";
}

// As measured: docs/lab-notes/deband.md.
std::string bands_section() {
    return "## Bands\n\n"
           "Eight pictures of a film (854 x 480, luma), blurred by `--gaussian sigma=80` at 8 bits, which turns "
           "smooth gradients\n"
           "into bands, compared with the same blur at 16 bits. Bands are visible where the means of neighbouring "
           "samples, here\n"
           "9 x 9, are whole levels. Single samples are further off after dithering, as a level between two can "
           "only be a pattern\n"
           "of both.\n\n"
           "| | means on whole levels | PSNR of means | PSNR of samples |\n"
           "|---|---|---|---|\n"
           "| at 16 bits | 23.4 % | | |\n"
           "| at 8 bits | 37.6 % | 68.9 dB | 59.5 dB |\n"
           "| at 8 bits with `dither=on` | 24.3 % | 80.1 dB | 56.5 dB |\n"
           "| `--deband` | 26.3 % | 73.7 dB | 57.9 dB |\n"
           "| `--deband 1:range=32` | 27.7 % | 72.5 dB | 58.3 dB |\n"
           "| `--deband 2` | 26.0 % | 71.1 dB | 57.2 dB |\n"
           "| `--deband 1:dither=off` | 32.9 % | 66.6 dB | 58.4 dB |\n"
           "| `--vf format=gray10 --deband` | 25.5 % | 74.5 dB | 60.7 dB |\n"
           "| ffmpeg `deband` | 31.9 % | 59.9 dB | 56.1 dB |\n"
           "| ffmpeg `deband=1thr=0.008:b=0` | 31.8 % | 63.6 dB | 57.4 dB |\n"
           "| ffmpeg `gradfun` | 26.6 % | 63.8 dB | 55.5 dB |\n\n"
           "If a filter itself makes the bands, `dither=on` prevents them: what its results have below the last bit "
           "is then not\n"
           "lost.\n\n";
}

// As measured by what kernels/arithmetic/noise.h states: docs/lab-notes/noise.md.
std::string noise_section() {
    return "## Measured noise\n\n"
           "`--nlmeans auto` and `--denoise auto` measure the noise in the first 8 pictures, from `--start` on, "
           "before the run\n"
           "filters anything; with filters before them, they measure what those leave of it. The message that "
           "reports it gives\n"
           "the filter with its numbers, and so does the report: with these numbers another run, or another part of "
           "the file, is\n"
           "filtered identically. The measure is the second difference of J. Immerkaer (Fast noise variance "
           "estimation, 1996) in\n"
           "the quietest tenth of all blocks of 32 x 32 samples, an integer, the same on every machine. Fine "
           "texture that covers\n"
           "the whole picture is taken for a little noise, and noise that a codec or a scaler has smoothed is "
           "underestimated.\n\n"
           "| true sigma | 0 | 2 | 5 | 10 | 20 |\n"
           "|---|---|---|---|---|---|\n"
           "| flat grey | 0 | 2.02 | 5.01 | 9.99 | 19.99 |\n"
           "| flat animation (`testsrc2`) | 0 | 2.02 | 5.02 | 10.02 | 20.00 |\n"
           "| film, sky and soft shapes | 0.01 | 2.06 | 5.03 | 9.98 | 19.79 |\n"
           "| film, grass all over | 0.75 | 2.25 | 5.14 | 10.04 | 19.76 |\n"
           "| fractal (`mandelbrot`) | 0.10 | 2.08 | 5.13 | 10.22 | 20.31 |\n\n";
}

}  // namespace

std::span<const FilterPicture> filter_pictures() {
    return pictures;
}

std::string filter_picture_list() {
    std::string text;
    for (const FilterPicture& picture : pictures) {
        text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", picture.name, picture.filter, picture.noise, picture.pictures,
                            picture.levels, picture.arguments);
    }
    return text;
}

std::string filter_page() {
    std::string text =
        "<!-- Written by docs/make_filters.sh from the filter table. Correct errors there. -->\n\n"
        "# Filters\n\n"
        "Filters are options and run in the order written. The first argument needs no name; write the others as\n"
        "`name=value`, joined by colons:\n\n"
        "    vfilter in.mp4 out.mp4 --gaussian 9:sigma=2 --sharpen 0.8:threshold=3\n\n"
        "`vfilter --help NAME` prints the same in a terminal. In formulas, s is the sample being filtered; the "
        "result is\n"
        "rounded and clamped to the sample's range. Levels of 256 are steps of an 8-bit sample: at other depths "
        "they are the\n"
        "same fraction of the range, n times 2^(depth - 8). Arguments for which no integers keep the result "
        "within one level,\n"
        "such as the largest scales at 15 and 16 bits, are refused before anything is read.\n\n"
        "| filter | |\n"
        "|---|---|\n";
    for (const FilterDef& def : filter_table()) {
        text += fmt::format("| [{0}](#{0}) | {1} |\n", def.name, escaped(def.help));
    }
    text += "\n" + shared_section();
    for (const FilterDef& def : filter_table()) {
        text += section_of(def);
    }
    text += places_section() + time_section() + bands_section() + noise_section() + parts_section();
    return text.substr(0, text.size() - 1);
}

}  // namespace vfilter
