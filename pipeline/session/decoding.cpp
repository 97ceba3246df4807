#include "pipeline/session/decoding.h"

extern "C" {
#include <libavutil/imgutils.h>
}

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "config/error.h"
#include "io/codec/decoder.h"
#include "io/codec/ranged/cpu_session.h"
#include "io/codec/ranged/range_cutter.h"
#include "io/codec/ranged/ranged_decoder.h"
#include "io/codec/successive_decoders.h"
#include "io/codec/thread_limit.h"
#include "io/formats/formats.h"
#include "pipeline/background_task.h"
#include "pipeline/session/decode_rule.h"

namespace vfilter {

namespace {

std::size_t picture_bytes(const PictureKind& kind) {
    const int bytes = av_image_get_buffer_size(kind.format, kind.width, kind.height, 256);
    return bytes > 0 ? static_cast<std::size_t>(bytes) : 1;
}

// In which order sessions are made on them: in turn, and on those that have more decoders more often.
std::vector<std::size_t> turns_of(const std::vector<int>& engines) {
    std::vector<std::size_t> turns;
    for (int round = 0; round < std::ranges::max(engines); ++round) {
        for (std::size_t device = 0; device < engines.size(); ++device) {
            if (round < engines[device]) {
                turns.push_back(device);
            }
        }
    }
    return turns;
}

// Of those GPUs that have decoders for such a video. Throws only what the only one says.
FoundDecoders find_decoders(const std::vector<int>& gpus, AVCodecID codec, const PictureKind& kind) {
    FoundDecoders found{.kind = kind};
    std::vector<int> engines;
    for (const int gpu : gpus) {
        try {
            std::unique_ptr<DecodeDevice> device = make_decode_device(gpu);
            const int own = device->engines(codec, kind);
            if (own > 0) {
                found.devices.push_back(std::move(device));
                engines.push_back(own);
            }
        } catch (const Error& error) {
            if (gpus.size() == 1) {
                throw;
            }
            spdlog::debug("cuda:{} decodes nothing: {}", gpu, error.what());
        }
    }
    if (!engines.empty()) {
        found.turns = turns_of(engines);
    }
    return found;
}

// All but the engines.
DecodeFactors decode_factors(const Options& options, const Demuxer& input, int stream, const PictureKind& kind,
                             bool encodes) {
    const AVCodecParameters& codec = *input.format().streams[stream]->codecpar;
    const double rate = av_q2d(input.frame_rate(stream));
    const std::int64_t bits = codec.bit_rate > 0 ? codec.bit_rate : input.format().bit_rate;
    return {.codec = codec.codec_id,
            .kind = kind,
            .live = input.live(),
            .several = input.videos().size() > 1,
            .timed = input.timed(stream),
            .encodes = encodes,
            .engines = 0,
            .cores = options.threads > 0 ? std::min(options.threads, usable_cores()) : usable_cores(),
            .pictures = input.expected_frames(stream) / input.clips(),  // each file has sessions of its own
            .rate = rate > 0 ? rate : 25,
            .bit_rate = static_cast<double>(std::max<std::int64_t>(bits, 0)),
            .key_frames = input.indexed_key_frames(stream)};
}

// The video's first packet, if sessions can warm up with it.
PacketPtr closed_entry(const Demuxer& input, int stream) {
    const AVPacket* const first = input.peek(stream);
    if (first == nullptr || clip_of(*first) != 0) {
        return nullptr;
    }
    Cut cut = RangeCutter(*input.format().streams[stream]->codecpar).next(*first);
    return cut.begins && cut.entry == Entry::closed ? std::move(cut.start) : nullptr;
}

// Null where it cannot be made, which is seen and told where it is wanted.
std::unique_ptr<RangeSession> first_session(const DecodingSetup& setup, FramePool& pool, const DecodeDevice& device,
                                            const PictureKind& kind, bool resident, const AVPacket& entry) {
    try {
        auto session = std::make_unique<HardwareSession>(setup, pool, device, kind, resident);
        session->warm_up(entry);
        return session;
    } catch (const Error&) {
        return nullptr;
    }
}

class SourceMaker {
public:
    SourceMaker(const Options& options, SourceFacts facts, RunParts& parts, VideoRun& video)
        : options_(options),
          facts_(std::move(facts)),
          kind_{without_j(facts_.kind.format), facts_.kind.width, facts_.kind.height},
          parts_(parts),
          stream_number_(video.stream),
          resident_(video.segments.front().filters && !video.segments.front().engine->gpus().empty()),
          strict_(options.input.strict),
          stream_(*parts.demuxer->format().streams[video.stream]) {}

    /// What it makes may keep it: files that follow have decoders when their turn comes.
    [[nodiscard]] static std::unique_ptr<FrameSource> make(const std::shared_ptr<SourceMaker>& maker);

private:
    [[nodiscard]] DecodeVerdict verdict();
    [[nodiscard]] FoundDecoders found(const std::vector<int>& gpus);
    [[nodiscard]] DecodeVerdict choose();
    [[nodiscard]] std::unique_ptr<FrameSource> make_ranged(const DecodeVerdict& chosen, Clip clip);
    [[nodiscard]] bool is_such(int clip) const;

