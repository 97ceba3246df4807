// The command lines that the documents and --help print, run as they stand there, on small clips of the names in them.
// Those of docs/from-ffmpeg.md have a test of their own, tests/config reads those of docs/filters.md and single
// options.

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

// Without blanks at either end.
std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(' ');
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

// Whether a line of code runs the program, with no word that stands for something of the reader's, such as FILE.
bool is_example(const std::string& line) {
    static const std::regex runs("(^|\\| |&& )vfilter ");
    static const std::regex placeholder("[A-Z]{4}|\\.\\.\\.");
    return std::regex_search(line, runs) && !std::regex_search(line, placeholder);
}

// Of a page in Markdown: lines of indented and fenced code, and `vfilter ...` in sentences, which may be broken.
std::vector<std::string> examples_of_page(const std::string& page) {
    std::vector<std::string> examples;
    std::string prose;
    bool fenced = false;
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) {
        fenced = fenced != line.starts_with("```");
        if (!fenced && !line.starts_with("    ")) {
            prose += trimmed(line) + " ";
        } else if (is_example(trimmed(line))) {
            examples.push_back(trimmed(line));
        }
    }
    static const std::regex quoted("`(vfilter [^`]*)`");
    for (std::sregex_iterator at(prose.begin(), prose.end(), quoted), end; at != end; ++at) {
        if (is_example(at->str(1))) {
            examples.push_back(at->str(1));
        }
    }
    return examples;
}

// Of a text of --help: what it says of a line stands behind three blanks or more.
std::vector<std::string> examples_of_help(const std::string& text) {
    std::vector<std::string> examples;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::string command = trimmed(line);
        if (line.starts_with("  vfilter ") && is_example(command)) {
            examples.push_back(trimmed(command.substr(0, command.find("   "))));
        }
    }
    return examples;
}

constexpr const char* printed_sources[] = {"README.md", "docs/cli.md", "docs/recipes.md", "docs/reliability.md",
                                           "--help"};

class PrintedExamples : public EndToEnd, public testing::WithParamInterface<const char*> {
protected:
    void make_inputs() const;
    [[nodiscard]] std::vector<std::string> examples_of(const std::string& source) const;
    [[nodiscard]] std::vector<std::string> new_examples() const;
};

void PrintedExamples::make_inputs() const {
    const std::string picture = "-f lavfi -i testsrc2=s=64x48:r=25:d=0.12 ";
    const std::string sound = "-f lavfi -i sine=r=48000:d=0.12 ";
    const std::string h264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p ";
    std::filesystem::create_directories(path("inputs/shots"));
    // That of in.mkv is made 1280 pixels wide.
    ffmpeg(fmt::format("-f lavfi -i testsrc2=s=64x16:d=0.08 {}{}-c:a aac inputs/in.mkv", sound, h264));
    for (const char* const name : {"in.mp4", "in.mov", "phone.mov", "take.mov", "a.mp4", "b.mp4", "c.mp4"}) {
        ffmpeg(fmt::format("{}{}{}-c:a aac inputs/{}", picture, sound, h264, name));
    }
    std::string chapters = ";FFMETADATA1\n";
    for (int i = 0; i < 4; ++i) {
        chapters += fmt::format("[CHAPTER]\nTIMEBASE=1/100\nSTART={}\nEND={}\n", 3 * i, 3 * i + 3);
    }
    write("chapters.txt", chapters);
    ffmpeg(fmt::format("{}{}-i chapters.txt {}-c:a aac inputs/film.mkv", picture, sound, h264));
    ffmpeg(
        fmt::format("{}-vf setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc:range=tv "
                    "-c:v ffv1 -pix_fmt yuv420p10 inputs/hdr.mkv",
                    picture));
    ffmpeg(fmt::format("-f lavfi -i testsrc2=s=32x32:r=1:d=95 {} long.mp4", h264));
    ffmpeg(fmt::format("{}-f lavfi -i testsrc=s=32x32:d=0.12 -map 0 -map 1 {} inputs/two-cameras.mkv", picture, h264));
    ffmpeg("-f lavfi -i testsrc2=s=320x240:r=30:d=0.1 -pix_fmt yuv420p -f rawvideo inputs/in.yuv");
    ffmpeg(fmt::format("{} inputs/frames_%04d.png", picture));
    ffmpeg(fmt::format("{} inputs/shots/%d.png", picture));
    for (const char* const name : {"photo.jpg", "hubble.jpg", "mask.png", "me.png", "logo.png"}) {
        ffmpeg(fmt::format("{} -frames:v 1 inputs/{}", picture, name));
    }
    std::filesystem::copy(path("inputs/in.mp4"), path("inputs/input.mp4"));
    for (const char* const name : {"mix.wav", "commentary.m4a"}) {
        ffmpeg(fmt::format("{} inputs/{}", sound, name));
    }
    write("inputs/film.srt", "1\n00:00:00,000 --> 00:00:00,100\nwords\n");
    for (const char* const name : {"tracks.csv", "faces.csv"}) {
        write(fmt::format("inputs/{}", name), "1,1,10,10,20,20\n3,1,20,10,20,20\n");
    }
}

