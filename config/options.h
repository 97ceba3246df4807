#pragma once
// The whole run as one plain, validated value.

#include <string>
#include <vector>

#include "config/chain.h"
#include "config/io_options.h"
#include "filters/filters.h"

namespace vfilter {

enum class Progress { automatic, bar, plain, json, none };
enum class StatsFormat { none, text, json };
enum class LogLevel { debug, info, warning, error, quiet };

/// Many inputs, each of which becomes a file of its own.
struct BatchOptions {
    std::vector<std::string> inputs;
    std::vector<std::string> passed_over;  ///< not the user's: names among them that are of no videos
    std::string folder;                    ///< of the outputs; "" for one run of one input
    std::string name;                      ///< of an output, with {stem}, {ext} and {n}; "" for the input's
    bool skip_existing = false;            ///< leave out what an earlier batch has finished
    bool keep_going = false;               ///< after a failure, too
    int jobs = 1;                          ///< at once
    std::string named;  ///< not the user's: for one of them, the name that its output gets in the end
};

struct Options {
    /// Whether anything is encoded: not if --preview is given without an output.
    [[nodiscard]] bool records() const { return !output.path.empty() || output.format == "null"; }

    InputOptions input;
    OutputOptions output;
    BatchOptions batch;
    std::vector<FilterSpec> filters;   ///< in the order in which they run
    std::vector<ForeignStep> foreign;  ///< graphs of libavfilter's between them, in the order in which they run
    bool auto_crop = false;            ///< a graph in front of all steps is to cut away black bars
    std::string device = "auto";       ///< auto, cpu, all, or a list of cuda and cuda:N
    std::string decode = "auto";       ///< where: auto, cpu, gpu
    int threads = 0;                   ///< for decoder, encoder and CPU engine; 0 is one per core
    int streams = 0;                   ///< of a GPU; 0 is the default
    bool verify = false;
    bool preview = false;               ///< show what is filtered in a window
    std::optional<double> max_latency;  ///< milliseconds from a live picture's arrival; older pictures are dropped
    Progress progress = Progress::automatic;
    StatsFormat stats = StatsFormat::none;
    LogLevel log_level = LogLevel::info;
    double stall_timeout = 60;              ///< seconds without progress of any stage that end the run; 0 for ever
    std::vector<std::string> config_files;  ///< those read, with presets
    std::string report;                     ///< file for the JSON report, "" for none
    bool sums = false;                      ///< that report, or the one of a batch, has the sums of files
    std::string trace;                      ///< file for the Chrome trace, "" for none
};

}  // namespace vfilter
