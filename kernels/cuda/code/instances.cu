#include "kernels/cuda/check.h"
#include "kernels/cuda/code/code.h"

namespace vfilter::cuda {

namespace {

__global__ void nothing() {}

}  // namespace

int code_capability() {
    constexpr int minors = 10;
    cudaFuncAttributes attributes{};
    cuda_check(cudaFuncGetAttributes(&attributes, nothing), "cudaFuncGetAttributes");
    return attributes.ptxVersion / minors;
}

}  // namespace vfilter::cuda
