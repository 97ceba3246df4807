#pragma once

namespace vfilter {

/// Which kernels may run a filter: see kernels/cuda/choose.cpp. All make the same bytes.
enum class KernelChoice {
    automatic,     ///< the fastest
    cuda_cores,    ///< no tensor cores
    tensor_cores,  ///< tensor cores wherever they can do it
};

}  // namespace vfilter
