#pragma once
// Calls of the CUDA runtime whose failures are exceptions.

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace vfilter {

/// A call of the CUDA runtime that failed: call, meaning, value, file:line.
class CudaError : public std::runtime_error {
public:
    CudaError(cudaError_t code, const std::string& what) : std::runtime_error(what), code_(code) {}
    [[nodiscard]] cudaError_t code() const { return code_; }

private:
    cudaError_t code_;
};

/// Throws CudaError if `result` is an error.
void cuda_check(cudaError_t result, const char* call, const char* file = __builtin_FILE(), int line = __builtin_LINE());

namespace cuda {

/// An attribute of the current device. Throws CudaError.
int device_attribute(cudaDeviceAttr name);

}  // namespace cuda
}  // namespace vfilter
