#include "library/workers.h"

#include <csignal>

#include <algorithm>
#include <chrono>

namespace vfilter {

namespace {

constexpr std::chrono::milliseconds between_calls{50};  // of `meanwhile`

}  // namespace

Workers::Workers(int threads) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // threads inherit it
    try {
        for (int i = 0; i < threads; ++i) {
            crew_->threads.emplace_back([crew = crew_.get()] { crew->live(); });
        }
    } catch (...) {
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        crew_->end();
        throw;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Workers::~Workers() {
    if (process_.is_this()) {
        crew_->end();
    } else {
        // Threads that are no more cannot be joined, and their locks and conditions wait for them.
        static_cast<void>(crew_.release());
    }
}

void Workers::Crew::end() {
    {
        const std::lock_guard lock(mutex);
        ending = true;
    }
    come.notify_all();
    for (std::thread& thread : threads) {
        thread.join();
    }
}

void Workers::Job::work() {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
        task(argument, i);
    }
}

void Workers::Crew::live() {
    std::unique_lock lock(mutex);
    for (;;) {
        come.wait(lock, [this] { return ending || !jobs.empty(); });
        if (ending) {
            return;
        }
        Job& job = *jobs.front();
        ++job.inside;
        lock.unlock();
        job.work();
        lock.lock();
        std::erase(jobs, &job);  // nothing of it is left to begin
        if (--job.inside == 0) {
            gone.notify_all();
        }
    }
}

// Those who are inside are waited for; those who sleep are not.
Workers::Presence::~Presence() {
    std::unique_lock lock(crew.mutex);
    std::erase(crew.jobs, &job);
    crew.gone.wait(lock, [this] { return job.inside == 0; });
}

void Workers::run(Task task, void* argument, std::size_t count, const std::function<void()>& meanwhile) {
    Job job{task, argument, count};
    if (!process_.is_this()) {
        job.work();
        return;
    }
    Crew& crew = *crew_;
    const Presence presence{crew, job};
    {
        const std::lock_guard lock(crew.mutex);
        crew.jobs.push_back(&job);
    }
    crew.come.notify_all();
    job.work();
    if (!meanwhile) {
        return;
    }
    std::unique_lock lock(crew.mutex);
    std::erase(crew.jobs, &job);
    while (!crew.gone.wait_for(lock, between_calls, [&job] { return job.inside == 0; })) {
        lock.unlock();
        meanwhile();
        lock.lock();
    }
}

}  // namespace vfilter
