#include "pipeline/session/run_reports.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdio>

#include "config/error.h"
#include "io/output/part_index.h"
#include "pipeline/report/report.h"
#include "pipeline/report/summary.h"
#include "pipeline/session/named_files.h"
#include "pipeline/session/pictures.h"
#include "pipeline/session/run_end.h"

namespace vfilter {

namespace {

// Not where its name is what was wrong.
bool may_write_report(const Options& options) {
    try {
        check_named_files(options);
        check_picture_names(options);
        return true;
    } catch (const Error& error) {
        return error.code() == ExitCode::input;  // one that is not there
    }
}

// Returns whether there was any.
bool log_damage(const Damage& damage) {
    const std::string text = damage_text(damage);
    if (!text.empty()) {
        spdlog::warn("{} damaged: {}", damaged_files(damage), text);
    }
    return !text.empty();
}

void log_lost_packets(const Options& options, const Outcome& outcome) {
    if (outcome.counts.packets_lost > 0) {
        spdlog::warn("{}: at least {} packets were lost while it was away", shown_name(options.output.path),
                     outcome.counts.packets_lost);
    }
}

void log_failure(const Options& options, const Outcome& outcome) {
    const RunEnd& end = outcome.end;
    spdlog::error("{}", end.message);
    if (!end.kept_part.empty()) {
        spdlog::error("what was written up to there is kept as {}{}", end.kept_part,
                      has_index(end.kept_part) ? "; --mend makes it playable" : "");
    }
    log_damage(outcome.damage);
    log_lost_packets(options, outcome);
    if (outcome.live.is_live && end.abandoned > 0) {
        spdlog::warn("pictures that were on their way and are left out: {}", end.abandoned);
    }
}

void log_success(const Options& options, const Outcome& outcome) {
    if (outcome.end.abandoned > 0) {
        spdlog::warn("{} pictures had not come out of the encoder a second after the signal and are left out",
                     outcome.end.abandoned);
    }
    if (log_damage(outcome.damage)) {
        for (const std::string& note : outcome.damage.notes) {
            spdlog::warn("  {}", note);
        }
    }
    log_lost_packets(options, outcome);
    if (outcome.verified) {
        spdlog::info("{}", summary_of(*outcome.verified));
    }
}

}  // namespace

void log_end(const Options& options, const Outcome& outcome, const Stats& stats, bool summary) {
    if (const std::string drops = drops_text(outcome.live.drops); !drops.empty()) {
        spdlog::warn("pictures left out: {}", drops);
    }
    if (!outcome.end.message.empty()) {
        log_failure(options, outcome);
        return;
    }
    log_success(options, outcome);
    if (summary) {
        spdlog::info("{}", summary_line(options, outcome, stats));
    }
    if (!outcome.setup.same_again.empty()) {
        spdlog::info("the same again: {}", outcome.setup.same_again);
    }
}

void hand_out_reports(const Options& options, Outcome& outcome, const Stats& stats, const ReportReaders& readers) {
    const bool harmless = may_write_report(options);
    const auto hand_out = [&](const auto& action) {
        try {
            action();
            return true;
        } catch (const Error& error) {
            spdlog::error("{}", error.what());
            if (outcome.end.message.empty()) {
                outcome.end.code = error.code();
                outcome.end.message = error.what();
            }
            return false;
        }
    };
    hand_out([&] {
        if (readers.parent) {
            readers.parent(report_json(options, outcome, stats));
        }
    });
    const auto begin = std::chrono::steady_clock::now();
    const auto given_up = [&] {  // a named pipe that nobody reads
        const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begin;
        return (readers.given_up && readers.given_up()) ||
               (options.stall_timeout > 0 && waited.count() > options.stall_timeout);
    };
    const auto write_report = [&] {
        if (!options.report.empty() && harmless) {
            write_text_file(options.report, report_json(options, outcome, stats), given_up);
        }
    };
    const bool reported = hand_out(write_report);
    const bool printed = hand_out([&] {
        if (options.stats == StatsFormat::json && harmless) {
            print_text(report_json(options, outcome, stats));
        } else if (options.stats == StatsFormat::text) {
            std::fputs(stats_text(outcome, stats).c_str(), stderr);
        }
    });
    if (reported && !printed) {
        hand_out(write_report);  // which said that all was well
    }
}

}  // namespace vfilter
