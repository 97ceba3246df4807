#pragma once
// What is done to the samples of one plane, as integers: any of the contracts.

#include <variant>

#include "kernels/arithmetic/decimated_filter.h"
#include "kernels/arithmetic/linear_filter.h"

namespace vfilter {

using Operation = std::variant<LinearFilter, DecimatedFilter>;

/// Smoothings are decimated where make_decimated_filter does that. Throws std::invalid_argument as make_linear_filter
/// does.
Operation make_operation(const FilterKernel& kernel, int depth);
/// What it approximates.
const FilterKernel& exact_kernel(const Operation& operation);
/// Bits of its samples.
int depth_of(const Operation& operation);

}  // namespace vfilter