    const Options& options_;  // may be gone when later files are decoded
    SourceFacts facts_;
    PictureKind kind_;
    RunParts& parts_;
    int stream_number_;
    bool resident_;  // what hardware decodes stays on the device
    bool strict_;
    const AVStream& stream_;
    std::vector<std::size_t> turns_{};  // FoundDecoders', as what follows
    std::future<std::unique_ptr<RangeSession>> first_{};
    bool first_is_resident_ = false;
};

DecodeVerdict SourceMaker::verdict() {
    const bool free_choice = options_.decode == "auto";
    const std::vector<int> gpus = parts_.device->gpus();
    if (options_.decode == "cpu") {
        return {0, "--decode cpu"};
    }
    if (free_choice && gpus.empty()) {
        return {0, "the pictures are filtered from the host's memory"};
    }
    if (free_choice && options_.preview) {
        return {0, "the window wants every picture on the host"};
    }
    DecodeFactors known = decode_factors(options_, *parts_.demuxer, stream_number_, kind_, facts_.encodes);
    known.engines = 1;
    // What needs no device to be told.
    if (DecodeVerdict verdict = can_use_hardware(known); verdict.sessions == 0) {
        return verdict;
    }
    try {
        FoundDecoders decoders = found(gpus.empty() ? std::vector{0} : gpus);
        parts_.decoding = std::move(decoders.devices);
        turns_ = std::move(decoders.turns);
        first_ = std::move(decoders.first);
        first_is_resident_ = decoders.resident;
        known.engines = static_cast<int>(turns_.size());
    } catch (const Error& error) {
        if (!free_choice) {
            throw Error(error.code(), fmt::format("--decode gpu: {}; --decode cpu gives the same bytes", error.what()));
        }
        return {0, error.what()};
    }
    return free_choice ? choose_decoding(known) : can_use_hardware(known);
}

// What was asked for meanwhile, if the first picture is what the container told.
FoundDecoders SourceMaker::found(const std::vector<int>& gpus) {
    if (facts_.found.valid()) {
        if (FoundDecoders asked = facts_.found.get(); asked.kind == kind_) {
            return asked;
        }
    }
    return find_decoders(gpus, stream_.codecpar->codec_id, kind_);
}

// Whether one of the input's files is such a video as was decided for.
bool SourceMaker::is_such(int clip) const {
    const AVCodecParameters& own = *parts_.demuxer->stream_of_clip(stream_number_, clip).value().stream.codecpar;
    return own.codec_id == stream_.codecpar->codec_id && own.width == kind_.width && own.height == kind_.height &&
           without_j(static_cast<AVPixelFormat>(own.format)) == kind_.format;
}

std::unique_ptr<FrameSource> SourceMaker::make_ranged(const DecodeVerdict& chosen, Clip clip) {
    const Demuxer& input = *parts_.demuxer;
    const std::vector<std::unique_ptr<DecodeDevice>>& devices = parts_.decoding;
    const int sessions = chosen.sessions;
    const int helpers = chosen.helpers;
    const bool resident = !devices.empty() && resident_;
    // In the host's memory it is page-locked, which others lack then.
    constexpr std::size_t most_on_host = std::size_t{512} << 20U;
    constexpr std::size_t most_beside = std::size_t{512} << 20U;
    constexpr std::size_t fewest = 24;
    constexpr std::size_t for_a_session = 300;
    std::size_t memory = resident ? std::numeric_limits<std::size_t>::max() : most_on_host;
    for (const auto& device : devices) {
        // Each has its share of the pictures.
        memory = resident ? std::min(memory, devices.size() * device->memory()) : memory;
    }
    // Of 200 Mbit a second at 30 pictures a group of 60 has 50 MB, and every session wants one, and one to come.
    constexpr std::size_t bytes_for_a_session = std::size_t{96} << 20U;
    RangeLimits limits;
    limits.sessions = sessions;
    limits.bytes = std::max(limits.bytes, bytes_for_a_session * static_cast<std::size_t>(sessions));
    limits.pictures = std::clamp(memory / picture_bytes(kind_), fewest,
                                 std::max(fewest, for_a_session * static_cast<std::size_t>(sessions)));
    const auto setup = std::make_shared<DecodingSetup>(decoding_setup(input, stream_number_, clip.number));
    FramePool& pool = *parts_.pool;
    RangedDecoder::Makers make;
    if (devices.empty()) {
        make.hardware = [setup, &pool] { return std::make_unique<CpuSession>(*setup, pool, 1); };
    } else {
        // The first call is over before there is another one.
        const bool there = clip.number == 0 && first_.valid() && first_is_resident_ == resident;
        auto made = std::make_shared<std::atomic<std::size_t>>(there ? 1 : 0);
        auto early = std::make_shared<std::future<std::unique_ptr<RangeSession>>>();
        if (there) {
            *early = std::move(first_);
        }
        make.hardware = [setup, &pool, &devices, turns = turns_, made, early, kind = kind_,
                         resident]() -> std::unique_ptr<RangeSession> {
            if (early->valid()) {
                if (std::unique_ptr<RangeSession> session = early->get()) {
                    return session;
                }
            }
            const DecodeDevice& device = *devices[turns[made->fetch_add(1) % turns.size()]];
            return std::make_unique<HardwareSession>(*setup, pool, device, kind, resident);
        };
    }
    if (helpers > 0) {
        // Page-locking more of it would hold up the driver, which has decoders to make.
        auto ordinary = std::make_shared<FramePool>(allocate_picture);
        make.beside = [setup, ordinary, helpers] { return std::make_unique<CpuSession>(*setup, *ordinary, helpers); };
        limits.beside = most_beside / picture_bytes(kind_);
    }
    spdlog::debug("stream {}: up to {} sessions decode it, at most {} pictures ({} MiB) in {} memory", stream_number_,
                  sessions, limits.pictures, limits.pictures * picture_bytes(kind_) >> 20U,
                  resident ? "the device's" : "the host's");
    return std::make_unique<RangedDecoder>(input, stream_number_, pool, strict_, limits, std::move(make), clip);
}

DecodeVerdict SourceMaker::choose() {
    if (facts_.stand_in > 0) {
        return {facts_.stand_in, "", 2};
    }
    DecodeVerdict chosen = verdict();
    parts_.decode_choice = {chosen.sessions > 0, chosen.why};
    spdlog::debug("stream {} is decoded on the {}{}{}", stream_number_, chosen.sessions > 0 ? "GPU" : "CPU",
                  chosen.why.empty() ? "" : ": ", chosen.why);
    if (chosen.sessions == 0) {
        if (options_.decode == "gpu") {
            spdlog::info("decoding on the CPU: {}", chosen.why);
        }
        first_ = {};  // it may still be made, of one of these
        parts_.decoding.clear();
    }
    return chosen;
}

std::unique_ptr<FrameSource> SourceMaker::make(const std::shared_ptr<SourceMaker>& maker) {
    const DecodeVerdict chosen = maker->choose();
    const Demuxer& input = *maker->parts_.demuxer;
    FramePool& pool = *maker->parts_.pool;
    const int stream = maker->stream_number_;
    const int threads = maker->options_.threads;
    const bool strict = maker->strict_;
    if (chosen.sessions == 0) {
        return make_decoder(input, stream, pool, threads, strict);
    }
    if (input.clips() == 1) {
        return maker->make_ranged(chosen, {});
    }
    const auto decoder = [maker, chosen, &input, &pool, stream, threads, strict](Clip clip) {
        return maker->is_such(clip.number) ? maker->make_ranged(chosen, clip)
                                           : std::make_unique<Decoder>(input, stream, pool, threads, strict, clip);
    };
    return std::make_unique<SuccessiveDecoders>(decoder, true);
}

}  // namespace

std::future<FoundDecoders> begin_to_find_decoders(const Options& options, bool encodes, const RunParts& parts) {
    const Demuxer& input = *parts.demuxer;
    const int stream = input.video_index();
    const AVCodecParameters& told = *input.video().codecpar;
    std::vector<int> gpus = parts.device->gpus();
    if (options.decode == "cpu" || options.preview || gpus.empty() || told.width <= 0 || told.height <= 0) {
        return {};
    }
    const PictureKind kind{without_j(static_cast<AVPixelFormat>(told.format)), told.width, told.height};
    const bool filters = !segments_of(options.filters, options.foreign).front().filters.empty();
    // Before its first picture is there, the input is another thread's.
    const bool opened = !parts.first_pictures.empty();
    const std::shared_ptr<const AVPacket> entry = opened ? closed_entry(input, stream) : nullptr;
    const DecodeFactors factors =
        opened ? decode_factors(options, input, stream, kind, encodes) : DecodeFactors{.codec = told.codec_id};
    return begin_task([gpus = std::move(gpus), factors, entry, filters, free_choice = options.decode == "auto", kind,
                       setup = decoding_setup(input, stream), &pool = *parts.pool] {
        FoundDecoders found = find_decoders(gpus, factors.codec, kind);
        DecodeFactors known = factors;
        known.engines = static_cast<int>(found.turns.size());
        if (entry && (free_choice ? choose_decoding(known) : can_use_hardware(known)).sessions > 0) {
            found.resident = filters;
            found.first = begin_task([&pool, &device = *found.devices.front(), setup, kind, filters, entry] {
                return first_session(setup, pool, device, kind, filters, *entry);
            });
        }
        return found;
    });
}

void make_source(const Options& options, SourceFacts facts, RunParts& parts, VideoRun& video) {
    video.source = SourceMaker::make(std::make_shared<SourceMaker>(options, std::move(facts), parts, video));
}

}  // namespace vfilter
