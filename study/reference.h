#pragma once
// What the pictures of the filter ladder are compared with, and the filter that vfilter makes for it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/arithmetic/operation.h"
#include "study/ladder.h"

namespace vfilter::study {

/// The Gaussian of a case, as vfilter makes it for 8 bits, and its taps as real numbers.
Operation filter_of(const FilterCase& filter);
std::vector<double> taps_of(const FilterCase& filter);

/// What a picture's filtered rows should be.
class Reference {
public:
    /// Some rows of a picture whose rows are `stride` bytes apart, the first and the last among them: in double
    /// precision, border replicate, and as vfilter's arithmetic contract makes them.
    Reference(const FilterCase& filter, const std::uint8_t* picture, std::ptrdiff_t stride);

    [[nodiscard]] const std::vector<int>& rows() const { return rows_; }
    /// The largest difference of row number rows()[i], in LSB: from the rounded value if `whole`, which results are
    /// that are bytes. The outermost `margin` samples and rows do not count.
    [[nodiscard]] double difference(std::size_t i, std::span<const float> row, bool whole, int margin) const;
    /// Whether it is what the contract says.
    [[nodiscard]] bool exact(std::size_t i, std::span<const float> row) const;

private:
    int height_;
    std::vector<int> rows_;
    std::vector<std::vector<double>> real_;
    std::vector<std::vector<std::uint8_t>> contract_;
};

}  // namespace vfilter::study
