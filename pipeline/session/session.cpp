#include "pipeline/session/session.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "io/codec/encoder_choice.h"
#include "io/output/container_choice.h"
#include "io/output/sink.h"
#include "io/source.h"
#include "pipeline/background_task.h"
#include "pipeline/failure.h"
#include "pipeline/session/account.h"
#include "pipeline/session/auto_crop.h"
#include "pipeline/session/chains.h"
#include "pipeline/session/idle_filters.h"
#include "pipeline/session/idle_options.h"
#include "pipeline/session/input.h"
#include "pipeline/session/input_files.h"
#include "pipeline/session/kept_times.h"
#include "pipeline/session/output_end.h"
#include "pipeline/session/outputs.h"
#include "pipeline/session/pictures.h"
#include "pipeline/session/previewing.h"
#include "pipeline/session/quiet_log.h"
#include "pipeline/session/run_end.h"
#include "pipeline/session/run_parts.h"
#include "pipeline/session/run_watch.h"
#include "pipeline/session/stop_requests.h"
#include "pipeline/session/two_pass.h"
#include "pipeline/session/videos.h"

namespace vfilter {

namespace {

class Session {
public:
    Session(const Options& options, const EncodeTask& task, const std::atomic<int>& signal, Stats& stats,
            Outcome& outcome, int stand_in)
        : options_(options), stats_(stats), outcome_(outcome), stand_in_(stand_in), stop_{.signal = signal} {
        parts_.task = task;
    }

    /// Throws Error.
    void run(const SessionHooks& hooks);
    /// Brings the outcome up to date, also after an error.
    void tell() const;
    /// After an error: a .part without a picture is of use to nobody.
    void discard_if_empty() const {
        if (parts_.file && stats_[StageId::write].items() == 0) {
            parts_.file->discard();
        }
    }
    /// Whether an error of the output is that of a file, for which nobody has stopped waiting.
    [[nodiscard]] bool file_failed() const {
        return parts_.file && parts_.file->keeps_place() && (!stop_.given_up || parts_.file->closed());
    }
    /// Whether a thread of the pipeline is still at work, and will not come back: nothing may be destroyed then.
    [[nodiscard]] bool hung() const { return hung_ || opening_.hung(); }
    /// Ends what the user sees: the window and the .part. Whatever is left may hang.
    void close();

private:
    void open();
    void build();
    void start(const StageHook& hook);
    void begin_anew(const Options& options, const StageHook& hook);
    void finish(const SessionHooks& hooks);
    // Whether what is waited for is wanted no more.
    [[nodiscard]] bool interrupted() {
        opening_.tick();
        return stop_.any() || (parts_.pipeline && parts_.pipeline->cancelled());
    }
    // Some encoders make nothing but statistics then, and of what they make nothing is kept.
    [[nodiscard]] bool first_pass() const { return parts_.task.pass == 1; }
    [[nodiscard]] bool ended() const {
        return parts_.pipeline && !hung_ && parts_.pipeline->wait_for(std::chrono::milliseconds(0));
    }

