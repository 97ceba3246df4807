#pragma once
// Memory of the current device, with what is in it from the beginning.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "kernels/cuda/check.h"

namespace vfilter::cuda {

struct DeviceFree {
    void operator()(void* memory) const { cudaFree(memory); }
};

/// One that waits for no other, of the current device.
class OwnStream {
public:
    OwnStream() {
        cudaStream_t made = nullptr;
        cuda_check(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
        stream_.reset(made);
    }
    [[nodiscard]] cudaStream_t get() const { return stream_.get(); }

private:
    struct Destroy {
        void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
    };
    std::unique_ptr<std::remove_pointer_t<cudaStream_t>, Destroy> stream_;
};

/// Whether a CUDA graph is made of what is queued on it.
inline bool is_recorded(cudaStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(stream, &status) == cudaSuccess && status != cudaStreamCaptureStatusNone;
}

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
        // The default stream would wait for what others have queued, and disturb what they record.
        const OwnStream stream;
        cuda_check(
            cudaMemcpyAsync(memory, elements.data(), elements.size_bytes(), cudaMemcpyHostToDevice, stream.get()),
            "cudaMemcpyAsync");
        cuda_check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
    }
    [[nodiscard]] const T* data() const { return static_cast<const T*>(memory_.get()); }
    [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }

private:
    std::size_t size_bytes_;
    std::unique_ptr<void, DeviceFree> memory_;
};

/// Memory for what is queued on a stream, from a pool of its own. Any number of streams may ask. What comes back is
/// kept and lent again, so that after the first pictures nothing is allocated: the pool has as much as the streams that
/// were ever at work at the same time needed.
class StreamPool {
public:
    StreamPool() {
        int device = 0;
        int supported = 0;
        cuda_check(cudaGetDevice(&device), "cudaGetDevice");
        cuda_check(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device),
                   "cudaDeviceGetAttribute");
        if (supported == 0) {
            return;
        }
        cudaMemPoolProps properties{};
        properties.allocType = cudaMemAllocationTypePinned;
        properties.location.type = cudaMemLocationTypeDevice;
        properties.location.id = device;
        cudaMemPool_t pool = nullptr;
        cuda_check(cudaMemPoolCreate(&pool, &properties), "cudaMemPoolCreate");
        pool_.reset(pool);
        // A stream takes new memory rather than wait for another's.
        int reuse = 0;
        cuda_check(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowInternalDependencies, &reuse),
                   "cudaMemPoolSetAttribute");
        std::uint64_t kept = ~std::uint64_t{0};
        cuda_check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept), "cudaMemPoolSetAttribute");
    }

    /// Goes back when it ends: what is queued on the stream by then may still use it.
    class Loan {
    public:
        Loan(void* memory, cudaStream_t stream, bool pooled) : memory_(memory), stream_(stream), pooled_(pooled) {}
        ~Loan() { pooled_ ? cudaFreeAsync(memory_, stream_) : cudaFree(memory_); }
        Loan(const Loan&) = delete;
        Loan& operator=(const Loan&) = delete;
        [[nodiscard]] void* get() const { return memory_; }

    private:
        void* memory_;
        cudaStream_t stream_;
        bool pooled_;
    };

    /// What the pool has taken; 0 where there are no pools, or where a fault of the device leaves nothing to ask.
    [[nodiscard]] std::size_t bytes() const {
        std::uint64_t taken = 0;
        const bool told =
            pool_ && cudaMemPoolGetAttribute(pool_.get(), cudaMemPoolAttrReservedMemCurrent, &taken) == cudaSuccess;
        return told ? taken : 0;
    }

    /// At a multiple of 256. Devices without pools allocate each time, and cudaFree waits for them. Where there is no
    /// memory left it waits for what other streams have borrowed, unless the stream is being recorded.
    [[nodiscard]] Loan lend(std::size_t bytes, cudaStream_t stream) const {
        void* memory = nullptr;
        cudaError_t result = allocate(&memory, bytes, stream);
        if (result == cudaErrorMemoryAllocation && !is_recorded(stream)) {
            cudaGetLastError();
            cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
            // What came back in other sizes is of no use.
            if (pool_) {
                cuda_check(cudaMemPoolTrimTo(pool_.get(), 0), "cudaMemPoolTrimTo");
            }
            result = allocate(&memory, bytes, stream);
        }
        cuda_check(result, pool_ ? "cudaMallocFromPoolAsync" : "cudaMalloc");
        return {memory, stream, pool_ != nullptr};
    }

private:
    cudaError_t allocate(void** memory, std::size_t bytes, cudaStream_t stream) const {
        return pool_ ? cudaMallocFromPoolAsync(memory, bytes, pool_.get(), stream) : cudaMalloc(memory, bytes);
    }
    struct Destroy {
        void operator()(cudaMemPool_t pool) const { cudaMemPoolDestroy(pool); }
    };
    std::unique_ptr<std::remove_pointer_t<cudaMemPool_t>, Destroy> pool_;
};

}  // namespace vfilter::cuda
