#include "pipeline/session.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <deque>
#include <filesystem>
#include <future>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>

#include "config/command_text.h"
#include "filters/region_geometry.h"
#include "io/formats/formats.h"
#include "io/formats/full_range.h"
#include "io/formats/gray_picture.h"
#include "io/input/source.h"
#include "io/output/output_check.h"
#include "io/output/output_trial.h"
#include "pipeline/live/preview.h"
#include "pipeline/named_files.h"
#include "pipeline/orientation.h"
#include "pipeline/pipeline.h"
#include "pipeline/report/report.h"
#include "pipeline/run_guard.h"

namespace vfilter {

namespace {

constexpr std::chrono::milliseconds watch_interval{125};
// Packets that may be read ahead to find the first picture: nothing that plays needs more.
constexpr std::size_t probe_packets = 5000;
constexpr std::size_t sound_packets = 500;

// Beside what this thread does, or, where the system refuses another thread, right away.
template <class Task>
auto begin_task(Task task) -> std::future<decltype(task())> {
    try {
        return std::async(std::launch::async, task);
    } catch (const std::system_error&) {
        return std::async(std::launch::deferred, task);
    }
}

std::string why_no_picture(const Demuxer& demuxer, const Decoder& decoder) {
    const AVIOContext* const bytes = demuxer.format().pb;  // devices have none
    const bool pipe = bytes != nullptr && (bytes->seekable & AVIO_SEEKABLE_NORMAL) == 0;
    if (pipe && std::string_view(demuxer.format().iformat->name).starts_with("mov")) {
        return "no picture of the video can be decoded: an mp4 whose index stands at its end cannot be read from a "
               "pipe";
    }
    const std::string complaint = decoder.complaint();
    if (complaint.find("max pixel") != std::string::npos) {
        return fmt::format("a picture is larger than {:.0f} Mpixel, the limit, which --max-pixels raises",
                           1e-6 * static_cast<double>(demuxer.max_pixels()));
    }
    return fmt::format("no picture of the video can be decoded{}{}", complaint.empty() ? "" : ": ", complaint);
}

// The first picture tells what codec parameters leave open (field order, HDR data, the real format). The packets read
// for it are put back.
std::vector<FramePtr> probe_first_pictures(Demuxer& demuxer) {
    FramePool pool(allocate_picture);
    struct Probe {
        int stream;
        std::unique_ptr<Decoder> decoder;
        FramePtr picture;
    };
    std::vector<Probe> probes;
    for (const int stream : demuxer.videos()) {
        probes.push_back({stream, std::make_unique<Decoder>(demuxer, stream, pool, 1, false), nullptr});
    }
    const auto all_there = [&] {
        return std::ranges::all_of(probes, [](const Probe& probe) { return probe.picture != nullptr; });
    };
    std::deque<PacketPtr> read;
    bool more = true;
    // Sound whose configuration is in its packets needs one of them for the header.
    std::set<int> bare_sound;
    for (unsigned i = 0; i < demuxer.format().nb_streams; ++i) {
        const AVCodecParameters& codec = *demuxer.format().streams[i]->codecpar;
        if (codec.codec_id == AV_CODEC_ID_AAC && codec.extradata_size == 0) {
            bare_sound.insert(static_cast<int>(i));
        }
    }
    while ((!all_there() || (!bare_sound.empty() && read.size() < sound_packets)) && more &&
           read.size() < probe_packets) {
        PacketPtr packet = demuxer.read();
        more = packet != nullptr;
        if (more) {
            bare_sound.erase(packet->stream_index);
        }
        for (Probe& probe : probes) {
            if (!probe.picture && (!more || packet->stream_index == probe.stream)) {
                probe.decoder->send(packet.get());
                probe.picture = probe.decoder->receive();
            }
        }
        if (more) {
            read.push_back(std::move(packet));
        }
    }
    const bool gave_up = more && read.size() >= probe_packets;
    demuxer.unread(std::move(read));
    std::vector<FramePtr> pictures;
    for (Probe& probe : probes) {
        if (!probe.picture) {
            throw Error(
                ExitCode::input,
                why_no_picture(demuxer, *probe.decoder) +
                    (gave_up ? fmt::format(", of the first {} packets, which is the limit", probe_packets) : ""));
        }
        // The pool's end is near: keep what is told, not the samples.
        FramePtr facts = make_frame();
        av_check(av_frame_copy_props(facts.get(), probe.picture.get()), "av_frame_copy_props");
        facts->format = probe.picture->format;
        facts->width = probe.picture->width;
        facts->height = probe.picture->height;
        pictures.push_back(std::move(facts));
    }
    return pictures;
}

AVPixelFormat native_format(AVPixelFormat given) {
    const AVPixelFormat native = nearest_native(given);
    if (native == AV_PIX_FMT_NONE) {
        throw Error(ExitCode::input,
                    fmt::format("pictures of format {} cannot be filtered: {}", name_of(given), why_not_native(given)));
    }
    if (native != given) {
        spdlog::info("pictures are converted from {} to {} to be filtered, without loss", name_of(given),
                     name_of(native));
    }
    return native;
}

std::optional<PictureFormat> told_format(const AVStream& stream) {
    const AVCodecParameters& video = *stream.codecpar;
    const AVPixelFormat native = nearest_native(static_cast<AVPixelFormat>(video.format));
    if (native == AV_PIX_FMT_NONE || video.width <= 0 || video.height <= 0) {
        return std::nullopt;
    }
    return PictureFormat{native, video.width, video.height, video.color_range == AVCOL_RANGE_JPEG,
                         orientation_of(stream)};
}

// What can be told of a region before anything but the input is opened.
void check_regions(const std::vector<FilterSpec>& filters, const AVStream& stream) {
    const AVCodecParameters& video = *stream.codecpar;
    for (const FilterSpec& filter : filters) {
        try {
            if (video.width > 0 && video.height > 0) {
                to_stored(filter.region, orientation_of(stream), video.width, video.height);
            }
        } catch (const RegionError& error) {
            throw Error(ExitCode::usage, fmt::format("{}: {}", filter.def->name, error.what()));
        }
    }
}

// One filtered video, from packets to packets.
struct VideoRun {
    int stream = -1;
    FramePtr first;                         // what its first picture tells; no samples
    AVPixelFormat given = AV_PIX_FMT_NONE;  // of its pictures as they are decoded
    PictureFormat pictures{};
    std::unique_ptr<Decoder> decoder;
    std::unique_ptr<Converter> normaliser;
    std::unique_ptr<FilterEngine> engine;
    std::unique_ptr<Verifier> verifier;
    std::unique_ptr<Encoder> encoder;
};

// Everything of one run, in the order in which it is built.
class Session {
public:
    Session(const Options& options, const std::atomic<int>& signal, Stats& stats, Outcome& outcome)
        : options_(options), signal_(signal), stats_(stats), outcome_(outcome) {}

