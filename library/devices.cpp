#include "library/devices.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/cuda/check.h"
#include "kernels/cuda/memory.h"
#include "library/current_context.h"
#include "library/device_chain.h"
#include "library/failure.h"

namespace vfilter {

namespace {

// A device is the caller's thread's only while a call lasts: the caller's context comes back, or none, and none is made
// on a device that nobody has used yet. One of the caller's own making on that device is worked in, as its memory is.
class CurrentDevice {
public:
    explicit CurrentDevice(int device) : before_(current_context()) {
        int current = -1;
        if (before_ != nullptr) {
            cuda_check(cudaGetDevice(&current), "cudaGetDevice");
        }
        if (current != device) {
            changed_ = true;
            cuda_check(cudaSetDevice(device), "cudaSetDevice");
        }
    }
    ~CurrentDevice() {
        if (changed_) {
            make_current(before_);
        }
    }
    CurrentDevice(const CurrentDevice&) = delete;
    CurrentDevice& operator=(const CurrentDevice&) = delete;

private:
    void* before_;
    bool changed_ = false;
};

// For what goes, in the context in which it was made: a stream's number is another stream elsewhere.
class MadeIn {
public:
    explicit MadeIn(void* context) : before_(current_context()), changed_(before_ != context) {
        if (changed_) {
            make_current(context);
        }
    }
    ~MadeIn() {
        if (changed_) {
            make_current(before_);
        }
    }
    MadeIn(const MadeIn&) = delete;
    MadeIn& operator=(const MadeIn&) = delete;

private:
    void* before_;
    bool changed_;
};

// What CUDA says as what the library says.
void on_device(int device, const auto& work) {
    try {
        int count = 0;
        const cudaError_t found = cudaGetDeviceCount(&count);
        if (found != cudaSuccess || count == 0) {
            cudaGetLastError();
            throw Failure(VFILTER_ERROR_DEVICE,
                          std::string("no NVIDIA GPU can be used: ") +
                              (found == cudaSuccess ? "there is none" : cudaGetErrorString(found)));
        }
        if (device >= count) {
            throw Failure(VFILTER_ERROR_DEVICE, "there is no GPU number " + std::to_string(device) + ", only " +
                                                    std::to_string(count) + " of them");
        }
        const CurrentDevice current(device);
        work();
    } catch (const CudaError& error) {
        cudaGetLastError();  // the next call's is its own
        if (error.code() == cudaErrorMemoryAllocation) {
            throw Failure(VFILTER_ERROR_MEMORY, "there is not enough memory on GPU " + std::to_string(device));
        }
        throw Failure(VFILTER_ERROR_DEVICE, "GPU " + std::to_string(device) + ": " + error.what());
    }
}

// Kernels that are given memory that is not theirs end the caller's process, as good as.
void check_memory(const Pictures& pictures, const std::string& name) {
    cudaPointerAttributes attributes{};
    cuda_check(cudaPointerGetAttributes(&attributes, pictures.data), "cudaPointerGetAttributes");
    if (attributes.type == cudaMemoryTypeManaged) {
        return;
    }
    if (attributes.type != cudaMemoryTypeDevice || attributes.device != pictures.device) {
        throw Failure(VFILTER_ERROR_PICTURE, name + ": its data is " +
                                                 (attributes.type != cudaMemoryTypeDevice
                                                      ? "no device memory"
                                                      : "memory of GPU " + std::to_string(attributes.device) +
                                                            ", not of " + std::to_string(pictures.device)));
    }
}

}  // namespace

class DeviceMemory {
public:
    DeviceMemory() = default;
    ~DeviceMemory() {
        while (!lent_.empty()) {
            const MadeIn context(lent_.begin()->second.context);
            lent_.erase(lent_.begin());
        }
        while (!pools_.empty()) {
            const MadeIn context(pools_.begin()->first);
            pools_.erase(pools_.begin());
        }
    }
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    /// Of the current context.
    std::shared_ptr<const cuda::StreamPool> pool() {
        const std::lock_guard lock(mutex_);
        std::shared_ptr<const cuda::StreamPool>& made = pools_[current_context()];
        if (!made) {
            made = std::make_shared<const cuda::StreamPool>();
        }
        return made;
    }

