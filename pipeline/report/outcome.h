#pragma once
// The results of a run, for display and for --report. Plain values; during the run they are what is known so far.

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
    std::string message;         ///< the error message, "" if there was none
    std::string kept_part;       ///< an unfinished file that was kept, "" if none
    std::int64_t abandoned = 0;  ///< pictures that were inside when a signal's time was over, or an error came; they
                                 ///< are not in the file
    bool hung = false;           ///< a thread did not come back: the process has to be left without the usual end
};

/// The noise that a filter has requested.
struct MeasuredNoise {
    std::string filter;  ///< its name
    NoiseLevels levels;
    std::size_t pictures = 0;  ///< number of first pictures used
};

/// The part of the pictures that --crop auto has kept, in displayed coordinates.
struct FoundCrop {
    int width = 0;
    int height = 0;
    int x = 0;
    int y = 0;
    std::size_t pictures = 0;  ///< number examined, without those that were entirely black
};

/// What the run consisted of.
struct RunSetup {
    std::string container;  ///< "" if nothing is written, like the encoder
    std::string encoder;
    std::string device;
    std::vector<std::string> kernels;  ///< see FilterEngine::kernels
    std::vector<StepCount> steps;      ///< what each of the filters was applied to; empty until the end
    std::vector<FilterSpec> filters;   ///< as they were at the end; a preview's user may have changed them
    std::vector<MeasuredNoise> noise;  ///< of all videos
    std::vector<ForeignStep> foreign;  ///< the graphs between them
    std::optional<FoundCrop> crop;     ///< with --crop auto
    std::string same_again;  ///< a preview's command line with these filters, addresses without their passwords
    std::vector<std::string> dropped_streams;
    std::vector<std::string> encoded_streams;  ///< of sound: the codec before and after
    std::vector<std::string> unread_labels;    ///< of the input: what FFmpeg does not read
    std::vector<std::string> dropped_tags;     ///< and languages and purposes that the container cannot store
};

/// How much was processed, for all videos together.
struct RunCounts {
    std::int64_t frames_in = 0;        ///< decoded and wanted
    std::int64_t frames_added = 0;     ///< by steps of --vf, minus those that they left out
    std::int64_t frames_out = 0;       ///< written; filtered if nothing is written
    std::int64_t frames_expected = 0;  ///< 0 if unknown
    double input_seconds = 0;          ///< duration according to the input; 0 if it has none
    double frame_rate = 0;             ///< of the first video
    double seconds = 0;
    std::int64_t bytes_written = 0;
    std::int64_t displaced = 0;     ///< of those written; see Muxer::displaced_pictures()
    std::int64_t packets_lost = 0;  ///< that an address did not receive, as far as is known; see Muxer::lost_packets()

    [[nodiscard]] double fps() const { return seconds > 0 ? static_cast<double>(frames_out) / seconds : 0; }
};

/// What is known about a live input, and what was left out.
struct LiveCounts {
    bool is_live = false;
    int reconnects = 0;
    Drops drops;             ///< also of a window during a recording
    double clock_drift = 0;  ///< seconds by which the timestamps lag behind this machine's clock
};

/// Where pictures of the first video were decoded.
struct DecodeUse {
    bool gpu = false;  ///< chosen for it
    std::string why;   ///< for display; "" if no reason is needed
    DecodeFacts facts;
};

struct MemoryUse {
    std::int64_t pictures_allocated = 0;
    EngineCounters engine;  ///< of the first video
};

/// The warnings, in order.
struct Warnings {
    std::vector<std::string> lines;
    std::int64_t more = 0;  ///< further warnings, which were not kept
};

struct Outcome {
    RunEnd end;
    RunSetup setup;
    RunCounts counts;
    LiveCounts live;
    DecodeUse decode;
    MemoryUse memory;
    Damage damage;
    Audit audit;                               ///< a run knows its sums and regions; its caller adds the rest
    Warnings warnings;                         ///< for the report, once it is written
    std::optional<Verifier::Result> verified;  ///< with --verify, once everything has been checked
};

}  // namespace vfilter
