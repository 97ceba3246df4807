#include "pipeline/pipeline.h"

#include <fmt/format.h>
#include <pthread.h>

#include <limits>
#include <system_error>

#include "config/error.h"

namespace vfilter {

Pipeline::Video::Video(std::size_t number, VideoParts video, const PipelineParts& parts, StageRun& run,
                       Channel<OutputPacket>& output, Channel<Frame>& pictures, HeldPackets* held)
    : route(number, *parts.demuxer.format().streams[video.stream], video.stream, parts.demuxer.frame_rate(video.stream),
            run.live),
      decode(run, route, parts.demuxer, video.decoder, video.normaliser, parts.pool, held),
      chain(run, route, std::move(video.segments),
            {.encoder = video.encoder != nullptr,
             .window = parts.preview && number == 0 ? &pictures : nullptr,
             .window_paces = !run.live && parts.muxer == nullptr},
            parts.max_latency) {
    if (video.encoder != nullptr) {
        encode.emplace(run, route, *video.encoder, output);
    }
}

// Of all encoders together.
static std::size_t packets_ahead_of(const std::vector<VideoParts>& videos) {
    std::size_t ahead = packets_ahead;
    for (const VideoParts& video : videos) {
        if (video.encoder != nullptr) {
            const AVCodecContext& codec = video.encoder->context();
            ahead = std::min(ahead, packets_ahead_of(codec.codec_id, codec.pix_fmt, codec.width, codec.height));
        }
    }
    return ahead;
}

Pipeline::Pipeline(PipelineParts parts)
    : run_{.stats = parts.stats,
           .trace = parts.trace,
           .hook = std::move(parts.hook),
           .live = parts.demuxer.live(),
           .hurried = std::move(parts.hurried)},
      output_(packets_ahead_of(parts.videos), 1 + static_cast<int>(parts.videos.size() + parts.sounds.size())),
      pictures_(run_.live || parts.muxer != nullptr ? 1 : frames_ahead) {
    if (parts.videos.front().decoder.reads_ahead()) {
        held_.emplace(output_);
    }
    HeldPackets* const held = held_ ? &*held_ : nullptr;
    std::vector<VideoRoute*> routes;
    std::vector<WriteStage::Source> sources;
    for (VideoParts& video : parts.videos) {
        if (video.encoder != nullptr) {
            sources.push_back({video.stream, video.encoder->time_base()});
        }
        videos_.push_back(
            std::make_unique<Video>(videos_.size(), std::move(video), parts, run_, output_, pictures_, held));
        routes.push_back(&videos_.back()->route);
    }
    std::vector<SoundRoute*> sounds;
    std::vector<WriteStage::Source> sound_sources;
    for (SoundConverter* const sound : parts.sounds) {
        sounds_.push_back(std::make_unique<Sound>(sounds_.size(), *sound, run_, output_));
        sounds.push_back(&sounds_.back()->route);
        sound_sources.push_back({sound->stream(), sound->time_base()});
    }
    read_.emplace(run_, parts.demuxer, parts.muxer, routes, sounds, output_, held);
    if (parts.muxer != nullptr) {
        write_.emplace(run_, *parts.muxer, std::move(sources), std::move(sound_sources), output_);
    }
}

Pipeline::~Pipeline() {
    cancel_all();
    join();
}

void Pipeline::start() {
    // A stage that has ended, well or badly, says so on both sides: its inputs are wanted no more, its outputs are
    // closed.
    if (write_) {
        launch(
            StageId::write, 0, [this] { write_->run(); },
            [this] {
                output_.cancel();
                has_written_ = true;
            });
    }
    for (const std::unique_ptr<Video>& video : videos_) {
        start_video(*video);
    }
    for (const std::unique_ptr<Sound>& each : sounds_) {
        Sound& sound = *each;
        launch(
            StageId::sound, sound.route.number, [&sound] { sound.stage.run(); },
            [this, &sound] {
                sound.route.packets.cancel();
                output_.close();
            });
    }
    start_reading();
}

// From its last stage to its first.
void Pipeline::start_video(Video& video) {
    VideoRoute& route = video.route;
    if (video.encode) {
        launch(
            StageId::encode, route.number, [&video] { video.encode->run(); },
            [this, &route] {
                route.filtered.cancel();
                output_.close();
            });
    }
    std::vector<Chain::Part> chain = video.chain.parts();
    launch(StageId::filter, route.number, chain.back().run, [this, &route, end = chain.back().end] {
        end();
        route.filtered.close();
        if (route.number == 0) {
            pictures_.close();
        }
    });
    chain.pop_back();
    for (; !chain.empty(); chain.pop_back()) {
        StepStats& step = *chain.back().step;
        launch(step.name, step.name, step.stage, chain.back().run, chain.back().end);
    }
    launch(
        StageId::decode, route.number, [&video] { video.decode.run(); },
        [this, &route] {
            route.packets.cancel();
            if (held_ && route.number == 0) {
                held_->open();
            }
            route.decoded.close();
        });
}

void Pipeline::start_reading() {
    launch(
        StageId::read, 0, [this] { read_->run(); },
        [this] {
            for (const std::unique_ptr<Video>& video : videos_) {
                video->route.packets.close();
            }
            for (const std::unique_ptr<Sound>& sound : sounds_) {
                if (held_) {
                    held_->hold(nullptr, &sound->route, std::numeric_limits<std::int64_t>::max());
                } else {
                    sound->route.packets.close();
                }
            }
            output_.close();
        });
}

void Pipeline::launch(StageId id, std::size_t number, std::function<void()> stage, std::function<void()> after) {
    // A thread's name has 15 letters at most.
    const std::string name(name_of(id));
    launch(number == 0 ? name : fmt::format("{}/{}", name, number + 1), name, run_.stats.of(id, number),
           std::move(stage), std::move(after));
}

// The one wrapper of every thread: names it, runs it, keeps its error, tells its neighbours.
void Pipeline::launch(const std::string& thread, const std::string& name, StageStats& stats,
                      std::function<void()> stage, std::function<void()> after) {
    const auto count = [this](int by) {
        const std::lock_guard lock(mutex_);
        running_ += by;
    };
    count(1);
    const auto body = [this, thread, name, &stats, count, stage = std::move(stage), after = std::move(after)] {
        pthread_setname_np(pthread_self(), thread.c_str());
        try {
            stats.start();
            stage();
        } catch (...) {
            first_error_.keep(name);
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
        throw Error(ExitCode::internal, fmt::format("no thread for the {} stage: {}", name, error.what()));
    }
}

void Pipeline::cancel() {
    run_.cancelled.store(true, std::memory_order_relaxed);
    for (const std::unique_ptr<Video>& video : videos_) {
        video->route.packets.cancel();
        video->route.decoded.cancel();
        video->chain.cancel();
        video->route.filtered.cancel();
        if (video->encode) {
            video->encode->cancel();
        }
    }
    for (const std::unique_ptr<Sound>& sound : sounds_) {
        sound->route.packets.cancel();
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

std::vector<StepCount> Pipeline::step_counts() const {
    std::vector<StepCount> sum = videos_.front()->chain.step_counts();
    for (std::size_t i = 1; i < videos_.size(); ++i) {
        add(sum, videos_[i]->chain.step_counts());
    }
    return sum;
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
    first_error_.rethrow_if_any();
}

}  // namespace vfilter
