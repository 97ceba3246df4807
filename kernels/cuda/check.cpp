#include "kernels/cuda/check.h"

namespace vfilter {

void cuda_check(cudaError_t result, const char* call, const char* file, int line) {
    if (result != cudaSuccess) {
        throw CudaError(result, std::string(call) + ": " + cudaGetErrorString(result) + " (" +
                                    cudaGetErrorName(result) + ", " + std::to_string(static_cast<int>(result)) +
                                    ") at " + file + ":" + std::to_string(line));
    }
}

namespace cuda {

int device_attribute(cudaDeviceAttr name) {
    int device = 0;
    int value = 0;
    cuda_check(cudaGetDevice(&device), "cudaGetDevice");
    cuda_check(cudaDeviceGetAttribute(&value, name, device), "cudaDeviceGetAttribute");
    return value;
}

}  // namespace cuda
}  // namespace vfilter