std::vector<std::string> PrintedExamples::examples_of(const std::string& source) const {
    if (source != "--help") {
        std::ifstream page(std::filesystem::path(VFILTER_SOURCE) / source);
        return examples_of_page({std::istreambuf_iterator<char>(page), std::istreambuf_iterator<char>()});
    }
    std::string text = vfilter("--help").out;
    std::istringstream topics(text.substr(text.find("The topics:\n")));
    std::string line;
    std::getline(topics, line);
    for (std::string topic; topics >> topic && std::getline(topics, line);) {
        text += vfilter("--help " + topic).out;
    }
    return examples_of_help(text);
}

// What no source before this one has, without remarks.
std::vector<std::string> PrintedExamples::new_examples() const {
    std::vector<std::string> known;
    for (const char* const source : printed_sources) {
        std::vector<std::string> lines = examples_of(source);
        EXPECT_FALSE(lines.empty()) << "none are found any more in " << source;
        std::vector<std::string> added;
        for (std::string& line : lines) {
            line = trimmed(line.substr(0, line.find("  #")));
            if (std::ranges::find(known, line) == known.end()) {
                known.push_back(line);
                added.push_back(line);
            }
        }
        if (source == std::string_view(GetParam())) {
            return added;
        }
    }
    return {};
}

TEST_P(PrintedExamples, Run) {
    make_inputs();
    // A minute and a half of it, where that is wanted.
    static const std::regex late("1:30|--start 10 |--vf fps=1(,|$)");
    // In place of programs that need not be here.
    const std::string others =
        "ffplay() { cat > /dev/null; }; python3() { ffmpeg -f lavfi -i testsrc2=s=1920x1080:r=30:d=0.1 -pix_fmt bgr24 "
        "-f rawvideo -; }; gst-launch-1.0() { case \"$*\" in *fdsrc*) cat > /dev/null;; *) ffmpeg -i in.mp4 -c copy -f "
        "matroska -;; esac; };";
    // What needs a camera, a peer, a window, a minute, or a run that was killed, is read and not run.
    static const std::regex elsewhere("/dev/|webcam|://|--preview|--live|--mend|--list cameras");
    for (const std::string& example : new_examples()) {
        const bool whole = !std::regex_search(example, elsewhere);
        const Result result = run(fmt::format(
            "set -o pipefail; rm -rf place; cp -r inputs place; cd place; export HOME=$PWD; unset XDG_CONFIG_HOME; {} "
            "ffmpeg() {{ command ffmpeg -nostdin -v error \"$@\"; }}; {} "
            "vfilter() {{ \"${{VFILTER_KEPT:-$VFILTER}}\" -y --progress none \"$@\" {}; }}\n{}",
            std::regex_search(example, late) ? "cp ../long.mp4 in.mp4;" : "", others,
            whole ? "" : "--print-config > /dev/null", example));
        EXPECT_EQ(result.code, 0) << GetParam() << ": " << example << "\n" << result.err;
    }
}

INSTANTIATE_TEST_SUITE_P(Of, PrintedExamples, testing::ValuesIn(printed_sources), [](const auto& source) {
    std::string name = source.param;
    std::erase_if(name, [](char letter) { return std::isalnum(letter) == 0; });
    return name;
});

}  // namespace

}  // namespace vfilter::test
