#pragma once
// Between the plan of the kernels' benchmark, what measures a row of it on a device, and what is told of the results.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/bench.h"
#include "filters/filters.h"
#include "kernels/arithmetic/operation.h"
#include "kernels/plane.h"

namespace vfilter::bench {

enum class Backend { cpu, cuda };

/// One filter on pictures of one kind.
struct KernelRow {
    std::string name;    ///< "1080p plane, 8 bits, gaussian 5"; no two rows of a plan have the same
    std::string filter;  ///< as on a command line: "gaussian 5"
    const FilterDef* def = nullptr;
    std::string arguments;
    int height = 0;
    int depth = 8;
    bool chroma = false;  ///< a 4:2:0 picture, all planes in one launch; else planes of luma
    int components = 1;   ///< that lie interleaved in a plane: 3 of RGB, 4 of RGBA

    [[nodiscard]] int width() const { return height * 16 / 9; }
};

/// What is measured on a device, in the order in which it is told: every filter of the filter table among it.
std::vector<KernelRow> plan_kernels(Backend backend, bool quick);
/// The height at which sizes, depths and filters are compared.
int usual_height(Backend backend);
/// The arguments of a filter that is asked for by its name: none, or its own example if it needs some.
std::string usual_arguments(const FilterDef& def);

/// A filter as integers: luma's, and then chroma's of a 4:2:0 picture. Throws std::invalid_argument for what vfilter
/// has not.
std::vector<Operation> make_filters(const FilterDef& def, const std::string& arguments, int depth, bool chroma);

/// Somebody else's code for the same work.
struct Rival {
    std::string name;
    Spread us;
    Spread ratio;  ///< its time / ours, round by round
};

/// Times of the same picture again and again, where a cache holds it: what the arithmetic takes.
struct Cached {
    Spread us;
    Spread of_copy;
    Spread of_rival;  ///< the rival's time / ours, where there is one
};

struct KernelTimes {
    std::string kernel;  ///< what ran it
    double bytes = 0;    ///< read and written once, of what the times are for
    Spread us;
    Spread copy_us;
    Spread of_copy;  ///< our time / the copy's, round by round
    std::vector<Rival> rivals;
    std::optional<Cached> cached;
    std::optional<Spread> threads_us;  ///< with all threads
    bool right = false;                ///< the bytes that were timed are the contract's

    [[nodiscard]] double gb_per_s() const { return bytes / us.median / 1e3; }
    /// Null where it did not take part.
    [[nodiscard]] const Rival* find_rival(std::string_view name) const;
};

/// The key of a rival's column: "cuda_cores_us".
std::string rival_key(std::string_view name);

/// What measures on a device. A row that cannot be measured throws.
struct KernelMeter {
    Backend backend = Backend::cpu;
    std::string kind;  ///< of hardware, as promises name it
    std::string text;  ///< how it measures
    std::vector<std::string> rivals;
    std::vector<LeftOut> left_out;
    std::function<KernelTimes(const KernelRow&)> measure;
    std::function<Spread(const KernelRow&)> two_threads{};  ///< one thread's time / two threads'; empty: there are none
};

/// Kinds of hardware that something is promised for.
inline constexpr std::string_view best_simd = "best SIMD";
inline constexpr std::string_view forced_avx2 = "AVX2";  ///< of a processor that has better
inline constexpr std::string_view hopper = "sm_90";

KernelMeter cpu_meter(const Wishes& wishes);
#ifdef VFILTER_WITH_CUDA
KernelMeter gpu_meter(const Wishes& wishes);
#endif

/// Measures the plan by `meter` and adds tables, plots, sentences and promises to `section`.
void tell_kernels(const KernelMeter& meter, const Wishes& wishes, Progress& progress, Section& section);

/// Whether `result` is what the scalar code makes of `src` and its neighbours in time: rows at both ends and in the
/// middle, where threads meet.
template <class T>
bool holds_contract(const Operation& filter, PlaneView<const T> src, PlaneView<const T> result,
                    std::span<const PlaneView<const T>> neighbours = {});

}  // namespace vfilter::bench
