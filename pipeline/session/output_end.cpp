#include "pipeline/session/output_end.h"

#include <spdlog/spdlog.h>

#include "config/error.h"
#include "io/output/output_check.h"
#include "io/output/tags.h"
#include "pipeline/background_task.h"

namespace vfilter {

std::vector<std::string> check_output(const Options& options, const AVOutputFormat& container, const RunParts& parts,
                                      const StopRequests& stop) {
    OutputFile& file = *parts.file;
    if (!file.keeps_part() || stop.signal_number() != 0) {
        return {};
    }
    file.flush();
    const auto stopped = [&stop] { return stop.signal_number() != 0; };
    auto same_bytes = begin_task([&file, stopped] { file.verify(stopped); });
    try {
        check_written(file.written_path(), container, parts.muxer->sent(), stopped);
    } catch (const Error&) {
        same_bytes.get();  // a disk's fault is told before what comes of it
        throw;
    }
    same_bytes.get();
    std::vector<std::string> missing = missing_tags(file.written_path(), options.output.metadata);
    for (const std::string& tag : missing) {
        spdlog::warn("the tag '{}' is left out: {} does not hold it", tag, container.name);
    }
    return missing;
}

}  // namespace vfilter