    /// For the caller, of the current device, which has that number.
    void* lend(int device, cudaStream_t stream, std::size_t bytes) {
        const std::shared_ptr<const cuda::StreamPool> own = pool();
        std::unique_ptr<const Loan> loan(new Loan(own->lend(bytes, stream)));
        void* const data = loan->get();
        const std::lock_guard lock(mutex_);
        lent_[data] = {device, current_context(), std::move(loan)};
        return data;
    }
    [[nodiscard]] int device_of(void* data) {
        const std::lock_guard lock(mutex_);
        const auto found = lent_.find(data);
        return found == lent_.end() ? -1 : found->second.device;
    }
    void take_back(void* data) {
        const std::lock_guard lock(mutex_);
        const auto found = lent_.find(data);
        if (found != lent_.end()) {
            const MadeIn context(found->second.context);
            lent_.erase(found);
        }
    }

private:
    using Loan = cuda::StreamPool::Loan;
    struct Lent {
        int device = 0;
        void* context = nullptr;
        std::unique_ptr<const Loan> loan{};
    };

    // By mutex_. Pools go after what is lent of them.
    std::mutex mutex_;
    std::map<void*, std::shared_ptr<const cuda::StreamPool>> pools_;  // of each context
    std::map<void*, Lent> lent_;
};

int device_of(const void* data) {
    cudaPointerAttributes attributes{};
    if (cudaPointerGetAttributes(&attributes, data) != cudaSuccess) {
        cudaGetLastError();
        return -1;  // no driver, or no device
    }
    return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged ? attributes.device : -1;
}

void* device_allocate(const std::shared_ptr<DeviceMemory>& memory, int device, void* stream, std::size_t bytes) {
    void* data = nullptr;
    on_device(device,
              [&] { data = memory->lend(device, static_cast<cudaStream_t>(stream), std::max(bytes, std::size_t{1})); });
    return data;
}

void device_free(const std::shared_ptr<DeviceMemory>& memory, void* data) {
    if (data == nullptr) {
        return;
    }
    const int device = memory->device_of(data);
    if (device < 0) {
        throw Failure(VFILTER_ERROR_ARGUMENT, "data: the context has not allocated it");
    }
    on_device(device, [&] { memory->take_back(data); });
}

void stream_follow(int device, void* stream, void* earlier) {
    on_device(device, [&] {
        cudaEvent_t event = nullptr;
        cuda_check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
        const cudaError_t recorded = cudaEventRecord(event, static_cast<cudaStream_t>(earlier));
        const cudaError_t waits =
            recorded == cudaSuccess ? cudaStreamWaitEvent(static_cast<cudaStream_t>(stream), event, 0) : cudaSuccess;
        cudaEventDestroy(event);
        cuda_check(recorded, "cudaEventRecord");
        cuda_check(waits, "cudaStreamWaitEvent");
    });
}

void stream_wait(int device, void* stream) {
    on_device(device,
              [&] { cuda_check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "cudaStreamSynchronize"); });
}

std::shared_ptr<DeviceMemory> make_device_memory() {
    return std::make_shared<DeviceMemory>();
}

Devices::Devices(std::shared_ptr<const Plan> plan, std::shared_ptr<DeviceMemory> memory)
    : plan_(std::move(plan)), memory_(std::move(memory)) {}

Devices::~Devices() {
    while (!chains_.empty()) {
        const MadeIn context(chains_.begin()->first);
        chains_.erase(chains_.begin());
    }
}

const DeviceChain& Devices::own_chain() const {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<const DeviceChain>& made = chains_[current_context()];
    if (!made) {
        made = std::make_unique<const DeviceChain>(plan_, memory_->pool());
    }
    return *made;
}

void Devices::run(const Sources& from, const Pictures& to, const Pictures* mask, void* stream) const {
    on_device(to.device, [&] {
        check_memory(from.all, "source");
        check_memory(to, "result");
        if (mask != nullptr) {
            check_memory(*mask, "mask");
        }
        own_chain().run(from, to, mask, static_cast<cudaStream_t>(stream));
    });
}

void Devices::prepare(const Pictures& like) const {
    on_device(like.device, [&] { own_chain().prepare(like); });
}

}  // namespace vfilter
