#pragma once
// What is done to the samples of one plane, as integers: any of the contracts.

#include <concepts>
#include <variant>

#include "kernels/arithmetic/bilateral.h"
#include "kernels/arithmetic/deband.h"
#include "kernels/arithmetic/decimated_filter.h"
#include "kernels/arithmetic/dithered.h"
#include "kernels/arithmetic/fill.h"
#include "kernels/arithmetic/guided.h"
#include "kernels/arithmetic/linear_filter.h"
#include "kernels/arithmetic/nl_means.h"
#include "kernels/arithmetic/pixelation.h"
#include "kernels/arithmetic/rank.h"
#include "kernels/arithmetic/temporal.h"

namespace vfilter {

using Operation = std::variant<LinearFilter, DecimatedFilter, Pixelation, Fill, NlMeans, MedianFilter, TemporalMedian,
                               TemporalMean, Bilateral, Deband, Guided, Dithered>;

/// What is dithered.
struct InnerOperation {
    Operation operation;
};

/// Smoothings are decimated where make_decimated_filter does that. Throws std::invalid_argument as make_linear_filter
/// does.
Operation make_operation(const FilterKernel& kernel, int depth);
/// An operation whose results are dithered, for samples of that depth: `inner` has dither_bits() more, which are not 0.
Operation make_dithered(Operation inner, int depth);
/// What a linear or decimated filter approximates. Not for others.
const FilterKernel& exact_kernel(const Operation& operation);
/// Bits of its samples.
int depth_of(const Operation& operation);

/// The kinds of operations that may look at other pictures than the one that is filtered.
template <class Made>
concept Temporal = std::same_as<decltype(Made::time), TimeReach>;
/// Which pictures an operation looks at.
TimeReach time_reach(const Operation& operation);

/// What of a line decides the results of a part of it: up to `radius` samples on either side. A part that begins at a
/// multiple of `unit` samples, or where the line does, and ends at one, or where the line does, has the results of the
/// whole line but for the first and last `radius` where the line goes on.
struct Reach {
    int radius = 0;
    int unit = 1;
};
Reach reach_x(const Operation& operation);
Reach reach_y(const Operation& operation);

/// A part of a line: [first, last).
struct LinePart {
    int first = 0;
    int last = 0;
    [[nodiscard]] int length() const { return last - first; }
};
/// What results [from, to) of a line of that length are made of. Where it wraps around that is all of it.
LinePart part_of_line(const Reach& reach, Border border, int from, int to, int length);

}  // namespace vfilter
