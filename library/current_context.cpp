#include "library/current_context.h"

#include <cuda.h>

#include "kernels/cuda/driver.h"

namespace vfilter {

void* current_context() {
    static const auto get = cuda::driver_function<decltype(&cuCtxGetCurrent)>("cuCtxGetCurrent");
    CUcontext context = nullptr;
    return get != nullptr && get(&context) == CUDA_SUCCESS ? context : nullptr;
}

void make_current(void* context) {
    static const auto set = cuda::driver_function<decltype(&cuCtxSetCurrent)>("cuCtxSetCurrent");
    if (set != nullptr) {
        set(static_cast<CUcontext>(context));
    }
}

}  // namespace vfilter
