#pragma once
// Taps as band matrices, in the fragments of the A operand that ptx.cuh describes.

#include <cstdint>
#include <span>
#include <vector>

namespace vfilter::cuda::tensor {

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

/// How the taps are laid out as a band (Toeplitz) matrix.
struct Band {
    int halo = 0;     ///< places before the first result's own
    int spacing = 1;  ///< places from one tap's sample to the next one's
    int places = 32;  ///< columns of the matrix that are not 0, a multiple of 16
    Order order = Order::natural;
    bool results_permuted = false;  ///< by result_of
};

/// The fragments of A of such a matrix for one byte of the taps: for each 32 columns, four words of every lane.
/// byte -1: the taps are signed bytes themselves; otherwise 0, the low one, or 1, the high one.
std::vector<std::uint32_t> band_fragments(std::span<const std::int32_t> taps, int byte, const Band& band);

}  // namespace vfilter::cuda::tensor
