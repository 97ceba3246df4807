#pragma once
// Work done in another thread while this one continues.

#include <chrono>
#include <future>
#include <memory>
#include <system_error>
#include <thread>

namespace vfilter {

/// Runs `task` in a thread of its own or, if the system refuses to create one, when its result is requested. The
/// future's destructor waits for the thread.
template <class Task>
auto begin_task(Task task) -> std::future<decltype(task())> {
    try {
        return std::async(std::launch::async, task);
    } catch (const std::system_error&) {
        return std::async(std::launch::deferred, task);
    }
}

/// Destroys, in a thread of its own, something whose destructor may never return. False if the destructor has not
/// returned within `patience`, or if no thread could be created: then the object still exists.
template <class Owned>
bool destroy_within(std::unique_ptr<Owned> owned, std::chrono::milliseconds patience) {
    const auto done = std::make_shared<std::promise<void>>();
    std::future<void> gone = done->get_future();
    try {
        std::thread([left = owned.release(), done] {
            delete left;
            done->set_value();
        }).detach();
    } catch (const std::system_error&) {
        return false;
    }
    return gone.wait_for(patience) == std::future_status::ready;
}

}  // namespace vfilter
