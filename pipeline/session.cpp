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

#include "config/command_text.h"
#include "io/formats.h"
#include "io/gray_picture.h"
#include "io/source.h"
#include "pipeline/pipeline.h"
#include "pipeline/preview.h"

namespace vfilter {

namespace {

constexpr std::chrono::milliseconds watch_interval{250};
// Packets that may be read ahead to find the first picture: nothing that plays needs more.
constexpr std::size_t probe_packets = 5000;
constexpr std::size_t sound_packets = 500;

// The first picture tells what codec parameters leave open (field order, HDR data, the real format). The packets read
// for it are put back.
FramePtr probe_first_picture(Demuxer& demuxer) {
    FramePool pool(allocate_picture);
    Decoder decoder(demuxer, pool, 1, false);
    std::deque<PacketPtr> read;
    FramePtr picture;
    bool more = true;
    // Sound whose configuration is in its packets needs one of them for the header.
    std::set<int> bare_sound;
    for (unsigned i = 0; i < demuxer.format().nb_streams; ++i) {
        const AVCodecParameters& codec = *demuxer.format().streams[i]->codecpar;
        if (codec.codec_id == AV_CODEC_ID_AAC && codec.extradata_size == 0) {
            bare_sound.insert(static_cast<int>(i));
        }
    }
    while ((!picture || (!bare_sound.empty() && read.size() < sound_packets)) && more && read.size() < probe_packets) {
        PacketPtr packet = demuxer.read();
        more = packet != nullptr;
        if (more) {
            bare_sound.erase(packet->stream_index);
        }
        if (more && packet->stream_index != demuxer.video_index()) {
            read.push_back(std::move(packet));
            continue;
        }
        if (!picture) {
            decoder.send(packet.get());
            picture = decoder.receive();
        }
        if (more) {
            read.push_back(std::move(packet));
        }
    }
    demuxer.unread(std::move(read));
    if (!picture) {
        const AVIOContext* const bytes = demuxer.format().pb;  // devices have none
        const bool pipe = bytes != nullptr && (bytes->seekable & AVIO_SEEKABLE_NORMAL) == 0;
        const bool index_at_end = pipe && std::string_view(demuxer.format().iformat->name).starts_with("mov");
        throw Error(
            ExitCode::input,
            fmt::format("no picture of the video can be decoded{}",
                        index_at_end ? ": an mp4 whose index stands at its end cannot be read from a pipe" : ""));
    }
    // The pool's end is near: keep what is told, not the samples.
    FramePtr facts = make_frame();
    av_check(av_frame_copy_props(facts.get(), picture.get()), "av_frame_copy_props");
    facts->format = picture->format;
    facts->width = picture->width;
    facts->height = picture->height;
    return facts;
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

std::optional<PictureFormat> told_format(const AVCodecParameters& video) {
    const AVPixelFormat native = nearest_native(static_cast<AVPixelFormat>(video.format));
    if (native == AV_PIX_FMT_NONE || video.width <= 0 || video.height <= 0) {
        return std::nullopt;
    }
    return PictureFormat{native, video.width, video.height, video.color_range == AVCOL_RANGE_JPEG};
}

void check_paths(const Options& options) {
    const std::string& input = options.input.path;
    const std::string& output = options.output.path;
    check_source(options.input);
    const bool file = is_file_input(input);
    struct stat status {};
    if (file && stat(input.c_str(), &status) != 0) {
        throw Error(ExitCode::input, fmt::format("{}: {}", input, av_message(AVERROR(errno))));
    }
    if (file && output != "-" && S_ISREG(status.st_mode) && same_file(input, output)) {
        throw Error(ExitCode::usage, fmt::format("{}: input and output are the same file", output));
    }
    const auto same = [](const std::string& a, const std::string& b) {
        return !a.empty() && !b.empty() &&
               (same_file(a, b) || std::filesystem::weakly_canonical(std::filesystem::absolute(a)) ==
                                       std::filesystem::weakly_canonical(std::filesystem::absolute(b)));
    };
    for (const std::string& text : {options.report, options.trace}) {
        if ((file && same(text, input)) || (output != "-" && same(text, output))) {
            throw Error(ExitCode::usage, fmt::format("{}: a report or trace would overwrite the video", text));
        }
    }
    if (same(options.report, options.trace)) {
        throw Error(ExitCode::usage, fmt::format("{}: report and trace are the same file", options.report));
    }
}

// What can be told of a region before anything but the input is opened.
void check_regions(const std::vector<FilterSpec>& filters, const AVCodecParameters& video) {
    for (const FilterSpec& filter : filters) {
        try {
            if (video.width > 0 && video.height > 0) {
                check_region(filter.region, video.width, video.height);
            }
        } catch (const RegionError& error) {
            throw Error(ExitCode::usage, fmt::format("{}: {}", filter.def->name, error.what()));
        }
    }
}

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

private:
    void open();
    void build();
    void watch(const SessionHooks& hooks);
    void change_filters(const std::vector<FilterSpec>& filters);
    void finish();
    /// Whether no more input is wanted.
    [[nodiscard]] bool stopping() const {
        return signal_.load(std::memory_order_relaxed) != 0 || quit_.load(std::memory_order_relaxed);
    }

    const Options& options_;
    const std::atomic<int>& signal_;
    Stats& stats_;
    Outcome& outcome_;
    StageStats::Clock::time_point begin_ = StageStats::Clock::now();

    std::atomic<bool> quit_{false};  // by the preview's user
    PictureFormat pictures_;
    std::unique_ptr<Preview> preview_;
    std::unique_ptr<Trace> trace_;
    std::unique_ptr<FilterDevice> device_;
    std::unique_ptr<OutputFile> file_;
    std::unique_ptr<Demuxer> demuxer_;
    std::unique_ptr<FramePool> pool_;
    std::unique_ptr<Decoder> decoder_;
    std::unique_ptr<Converter> normaliser_;
    std::unique_ptr<FilterEngine> engine_;
    std::unique_ptr<Verifier> verifier_;
    std::unique_ptr<Encoder> encoder_;
    std::unique_ptr<Muxer> muxer_;
    std::unique_ptr<Pipeline> pipeline_;
};

void Session::open() {
    check_paths(options_);
    for (const FilterSpec& filter : options_.filters) {
        if (!filter.region.mask.empty()) {
            check_picture(filter.region.mask);
        }
    }
    outcome_.filters = options_.filters;
    const AVOutputFormat* const container = options_.records() ? &choose_container(options_.output) : nullptr;
    outcome_.container = container != nullptr ? container->name : "";
    if (options_.preview) {
        // First of all, while the program has no other thread: see open_preview_window.
        preview_ = std::make_unique<Preview>(shown_name(options_.input.path), options_.filters);
    }
    // A GPU takes a fifth of a second to get up: meanwhile a file is opened. A camera may have nothing to give for
    // long.
    std::future<std::unique_ptr<FilterDevice>> rising = std::async(
        std::launch::async, [this] { return choose_device(options_.device, options_.threads, options_.streams); });
    if (is_live(options_.input)) {
        device_ = rising.get();
    }
    try {
        const auto interrupted = [this] { return stopping() || (pipeline_ && pipeline_->cancelled()); };
        demuxer_ = std::make_unique<Demuxer>(options_.input, interrupted);
        check_regions(options_.filters, *demuxer_->video().codecpar);
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
        file_ = std::make_unique<OutputFile>(options_.output.path, options_.output.overwrite);
    }
    if (!options_.trace.empty()) {
        trace_ = std::make_unique<Trace>(options_.trace);
    }
    if (container != nullptr) {
        muxer_ = std::make_unique<Muxer>(*container, *demuxer_, file_.get());
    }
    outcome_.live = demuxer_->live();
    outcome_.frames_expected = demuxer_->expected_frames();
    outcome_.frame_rate = av_q2d(demuxer_->frame_rate());
}

void Session::build() {
    // Kernels are loaded, which takes as long as decoding a few pictures, while the first one is decoded. What the
    // container tells of the pictures is nearly always true.
    pool_ = std::make_unique<FramePool>(device_->allocator());
    const auto make_engine = [this](const PictureFormat& pictures) {
        return device_->make_engine(options_.filters, pictures, *pool_, trace_.get());
    };
    const std::optional<PictureFormat> told = told_format(*demuxer_->video().codecpar);
    std::future<std::unique_ptr<FilterEngine>> engine_rising;
    if (told) {
        engine_rising = std::async(std::launch::async, make_engine, *told);
    }
    FramePtr first = probe_first_picture(*demuxer_);
    const auto given = static_cast<AVPixelFormat>(first->format);
    const AVPixelFormat format = native_format(given);
    first->format = format;

    decoder_ = std::make_unique<Decoder>(*demuxer_, *pool_, options_.threads, options_.input.strict);
    normaliser_ = std::make_unique<Converter>(Converter::to_native(first->width, first->height, given));
    pictures_ = {format, first->width, first->height, first->color_range == AVCOL_RANGE_JPEG};
    if (told == pictures_) {
        engine_ = engine_rising.get();
    } else {
        if (told) {
            engine_rising.wait();
        }
        engine_ = make_engine(pictures_);
    }
    outcome_.device = engine_->name();
    outcome_.kernels = engine_->kernels();
    if (options_.verify) {
        verifier_ = std::make_unique<Verifier>(options_.filters, pictures_);
    }
    if (muxer_) {
        OutputOptions output = options_.output;
        output.threads = options_.threads;
        encoder_ = std::make_unique<Encoder>(output, choose_container(options_.output), *demuxer_, *first,
                                             kept_format(given), *pool_);
        outcome_.encoder = encoder_->name();
        muxer_->begin(*encoder_, *first);
    }
    spdlog::debug("{}x{} {}, {} -> {} -> {}; at most {} pictures between the stages", pictures_.width, pictures_.height,
                  name_of(format), outcome_.device, encoder_ ? outcome_.encoder : "no encoder",
                  muxer_ ? outcome_.container : "a window", 2 * Pipeline::frames_ahead + engine_->slots());
}

void Session::run(const SessionHooks& hooks) {
    open();
    build();
    if (const std::string note = device_->note(); !note.empty()) {
        spdlog::info("{}", note);
    }
    pipeline_ = std::make_unique<Pipeline>(
        PipelineParts{*demuxer_, *decoder_, *normaliser_, *pool_, std::move(engine_), encoder_.get(), muxer_.get(),
                      verifier_.get(), trace_.get(), stats_, preview_ != nullptr, options_.max_latency, hooks.stage});
    pipeline_->start();
    if (preview_) {
        watch(hooks);
    }
    while (!pipeline_->wait_for(watch_interval)) {
        tell();
        if (hooks.watch) {
            hooks.watch(outcome_);
        }
    }
    pipeline_->finish();
    finish();
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
    if (verifier_) {
        throw Error(ExitCode::usage, "--verify keeps the filters as they are");
    }
    pipeline_->replace_engine(device_->make_engine(filters, pictures_, *pool_, trace_.get()));
}

void Session::finish() {
    tell();
    if (outcome_.frames_in == 0 && !stopping()) {
        throw Error(ExitCode::input, "the part that was asked for holds no picture");
    }
    if (muxer_ && outcome_.frames_out + outcome_.drops.decoded() != outcome_.frames_in) {
        throw Error(ExitCode::internal, fmt::format("{} frames went in, {} were dropped and {} came out",
                                                    outcome_.frames_in, outcome_.drops.decoded(), outcome_.frames_out));
    }
    if (file_) {
        file_->commit();
    }
    if (trace_) {
        trace_->finish();
    }
    const int signal = signal_.load(std::memory_order_relaxed);
    if (signal != 0) {
        outcome_.code = signal == SIGTERM ? ExitCode::terminated : ExitCode::interrupted;
    } else if (outcome_.damage.any()) {
        outcome_.code = ExitCode::damaged;
    }
}

void Session::tell() const {
    outcome_.frames_in = stats_[StageId::decode].items();
    outcome_.frames_out = stats_[options_.records() ? StageId::write : StageId::filter].items();
    outcome_.packets_read = stats_[StageId::read].items();
    outcome_.seconds = std::chrono::duration<double>(StageStats::Clock::now() - begin_).count();
    if (muxer_) {
        outcome_.dropped_streams = muxer_->dropped();
    }
    if (pipeline_) {
        outcome_.drops = pipeline_->drops();
        outcome_.reconnects = demuxer_->reconnects();
        outcome_.clock_drift = pipeline_->clock_drift();
    }
    if (pipeline_ && pipeline_->wait_for(std::chrono::milliseconds(0))) {
        // The threads have ended: what only they touched may be read.
        outcome_.damage = demuxer_->damage();
        outcome_.damage.packets += decoder_->damage().packets + (muxer_ ? muxer_->damaged_packets() : 0);
        outcome_.damage.frames += decoder_->damage().frames;
        outcome_.pictures_allocated = pool_->allocations();
        outcome_.engine = pipeline_->engine().counters();
        if (verifier_) {
            outcome_.verified = verifier_->result();
            outcome_.verified_summary = verifier_->summary();
        }
        if (file_) {
            outcome_.bytes_written = file_->bytes();
            outcome_.kept_part = file_->keeps_part() ? file_->written_path() : "";
        }
    }
}

}  // namespace

Outcome run_session(const Options& options, const std::atomic<int>& signal, Stats& stats, const SessionHooks& hooks) {
    Outcome outcome;
    Session session(options, signal, stats, outcome);
    const auto fail = [&](ExitCode code, const std::string& message) {
        session.discard_if_empty();
        session.tell();
        const int number = signal.load(std::memory_order_relaxed);
        const bool stopped_early = number != 0 && code == ExitCode::input;
        outcome.code = !stopped_early ? code : number == SIGTERM ? ExitCode::terminated : ExitCode::interrupted;
        outcome.message = stopped_early ? "stopped before the first picture" : message;
    };
    try {
        session.run(hooks);
        session.tell();
    } catch (const Error& error) {
        fail(error.code(), error.what());
    } catch (const std::bad_alloc&) {
        fail(ExitCode::internal, "out of memory");
    } catch (const std::exception& error) {
        fail(ExitCode::internal, error.what());
    }
    return outcome;
}

}  // namespace vfilter
