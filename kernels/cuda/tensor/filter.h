#pragma once
// A filter in the forms that the tensor-core kernels take, made on the host.
//
// Taps, samples and intermediates are products of bytes (docs/kernels.md has the drawings): a tap of 16 bits is
// 256 * high + low, high signed and low not, and so are the intermediate and a sample of 9 to 16 bits, so that
// sum tap * sample is the sum over the products of their bytes, each exact in 32 bits, times 256^(i + j). Taps that
// fit one byte, less the factor that they have in common, take half of those.

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/arithmetic/operation.h"

namespace vfilter::cuda {

/// The contract of smoothings as one of composites. Narrow ones only: their taps fit 16 bits.
Composite as_composite(const Convolution& convolution);

/// How a sum becomes a result.
enum class TensorEnding : std::int32_t { sum, absolute, threshold, magnitude };

inline constexpr int max_tensor_weights = 3;  ///< powers of 256 that the products of the row pass have

/// The numbers beside the taps; a kernel's parameter.
struct TensorTerm {
    /// Of the row pass's sums, by power of 256, for the intermediate to be the upper half of 32 bits.
    std::uint32_t row_scale[max_tensor_weights];
    std::uint32_t row_start;
    std::uint32_t column_scale;  ///< the common factor of the column taps
    std::uint32_t start;         ///< what the sum begins with: all that rounds it, and the bias where it comes first
};
struct TensorEnd {
    TensorEnding ending;
    std::int32_t shift;
    std::int32_t bias;  ///< what is added after `ending`, or what `start` has of it (threshold)
    std::int32_t threshold;
    std::int32_t limit;  ///< magnitude: of its halves
    std::uint32_t gain;
};

/// What a kernel can end with.
enum class Finish {
    aligned,    ///< as `plain`, and the results are whole bytes of the sums
    plain,      ///< one term, sum, no gain, no threshold
    any_sum,    ///< all but magnitudes
    magnitude,  ///< magnitudes, and what is neither that nor needs the sample
};

/// Whether the tensor-core kernels can make it at all.
bool tensor_takes(const PlaneFilter& filter);
/// Whether the tile kernel can: all that passes tensor_takes, larger row shifts, wide smoothings.
bool tensor_tile_takes(const PlaneFilter& filter);
/// Both parts of wide taps, 2^low_bits * high + low. Of others, with no low bits, the low ones are 0.
std::vector<std::int32_t> low_parts(std::span<const std::int32_t> taps, int low_bits);
std::vector<std::int32_t> high_parts(std::span<const std::int32_t> taps, int low_bits);

/// In how many bytes a kernel has the taps, and what it does with the sums of the row pass.
enum class TapForm {
    exact_byte,  ///< one; the sums are the intermediate samples, no pass is scaled
    byte,        ///< one
    bytes,       ///< two
};
constexpr int tap_bytes(TapForm form) {
    return form == TapForm::bytes ? 2 : 1;
}
/// The first of them that holds a filter that passes tensor_takes. Whatever one holds, the later ones hold as well.
TapForm form_of(const PlaneFilter& filter);

struct TensorFilter {
    struct Term {
        std::vector<std::int32_t> rows;
        std::vector<std::int32_t> columns;
        TensorTerm numbers;
        int row_down = 0;      ///< by what the row pass's sums are shifted down once they are scaled
        int row_low_bits = 0;  ///< of wide taps; `numbers` and the end's shift are for sums without them
        int column_low_bits = 0;
    };
    int depth = 8;
    std::vector<Term> terms;  ///< at least one, whose taps may all be 0
    TensorEnd end{};
    int radius_x = 0;
    int radius_y = 0;
};
/// The least that a kernel must be able to do at the end. Constants, which have no taps, can be made by any.
Finish finish_of(const TensorFilter& filter);

/// Taps of one byte are without the factors that those of a pass have in common. The filter must pass tensor_takes, and
/// the form hold it; or tensor_tile_takes, and the form be `bytes`.
/// `aligned` only where aligns() says so.
TensorFilter make_tensor_filter(const PlaneFilter& filter, TapForm form, Finish finish = Finish::any_sum);
/// Whether column taps of that form, which holds the filter, can be scaled so that the results are bytes of the sums
/// and need no clamp. Samples have 8 bits then.
bool aligns(const PlaneFilter& filter, TapForm form);

/// In which order the 32 rows of a B operand, and with them the columns of A, stand for neighbouring samples.
enum class Order {
    natural,  ///< as they are
    eights,   ///< every lane has eight neighbours, four in either register
    halves,   ///< every lane has two of the first and two of the second eight of each sixteen
};

/// The place among 32 of the sample that slot `slot` stands for.
int place_of(Order order, int slot);
/// The place among 16 of the result in row m of A, so that every lane ends with four neighbours.
int result_of(int m);

/// How the taps are laid out as a banded matrix.
struct Band {
    int apron = 0;    ///< places before the first result's own
    int spacing = 1;  ///< places from one tap's sample to the next one's
    int places = 32;  ///< columns of the matrix that are not 0, a multiple of 16
    Order order = Order::natural;
    bool results_permuted = false;  ///< by result_of
};

/// The fragments of A of such a matrix for one byte of the taps: for each 32 columns, four words of every lane.
/// byte -1: the taps are signed bytes themselves; otherwise 0, the low one, or 1, the high one.
std::vector<std::uint32_t> band_fragments(std::span<const std::int32_t> taps, int byte, const Band& band);

}  // namespace vfilter::cuda
