#pragma once
// Locks and forks: a child of a fork has its parent's memory and none of its threads, so that a lock that one of those
// held is never given back.

#include <unistd.h>

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
    /// Locked until it is destroyed, if it says so. In a child of a fork it may not be.
    class Lock {
    public:
        explicit Lock(CacheMutex& owner) : lock_(owner.mutex_, std::try_to_lock) {
            // A fork between the two lines is another thread's, and its child has no such thread as this one.
            if (!lock_ && owner.process_.is_this()) {
                lock_.lock();
            }
        }
        explicit operator bool() const { return lock_.owns_lock(); }

    private:
        std::unique_lock<std::mutex> lock_;
    };

private:
    std::mutex mutex_;
    Process process_;
};

}  // namespace vfilter
