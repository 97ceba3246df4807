#pragma once
// Operations on GPUs. Without CUDA, or a driver, everything here can be made, and running says what is missing.

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

#include "library/pictures.h"
#include "library/plan.h"

namespace vfilter {

/// Device memory for what is between the steps of chains, of all devices. It grows to what was needed at once.
class DeviceMemory;
std::shared_ptr<DeviceMemory> make_device_memory();

// What vfilter.h has of the same names. They throw Failure.
int device_of(const void* data);
void* device_allocate(const std::shared_ptr<DeviceMemory>& memory, int device, void* stream, std::size_t bytes);
void device_free(const std::shared_ptr<DeviceMemory>& memory, void* data);
void stream_follow(int device, void* stream, void* earlier);
void stream_wait(int device, void* stream);

class DeviceChain;

/// A plan on every device that it has been used on, in every context of the caller's. Thread-safe.
class Devices {
public:
    Devices(std::shared_ptr<const Plan> plan, std::shared_ptr<DeviceMemory> memory);
    ~Devices();

    /// Queues all work on a stream of the pictures' device, null for the default one. Throws Failure.
    void run(const Sources& from, const Pictures& to, const Pictures* mask, void* stream) const;
    /// Makes what run() needs for such pictures. Throws Failure.
    void prepare(const Pictures& like) const;

private:
    [[nodiscard]] const DeviceChain& own_chain() const;

    std::shared_ptr<const Plan> plan_;
    std::shared_ptr<DeviceMemory> memory_;
    mutable std::mutex mutex_;
    mutable std::map<void*, std::unique_ptr<const DeviceChain>> chains_;  ///< of each context; by mutex_
};

}  // namespace vfilter
