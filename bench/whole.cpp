// The whole program beside ffmpeg: wall time and peak memory of whole processes, in turn, medians of the ratios.
//
//   bench_whole VFILTER [--clip FILE] [--runs N] [--memory]
//
// Without a clip it makes one: 1080p, H.264, 300 frames. --memory runs a 30-second and a 5-minute clip instead.

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "bench/process.h"

namespace {

using namespace vfilter::bench;

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

void print_row(const std::string& what, double ours, double theirs, double value, double most, const char* unit) {
    std::cout << fmt::format("{:<44}{:>10.3f}{:>10.3f} {:<4}{:>8.3f}{:>8.2f}  {}\n", what, ours, theirs, unit, value,
                             most, value <= most ? "ok" : "MISS")
              << std::flush;
}

// Both in turn, so that a change of the machine's speed meets both.
void compare(const std::string& what, const Words& ours, const Words& theirs, double most, int runs) {
    run(ours);
    run(theirs);
    std::vector<double> mine;
    std::vector<double> other;
    std::vector<double> ratios;
    for (int i = 0; i < runs; ++i) {
        mine.push_back(run(ours).seconds);
        other.push_back(run(theirs).seconds);
        ratios.push_back(mine.back() / other.back());
    }
    print_row(what, median(mine), median(other), median(ratios), most, "s");
}

Words ffmpeg(const Words& more) {
    Words command{"ffmpeg", "-nostdin", "-v", "error", "-y"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
}

}  // namespace

int main(int argc, char** argv) try {
    const Words arguments(argv + 1, argv + argc);
    const auto value = [&](const std::string& name, const std::string& usual) {
        const auto at = std::ranges::find(arguments, name);
        return at != arguments.end() && at + 1 != arguments.end() ? *(at + 1) : usual;
    };
    if (arguments.empty() || arguments[0].starts_with('-')) {
        std::cerr << "bench_whole VFILTER [--clip FILE] [--runs N] [--memory]\n";
        return 2;
    }
    const std::string& vfilter = arguments[0];
    const TemporaryFolder folder;
    const std::string out = folder / "out.mp4";
    std::string clip = value("--clip", "");
    if (clip.empty()) {
        clip = folder / "clip.mp4";
        // Noise makes the decoder work as it does on a camera's pictures.
        run(ffmpeg({"-f", "lavfi", "-i", "testsrc2=size=1920x1080:rate=24,noise=alls=12:allf=t", "-f", "lavfi", "-i",
                    "sine", "-t", "12.5", "-c:v", "libx264", "-crf", "24", "-pix_fmt", "yuv420p", "-c:a", "aac",
                    clip}));
    }
    std::cout << fmt::format("{:<44}{:>10}{:>10} {:<4}{:>8}{:>8}\n", "", "vfilter", "ffmpeg", "", "ratio", "most");
    const int runs = std::stoi(value("--runs", "5"));
    if (std::ranges::find(arguments, "--memory") == arguments.end()) {
        const Words decode = ffmpeg({"-i", clip, "-f", "null", "-"});
        compare("gaussian 5 to null / ffmpeg decoding", {vfilter, "-q", clip, "--format", "null", "--gaussian", "5"},
                decode, 1.15, runs);
        compare("gaussian 31 to null / ffmpeg decoding", {vfilter, "-q", clip, "--format", "null", "--gaussian", "31"},
                decode, 1.35, runs);
        compare("gaussian 5 to x264 veryfast / no filter",
                {vfilter, "-q", "-y", clip, out, "--gaussian", "5", "--preset", "veryfast"},
                ffmpeg({"-i", clip, "-c:v", "libx264", "-preset", "veryfast", "-c:a", "copy", out}), 1.05, runs);
    } else {
        const std::string half_minute = folder / "30.mp4";
        const std::string minutes = folder / "300.mp4";
        run(ffmpeg({"-stream_loop", "-1", "-i", clip, "-t", "30", "-c", "copy", half_minute}));
        run(ffmpeg({"-stream_loop", "-1", "-i", clip, "-t", "300", "-c", "copy", minutes}));
        const auto ours = [&](const std::string& input) {
            return run({vfilter, "-q", "-y", input, out, "--gaussian", "5", "--preset", "veryfast"}).mebibytes;
        };
        const double shorter = ours(half_minute);
        const double longer = ours(minutes);
        const double theirs = run(ffmpeg({"-i", half_minute, "-vf", "gblur=sigma=1.1", "-c:v", "libx264", "-preset",
                                          "veryfast", "-c:a", "copy", out}))
                                  .mebibytes;
        print_row("peak memory, 5 minutes / 30 seconds", longer, shorter, longer / shorter, 1.03, "MiB");
        print_row("peak memory, vfilter - ffmpeg with gblur", longer, theirs, longer - theirs, 64, "MiB");
    }
    return 0;
} catch (const std::exception& error) {
    std::cerr << "bench_whole: " << error.what() << '\n';
    return 1;
}
