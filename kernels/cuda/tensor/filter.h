#pragma once
// A LinearFilter in the forms that the tensor-core kernels take, made on the host.
//
// Taps, samples and intermediates are products of bytes (docs/kernels.md has the drawings): a tap of 16 bits is
// 256 * high + low, high signed and low not, and so are the intermediate and a sample of 9 to 16 bits, so that
// sum tap * sample is the sum over the products of their bytes, each exact in 32 bits, times 256^(i + j). Taps that
// fit one byte, less the factor that they have in common, take half of those.

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/arithmetic/linear_filter.h"

namespace vfilter::cuda::tensor {

/// How a sum becomes a result.
enum class Ending : std::int32_t { sum, absolute, threshold, magnitude };

inline constexpr int max_weights = 3;  ///< powers of 256 that the products of the row pass have

/// The numbers that go with a term's taps; a kernel's parameter.
struct TermNumbers {
    /// Of the row pass's sums, by power of 256, for the intermediate to be the upper half of 32 bits.
    std::uint32_t row_scale[max_weights];
    std::uint32_t row_start;
    std::uint32_t column_scale;  ///< the common factor of the column taps
    std::uint32_t start;         ///< what the sum begins with: all that rounds it, and the bias where it comes first
};
/// The numbers of the finish; a kernel's parameter.
struct FinishNumbers {
    Ending ending;
    std::int32_t shift;
    std::int32_t bias;  ///< what is added after `ending`, or what `start` has of it (threshold)
    std::int32_t threshold;
    std::int32_t limit;  ///< magnitude: of its halves
    std::uint32_t gain;
};

/// What a kernel can end with.
enum class FinishKind {
    aligned,    ///< as `plain`, and the results are whole bytes of the sums
    plain,      ///< one term, sum, no gain, no threshold
    any_sum,    ///< all but magnitudes
    magnitude,  ///< magnitudes, and what is neither that nor needs the sample
};

/// Whether tensor cores can make it in registers: int16 with row shifts of 16 at most, magnitudes of two terms at most.
bool takes(const LinearFilter& filter);
/// Whether they can by way of shared memory: all that passes `takes`, larger row shifts, split taps of 9 to 16 bits.
bool takes_in_shared_memory(const LinearFilter& filter);

/// In how many bytes a kernel has the taps, and what it does with the sums of the row pass.
enum class TapForm {
    exact_byte,  ///< one; the sums are the intermediate samples, no pass is scaled
    byte,        ///< one
    bytes,       ///< two
};
constexpr int tap_bytes(TapForm form) {
    return form == TapForm::bytes ? 2 : 1;
}
/// The first of them that holds a filter that passes `takes`. Whatever one holds, the later ones hold as well.
TapForm form_of(const LinearFilter& filter);

struct TensorTerm {
    std::vector<std::int32_t> rows;
    std::vector<std::int32_t> columns;
    TermNumbers numbers;
    int row_down = 0;  ///< by what the row pass's sums are shifted down once they are scaled
    int low_bits = 0;  ///< of split taps; `numbers` and the shift of the finish are for sums without them
};
struct TensorFilter {
    int depth = 8;
    std::vector<TensorTerm> terms;  ///< at least one, whose taps may all be 0
    FinishNumbers finish{};
    int radius_x = 0;
    int radius_y = 0;
};
/// The least that a kernel must be able to do at the end. Constants, which have no taps, can be made by any.
FinishKind finish_of(const TensorFilter& filter);

/// Taps of one byte are without the factors that those of a pass have in common. The filter must pass `takes`, and the
/// form hold it; or takes_in_shared_memory, and the form be `bytes`. `aligned` only where aligns() says so.
TensorFilter make_filter(const LinearFilter& given, TapForm form, FinishKind finish = FinishKind::any_sum);
/// Whether column taps of that form, which holds the filter, can be scaled so that the results are bytes of the sums
/// and need no clamp. Samples have 8 bits then.
bool aligns(const LinearFilter& filter, TapForm form);

}  // namespace vfilter::cuda::tensor
