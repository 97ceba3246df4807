#pragma once
// Functions of the driver that is there: programs are not linked to one, as they run without, too.

#include <cuda_runtime_api.h>

namespace vfilter::cuda {

/// The function of that name as CUDA 12.0 has it, or null. `Function` is its type: decltype(&cuCtxGetCurrent).
template <class Function>
Function driver_function(const char* name) {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
    const cudaError_t result = cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found);
#else
    const cudaError_t result = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found);
#endif
    return result == cudaSuccess && found == cudaDriverEntryPointSuccess ? reinterpret_cast<Function>(function)
                                                                         : nullptr;
}

}  // namespace vfilter::cuda
