#include "pipeline/pipeline.h"

#include <fmt/format.h>
#include <pthread.h>

#include <new>

namespace vfilter {

Pipeline::Video::Video(VideoParts of, std::size_t index, const Demuxer& demuxer)
    : parts(std::move(of)),
      number(index),
      stream(*demuxer.format().streams[parts.stream]),
      interval(std::chrono::duration_cast<Stamps::Clock::duration>(
          std::chrono::duration<double>(1 / av_q2d(demuxer.frame_rate(parts.stream))))),
      independent(has_independent_packets(stream)),
      packets(demuxer.live() && independent ? 1 : packets_ahead),
      decoded(demuxer.live() ? 1 : frames_ahead),
      filtered(demuxer.live() ? recorded_ahead : frames_ahead) {}

Pipeline::Pipeline(PipelineParts parts) : parts_(std::move(parts)) {
    for (VideoParts& video : parts_.videos) {
        videos_.push_back(std::make_unique<Video>(std::move(video), videos_.size(), parts_.demuxer));
    }
}

Pipeline::~Pipeline() {
    cancel_all();
    join();
}

void Pipeline::start() {
    // A stage that has ended, well or badly, says so on both sides: its inputs are wanted no more, its outputs are
    // closed.
    if (parts_.muxer != nullptr) {
        launch(
            StageId::write, 0, [this] { write_packets(); }, [this] { output_.cancel(); });
    }
    for (const std::unique_ptr<Video>& each : videos_) {
        Video& video = *each;
        if (video.parts.encoder != nullptr) {
            launch(
                StageId::encode, video.number, [this, &video] { encode_frames(video); },
                [this, &video] {
                    video.filtered.cancel();
                    output_.close();
                });
        }
        launch(
            StageId::filter, video.number, [this, &video] { filter_frames(video); },
            [this, &video] {
                video.decoded.cancel();
                video.filtered.close();
                if (video.number == 0) {
                    pictures_.close();
                }
            });
        launch(
            StageId::decode, video.number, [this, &video] { decode_packets(video); },
            [&video] {
                video.packets.cancel();
                video.decoded.close();
            });
    }
    launch(
        StageId::read, 0, [this] { read_packets(); },
        [this] {
            for (const std::unique_ptr<Video>& video : videos_) {
                video->packets.close();
            }
            output_.close();
        });
}

// The one wrapper of every thread: names it, runs it, keeps its error, tells its neighbours.
void Pipeline::launch(StageId id, std::size_t number, std::function<void()> stage, std::function<void()> after) {
    const auto index = static_cast<std::size_t>(id);
    const auto count = [this, index](int by) {
        const std::lock_guard lock(mutex_);
        running_ += by;
        running_stages_[index] += by;
    };
    count(1);
    const auto body = [this, id, index, number, count, stage = std::move(stage), after = std::move(after)] {
        const std::string name(stage_names[index]);
        pthread_setname_np(pthread_self(), (number == 0 ? name : fmt::format("{} {}", name, number)).c_str());
        StageStats& stats = parts_.stats.of(id, number);
        try {
            stats.start();
            stage();
        } catch (...) {
            keep_first_error(id);
            cancel();
        }
        stats.enter(Activity::waiting_for_input);
        after();
        count(-1);
        // Under the lock, so that whoever waits does not destroy this while it is notified.
        const std::lock_guard lock(mutex_);
        ended_.notify_all();
    };
    try {
        threads_.emplace_back(body);
    } catch (const std::system_error& error) {
        count(-1);
        throw Error(ExitCode::internal,
                    fmt::format("no thread for the {} stage: {}", stage_names[index], error.what()));
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
    for (const std::unique_ptr<Video>& video : videos_) {
        video->packets.cancel();
        video->decoded.cancel();
        video->filtered.cancel();
    }
    pictures_.cancel();
    // The output is not: what was encoded is still written, so that the .part can be played.
}

// Its channels too: nobody may be left to close them, if not every thread could be started.
void Pipeline::cancel_all() {
    cancel();
    output_.cancel();
}

void Pipeline::abandon() {
    cancel();
    output_.close_for_all();
}

bool Pipeline::has_ended(StageId id) const {
    const std::lock_guard lock(mutex_);
    return running_stages_[static_cast<std::size_t>(id)] == 0;
}

std::exception_ptr Pipeline::first_error() const {
    const std::lock_guard lock(mutex_);
    return first_error_;
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

void Pipeline::join() {
    for (std::thread& thread : threads_) {
        if (thread.joinable()) {
            thread.join();
        }
    }
}

void Pipeline::finish() {
    join();
    if (first_error_) {
        std::rethrow_exception(first_error_);
    }
}

}  // namespace vfilter
