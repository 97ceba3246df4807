#include "library/workers.h"

#include <csignal>

#include <algorithm>

namespace vfilter {

Workers::Workers(int threads) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // threads inherit it
    try {
        for (int i = 0; i < threads; ++i) {
            threads_.emplace_back([this] { live(); });
        }
    } catch (...) {
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        end();
        throw;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Workers::~Workers() {
    end();
}

void Workers::end() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    come_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void Workers::Job::work() {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
        task(argument, i);
    }
}

void Workers::live() {
    std::unique_lock lock(mutex_);
    for (;;) {
        come_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
        if (ending_) {
            return;
        }
        Job& job = *jobs_.front();
        ++job.inside;
        lock.unlock();
        job.work();
        lock.lock();
        std::erase(jobs_, &job);  // nothing of it is left to begin
        if (--job.inside == 0) {
            gone_.notify_all();
        }
    }
}

void Workers::run(Task task, void* argument, std::size_t count) {
    Job job{task, argument, count};
    {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(&job);
    }
    come_.notify_all();
    job.work();
    // Those who are inside are waited for; those who sleep, or are no more (after a fork), are not.
    std::unique_lock lock(mutex_);
    std::erase(jobs_, &job);
    gone_.wait(lock, [&job] { return job.inside == 0; });
}

}  // namespace vfilter
