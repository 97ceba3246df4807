#pragma once
// How a run ends: whether what came out is what went in, and with which exit code and sentence.

#include <cstdint>
#include <string>

#include "config/error.h"
#include "pipeline/report/outcome.h"

namespace vfilter {

/// What is needed to judge a run in addition to its outcome.
struct EndFacts {
    bool writes = false;           ///< to a muxer
    bool stopped = false;          ///< by a signal or by the preview's user
    int signal = 0;                ///< its number, 0 if none came
    bool strict = false;           ///< damage is an error
    std::int64_t encoded = 0;      ///< pictures that the encoders took
    std::int64_t refused = 0;      ///< packets of copied streams that the muxer did not take
    std::string why_refused = {};  ///< what it said of the last of them
};

/// How many pictures came in, and neither came out nor were dropped; 0 where nothing is written.
std::int64_t left_inside(const Outcome& outcome);

/// Throws Error where nothing came in, where nothing came out that was to be written, or where the counts of pictures
/// do not agree. Otherwise returns how many were given up inside when a signal's time was over.
std::int64_t check_counts(const Outcome& outcome, const EndFacts& facts);

/// Throws Error where copied packets were refused without being damaged, or where --strict forbids the damage.
void check_losses(const Outcome& outcome, const EndFacts& facts);

/// Exit code of a run that a signal has ended cleanly.
ExitCode code_of_signal(int signal);

/// Exit code of a run without an error: by what was damaged in the input or did not reach an address. `signal` is 0 if
/// none came.
ExitCode code_without_error(int signal, const Outcome& outcome);

/// What there was when an error ended a run.
struct StopFacts {
    int signal = 0;              ///< its number, 0 if none came
    bool file_failed = false;    ///< an error of the output is the file's own: nobody had stopped waiting for it
    std::int64_t frames_in = 0;  ///< pictures that were decoded
};

/// Exit code and sentence of a run that an error has ended, all else as in `so_far`. What a signal broke off is no
/// fault of the input's or of the reader's; a file that could not be finished is not in place all the same.
RunEnd end_of_error(RunEnd so_far, ExitCode code, const std::string& message, const StopFacts& stop);

}  // namespace vfilter
