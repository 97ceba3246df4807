// vfilter-bench: how fast is it here, and what binds it?

#include <CLI/CLI.hpp>

#include "bench/bench.h"

namespace {

using namespace vfilter::bench;

constexpr Part parts[] = {
    {"pipeline", "a video through decoder, filter and encoder, each alone and all together, beside ffmpeg",
     measure_pipeline},
    {"kernels", "every filter over sizes, depths and resolutions, beside a copy, OpenCV, NPP and cuDNN",
     measure_kernels},
    {"sweep", "on a GPU: how the time grows with a Gaussian's size, beside a copy and the tensor cores' peak",
     measure_sweep},
};

// Of the part pipeline.
void add_options(CLI::App& app, Wishes& wishes) {
    const auto set_heights = [&wishes](const std::vector<std::string>& sizes) {
        for (const std::string& size : sizes) {
            wishes.heights.push_back(std::stoi(size));
        }
    };
    const auto check_size = [](const std::string& size) {
        const bool known = size == "720p" || size == "1080p" || size == "2160p";
        return known ? std::string() : size + ": 720p, 1080p or 2160p";
    };
    app.add_option_function<std::vector<std::string>>("--size", set_heights,
                                                      "of the videos that are made, comma between: 720p, 1080p, 2160p")
        ->delimiter(',')
        ->check(check_size);
    app.add_option("--clip", wishes.clip, "a video to measure with, instead of those")->check(CLI::ExistingFile);
    app.add_option("--rounds", wishes.rounds, "of the part pipeline; 3 unless told otherwise")
        ->check(CLI::Range(1, 1000));
}

}  // namespace

int main(int argc, char** argv) {
    return run_program({"vfilter-bench", "Measures vfilter on this machine.", parts, add_options}, argc, argv);
}
