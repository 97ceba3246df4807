#include "pipeline/session/run_watch.h"

#include <chrono>
#include <exception>

#include "config/error.h"
#include "pipeline/session/run_guard.h"

namespace vfilter {

namespace {

constexpr std::chrono::milliseconds watch_interval{125};

// A thread does not come back from a codec or a write. Where it is not the muxer's, the file is whole as far as it
// goes. Throws what is to be told of that.
void check_left_behind(const RunGuard& guard, const RunParts& parts) {
    if (!guard.stall().empty()) {
        throw Error(ExitCode::internal, guard.stall());
    }
    if (parts.muxer && !parts.pipeline->has_written()) {
        throw Error(ExitCode::output, "stopped while the output could not be written");
    }
    if (const std::exception_ptr error = parts.pipeline->first_error()) {
        std::rethrow_exception(error);
    }
}

}  // namespace

void wait_for_end(const Options& options, const Stats& stats, const RunParts& parts, StopRequests& stop,
                  const std::function<void()>& tick, bool& hung) {
    const bool live = parts.demuxer->live();
    const bool by_timeout = live && options.input.timeout > 0;
    const double stall_timeout = by_timeout ? options.input.timeout : options.stall_timeout;
    const bool on_cpu = parts.device == nullptr || parts.device->gpus().empty();
    RunGuard guard(stats, stop.signal, stall_timeout, on_cpu || options.verify);
    if (by_timeout) {
        guard.name_limit("--timeout");
    }
    if (live && parts.file && !parts.file->keeps_place()) {
        guard.judge_output([&file = *parts.file] { return file.bytes(); });
    }
    while (!parts.pipeline->wait_for(watch_interval)) {
        tick();
        switch (guard.look()) {
            case RunGuard::Verdict::go_on:
                break;
            case RunGuard::Verdict::abandon:
                stop.given_up = true;
                parts.pipeline->abandon();
                break;
            case RunGuard::Verdict::leave:
                hung = true;
                check_left_behind(guard, parts);
                return;
        }
    }
    if (!guard.stall().empty()) {
        throw Error(ExitCode::internal, guard.stall());
    }
}

}  // namespace vfilter
