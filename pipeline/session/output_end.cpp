#include "pipeline/session/output_end.h"

#include <spdlog/spdlog.h>

#include "config/error.h"
#include "filters/names.h"
#include "io/containers.h"
#include "io/output/output_check.h"
#include "pipeline/background_task.h"

namespace vfilter {

namespace {

void tell_lost(const std::string& what, const std::vector<std::string>& lost) {
    if (!lost.empty()) {
        spdlog::warn("{} does not hold, and leaves out: {}", what, listed(lost));
    }
}

}  // namespace

std::vector<std::string> check_output(const AVOutputFormat& container, const RunParts& parts,
                                      const StopRequests& stop) {
    const auto stopped = [&stop] { return stop.signal_number() != 0; };
    if (stopped()) {
        return {};
    }
    if (parts.pictures && parts.pictures->count() > 0) {
        // Each was read again when it was written; what the first one lacks all lack.
        std::vector<std::string> lost =
            check_written(parts.pictures->first_path(), container, {}, parts.muxer->labels(), stopped).labels;
        tell_lost(name_of_output(container), lost);
        return lost;
    }
    if (!parts.file) {
        if (parts.peer) {
            parts.muxer->tell_empty({});
        }
        return {};
    }
    OutputFile& file = *parts.file;
    file.flush();
    if (!file.keeps_place() || file.bytes() == 0) {
        const std::span<const std::uint8_t> front = file.front();
        parts.muxer->tell_empty({});
        std::vector<std::string> lost =
            lost_in_pipe(front, front.size() < OutputFile::most_of_front, container, parts.muxer->labels());
        tell_lost(name_of_output(container), lost);
        return lost;
    }
    auto same_bytes = begin_task([&file, stopped] { file.verify(stopped); });
    Absent absent;
    try {
        absent = check_written(file.written_path(), container, parts.muxer->sent(), parts.muxer->labels(), stopped);
    } catch (const Error&) {
        same_bytes.get();  // a disk's fault is told before what comes of it
        throw;
    }
    same_bytes.get();
    for (const int stream : absent.streams) {
        parts.muxer->name_empty(stream);
    }
    parts.muxer->tell_empty(absent.streams);
    tell_lost(name_of_output(container), absent.labels);
    return absent.labels;
}

}  // namespace vfilter
