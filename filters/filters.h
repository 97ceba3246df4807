#pragma once
// The filter table: the only place where a filter is added. The command line, help texts, docs, engines, tests and
// benchmarks walk it.

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "filters/colour.h"
#include "filters/matrix.h"
#include "filters/orientation.h"
#include "filters/region.h"
#include "filters/spans.h"
#include "kernels/arithmetic/arithmetic.h"
#include "kernels/arithmetic/filter_kernel.h"
#include "kernels/arithmetic/operation.h"

namespace vfilter {

/// Bytes of a filter's arguments as text: enough for the largest matrix with all of its digits.
inline constexpr std::size_t max_arguments_length = 1 << 18;

// NOLINTBEGIN(clang-analyzer-optin.performance.Padding): in the order in which rows give them
/// A number that a filter takes, or one of several words, which stand for 0, 1, 2..., or a colour, as Colour::packed.
struct Parameter {
    std::string_view name{};
    std::string_view unit{};
    double minimum = 0;
    double maximum = 0;
    bool odd = false;  ///< only odd whole numbers
    std::string_view help{};
    double fallback = std::numeric_limits<double>::quiet_NaN();  ///< the default; NaN where it depends on others
    std::span<const std::string_view> choices = {};              ///< the words, if it is not a number
    bool whole = false;                                          ///< only whole numbers
    bool colour = false;                                         ///< a colour, and no number
    bool measured = false;                                       ///< auto, too: by the noise of the first pictures
};
// NOLINTEND(clang-analyzer-optin.performance.Padding)

/// What stands for the word auto among the values of a parameter that is `measured`.
inline constexpr double automatic_value = -1;

/// Standard deviations of a video's noise, in steps of an 8-bit picture.
struct NoiseLevels {
    double luma = 0;                 ///< or of red, green and blue
    std::optional<double> chroma{};  ///< empty where there is none
};

/// How the planes of chroma are treated.
enum class Chroma {
    scaled,   ///< as wide as luma in the picture: the kernel shrinks with the subsampling of each axis
    same,     ///< the same taps per sample
    off,      ///< untouched
    neutral,  ///< grey
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
    {Chroma::neutral, "neutral", "chroma set to grey; RGB has none"},
};

/// The values of a filter's parameters, in the order of its row; empty where the user gave none.
using ParameterValues = std::vector<std::optional<double>>;

/// Whether what a filter's results have below the last bit can be dithered instead of rounded (dither=on).
enum class Dithering {
    possible,  ///< see kernels/arithmetic/dithered.h; not unless asked for
    own,       ///< in a way of its own, unless told otherwise
    none,      ///< it rounds nothing
};

struct FilterDef;

/// A filter with all its arguments: a plain, validated value.
struct FilterSpec {
    const FilterDef* def = nullptr;
    ParameterValues values{};
    Matrix matrix{};          ///< of filters that take one
    std::string matrix_file;  ///< from which that was read; "" if from none
    Border border = Border::reflect_101;
    std::optional<Chroma> chroma{};  ///< empty: the filter's default
    std::optional<bool> alpha{};     ///< whether alpha is filtered, too; empty: the filter's default
    std::optional<bool> dither{};    ///< empty: the filter's default
    Region region{};
    std::vector<Span> enable{};  ///< when it works; empty: always

