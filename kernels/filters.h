#pragma once
// The filter table: the only place where a filter is added. The command line, help texts, docs, engines, tests and
// benchmarks walk it.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/border.h"
#include "kernels/convolution.h"

namespace vfilter {

/// Largest side of a kernel, in pixels.
inline constexpr int max_kernel_size = 255;

/// One number that a filter takes.
struct Parameter {
    std::string_view name;
    std::string_view unit;
    double minimum = 0;
    double maximum = 0;
    bool odd = false;  ///< only odd whole numbers
    std::string_view help;
};

/// How the planes of subsampled chroma are treated.
enum class Chroma {
    scaled,  ///< as wide as luma in the picture: the kernel shrinks with the subsampling of each axis
    same,    ///< the same taps per sample
    off,     ///< untouched
};

struct ChromaName {
    Chroma chroma;
    std::string_view name;
    std::string_view help;
};

inline constexpr ChromaName chroma_names[] = {
    {Chroma::scaled, "scaled", "as wide as luma in the picture"},
    {Chroma::same, "same", "the same kernel per sample"},
    {Chroma::off, "off", "chroma untouched"},
};

/// The values of a filter's parameters, in the order of its row; empty where the user gave none.
using ParameterValues = std::vector<std::optional<double>>;

/// A row of the table.
struct FilterDef {
    std::string_view name;
    std::string_view help;     ///< one line
    std::string_view formula;  ///< how the taps come about, and the source
    std::string_view example;  ///< arguments for the help text
    std::span<const Parameter> parameters;
    /// Says what is wrong with a combination of values that are each within range; empty if nothing is.
    std::string (*check)(const ParameterValues&);
    /// The kernel for a plane whose samples are `pitch_x` by `pitch_y` luma pixels apart (2 for the subsampled axes of
    /// 4:2:0). Never larger than max_kernel_size. The values must have passed `check`.
    SeparableKernel (*make)(const ParameterValues&, double pitch_x, double pitch_y);
};

/// All filters, in the order in which help texts list them.
std::span<const FilterDef> filter_table();
/// The row of that name, or null.
const FilterDef* find_filter(std::string_view name);

/// A filter with all its arguments: a plain, validated value.
struct FilterSpec {
    const FilterDef* def = nullptr;
    ParameterValues values;
    Border border = Border::reflect_101;
    Chroma chroma = Chroma::scaled;
};

/// Reads "5", "9:sigma=2" or "sigma=2.5:border=replicate:chroma=off". Throws std::invalid_argument with a sentence for
/// the user: what is wrong, the range, the nearest name.
FilterSpec parse_filter(const FilterDef& def, std::string_view arguments);
/// The arguments that parse_filter reads back to the same value.
std::string to_string(const FilterSpec& spec);

}  // namespace vfilter
