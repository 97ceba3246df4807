#include "io/output/pipe_rules.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "config/error.h"
#include "io/containers.h"

namespace vfilter {

void check_for_pipe(const AVOutputFormat& container, const std::string& name, std::int64_t pictures) {
    const Container& row = container_of(container);
    const bool of_one = row.has(fact::one_codec) && !row.in_pipes.empty();  // whose one picture needs no index
    if (!row.in_pipes.empty() && !(of_one && pictures == 1)) {
        throw Error(
            ExitCode::usage,
            fmt::format("{}: {} has to rewrite its beginning at the end, which is not possible here: write to a "
                        "file, {}or use --format {}",
                        name, container.name, of_one ? "one picture (--frames 1), " : "", row.in_pipes));
    }
    if (row.has(fact::tells_length)) {
        spdlog::warn(
            "{}: {} says in its header how long it is, which is not known yet: readers are told none, or a wrong "
            "one (matroska, mpegts, mp4 and nut need no such header)",
            name, container.name);
    }
}

}  // namespace vfilter
