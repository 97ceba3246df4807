#pragma once
// Threads of a context that was asked for some.

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "library/fork.h"

namespace vfilter {

/// Threads that sleep until there is work, and leave signals to others. Thread-safe. In a child of a fork there are
/// none.
class Workers {
public:
    using Task = void (*)(void* argument, std::size_t index);

    /// Throws std::system_error where the system gives no thread.
    explicit Workers(int threads);
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    /// Calls task(argument, i) for each i below count, in this thread and in those of the workers that are free. While
    /// this thread waits for others, it calls `meanwhile` now and then, unless that is empty.
    void run(Task task, void* argument, std::size_t count, const std::function<void()>& meanwhile = {});

private:
    struct Job {
        Task task;
        void* argument;
        std::size_t count;
        std::atomic<std::size_t> next = 0;
        int inside = 0;  ///< workers; by mutex_

        void work();
    };
    /// What the threads share.
    struct Crew {
        std::mutex mutex;
        std::condition_variable come;
        std::condition_variable gone;
        std::deque<Job*> jobs;
        bool ending = false;
        std::vector<std::thread> threads;

        void live();
        void end();
    };

    /// Of a job in the crew's memory: it has gone from there at the end, also where something is thrown.
    struct Presence {
        Crew& crew;
        Job& job;

        ~Presence();
    };

    Process process_;
    std::unique_ptr<Crew> crew_ = std::make_unique<Crew>();
};

}  // namespace vfilter
