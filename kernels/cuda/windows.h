#pragma once
// The pictures before and after that kernels with time look at, as parameters of a launch.

#include <span>

#include "kernels/arithmetic/temporal.h"
#include "kernels/cuda/plane.h"

namespace vfilter::cuda {

/// What launches of kernels with time have besides, of each plane.
struct Windows {
    int counts[max_planes];
    Rows rows[max_planes][max_neighbours];
};
Windows describe_windows(std::span<const PlaneJob> jobs);

}  // namespace vfilter::cuda
