#pragma once
// How the time grows with the size of a filter: between the plan of the sweep, what measures a row of it on a GPU, and
// what is told of the results.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/bench.h"
#include "bench/kernels.h"
#include "kernels/arithmetic/operation.h"

namespace vfilter::bench {

/// One Gaussian on pictures of one kind.
struct SweepRow {
    std::string name;       ///< "2160p plane, 8 bits, gaussian 5, batch"; no two rows of a plan have the same
    std::string arguments;  ///< of the Gaussian: "5", "sigma=0.5"
    bool by_sigma = false;
    double value = 0;  ///< the size, or sigma
    int height = 0;
    int depth = 8;
    bool chroma = false;  ///< a 4:2:0 picture, all planes in one launch; else planes of luma
    bool batch = false;   ///< as many planes to a launch as it takes; else one, or the one picture
    bool npp = false;     ///< NPP is measured as well

    [[nodiscard]] int width() const { return height * 16 / 9; }
};

/// In the order in which it is told.
std::vector<SweepRow> plan_sweep(bool quick);

/// Throws std::invalid_argument as parse_filter does: for what vfilter has not at any depth.
FilterSpec parse_gaussian(const std::string& arguments);

/// As integers: luma's, and then chroma's of a 4:2:0 picture. Throws std::invalid_argument for what vfilter has not.
std::vector<Operation> filters_of(const SweepRow& row);

/// Along each axis.
int taps_of(const Operation& filter);

/// Products of two bytes that a plane, or a 4:2:0 picture, takes at least, if its sums are exact and rows and columns
/// are apart: for each sample
///
///     row taps * bytes of a row tap * bytes of a sample + column taps * bytes of a column tap * 2
///
/// where a tap has 2 bytes (3 if it is wide), a sample 1 or 2, and the intermediate 2. Halos, which tiles compute
/// again, and the zeros of a matrix of taps are none that it takes. Of a decimated filter the decimated picture's
/// samples count, the rest being no work for tensor cores.
double byte_products(const SweepRow& row, const std::vector<Operation>& filters);

/// A row, and what became of it.
struct SweepResult {
    SweepRow row;
    int taps = 0;         ///< of luma, along each axis
    double products = 0;  ///< byte_products
    KernelTimes times;
};

/// What measures. A row that cannot be measured throws.
struct SweepMeter {
    std::string kind;        ///< of hardware, as promises name it
    std::string text;        ///< how it measures
    double tensor_rate = 0;  ///< operations per second of byte products on the tensor cores, two for each; 0: unknown
    std::vector<LeftOut> left_out;
    std::function<KernelTimes(const SweepRow&, const std::vector<Operation>&)> measure;
};

#ifdef VFILTER_WITH_CUDA
SweepMeter sweep_meter(const Wishes& wishes);
#endif

/// Measures the plan by `meter` and adds tables, plots, sentences and promises to `section`.
void tell_sweep(const SweepMeter& meter, const Wishes& wishes, Progress& progress, Section& section);

/// What vfilter promises of a row on a kind of hardware.
struct SweepLimit {
    std::string_view row;
    bool copies = true;  ///< times a copy; else microseconds
    double limit = 0;
};
/// There are none for other kinds.
std::vector<SweepLimit> sweep_limits(std::string_view kind);

}  // namespace vfilter::bench
