#pragma once
// What the parts of vfilter-bench and vfilter-study share: what the user asked for, how a part says where it is, and
// the program around them.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/report.h"

namespace CLI {
class App;
}

namespace vfilter::bench {

/// What the program was asked for.
struct Wishes {
    std::string program;       ///< its own path: vfilter is looked for in the same folder
    bool cpu = true;           ///< measure the CPU engine
    bool cuda = false;         ///< measure the GPU: there is one, and it was not excluded
    int gpu = 0;               ///< its number
    int threads = 0;           ///< of the CPU engine; 0: as many as there are processors
    int rounds = 0;            ///< of whole runs; 0: as the part thinks best
    bool quick = false;        ///< fewer rows and rounds: for a first look and for tests
    std::string only;          ///< rows whose name holds this text; empty: all
    std::string clip;          ///< a video of the user's; empty: made on the spot
    std::vector<int> heights;  ///< of the videos that are made; empty: as the part thinks best
};

/// Where the run is. Not thread-safe.
class Progress {
public:
    virtual ~Progress() = default;
    virtual void plan(std::size_t steps) = 0;        ///< that many more are to come
    virtual void step(std::string_view what) = 0;    ///< the next one begins
    virtual void remark(std::string_view what) = 0;  ///< a line that stays
};

/// What is measured as one section. `wishes` are valid. Throws std::runtime_error for what no row can survive; a row
/// that fails is left out and named in the section.
struct Part {
    const char* name;  ///< on the command line
    const char* help;
    Section (*measure)(const Wishes& wishes, Progress& progress);
};

Section measure_pipeline(const Wishes& wishes, Progress& progress);
Section measure_kernels(const Wishes& wishes, Progress& progress);
Section measure_sweep(const Wishes& wishes, Progress& progress);

/// A program that measures parts: its main(), from the command line to the exit code.
struct Program {
    const char* name;
    const char* description;
    std::span<const Part> parts;
    void (*add_options)(CLI::App& app, Wishes& wishes);  ///< of its own
};
int run_program(const Program& program, int argc, char** argv);

/// Whether a row of this name is wanted.
inline bool wanted(const Wishes& wishes, std::string_view name) {
    return name.find(wishes.only) != std::string_view::npos;
}

}  // namespace vfilter::bench