    void run(const SessionHooks& hooks);
    /// After an error: a .part without a picture is of use to nobody.
    void discard_if_empty() const {
        if (file_ && stats_[StageId::write].items() == 0) {
            file_->discard();
        }
    }
    /// Fills in what can be told at any time, also after an error.
    void tell() const;
    /// Whether a thread of the pipeline is still at work, and will not come back: nothing may be destroyed then.
    [[nodiscard]] bool hung() const { return hung_; }
    /// Ends what the user sees: the window and the .part. Whatever is left may hang.
    void close();

private:
    void open();
    void build();
    void watch(const SessionHooks& hooks);
    void wait(const SessionHooks& hooks);
    void leave(const RunGuard& guard);
    void change_filters(const std::vector<FilterSpec>& filters);
    void finish(const SessionHooks& hooks);
    void tell_verified() const;
    void check_output();
    [[nodiscard]] bool needs_limited_range(const VideoRun& video, const OutputOptions& output,
                                           const AVOutputFormat& container);
    /// Whether no more input is wanted.
    [[nodiscard]] bool stopping() const {
        return signal_.load(std::memory_order_relaxed) != 0 || quit_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] bool ended() const {
        return pipeline_ && !hung_ && pipeline_->wait_for(std::chrono::milliseconds(0));
    }

