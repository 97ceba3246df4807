#pragma once
// How a run ends: whether the output is complete, and with which exit code and message.

#include <cstdint>
#include <string>

#include "config/error.h"
#include "pipeline/report/outcome.h"

namespace vfilter {

/// What is needed, besides its outcome, to judge a run.
struct EndFacts {
    bool writes = false;           ///< to a muxer
    bool stopped = false;          ///< by a signal or by the preview's user
    int signal = 0;                ///< its number, 0 if none came
    bool strict = false;           ///< damage is an error
    std::int64_t encoded = 0;      ///< pictures that the encoders accepted
    std::int64_t refused = 0;      ///< packets of copied streams that the muxer did not accept
    std::string why_refused = {};  ///< its message about the last of them
};

/// How many pictures came in and neither came out nor were dropped; 0 if nothing is written.
std::int64_t left_inside(const Outcome& outcome);

/// Throws Error if nothing came in, if nothing came out that was to be written, or if the numbers of pictures do not
/// agree. Otherwise returns how many were abandoned inside when a signal's time was over.
std::int64_t check_counts(const Outcome& outcome, const EndFacts& facts);

/// Throws Error if copied packets were refused although they were not damaged, or if --strict forbids the damage.
void check_losses(const Outcome& outcome, const EndFacts& facts);

/// Exit code of a run that was ended cleanly by a signal.
ExitCode code_of_signal(int signal);

/// Exit code of a run without an error: according to what was damaged in the input or did not reach an address.
/// `signal` is 0 if none came.
ExitCode code_without_error(int signal, const Outcome& outcome);

/// The state when an error ended a run.
struct StopFacts {
    int signal = 0;              ///< its number, 0 if none came
    bool file_failed = false;    ///< an error of the output is the file's own: nobody had stopped waiting for it
    std::int64_t frames_in = 0;  ///< pictures that were decoded
};

/// Exit code and message of a run ended by an error, everything else as in `so_far`. What a signal interrupted is not
/// blamed on the input or the reader; a file that could not be finished is still not in place.
RunEnd end_of_error(RunEnd so_far, ExitCode code, const std::string& message, const StopFacts& stop);

}  // namespace vfilter
