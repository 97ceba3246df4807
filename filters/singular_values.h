#pragma once
// A matrix as a sum of products of a column and a row, as few as there are.

#include <vector>

#include "filters/matrix.h"
#include "kernels/arithmetic/filter_kernel.h"

namespace vfilter {

/// The singular value decomposition, with each singular value in its column, the largest first. Those below 1e-12 of
/// the largest are left out. The matrix is not all zeros.
std::vector<SeparableKernel> singular_products(const Matrix& matrix);

}  // namespace vfilter
