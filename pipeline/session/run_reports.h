#pragma once
// What a run says when it has ended: on the log, and as reports to all who asked for one.

#include <functional>
#include <string>

#include "config/options.h"
#include "pipeline/report/outcome.h"
#include "pipeline/report/stats.h"

namespace vfilter {

/// Logs how the run ended, what was damaged and what was left out; with `summary` the line that ends a run that went
/// well, too.
void log_end(const Options& options, const Outcome& outcome, const Stats& stats, bool summary);

/// Who gets reports, besides --report and --stats.
struct ReportReaders {
    std::function<void(const std::string& report)> parent{};  ///< of a batch, which this run is one of; or empty
    std::function<bool()> given_up;                           ///< whether waiting for a reader of a FIFO is to end
};

/// Gives the report to each by itself, so that a full disk behind one costs nobody the others. What fails is logged,
/// and becomes the outcome of a run that went well. Not thread-safe.
void hand_out_reports(const Options& options, Outcome& outcome, const Stats& stats, const ReportReaders& readers);

}  // namespace vfilter
