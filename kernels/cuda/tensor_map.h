#pragma once
// Planes as TMA wants them described: a tensor map (PTX ISA, "Tensor-map"; CUtensorMap of the driver's API).

#include <cstdint>
#include <span>

#include "kernels/cuda/plane.h"

namespace vfilter::cuda {

/// Only the device knows what is in it. Kernels take it as a part of their parameters.
struct alignas(128) TensorMap {
    std::uint64_t words[16];
};

/// Maps of the planes' sources, for TMA boxes of `rows` rows of `columns` samples of `sample_bytes`; `maps` has room
/// for them. False where there can be none: rows that go upwards in memory, or a driver that knows nothing of it.
/// Thread-safe.
bool make_tensor_maps(TensorMap* maps, std::span<const PlaneJob> planes, int sample_bytes, int columns, int rows);

}  // namespace vfilter::cuda
