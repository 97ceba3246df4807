#pragma once
// What the parts of vfilter-bench share: what the user asked for, and how a part says where it is.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bench/report.h"

namespace vfilter::bench {

/// What vfilter-bench was asked for.
struct Wishes {
    std::string program;       ///< how vfilter-bench itself was called: vfilter is looked for beside it
    bool cpu = true;           ///< measure the CPU engine
    bool cuda = false;         ///< measure the GPU: there is one, and it was not excluded
    int gpu = 0;               ///< its number
    int threads = 0;           ///< of the CPU engine; 0: as many as there are processors
    int rounds = 0;            ///< of whole runs; 0: as the part thinks best
    bool quick = false;        ///< fewer rows and rounds: for a first look and for tests
    std::string only;          ///< rows whose name holds this text; empty: all
    std::string clip;          ///< a video of the user's; empty: made on the spot
    std::vector<int> heights;  ///< 720, 1080, 2160: of what is made on the spot
};

/// Where the run is. Not thread-safe.
class Progress {
public:
    virtual ~Progress() = default;
    virtual void plan(std::size_t steps) = 0;        ///< that many more are to come
    virtual void step(std::string_view what) = 0;    ///< the next one begins
    virtual void remark(std::string_view what) = 0;  ///< a line that stays
};

/// A part: `wishes` are valid. Throws std::runtime_error for what no row can survive; a row that fails is left out and
/// named in the section.
Section measure_pipeline(const Wishes& wishes, Progress& progress);
Section measure_kernels(const Wishes& wishes, Progress& progress);
Section measure_ladder(const Wishes& wishes, Progress& progress);
Section measure_sweep(const Wishes& wishes, Progress& progress);

/// How the plan of a part goes on: whether a row of this name is wanted.
inline bool wanted(const Wishes& wishes, std::string_view name) {
    return name.find(wishes.only) != std::string_view::npos;
}

}  // namespace vfilter::bench
