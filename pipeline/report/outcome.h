#pragma once
// What came of a run, for people and for --report. Plain values; while it runs they are what is known so far.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/chain.h"
#include "config/error.h"
#include "filters/filters.h"
#include "io/codec/frame_source.h"
#include "io/damage.h"
#include "pipeline/engine/filter_engine.h"
#include "pipeline/engine/verifier.h"
#include "pipeline/report/audit.h"
#include "pipeline/report/drops.h"

namespace vfilter {

/// How it ended.
struct RunEnd {
    ExitCode code = ExitCode::finished;
    std::string message;         ///< the error's sentence, "" if there was none
    std::string kept_part;       ///< an unfinished file that was left, "" if none
    std::int64_t abandoned = 0;  ///< pictures that were inside when a signal's time was over, or an error came; they
                                 ///< are not in the file
    bool hung = false;           ///< a thread did not come back: the process has to be left without the usual end
};

/// The noise that a filter has asked for.
struct MeasuredNoise {
    std::string filter;  ///< its name
    NoiseLevels levels;
    std::size_t pictures = 0;  ///< the first ones
};

/// What --crop auto has left of the pictures, as they are shown.
struct FoundCrop {
    int width = 0;
    int height = 0;
    int x = 0;
    int y = 0;
    std::size_t pictures = 0;  ///< in which it was looked for, without those that were black all over
};

/// What it was made of.
struct RunSetup {
    std::string container;  ///< "" where nothing is written, like the encoder
    std::string encoder;
    std::string device;
    std::vector<std::string> kernels;  ///< see FilterEngine::kernels
    std::vector<StepCount> steps;      ///< what each of the filters was applied to; empty until the end
    std::vector<FilterSpec> filters;   ///< as they were in the end; a preview's user may have changed them
    std::vector<MeasuredNoise> noise;  ///< of all videos
    std::vector<ForeignStep> foreign;  ///< the graphs between them
    std::optional<FoundCrop> crop;     ///< with --crop auto
    std::string same_again;  ///< a preview's command line with these filters, addresses without their passwords
    std::vector<std::string> dropped_streams;
    std::vector<std::string> encoded_streams;  ///< of sound: what each was, and what it has become
    std::vector<std::string> unread_labels;    ///< of the input: what FFmpeg does not read
    std::vector<std::string> dropped_tags;     ///< and languages and purposes, which the container does not hold
};

/// How much went through, of all videos together.
struct RunCounts {
    std::int64_t frames_in = 0;        ///< decoded and wanted
    std::int64_t frames_added = 0;     ///< by steps of --vf, less those that they left out
    std::int64_t frames_out = 0;       ///< written; filtered if nothing is written
    std::int64_t frames_expected = 0;  ///< 0 if nobody knows
    double input_seconds = 0;          ///< how long the input says it is; 0 if it does not
    double frame_rate = 0;             ///< of the first video
    double seconds = 0;
    std::int64_t bytes_written = 0;
    std::int64_t displaced = 0;     ///< of those written; see Muxer::displaced_pictures()
    std::int64_t packets_lost = 0;  ///< that an address did not get, as far as is known; see Muxer::lost_packets()

    [[nodiscard]] double fps() const { return seconds > 0 ? static_cast<double>(frames_out) / seconds : 0; }
};

/// What is known of a live input, and what was left out.
struct LiveCounts {
    bool is_live = false;
    int reconnects = 0;
    Drops drops;             ///< also of a window during a recording
    double clock_drift = 0;  ///< seconds by which the timestamps have lost against this machine's clock
};

/// Where pictures of the first video were decoded.
struct DecodeUse {
    bool gpu = false;  ///< chosen for it
    std::string why;   ///< for people; "" where it needs no reason
    DecodeFacts facts;
};

struct MemoryUse {
    std::int64_t pictures_allocated = 0;
    EngineCounters engine;  ///< of the first video
};

/// What was warned of, in order.
struct Warnings {
    std::vector<std::string> lines;
    std::int64_t more = 0;  ///< behind those, and not kept
};

struct Outcome {
    RunEnd end;
    RunSetup setup;
    RunCounts counts;
    LiveCounts live;
    DecodeUse decode;
    MemoryUse memory;
    Damage damage;
    Audit audit;                               ///< a run knows its sums and regions; the rest is whoever's who began it
    Warnings warnings;                         ///< for the report, once it is written
    std::optional<Verifier::Result> verified;  ///< with --verify, once all has been checked
};

}  // namespace vfilter