    /// What the user gave, or the default.
    [[nodiscard]] double value(std::size_t parameter) const;
    [[nodiscard]] bool given(std::size_t parameter) const { return values[parameter].has_value(); }
    [[nodiscard]] Chroma effective_chroma() const;
    [[nodiscard]] bool effective_alpha() const;
    [[nodiscard]] bool effective_dither() const;
    /// Whether its operation is a Dithered one.
    [[nodiscard]] bool dithered() const;
    /// The pictures that it looks at.
    [[nodiscard]] TimeReach time_reach() const;
    /// Whether it can be made only once the noise is known: see with_noise().
    [[nodiscard]] bool wants_noise() const;
};

/// A plane that is filtered.
struct TargetPlane {
    int depth = 8;
    int pitch_x = 1;  ///< luma pixels from one sample to the next, as the filter is to take them: 1 with chroma=same
    int pitch_y = 1;
    int picture_width = 1;  ///< of the picture, in luma pixels, as it is stored
    int picture_height = 1;
    Orientation orientation{};
    std::array<Component, max_step> components{};  ///< what its samples are; of interleaved ones in turn
    ColourMatrix matrix = ColourMatrix::bt709;
    bool full_range = false;
};

/// A parameter that makes a filter stronger, and by how much per step.
struct Strength {
    std::size_t parameter = 0;  ///< its place in the row
    double step = 0;            ///< added, or multiplied by if it is a factor
    bool factor = false;
};

/// A row of the table.
struct FilterDef {
    std::string_view name;
    std::string_view help;     ///< one line
    std::string_view formula;  ///< of the taps, or of the result
    std::string_view source;   ///< of the formula
    std::string_view example;  ///< arguments for the help text
    std::span<const Parameter> parameters;
    /// What "stronger" changes: the first of them that the user gave, or else the first. Empty: it has no strength.
    std::span<const Strength> strengths = {};
    Chroma chroma = Chroma::scaled;
    bool takes_matrix = false;  ///< its first argument is a matrix
    bool has_width = true;      ///< a width in pixels, which chroma=scaled can shrink
    bool has_border = true;     ///< it looks at samples outside of the picture; else border= changes nothing
    bool alpha = true;          ///< whether alpha is filtered, too, unless the user says otherwise
    Dithering dithering = Dithering::possible;
    /// Says what is wrong with a combination of values that are each within range; empty if nothing is.
    std::string (*check)(const FilterSpec&);
    /// The kernel for a plane whose samples are `pitch_x` by `pitch_y` luma pixels apart (2 for the subsampled axes of
    /// 4:2:0). Never larger than max_kernel_size. The values must have passed `check`.
    FilterKernel (*make)(const FilterSpec&, double pitch_x, double pitch_y) = nullptr;
    /// Of a filter that is no FilterKernel, in place of `make`.
    Operation (*make_own)(const FilterSpec&, const TargetPlane&) = nullptr;
    /// Of a filter that may look at pictures before and after. It has the parameters `frames` and `after`.
    TimeReach (*time)(const FilterSpec&) = nullptr;
    /// Of a filter that may ask for the noise: the filter by numbers.
    FilterSpec (*measured)(const FilterSpec&, const NoiseLevels&) = nullptr;

    /// Whether its name alone is not enough.
    [[nodiscard]] bool needs_arguments() const;
};

/// What a filter does to a plane; nothing where it leaves all samples as they are. Throws std::invalid_argument where
/// it cannot be represented.
std::optional<Operation> operation_of(const FilterSpec& spec, const TargetPlane& plane);

/// The same for a plane of a picture, by what the filter does to chroma and transparency: its components say which it
/// is, and its pitches are those of its subsampling.
std::optional<Operation> plane_operation(const FilterSpec& spec, TargetPlane plane);

/// All filters, in the order in which help texts list them.
std::span<const FilterDef> filter_table();
/// The row of that name, or null.
const FilterDef* find_filter(std::string_view name);

/// An argument that all filters take.
struct CommonArgument {
    std::string_view name;
    std::string_view help;
};
std::span<const CommonArgument> common_arguments();

/// Whether a text can only be meant as arguments of that filter, right or wrong: a number, one of its words, or
/// key=value with a key that it knows (with any key if the filter needs arguments).
bool looks_like_arguments(const FilterDef& def, std::string_view text);
/// Whether a text that no filter takes was meant as a number, and not as a file's name: "0,8", "2x", "5px".
bool looks_like_mistyped_number(std::string_view text);

/// A filter that wants_noise(), told of it: the same by numbers, or a filter of another row with which it is the same.
FilterSpec with_noise(const FilterSpec& spec, const NoiseLevels& noise);

/// Of a filter that looks at several pictures: whether it was told how many of them come after the one that is
/// filtered.
bool after_given(const FilterSpec& spec);
/// The same filter, told that.
FilterSpec with_after(const FilterSpec& spec, int after);

enum class StrengthStep { weaker, stronger };
/// The same filter one step stronger or weaker. Nothing if it has no strength, or if the step would leave the range or
/// what the filter accepts.
std::optional<FilterSpec> stepped(const FilterSpec& spec, StrengthStep step);

/// Reads "", "5", "9:sigma=2" or "sigma=2.5:border=replicate:chroma=off". Throws std::invalid_argument with a sentence
/// for the user: what is wrong, the range, the nearest name. Reads the file of a matrix and no other.
FilterSpec parse_filter(const FilterDef& def, std::string_view arguments);
/// The arguments that parse_filter reads back to the same value.
std::string to_string(const FilterSpec& spec);

}  // namespace vfilter