    Options options_;  // not changed once open() has begun
    Stats& stats_;
    Outcome& outcome_;
    int stand_in_;  // SessionHooks'
    StageStats::Clock::time_point begin_ = StageStats::Clock::now();
    StopRequests stop_;
    Opening opening_{stop_, options_.stall_timeout};
    bool hung_ = false;
    const AVOutputFormat* container_ = nullptr;  // null if nothing is written
    RunParts parts_;
    Damage seen_before_;  // of what a preview's user has gone away from
};

void Session::open() {
    options_ = with_implied_options(std::move(options_));
    parts_.task.streamed = is_streamed(options_.output);
    check_request(options_);
    outcome_.setup.filters = options_.filters;
    outcome_.setup.foreign = options_.foreign;
    begin_auto_crop(options_);
    if (options_.records()) {
        container_ = &choose_container(options_.output);
        outcome_.setup.container = container_->name;
        check_codec(options_.output, *container_);
    }
    const auto given_up = [this] { return stop_.given_up.load() || (stop_.any() && !parts_.pipeline); };
    const Sink* const sink = container_ != nullptr ? sink_of(options_.output.path) : nullptr;
    if (sink != nullptr && sink->camera()) {
        parts_.camera = std::make_unique<VirtualCamera>(options_.output.path, given_up);
        parts_.task.pix_fmts = parts_.camera->formats();
    }
    if (options_.preview) {
        // First of all, while the program has no other thread: see open_preview_window.
        parts_.preview = std::make_unique<Preview>(shown_name(options_.input.path), options_.filters);
    }
    const auto asked = [this] { return interrupted(); };
    open_input(options_, asked, opening_, parts_);
    if (options_.auto_crop) {
        outcome_.setup.crop = find_auto_crop(options_, parts_, asked);
        outcome_.setup.foreign = options_.foreign;
    }
    fit_filters(options_, parts_);
    number_pictures(options_, asked, parts_);
    if (container_ != nullptr) {
        tell_late_clock(*container_, *parts_.demuxer);
    }
    if (parts_.task.pass != 2) {
        tell_idle(idle_options(options_, *parts_.demuxer, container_));
    }
    if (container_ != nullptr) {
        const auto beat = [this] { stats_[StageId::write].beat(); };
        // A named pipe is opened once somebody reads it.
        opening_.run("the output", [&] {
            open_output(options_, *container_, {given_up, beat, options_.stall_timeout}, parts_);
        });
    }
    if (!options_.trace.empty()) {
        opening_.run("the trace", [&] { parts_.trace = std::make_unique<Trace>(options_.trace, given_up); });
    }
    if (container_ != nullptr) {
        make_muxer(options_, *container_, parts_);
    }
    account_input(*parts_.demuxer, outcome_);
}

void Session::build() {
    make_videos(options_, container_, stand_in_, parts_);
    account_chains(parts_, outcome_);
    outcome_.setup.device = engine_of(parts_.videos.front()).name();
    outcome_.setup.kernels = kernels_of(parts_.videos);
    const std::size_t encoded_sounds = parts_.muxer ? parts_.muxer->encoded_sounds().size() : 0;
    stats_.set_videos(std::max(parts_.videos.size(), encoded_sounds));
    if (parts_.muxer) {
        opening_.run("the encoder", [this] {
            make_encoders(options_, *container_, parts_);
            const EncodedVideo video = encoded_video(parts_.videos.front(), *parts_.demuxer);
            const std::int64_t begin = first_picture_of_output(*parts_.demuxer, video);
            for (const auto& [stream, sound] : parts_.muxer->encoded_sounds()) {
                const SoundSetup setup{*sound.codec, *container_, begin, sound.how, options_.output.strip};
                parts_.sounds.push_back(std::make_unique<SoundConverter>(*parts_.demuxer, stream, setup));
            }
        });
        outcome_.setup.encoder = parts_.videos.front().encoder->name();
        std::vector<EncodedVideo> encoded;
        std::ranges::transform(parts_.videos, std::back_inserter(encoded),
                               [&](const VideoRun& video) { return encoded_video(video, *parts_.demuxer); });
        std::vector<const SoundConverter*> sounds;
        for (const std::unique_ptr<SoundConverter>& sound : parts_.sounds) {
            sounds.push_back(sound.get());
        }
        if (parts_.camera) {
            const VideoRun& video = parts_.videos.front();
            parts_.camera->begin(video.encoder->context(), stream_of(video, *parts_.demuxer).frame_rate);
        }
        std::function<void()> begin = [this, encoded = std::move(encoded), sounds = std::move(sounds)] {
            parts_.muxer->begin(encoded, sounds);
        };
        if (parts_.file) {
            opening_.run("the output", std::move(begin));  // a pipe may be full already
        } else {
            begin();
        }
        check_copied_clips(parts_);
        if (!first_pass()) {
            tell_unused_files(parts_, options_.input);
            tell_kept_times(parts_, options_, *container_);
        }
        set_output_clocks(parts_);
        std::erase_if(parts_.sounds, [&](const auto& sound) { return !parts_.muxer->carries(sound->stream()); });
    }
    parts_.demuxer->settle_use(unused_streams(parts_));
    const RunSetup& setup = outcome_.setup;
    for (const VideoRun& video : parts_.videos) {
        spdlog::debug("stream {}: {}x{} {}, {} -> {} -> {}; at most {} pictures between the stages", video.stream,
                      video.first->width, video.first->height, name_of(static_cast<AVPixelFormat>(video.first->format)),
                      setup.device, video.encoder ? setup.encoder : "no encoder",
                      parts_.muxer ? setup.container : "a window", pictures_between_stages(video));
    }
    if (const std::string note = parts_.device->note(); !note.empty()) {
        spdlog::info("{}", note);
    }
}

void Session::start(const StageHook& hook) {
    PipelineParts parts = pipeline_parts(parts_, stats_);
    parts.max_latency = options_.max_latency;
    parts.hook = hook;
    parts.hurried = [this] { return stop_.any(); };
    parts_.pipeline = std::make_unique<Pipeline>(std::move(parts));
    parts_.pipeline->start();
}

// A preview's user goes to another place of the file. Nothing is written: what is on its way is of no use to anybody.
void Session::begin_anew(const Options& options, const StageHook& hook) {
    constexpr std::chrono::seconds patience{5};
    if (parts_.pipeline) {
        parts_.pipeline->cancel_all();
        if (!parts_.pipeline->wait_for(patience)) {
            hung_ = true;
            throw Error(ExitCode::internal, "a stage of the preview does not end");
        }
        parts_.pipeline->finish();
        tell();
        seen_before_ = outcome_.damage.any() ? outcome_.damage : seen_before_;
    }
    parts_.pipeline.reset();
    parts_.videos.clear();
    parts_.demuxer.reset();
    stats_.steps.clear();
    {
        const QuietLog said_before;
        parts_.demuxer = std::make_unique<Demuxer>(request_of(options), [this] { return interrupted(); });
        make_videos(options, nullptr, 0, parts_);
    }
    start(hook);
}

void Session::run(const SessionHooks& hooks) {
    open();
    build();
    start(hooks.stage);
    const auto show = [&] {
        if (hooks.watch) {
            hooks.watch(outcome_);
        }
    };
    if (parts_.preview) {
        PreviewCalls calls;
        calls.tick = [&] {
            tell();
            show();
        };
        calls.begin_anew = [&](const Options& options) { begin_anew(options, hooks.stage); };
        watch_preview(options_, stats_, parts_, stop_, calls, outcome_.setup);
    }
    constexpr int ticks_to_show = 2;
    const auto tick = [&, ticks = 0]() mutable {
        tell();
        if (++ticks % ticks_to_show == 0) {
            show();
        }
    };
    wait_for_end(options_, stats_, parts_, stop_, tick, hung_);
    if (!hung_) {
        parts_.pipeline->finish();
    }
    finish(hooks);
}

void Session::finish(const SessionHooks& hooks) {
    tell();
    int signal = stop_.signal_number();
    const Muxer* const muxer = parts_.muxer.get();
    const EndFacts facts{.writes = muxer != nullptr && !first_pass(),
                         .stopped = stop_.any(),
                         .signal = signal,
                         .strict = options_.input.strict,
                         .encoded = stats_.items(StageId::encode),
                         .refused = muxer != nullptr ? muxer->refused_packets() : 0,
                         .why_refused = muxer != nullptr ? muxer->why_refused() : ""};
    outcome_.end.abandoned = check_counts(outcome_, facts);
    check_losses(outcome_, facts);
    if (!facts.stopped && !first_pass() && !options_.preview) {
        tell_idle(idle_filters(outcome_.setup.filters, outcome_.setup.steps));
        tell_single_picture(options_, *parts_.demuxer, facts.writes ? outcome_.counts.frames_out : 0);
    }
    if (hooks.finishing && !first_pass()) {
        hooks.finishing();
    }
    check_one_picture(options_, stats_.items(StageId::write), parts_.file.get());
    if (container_ != nullptr && !first_pass()) {
        outcome_.setup.dropped_tags = check_output(*container_, parts_, stop_);
    }
    if (parts_.file) {
        if (hooks.checked && parts_.file->keeps_place()) {
            parts_.file->flush();
            hooks.checked(parts_.file->written_path(), code_without_error(stop_.signal_number(), outcome_),
                          outcome_.counts.frames_out);
        }
        parts_.file->commit();
        outcome_.audit.output_sha256 = parts_.file->sha256();
        signal = stop_.signal_number();  // one that came meanwhile has left the check unfinished
    }
    if (parts_.pictures) {
        parts_.pictures->tell_older();
    }
    const auto stopped = [this] { return stop_.signal_number() != 0; };
    outcome_.audit.input_sha256 = parts_.demuxer->sha256(stopped);
    outcome_.audit.added_sha256 = parts_.demuxer->added_sha256(stopped);
    outcome_.audit.appended_sha256 = parts_.demuxer->appended_sha256();
    if (parts_.trace) {
        parts_.trace->finish();
    }
    outcome_.end.code = code_without_error(signal, outcome_);
}

void Session::tell() const {
    outcome_.counts.seconds = std::chrono::duration<double>(StageStats::Clock::now() - begin_).count();
    outcome_.end.hung = hung();
    account_progress(options_, stats_, parts_, outcome_);
    if (ended()) {
        account_end(parts_, outcome_);
        outcome_.damage = outcome_.damage.any() ? outcome_.damage : seen_before_;
    }
}

void Session::close() {
    parts_.preview.reset();
    if (parts_.pipeline && !hung() && !ended()) {
        // An exception came past its threads. They look at the pointer, which goes only when they have.
        stop_.quit = true;
        stop_.given_up = true;
        parts_.pipeline->cancel_all();
        parts_.pipeline->join();
    }
    if (hung() && parts_.file) {
        parts_.file->leave_part();
    }
    if (parts_.trace) {
        parts_.trace->close(outcome_.end.code != ExitCode::usage);  // the session itself may never be destroyed
    }
    if (hung()) {
        return;
    }
    parts_.pipeline.reset();
    parts_.muxer.reset();
    parts_.file.reset();
}

// Some encoders never come back when they are freed before they were fed. The process is left without that then.
void destroy(std::unique_ptr<Session> session, RunEnd& end) {
    if (session->hung()) {
        session.release();  // NOLINT(bugprone-unused-return-value): its threads still use it
        return;
    }
    end.hung = !destroy_within(std::move(session), std::chrono::seconds(1));
}

Outcome run_once(const Options& options, const EncodeTask& task, const std::atomic<int>& signal, Stats& stats,
                 const SessionHooks& hooks) {
    Outcome outcome;
    auto session = std::make_unique<Session>(options, task, signal, stats, outcome, hooks.stand_in_sessions);
    try {
        session->run(hooks);
        session->tell();
    } catch (...) {
        const Failure failure = failure_of(std::current_exception());
        session->discard_if_empty();
        session->tell();
        outcome.end.abandoned = left_inside(outcome);
        outcome.end = end_of_error(outcome.end, failure.code, failure.message,
                                   {.signal = signal.load(std::memory_order_relaxed),
                                    .file_failed = session->file_failed(),
                                    .frames_in = outcome.counts.frames_in});
    }
    session->close();
    destroy(std::move(session), outcome.end);
    return outcome;
}

}  // namespace

Outcome run_session(const Options& options, const std::atomic<int>& signal, Stats& stats, const SessionHooks& hooks) {
    if (!runs_twice(options)) {
        return run_once(options, {}, signal, stats, hooks);
    }
    return run_twice(options, [&](const Options& pass, const EncodeTask& task) {
        auto first = std::make_unique<Stats>();
        Outcome outcome = run_once(pass, task, signal, task.pass == 1 ? *first : stats, hooks);
        if (outcome.end.hung) {
            first.release();  // NOLINT(bugprone-unused-return-value): as is the session that counts there
        }
        return outcome;
    });
}

}  // namespace vfilter
