#include "pipeline/session/output_end.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>

#include "config/error.h"
#include "io/output/output_check.h"
#include "pipeline/background_task.h"

namespace vfilter {

std::vector<std::string> check_output(const AVOutputFormat& container, const RunParts& parts,
                                      const StopRequests& stop) {
    OutputFile& file = *parts.file;
    if (!file.keeps_part() || stop.signal_number() != 0) {
        return {};
    }
    file.flush();
    const auto stopped = [&stop] { return stop.signal_number() != 0; };
    auto same_bytes = begin_task([&file, stopped] { file.verify(stopped); });
    std::vector<std::string> lost;
    try {
        lost = check_written(file.written_path(), container, parts.muxer->sent(), parts.muxer->labels(), stopped);
    } catch (const Error&) {
        same_bytes.get();  // a disk's fault is told before what comes of it
        throw;
    }
    same_bytes.get();
    if (!lost.empty()) {
        constexpr std::size_t most = 8;  // in a line
        const auto end = lost.begin() + static_cast<std::ptrdiff_t>(std::min(lost.size(), most));
        spdlog::warn("{} does not hold, and leaves out: {}{}", container.name, fmt::join(lost.begin(), end, ", "),
                     lost.size() > most ? fmt::format(" and {} more", lost.size() - most) : "");
    }
    return lost;
}

}  // namespace vfilter
