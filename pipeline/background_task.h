#pragma once
// Work for another thread while this one goes on.

#include <future>
#include <system_error>

namespace vfilter {

/// Runs `task` in a thread of its own, or, where the system refuses another one, when its result is asked for. The
/// future's destructor waits for the thread.
template <class Task>
auto begin_task(Task task) -> std::future<decltype(task())> {
    try {
        return std::async(std::launch::async, task);
    } catch (const std::system_error&) {
        return std::async(std::launch::deferred, task);
    }
}

}  // namespace vfilter
