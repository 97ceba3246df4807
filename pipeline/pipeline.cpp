#include "pipeline/pipeline.h"

#include <fmt/format.h>
#include <pthread.h>

#include <new>

namespace vfilter {

Pipeline::Pipeline(PipelineParts parts) : parts_(std::move(parts)) {}

Pipeline::~Pipeline() {
    cancel();
    output_.cancel();  // nobody may be left to close it, if not every thread could be started
    for (std::thread& thread : threads_) {
        if (thread.joinable()) {
            thread.join();
        }
    }
}

void Pipeline::start() {
    // A stage that has ended, well or badly, says so on both sides: its inputs are wanted no more, its outputs are
    // closed.
    if (parts_.encoder != nullptr) {
        launch(StageId::write, &Pipeline::write_packets, [this] { output_.cancel(); });
        launch(StageId::encode, &Pipeline::encode_frames, [this] {
            filtered_.cancel();
            output_.close();
        });
    }
    launch(StageId::filter, &Pipeline::filter_frames, [this] {
        decoded_.cancel();
        filtered_.close();
        pictures_.close();
    });
    launch(StageId::decode, &Pipeline::decode_packets, [this] {
        packets_.cancel();
        decoded_.close();
    });
    launch(StageId::read, &Pipeline::read_packets, [this] {
        packets_.close();
        output_.close();
    });
}

// The one wrapper of every thread: names it, runs it, keeps its error, tells its neighbours.
void Pipeline::launch(StageId id, void (Pipeline::*stage)(), std::function<void()> after) {
    {
        const std::lock_guard lock(mutex_);
        ++running_;
    }
    const auto body = [this, id, stage, after = std::move(after)] {
        pthread_setname_np(pthread_self(), std::string(stage_names[static_cast<std::size_t>(id)]).c_str());
        StageStats& stats = parts_.stats[id];
        try {
            stats.start();
            (this->*stage)();
        } catch (...) {
            keep_first_error(id);
            cancel();
        }
        stats.enter(Activity::waiting_for_input);
        after();
        const std::lock_guard lock(mutex_);
        --running_;
        ended_.notify_all();
    };
    try {
        threads_.emplace_back(body);
    } catch (const std::system_error& error) {
        {
            const std::lock_guard lock(mutex_);
            --running_;
        }
        throw Error(ExitCode::internal, fmt::format("no thread for the {} stage: {}",
                                                    stage_names[static_cast<std::size_t>(id)], error.what()));
    }
}

void Pipeline::keep_first_error(StageId id) {
    const std::string_view name = stage_names[static_cast<std::size_t>(id)];
    std::exception_ptr error;
    try {
        throw;
    } catch (const Error& known) {
        error = std::make_exception_ptr(Error(known.code(), fmt::format("{}: {}", name, known.what())));
    } catch (const std::bad_alloc&) {
        error = std::make_exception_ptr(Error(ExitCode::internal, fmt::format("{}: out of memory", name)));
    } catch (const std::exception& other) {
        error = std::make_exception_ptr(Error(ExitCode::internal, fmt::format("{}: {}", name, other.what())));
    } catch (...) {
        error = std::make_exception_ptr(Error(ExitCode::internal, fmt::format("{}: unknown error", name)));
    }
    const std::lock_guard lock(mutex_);
    if (!first_error_) {
        first_error_ = error;
    }
}

void Pipeline::cancel() {
    cancelled_.store(true, std::memory_order_relaxed);
    packets_.cancel();
    decoded_.cancel();
    filtered_.cancel();
    pictures_.cancel();
    // The output is not: what was encoded is still written, so that the .part can be played.
}

void Pipeline::replace_engine(std::unique_ptr<FilterEngine> engine) {
    const std::lock_guard lock(mutex_);
    next_engine_ = std::move(engine);
}

Drops Pipeline::drops() const {
    const auto value = [](const std::atomic<std::int64_t>& count) { return count.load(std::memory_order_relaxed); };
    return {value(drops_.undecoded), value(drops_.overtaken), value(drops_.shed), value(drops_.unrecorded),
            value(drops_.unseen)};
}

bool Pipeline::wait_for(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, time, [this] { return running_ == 0; });
}

void Pipeline::finish() {
    for (std::thread& thread : threads_) {
        thread.join();
    }
    if (first_error_) {
        std::rethrow_exception(first_error_);
    }
}

}  // namespace vfilter
