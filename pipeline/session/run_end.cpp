#include "pipeline/session/run_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <string_view>

#include "pipeline/report/summary.h"

namespace vfilter {

namespace {

constexpr std::string_view nothing_yet = "stopped before the first picture";

}  // namespace

std::int64_t left_inside(const Outcome& outcome) {
    const RunCounts& counts = outcome.counts;
    if (outcome.setup.encoder.empty()) {
        return 0;  // nothing was to come out
    }
    return std::max<std::int64_t>(
        0, counts.frames_in + counts.frames_added - outcome.live.drops.decoded() - counts.frames_out);
}

std::int64_t check_counts(const Outcome& outcome, const EndFacts& facts) {
    const RunCounts& counts = outcome.counts;
    if (counts.frames_in == 0 && !facts.stopped) {
        const double length = counts.input_seconds;
        throw Error(ExitCode::input,
                    fmt::format("the part that was asked for holds no picture{}",
                                length > 0 ? fmt::format(": the input is {:.5g} s long", length) : ""));
    }
    const std::int64_t dropped = outcome.live.drops.decoded();
    const std::int64_t given = counts.frames_in + counts.frames_added - dropped;
    const std::int64_t missing = given - counts.frames_out;
    if (facts.writes && missing > 0 && facts.signal == 0 && facts.encoded == given) {
        throw Error(ExitCode::encoder, fmt::format("the encoder {} made {} packets of {} pictures",
                                                   outcome.setup.encoder, counts.frames_out, given));
    }
    if (facts.writes && missing != 0 && (facts.signal == 0 || missing < 0)) {
        throw Error(
            ExitCode::internal,
            fmt::format("{} frames went in, {} were dropped{} and {} came out", counts.frames_in, dropped,
                        counts.frames_added != 0 ? fmt::format(", steps of --vf made {:+}", counts.frames_added) : "",
                        counts.frames_out));
    }
    if (facts.writes && counts.frames_out == 0 && !facts.stopped) {
        throw Error(
            ExitCode::input,
            fmt::format("no picture is left: {} came in (--frames, --start and --end are of the input), and the "
                        "steps of --vf gave none",
                        counts.frames_in));
    }
    if (facts.writes && counts.frames_out == 0) {
        // Nothing that is in place is given up for a file without pictures.
        throw Error(ExitCode::input, std::string(nothing_yet));
    }
    return facts.writes ? missing : 0;
}

void check_losses(const Outcome& outcome, const EndFacts& facts) {
    if (facts.refused > 0 && !outcome.damage.any()) {
        throw Error(ExitCode::output, fmt::format("{} refused {} packets of copied streams: {}",
                                                  outcome.setup.container, facts.refused, facts.why_refused));
    }
    if (facts.strict && outcome.damage.any() && facts.signal == 0) {
        const std::string damage = damage_text(outcome.damage);
        throw Error(ExitCode::damaged, damage.empty() ? "the input went away or fell silent, and --strict was given"
                                                      : fmt::format("{} damaged ({}), and --strict was given",
                                                                    damaged_files(outcome.damage), damage));
    }
}

ExitCode code_of_signal(int signal) {
    return signal == SIGTERM ? ExitCode::terminated : signal == SIGHUP ? ExitCode::hung_up : ExitCode::interrupted;
}

ExitCode code_without_error(int signal, const Outcome& outcome) {
    if (signal != 0) {
        return code_of_signal(signal);
    }
    return outcome.damage.any() || outcome.counts.packets_lost > 0 ? ExitCode::damaged : ExitCode::finished;
}

RunEnd end_of_error(RunEnd so_far, ExitCode code, const std::string& message, const StopFacts& stop) {
    const bool stopped =
        stop.signal != 0 && (code == ExitCode::input || (code == ExitCode::output && !stop.file_failed));
    so_far.code = stopped ? code_of_signal(stop.signal) : code;
    so_far.message = !stopped || message == nothing_yet               ? message
                     : code == ExitCode::input && stop.frames_in == 0 ? std::string(nothing_yet)
                                                                      : fmt::format("stopped: {}", message);
    return so_far;
}

}  // namespace vfilter
