#pragma once
// A call of vfilter_run that may be broken off.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <thread>

#include "library/context.h"
#include "vfilter/vfilter.h"

namespace vfilter {

/// `given`, or what stands for NULL, with the members that the caller's version of the structure lacks. Throws Failure.
vfilter_run_options whole_options(const vfilter_run_options* given);

/// Lives as long as the call, in the thread that made it.
class Call {
public:
    Call(const Context& context, const vfilter_run_options& options)
        : context_(context), cancelled_(options.cancelled), data_(options.cancelled_data) {}

    [[nodiscard]] int threads() const { return context_.threads(); }
    [[nodiscard]] Buffers& buffers() const { return context_.buffers(); }
    /// As Context::run. Throws Failure if the caller has given up; then some of the tasks were not called.
    void run(std::size_t count, const std::function<void(std::size_t)>& task);

private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] bool given_up();

    const Context& context_;
    int (*cancelled_)(void* data);
    void* data_;
    std::thread::id caller_ = std::this_thread::get_id();
    std::atomic_flag asking_;
    Clock::time_point asked_ = Clock::now();  ///< by whoever has asking_
    std::atomic<bool> given_up_ = false;
};

}  // namespace vfilter