    const Options options_;
    const std::atomic<int>& signal_;
    Stats& stats_;
    Outcome& outcome_;
    StageStats::Clock::time_point begin_ = StageStats::Clock::now();

    std::atomic<bool> quit_{false};  // by the preview's user
    // No reader of a pipe is waited for any more. Shared, as a thread that hangs may outlive this.
    std::atomic<bool> given_up_{false};
    bool hung_ = false;
    std::unique_ptr<Preview> preview_;
    std::unique_ptr<Trace> trace_;
    std::unique_ptr<FilterDevice> device_;
    std::unique_ptr<OutputFile> file_;
    std::unique_ptr<Demuxer> demuxer_;
    std::unique_ptr<FramePool> pool_;
    std::vector<VideoRun> videos_;
    std::unique_ptr<Muxer> muxer_;
    std::unique_ptr<Pipeline> pipeline_;
};

void Session::open() {
    check_source(options_.input);
    check_named_files(options_);
    for (const FilterSpec& filter : options_.filters) {
        if (!filter.region.mask.empty()) {
            check_picture(filter.region.mask);
        }
    }
    outcome_.filters = options_.filters;
    const AVOutputFormat* const container = options_.records() ? &choose_container(options_.output) : nullptr;
    outcome_.container = container != nullptr ? container->name : "";
    if (container != nullptr) {
        check_codec(options_.output, *container);
    }
    if (options_.preview) {
        // First of all, while the program has no other thread: see open_preview_window.
        preview_ = std::make_unique<Preview>(shown_name(options_.input.path), options_.filters);
    }
    // A GPU takes a fifth of a second to get up: meanwhile a file is opened. A camera may have nothing to give for
    // long.
    auto rising = begin_task([this] { return choose_device(options_.device, options_.threads, options_.streams); });
    if (is_live(options_.input)) {
        device_ = rising.get();
    }
    try {
        const auto interrupted = [this] { return stopping() || (pipeline_ && pipeline_->cancelled()); };
        demuxer_ = std::make_unique<Demuxer>(options_.input, interrupted);
        for (const int stream : demuxer_->videos()) {
            check_regions(options_.filters, *demuxer_->format().streams[stream]);
        }
    } catch (const Error&) {
        if (rising.valid()) {
            rising.get();  // a device that is not there is told before any fault of the input
        }
        throw;
    }
    if (rising.valid()) {
        device_ = rising.get();
    }
    if (container != nullptr && (container->flags & AVFMT_NOFILE) == 0) {
        file_ = std::make_unique<OutputFile>(options_.output.path, options_.output.overwrite,
                                             [this] { return given_up_.load() || (stopping() && !pipeline_); });
    }
    if (!options_.trace.empty()) {
        trace_ = std::make_unique<Trace>(options_.trace);
    }
    if (container != nullptr) {
        muxer_ = std::make_unique<Muxer>(*container, *demuxer_, file_.get());
    }
    outcome_.live = demuxer_->live();
    outcome_.frames_expected = 0;
    for (const int stream : demuxer_->videos()) {
        outcome_.frames_expected += demuxer_->expected_frames(stream);
    }
    outcome_.frame_rate = av_q2d(demuxer_->frame_rate());
}

void Session::build() {
    // Kernels are loaded, which takes as long as decoding a few pictures, while the first one is decoded. What the
    // container tells of the pictures is nearly always true.
    pool_ = std::make_unique<FramePool>(device_->allocator());
    const auto make_engine = [this](const PictureFormat& pictures) {
        return device_->make_engine(options_.filters, pictures, *pool_, trace_.get());
    };
    const std::optional<PictureFormat> told = told_format(demuxer_->video());
    std::future<std::unique_ptr<FilterEngine>> engine_rising;
    if (told) {
        engine_rising = begin_task([&make_engine, told] { return make_engine(*told); });
    }
    std::vector<FramePtr> firsts = probe_first_pictures(*demuxer_);
    for (std::size_t i = 0; i < firsts.size(); ++i) {
        const int stream = demuxer_->videos()[i];
        VideoRun video;
        video.stream = stream;
        video.first = std::move(firsts[i]);
        AVFrame& first = *video.first;
        video.given = static_cast<AVPixelFormat>(first.format);
        first.format = native_format(video.given);
        video.decoder = std::make_unique<Decoder>(*demuxer_, stream, *pool_, options_.threads, options_.input.strict);
        video.normaliser = std::make_unique<Converter>(Converter::to_native(first.width, first.height, video.given));
        video.pictures = {static_cast<AVPixelFormat>(first.format), first.width, first.height,
                          first.color_range == AVCOL_RANGE_JPEG,
                          orientation_of(first, *demuxer_->format().streams[stream])};
        if (i == 0 && told == video.pictures) {
            video.engine = engine_rising.get();
        } else {
            if (i == 0 && told) {
                engine_rising.wait();
            }
            video.engine = make_engine(video.pictures);
        }
        if (options_.verify) {
            video.verifier = std::make_unique<Verifier>(options_.filters, video.pictures);
        }
        videos_.push_back(std::move(video));
    }
    outcome_.device = videos_.front().engine->name();
    for (const VideoRun& video : videos_) {
        for (const std::string& kernel : video.engine->kernels()) {
            if (std::ranges::find(outcome_.kernels, kernel) == outcome_.kernels.end() || &video == &videos_.front()) {
                outcome_.kernels.push_back(kernel);
            }
        }
    }
    stats_.set_videos(videos_.size());
    if (muxer_) {
        OutputOptions output = options_.output;
        output.threads = options_.threads;
        const AVOutputFormat& container = choose_container(options_.output);
        std::vector<EncodedVideo> encoded;
        for (VideoRun& video : videos_) {
            output.limit_range = needs_limited_range(video, output, container);
            video.encoder = std::make_unique<Encoder>(output, container, *demuxer_, video.stream, *video.first,
                                                      kept_format(video.given), *pool_);
            encoded.push_back({video.stream, video.encoder.get(), video.first.get()});
        }
        outcome_.encoder = videos_.front().encoder->name();
        muxer_->begin(encoded);
    }
    for (const VideoRun& video : videos_) {
        spdlog::debug("stream {}: {}x{} {}, {} -> {} -> {}; at most {} pictures between the stages", video.stream,
                      video.pictures.width, video.pictures.height, name_of(video.pictures.format), outcome_.device,
                      video.encoder ? outcome_.encoder : "no encoder", muxer_ ? outcome_.container : "a window",
                      2 * Pipeline::frames_ahead + video.engine->slots());
    }
}

// What the input says of its pictures has to be said by the output as well: where it cannot, values are changed so that
// what is said is true, or what is lost is told. It is tried only for what few outputs can say.
bool Session::needs_limited_range(const VideoRun& video, const OutputOptions& output, const AVOutputFormat& container) {
    const AVStream& stream = *demuxer_->format().streams[video.stream];
    const ToldOfPictures known = told_by_input(stream, *video.first);
    const bool full = known.range == AVCOL_RANGE_JPEG && has_range(video.pictures.format);
    if (!full && !known.mastering_display && !known.light_level) {
        return false;
    }
    const auto tried =
        try_output(output, container, *demuxer_, video.stream, *video.first, kept_format(video.given), *pool_);
    // What cannot be read back from one picture is taken for silent, but for the bit streams that tell everything.
    const ToldOfPictures told =
        tried.value_or(tells_of_pictures(encoder_of(output, container)) ? known : ToldOfPictures{});
    if ((container.flags & AVFMT_NOFILE) != 0) {
        return false;
    }
    std::string lost = known.mastering_display && !told.mastering_display ? "mastering display" : "";
    if (known.light_level && !told.light_level) {
        lost += lost.empty() ? "light level" : " and light level";
    }
    if (!lost.empty()) {
        spdlog::warn("HDR10 data ({}) is lost: it cannot be read again from {} as {} writes it", lost, container.name,
                     encoder_of(output, container));
    }
    const bool limited = full && told.range != AVCOL_RANGE_JPEG;
    if (limited) {
        spdlog::warn(
            "the pictures use the full range, which {} cannot say with this encoder: their values are converted to "
            "the limited range",
            container.name);
    }
    return limited;
}

void Session::run(const SessionHooks& hooks) {
    open();
    build();
    if (const std::string note = device_->note(); !note.empty()) {
        spdlog::info("{}", note);
    }
    PipelineParts parts{
        *demuxer_,  {}, *pool_, muxer_.get(), trace_.get(), stats_, preview_ != nullptr, options_.max_latency,
        hooks.stage};
    for (VideoRun& video : videos_) {
        parts.videos.push_back({video.stream, *video.decoder, *video.normaliser, std::move(video.engine),
                                video.encoder.get(), video.verifier.get()});
    }
    pipeline_ = std::make_unique<Pipeline>(std::move(parts));
    pipeline_->start();
    if (preview_) {
        watch(hooks);
    }
    wait(hooks);
    if (!hung_) {
        pipeline_->finish();
    }
    finish(hooks);
}

void Session::wait(const SessionHooks& hooks) {
    const double stall_timeout =
        demuxer_->live() && options_.input.timeout > 0 ? options_.input.timeout : options_.stall_timeout;
    RunGuard guard(stats_, signal_, stall_timeout);
    constexpr int looks_to_watch = 2;
    int looks = 0;
    while (!pipeline_->wait_for(watch_interval)) {
        tell();
        if (hooks.watch && ++looks % looks_to_watch == 0) {
            hooks.watch(outcome_);
        }
        switch (guard.look()) {
            case RunGuard::Verdict::go_on:
                break;
            case RunGuard::Verdict::abandon:
                given_up_ = true;
                pipeline_->abandon();
                break;
            case RunGuard::Verdict::leave:
                leave(guard);
                return;
        }
    }
    if (!guard.stall().empty()) {
        throw Error(ExitCode::internal, guard.stall());
    }
}

// A thread does not come back from a codec or a write. Where it is not the muxer's, the file is whole as far as it
// goes.
void Session::leave(const RunGuard& guard) {
    hung_ = true;
    if (!guard.stall().empty()) {
        throw Error(ExitCode::internal, guard.stall());
    }
    if (muxer_ && !pipeline_->has_ended(StageId::write)) {
        throw Error(ExitCode::output, "stopped while the output could not be written");
    }
    if (const std::exception_ptr error = pipeline_->first_error()) {
        std::rethrow_exception(error);
    }
}

// Until nothing more comes, or the user has seen enough.
void Session::watch(const SessionHooks& hooks) {
    const bool paced = !demuxer_->live() && !muxer_;
    const AVFormatContext& input = demuxer_->format();
    if (paced && std::any_of(input.streams, input.streams + input.nb_streams, [](const AVStream* stream) {
            return stream->codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
        })) {
        spdlog::info("the sound is not played");
    }
    PreviewHooks preview;
    preview.tick = [&] {
        tell();
        if (hooks.watch) {
            hooks.watch(outcome_);
        }
    };
    preview.change = [this](const std::vector<FilterSpec>& filters) { change_filters(filters); };
    preview.ending = [this] { return stopping() || pipeline_->cancelled(); };
    preview.stop = [this] { quit_.store(true, std::memory_order_relaxed); };
    preview.dropped = [this] { return pipeline_->drops().total(); };
    preview.shown = [this](const Frame& frame, Stamps::Clock::time_point at) {
        stats_.latency[Leg::show].add(at - frame.stamps.captured);
    };
    preview_->run(pipeline_->pictures(), demuxer_->video().time_base, paced, preview);
    outcome_.filters = preview_->filters();
    Options same = options_;
    same.filters = outcome_.filters;
    same.input.path = shown_name(options_.input.path);
    outcome_.same_again = command_line_of(same);
}

void Session::change_filters(const std::vector<FilterSpec>& filters) {
    const VideoRun& video = videos_.front();
    if (video.verifier) {
        throw Error(ExitCode::usage, "--verify keeps the filters as they are");
    }
    pipeline_->replace_engine(device_->make_engine(filters, video.pictures, *pool_, trace_.get()));
}

// Before the file gets its name. Not after a signal, which waits for nothing and says by its code that it did not.
void Session::check_output() {
    if (!file_ || !file_->keeps_part() || signal_.load(std::memory_order_relaxed) != 0) {
        return;
    }
    file_->flush();
    const auto stop = [this] { return signal_.load(std::memory_order_relaxed) != 0; };
    auto same_bytes = begin_task([this, stop] { file_->verify(stop); });
    try {
        check_written(file_->written_path(), choose_container(options_.output), muxer_->sent(), stop);
    } catch (const Error&) {
        same_bytes.get();  // a disk's fault is told before what comes of it
        throw;
    }
    same_bytes.get();
}

void Session::finish(const SessionHooks& hooks) {
    tell();
    int signal = signal_.load(std::memory_order_relaxed);
    if (outcome_.frames_in == 0 && !stopping()) {
        throw Error(ExitCode::input, "the part that was asked for holds no picture");
    }
    const std::int64_t missing = outcome_.frames_in - outcome_.drops.decoded() - outcome_.frames_out;
    if (muxer_ && missing > 0 && signal == 0 &&
        stats_.items(StageId::encode) == outcome_.frames_in - outcome_.drops.decoded()) {
        throw Error(ExitCode::encoder, fmt::format("the encoder {} made {} packets of {} pictures", outcome_.encoder,
                                                   outcome_.frames_out, outcome_.frames_in));
    }
    if (muxer_ && missing != 0 && (signal == 0 || missing < 0)) {
        throw Error(ExitCode::internal, fmt::format("{} frames went in, {} were dropped and {} came out",
                                                    outcome_.frames_in, outcome_.drops.decoded(), outcome_.frames_out));
    }
    outcome_.abandoned = muxer_ ? missing : 0;
    if (muxer_ && muxer_->refused_packets() > 0 && !outcome_.damage.any()) {
        throw Error(ExitCode::output, fmt::format("{} refused {} packets of copied streams: {}", outcome_.container,
                                                  muxer_->refused_packets(), muxer_->why_refused()));
    }
    if (options_.input.strict && outcome_.damage.any() && signal == 0) {
        throw Error(ExitCode::damaged,
                    fmt::format("the input is damaged ({}), and --strict was given", damage_text(outcome_.damage)));
    }
    if (hooks.finishing) {
        hooks.finishing();
    }
    if (file_) {
        check_output();
        file_->commit();
        signal = signal_.load(std::memory_order_relaxed);  // one that came meanwhile has left the check unfinished
    }
    if (trace_) {
        trace_->finish();
    }
    if (signal != 0) {
        outcome_.code = signal == SIGTERM ? ExitCode::terminated : ExitCode::interrupted;
    } else if (outcome_.damage.any()) {
        outcome_.code = ExitCode::damaged;
    }
}

void Session::tell() const {
    outcome_.frames_in = stats_.items(StageId::decode);
    outcome_.frames_out = stats_.items(options_.records() ? StageId::write : StageId::filter);
    outcome_.packets_read = stats_[StageId::read].items();
    outcome_.seconds = std::chrono::duration<double>(StageStats::Clock::now() - begin_).count();
    outcome_.hung = hung_;
    if (muxer_) {
        outcome_.dropped_streams = muxer_->dropped();
    }
    if (file_) {
        outcome_.bytes_written = file_->bytes();
        outcome_.kept_part = file_->keeps_part() ? file_->written_path() : "";
    }
    if (pipeline_) {
        outcome_.drops = pipeline_->drops();
        outcome_.reconnects = demuxer_->reconnects();
        outcome_.clock_drift = pipeline_->clock_drift();
    }
    if (ended()) {
        // The threads have ended: what only they touched may be read.
        Damage damage = demuxer_->damage();
        for (const VideoRun& video : videos_) {
            Damage of_video = video.decoder->damage();
            of_video.holes = std::max<std::int64_t>(0, of_video.holes - demuxer_->empty_packets(video.stream));
            damage += of_video;
        }
        if (muxer_ && damage.any()) {
            damage.packets += muxer_->refused_packets();  // which are as damaged as the rest
        }
        outcome_.damage = damage;
        outcome_.pictures_allocated = pool_->allocations();
        outcome_.engine = pipeline_->engine().counters();
        tell_verified();
    }
}

void Session::tell_verified() const {
    if (!options_.verify) {
        return;
    }
    Verifier::Result sum;
    for (const VideoRun& video : videos_) {
        const Verifier::Result& one = video.verifier->result();
        sum.frames += one.frames;
        sum.samples += one.samples;
        sum.off_by_one += one.off_by_one;
    }
    outcome_.verified = sum;
    outcome_.verified_summary = summary_of(sum);
}

void Session::close() {
    preview_.reset();
    if (hung_) {
        if (file_) {
            file_->leave_part();
        }
        return;
    }
    if (pipeline_ && !ended()) {
        // An exception came past its threads. They look at the pointer, which goes only when they have.
        quit_ = true;
        given_up_ = true;
        pipeline_->cancel_all();
        pipeline_->join();
    }
    const bool empty = file_ && stats_[StageId::write].items() == 0 && !outcome_.message.empty();
    pipeline_.reset();
    muxer_.reset();
    if (empty) {
        file_->discard();  // threads that were still ending may have written its end
    }
    file_.reset();
}

// Some encoders never come back when they are freed before they were fed. The process is left without that then.
void destroy(std::unique_ptr<Session> session, Outcome& outcome) {
    constexpr std::chrono::milliseconds patience{1000};
    if (session->hung()) {
        session.release();  // NOLINT(bugprone-unused-return-value): its threads still use it
        return;
    }
    const auto done = std::make_shared<std::promise<void>>();
    std::future<void> gone = done->get_future();
    try {
        std::thread([owned = session.release(), done] {
            delete owned;
            done->set_value();
        }).detach();
    } catch (const std::system_error&) {
        outcome.hung = true;  // no thread to find out
        return;
    }
    outcome.hung = gone.wait_for(patience) == std::future_status::timeout;
}

}  // namespace

Outcome run_session(const Options& options, const std::atomic<int>& signal, Stats& stats, const SessionHooks& hooks) {
    Outcome outcome;
    auto session = std::make_unique<Session>(options, signal, stats, outcome);
    const auto fail = [&](ExitCode code, const std::string& message) {
        session->discard_if_empty();
        session->tell();
        const int number = signal.load(std::memory_order_relaxed);
        // What a signal broke off is no fault of the input's or of the reader's.
        const bool stopped = number != 0 && (code == ExitCode::input || code == ExitCode::output);
        outcome.code = !stopped ? code : number == SIGTERM ? ExitCode::terminated : ExitCode::interrupted;
        outcome.message = !stopped                                            ? message
                          : code == ExitCode::input && outcome.frames_in == 0 ? "stopped before the first picture"
                                                                              : fmt::format("stopped: {}", message);
    };
    try {
        session->run(hooks);
        session->tell();
    } catch (const Error& error) {
        fail(error.code(), error.what());
    } catch (const std::bad_alloc&) {
        fail(ExitCode::internal, "out of memory");
    } catch (const std::exception& error) {
        fail(ExitCode::internal, error.what());
    }
    session->close();
    destroy(std::move(session), outcome);
    return outcome;
}

}  // namespace vfilter
