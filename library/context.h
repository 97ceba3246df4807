#pragma once
// Who works on pictures.

#include <functional>
#include <memory>
#include <optional>

#include "library/buffers.h"
#include "library/devices.h"
#include "library/workers.h"
#include "vfilter/vfilter.h"

namespace vfilter {

/// Immutable, and thread-safe.
class Context {
public:
    /// See vfilter_context_create. Throws Failure.
    Context(int threads, const vfilter_executor* executor);

    /// That work at once.
    [[nodiscard]] int threads() const { return threads_; }
    /// Whether the thread that calls run() works on some of the tasks.
    [[nodiscard]] bool in_callers_thread() const { return !executor_; }
    /// What operations on GPUs share.
    [[nodiscard]] const std::shared_ptr<DeviceMemory>& device_memory() const { return device_memory_; }
    /// Memory that the calls of all operations need. Thread-safe.
    [[nodiscard]] Buffers& buffers() const { return buffers_; }
    /// Calls task(i) for each i below count. Throws what one of the calls has thrown; the others are made all the same.
    /// While the calling thread waits for the context's, it calls `meanwhile` now and then, unless that is empty.
    void run(std::size_t count, const std::function<void(std::size_t)>& task,
             const std::function<void()>& meanwhile = {}) const;

private:
    int threads_;
    std::optional<vfilter_executor> executor_;
    std::unique_ptr<Workers> workers_;
    mutable Buffers buffers_;
    std::shared_ptr<DeviceMemory> device_memory_ = make_device_memory();
};

}  // namespace vfilter
