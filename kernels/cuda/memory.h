#pragma once
// Memory of the current device, with what is in it from the beginning.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <span>

#include "kernels/cuda/convolver.h"

namespace vfilter::cuda {

struct DeviceFree {
    void operator()(void* memory) const { cudaFree(memory); }
};

/// Elements that kernels of any stream may read as soon as it is made. Empty ones take no memory.
template <class T>
class DeviceArray {
public:
    explicit DeviceArray(std::span<const T> elements) : size_bytes_(elements.size_bytes()) {
        if (elements.empty()) {
            return;
        }
        void* memory = nullptr;
        cuda_check(cudaMalloc(&memory, elements.size_bytes()), "cudaMalloc");
        memory_.reset(memory);
        cuda_check(cudaMemcpyAsync(memory, elements.data(), elements.size_bytes(), cudaMemcpyHostToDevice, nullptr),
                   "cudaMemcpyAsync");
        // Streams that do not block would not wait for the default one.
        cuda_check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
    }
    [[nodiscard]] const T* data() const { return static_cast<const T*>(memory_.get()); }
    [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }

private:
    std::size_t size_bytes_;
    std::unique_ptr<void, DeviceFree> memory_;
};

}  // namespace vfilter::cuda
