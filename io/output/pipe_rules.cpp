#include "io/output/pipe_rules.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <string_view>

#include "config/error.h"

namespace vfilter {

namespace {

// Muxers that go back to the front, or to an index, without which nobody reads the file.
struct Backwards {
    std::string_view container;
    std::string_view instead;  // --format
    bool good_of_one = false;  // one picture is written as it would be in a file
};

constexpr Backwards backwards[] = {
    {"apng", "gif", true}, {"webp", "gif", true}, {"avif", "png"},     {"f4v", "mp4"},
    {"3g2", "mp4"},        {"psp", "mp4"},        {"wtv", "mpegts"},   {"mxf_opatom", "mxf"},
    {"gxf", "mxf"},        {"amv", "matroska"},   {"film_cpk", "nut"},
};

// Of the others those whose header says how long the file is. FLV, ASF, FLAC, Matroska and WebM have a way to leave
// that out, MP4 and MOV become fragments.
constexpr std::string_view told_lengths[] = {"avi", "ivf", "rm", "smjpeg", "swf", "avm2", "mxf", "mxf_d10"};

}  // namespace

void check_for_pipe(const AVOutputFormat& container, const std::string& name, std::int64_t pictures) {
    const auto* const found = std::ranges::find(backwards, std::string_view(container.name), &Backwards::container);
    if (found != std::end(backwards) && !(found->good_of_one && pictures == 1)) {
        throw Error(ExitCode::usage,
                    fmt::format("{}: {} is finished at its front, which cannot be gone back to here: take a file, {}or "
                                "--format {}",
                                name, found->container, found->good_of_one ? "one picture (--frames 1), " : "",
                                found->instead));
    }
    if (std::ranges::find(told_lengths, std::string_view(container.name)) != std::end(told_lengths)) {
        spdlog::warn(
            "{}: {} says in its header how long it is, which is not known yet: readers are told none, or a wrong "
            "one (matroska, mpegts, mp4 and nut need no such header)",
            name, container.name);
    }
}

}  // namespace vfilter
