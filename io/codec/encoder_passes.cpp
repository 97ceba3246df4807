// Two passes of an encoder over the same pictures.

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "io/codec/encoder.h"

namespace vfilter {

std::string pass_file(const OutputOptions& options, int stream) {
    return (std::filesystem::path(options.pass_folder) / fmt::format("video{}", stream)).string();
}

void Encoder::set_up_pass(const OutputOptions& options, int stream, Dictionary& settings) {
    const bool first = options.pass == 1;
    const std::string path = pass_file(options, stream);
    context_->flags |= first ? AV_CODEC_FLAG_PASS1 : AV_CODEC_FLAG_PASS2;
    switch (pass_statistics(*context_->codec)) {
        case PassStatistics::own_file:
            settings.set("stats", path);
            return;
        case PassStatistics::parameters: {
            const AVDictionaryEntry* const own = av_dict_get(*settings.get(), "x265-params", nullptr, 0);
            settings.set("x265-params", fmt::format("{}{}pass={}:stats={}", own != nullptr ? own->value : "",
                                                    own != nullptr ? ":" : "", options.pass, path));
            return;
        }
        case PassStatistics::palette:
            return;  // the encoder itself makes one pass
        case PassStatistics::text:
            break;
        case PassStatistics::none:
            throw Error(ExitCode::usage, fmt::format("--two-pass: the encoder {} works in one pass", name()));
    }
    if (first) {
        statistics_to_.open(path, std::ios::binary | std::ios::trunc);
        if (!statistics_to_) {
            throw Error(ExitCode::output, fmt::format("{}: cannot be written", path));
        }
        return;
    }
    std::ifstream file(path, std::ios::binary);
    std::ostringstream statistics;
    if (!(statistics << file.rdbuf())) {
        throw Error(ExitCode::output, fmt::format("{}: the statistics of the first pass cannot be read", path));
    }
    statistics_ = statistics.str();
    context_->stats_in = statistics_.data();
}

void Encoder::keep_statistics() {
    statistics_to_ << context_->stats_out << std::flush;
    if (!statistics_to_) {
        throw Error(ExitCode::output, "the statistics of the first pass cannot be written: is the disk full?");
    }
}

}  // namespace vfilter
