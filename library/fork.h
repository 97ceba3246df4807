#pragma once
// Locks and forks: a child of a fork has its parent's memory and none of its threads, so that a lock that one of those
// held is never given back.

#include <unistd.h>

#include <chrono>
#include <functional>
#include <mutex>

namespace vfilter {

/// Whether this is the process in which it was made, and no child of a fork.
class Process {
public:
    [[nodiscard]] bool is_this() const { return getpid() == id_; }

private:
    pid_t id_ = getpid();
};

/// For what can be done without, as caches. Thread-safe.
class CacheMutex {
public:
    /// Locked until it is destroyed, if it says so. In a child of a fork it may not be, nor if `stop`, which is asked
    /// while it waits unless it is empty, has said that it need not wait any more.
    class Lock {
    public:
        explicit Lock(CacheMutex& owner, const std::function<bool()>& stop = {})
            : lock_(owner.mutex_, std::try_to_lock) {
            constexpr std::chrono::milliseconds between_questions{50};
            // A fork between the two lines is another thread's, and its child has no such thread as this one.
            while (!lock_ && !given_up_ && owner.process_.is_this()) {
                if (!stop) {
                    lock_.lock();
                } else if (!lock_.try_lock_for(between_questions)) {
                    given_up_ = stop();
                }
            }
        }
        explicit operator bool() const { return lock_.owns_lock(); }
        [[nodiscard]] bool given_up() const { return given_up_; }

    private:
        std::unique_lock<std::timed_mutex> lock_;
        bool given_up_ = false;
    };

private:
    std::timed_mutex mutex_;
    Process process_;
};

}  // namespace vfilter
