#include "tests/support/gpu_fault.h"

#include <cuda_runtime.h>

namespace vfilter::testing {

namespace {

__global__ void trap() {
    asm("trap;");
}

}  // namespace

void break_gpu() {
    trap<<<1, 1>>>();
    cudaDeviceSynchronize();
}

}  // namespace vfilter::testing
