#include "library/context.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>

#include "library/callers_thread.h"
#include "library/failure.h"

namespace vfilter {

namespace {

constexpr int max_threads = 1024;

// Exceptions of tasks end here: they must not pass through the caller's executor.
struct Calls {
    const std::function<void(std::size_t)>& task;
    std::mutex mutex{};
    std::exception_ptr error{};
    std::atomic<std::size_t> made = 0;

    static void call(void* argument, std::size_t index) {
        Calls& calls = *static_cast<Calls*>(argument);
        const CallersThread while_called;  // of an executor's
        try {
            calls.task(index);
        } catch (...) {
            const std::lock_guard lock(calls.mutex);
            calls.error = std::current_exception();
        }
        calls.made.fetch_add(1, std::memory_order_relaxed);
    }
};

// That the caller may run on: from glibc 2.35 on, std::thread::hardware_concurrency() tells all that there are.
int processors() {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? std::clamp(CPU_COUNT(&set), 1, max_threads) : 1;
}

}  // namespace

Context::Context(int threads, const vfilter_executor* executor) : threads_(threads == 0 ? processors() : threads) {
    if (threads < 0 || threads > max_threads) {
        throw Failure(VFILTER_ERROR_ARGUMENT, "threads is 0 to " + std::to_string(max_threads));
    }
    if (executor == nullptr) {
        if (threads_ > 1) {
            try {
                workers_ = std::make_unique<Workers>(threads_ - 1);
            } catch (const std::system_error&) {
                throw Failure(VFILTER_ERROR_MEMORY, "the system gives no more threads");
            }
        }
        return;
    }
    if (threads != 0) {
        throw Failure(VFILTER_ERROR_ARGUMENT, "threads is 0 where there is an executor");
    }
    if (executor->struct_size < sizeof(vfilter_executor) || executor->run == nullptr || executor->threads < 1 ||
        executor->threads > max_threads) {
        throw Failure(VFILTER_ERROR_ARGUMENT, "an executor has its struct_size, a function run and 1 to " +
                                                  std::to_string(max_threads) + " threads");
    }
    executor_ = *executor;
    threads_ = executor->threads;
}

void Context::run(std::size_t count, const std::function<void(std::size_t)>& task,
                  const std::function<void()>& meanwhile) const {
    // An executor's work is done where it says, also by one thread.
    if (count == 0 || (!executor_ && (count == 1 || threads_ == 1))) {
        for (std::size_t i = 0; i < count; ++i) {
            task(i);
        }
        return;
    }
    Calls calls{task};
    if (executor_) {
        executor_->run(executor_->data, Calls::call, &calls, count);
    } else {
        workers_->run(Calls::call, &calls, count, meanwhile);
    }
    if (calls.error) {
        std::rethrow_exception(calls.error);
    }
    if (calls.made < count) {
        throw Failure(VFILTER_ERROR_INTERNAL, "the executor has not called all tasks");
    }
}

}  // namespace vfilter
