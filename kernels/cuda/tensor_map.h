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

/// A TMA box of one picture.
struct Box {
    int sample_bytes;
    int columns;  ///< samples
    int rows;
};

/// Maps of the planes' sources, each of a stack of pictures; `maps` has room for them. False where there can be none:
/// rows that go upwards in memory, or a driver that knows nothing of it. Thread-safe.
bool make_tensor_maps(TensorMap* maps, std::span<const PlaneJob> planes, const Stack& stack, const Box& box);

}  // namespace vfilter::cuda
