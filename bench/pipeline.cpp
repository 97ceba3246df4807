// What each part of a run can do alone, what the whole reaches, and what other programs do with the same video.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

#include "bench/bench.h"
#include "bench/clip.h"
#include "bench/process.h"
#include "config/error.h"
#include "io/codec/decoder.h"
#include "io/codec/encoder.h"
#include "io/formats/formats.h"
#include "io/input/demuxer.h"
#include "io/output/muxer.h"
#include "pipeline/engine/filter_engine.h"
#ifdef VFILTER_WITH_CUDA
#include "bench/host_copies.h"
#endif

namespace vfilter::bench {

namespace {

using Clock = std::chrono::steady_clock;

// More than any cache of a host holds at 1080p, and no more than a small machine's memory.
constexpr std::size_t kept_pictures = 24;
constexpr double seconds_of_filtering = 0.6;  // for each round of a filter alone

struct Filtering {
    std::string name;    ///< for people
    Words arguments;     ///< vfilter's
    std::string ffmpeg;  ///< the nearest of FFmpeg's filters, "" for none
};

const std::vector<Filtering>& filterings() {
    static const std::vector<Filtering> list{
        {"gaussian 5", {"--gaussian", "5"}, "gblur=sigma=1.1"},
        {"gaussian 31", {"--gaussian", "31"}, "gblur=sigma=5"},
        {"sharpen + gaussian 5 + emboss", {"--sharpen", "0.8", "--gaussian", "5", "--emboss", "0.5"}, ""},
    };
    return list;
}

std::vector<FilterSpec> specs_of(const Filtering& filtering) {
    std::vector<FilterSpec> specs;
    for (std::size_t i = 0; i < filtering.arguments.size(); i += 2) {
        specs.push_back(parse_filter(*find_filter(filtering.arguments[i].substr(2)), filtering.arguments[i + 1]));
    }
    return specs;
}

double seconds(const auto& work) {
    const auto begin = Clock::now();
    work();
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The video of a file, decoded with nothing around it.
class Source {
public:
    Source(const std::string& path, const FilterDevice& device, int threads)
        : pool_(device.allocator()),
          demuxer_(input(path), [] { return false; }),
          decoder_(demuxer_, demuxer_.video_index(), pool_, threads, false) {}

    FramePtr next() {
        for (;;) {
            if (FramePtr picture = decoder_.receive()) {
                return picture;
            }
            if (ended_) {
                return nullptr;
            }
            PacketPtr packet = demuxer_.read();
            while (packet && packet->stream_index != demuxer_.video_index()) {
                packet = demuxer_.read();
            }
            ended_ = packet == nullptr;
            decoder_.send(packet.get());
        }
    }
    FramePool& pool() { return pool_; }
    [[nodiscard]] const Demuxer& demuxer() const { return demuxer_; }

private:
    static InputOptions input(const std::string& path) {
        InputOptions options;
        options.path = path;
        return options;
    }

    FramePool pool_;
    Demuxer demuxer_;
    Decoder decoder_;
    bool ended_ = false;
};

// The first pictures of a video, in their native format, in memory that a device gave.
struct Pictures {
    Source source;
    std::vector<FramePtr> list;
    AVPixelFormat given = AV_PIX_FMT_NONE;
    PictureFormat format;

    Pictures(const std::string& clip, const FilterDevice& device, int threads) : source(clip, device, threads) {
        std::optional<Converter> converter;
        while (list.size() < kept_pictures) {
            FramePtr picture = source.next();
            if (!picture) {
                break;
            }
            if (!converter) {
                given = static_cast<AVPixelFormat>(picture->format);
                converter = Converter::to_native(picture->width, picture->height, given);
                format = {nearest_native(given), picture->width, picture->height,
                          picture->color_range == AVCOL_RANGE_JPEG};
            }
            if (converter->needed(*picture)) {
                FramePtr native = make_frame();
                native->format = converter->format();
                native->width = converter->width();
                native->height = converter->height();
                source.pool().fill(*native, native->width, native->height);
                converter->convert(*picture, *native);
                picture = std::move(native);
            }
            list.push_back(std::move(picture));
        }
        if (list.empty() || format.format == AV_PIX_FMT_NONE) {
            throw std::runtime_error(clip + ": no picture that can be filtered");
        }
    }
    [[nodiscard]] FramePtr copy(int n) const {
        return FramePtr(av_frame_clone(list[static_cast<std::size_t>(n) % list.size()].get()));
    }
};

void through(FilterEngine& engine, const Pictures& pictures, int count) {
    for (int n = 0; n < count; ++n) {
        engine.submit({pictures.copy(n), n});
        if (engine.in_flight() == engine.slots()) {
            engine.take();
        }
    }
    while (engine.in_flight() > 0) {
        engine.take();
    }
}

// One way to spend time with pictures; run() tells how many there were.
struct Leg {
    std::string key;  ///< unique in a table
    std::string what;
    std::string with;  ///< processors, a GPU, a program
    bool ours = false;
    std::function<int()> run;
    std::vector<double> fps{};
    std::string failure{};

    [[nodiscard]] double median() const { return spread_of(fps).median; }
};

// All in turn, forwards and backwards, so that a drift of the machine's speed meets all.
void measure(std::vector<Leg>& legs, int rounds, const std::string& where, Progress& progress) {
    std::vector<Leg*> order(legs.size());
    std::ranges::transform(legs, order.begin(), [](Leg& leg) { return &leg; });
    for (int round = 0; round < rounds; ++round) {
        for (Leg* const leg : order) {
            progress.step(fmt::format("{}: {}, {}", where, leg->what, leg->with));
            if (!leg->failure.empty()) {
                continue;
            }
            try {
                int pictures = 0;
                const double time = seconds([&] { pictures = leg->run(); });
                leg->fps.push_back(pictures / time);
            } catch (const std::exception& error) {
                leg->failure = error.what();
                leg->fps.clear();
            }
        }
        std::ranges::reverse(order);
    }
}

// A key that is a file's name as well.
std::string file_name_of(std::string text) {
    std::ranges::replace_if(
        text, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return text;
}

std::string device_name(const Wishes& wishes, bool cuda) {
    return cuda ? fmt::format("cuda:{}", wishes.gpu) : "cpu";
}

// What is measured of one video.
class Contest {
public:
    Contest(const Wishes& wishes, std::string name, std::string clip, int frames)
        : wishes_(wishes),
          name_(std::move(name)),
          clip_(std::move(clip)),
          frames_(frames),
          host_(choose_device("cpu", wishes.threads)) {
        if (wishes.cpu) {
            devices_.push_back({"cpu", false, choose_device("cpu", wishes.threads)});
        }
        if (wishes.cuda) {
            devices_.push_back({"cuda", true, choose_device(device_name(wishes, true), wishes.threads)});
        }
        for (Device& device : devices_) {
            device.pictures = std::make_unique<Pictures>(clip_, *device.device, wishes.threads);
        }
        add_codecs();
        for (Device& device : devices_) {
            add_filters(device);
            add_whole(device);
        }
        add_others();
        std::erase_if(legs_,
                      [&](const Leg& leg) { return !wanted(wishes, name_ + ", " + leg.what + ", " + leg.with); });
    }

    [[nodiscard]] std::size_t steps() const { return legs_.size() * static_cast<std::size_t>(rounds()); }
    void run(Progress& progress) { measure(legs_, rounds(), name_, progress); }
    void tell(Section& section) const;

private:
    struct Device {
        std::string name;
        bool cuda;
        std::unique_ptr<FilterDevice> device;
        std::unique_ptr<Pictures> pictures{};
        std::vector<std::unique_ptr<FilterEngine>> engines{};
    };

    [[nodiscard]] int rounds() const { return wishes_.rounds > 0 ? wishes_.rounds : wishes_.quick ? 1 : 3; }
    [[nodiscard]] std::string out() const { return folder_ / "out.mp4"; }
    [[nodiscard]] std::string encoder() const { return "libx264"; }
    void add_codecs();
    void add_filters(Device& device);
    void add_whole(const Device& device);
    void add_others();
    [[nodiscard]] int encode() const;

    [[nodiscard]] double fps(const std::string& key) const {
        const auto leg = std::ranges::find(legs_, key, &Leg::key);
        return leg == legs_.end() || leg->fps.empty() ? 0 : leg->median();
    }
    [[nodiscard]] double limit(const Leg& leg) const;
    [[nodiscard]] std::vector<std::string> sentences() const;

    const Wishes& wishes_;
    std::string name_;
    std::string clip_;
    int frames_;
    TemporaryFolder folder_;
    std::unique_ptr<FilterDevice> host_;
    std::vector<Device> devices_;
#ifdef VFILTER_WITH_CUDA
    std::unique_ptr<HostCopies> copies_;
#endif
    std::vector<Leg> legs_;
    std::map<std::string, std::vector<std::string>> limits_;  // of a whole: the legs it cannot be faster than
};

void Contest::add_codecs() {
    legs_.push_back({"decode", "decode only", "processors", true, [this] {
                         Source source(clip_, *host_, wishes_.threads);
                         int count = 0;
                         while (source.next()) {
                             ++count;
                         }
                         return count;
                     }});
    legs_.push_back({"encode", "encode only, x264 ultrafast", "processors", true, [this] { return encode(); }});
}

int Contest::encode() const {
    const Pictures& pictures = *devices_.front().pictures;
    OutputOptions options;
    options.format = "null";
    options.codec = encoder();
    options.preset = "ultrafast";
    options.threads = wishes_.threads;
    const AVOutputFormat& container = choose_container(options);
    FramePool pool(allocate_picture);
    const Demuxer& input = pictures.source.demuxer();
    Encoder encoder(options, container, input, input.video_index(), *pictures.list[0], kept_format(pictures.given),
                    pool);
    const double ticks =
        1 / av_q2d(pictures.source.demuxer().frame_rate()) / av_q2d(pictures.source.demuxer().video().time_base);
    int packets = 0;
    for (int n = 0; n <= frames_; ++n) {
        FramePtr picture = n < frames_ ? pictures.copy(n) : nullptr;
        if (picture) {
            picture->pts = static_cast<std::int64_t>(n * ticks);
            picture->pict_type = AV_PICTURE_TYPE_NONE;
        }
        encoder.send(std::move(picture));
        while (encoder.receive()) {
            ++packets;
        }
    }
    return packets;
}

void Contest::add_filters(Device& device) {
    for (const Filtering& filtering : filterings()) {
        device.engines.push_back(device.device->make_engine(specs_of(filtering), device.pictures->format,
                                                            device.pictures->source.pool(), nullptr));
        FilterEngine& engine = *device.engines.back();
        const Pictures& pictures = *device.pictures;
        // As many pictures as a round is to take, which a first, uncounted try tells.
        const int first = device.cuda ? 200 : 10;
        through(engine, pictures, first);
        const double time = seconds([&] { through(engine, pictures, first); });
        const int count = std::max(first, static_cast<int>(first * seconds_of_filtering / time));
        legs_.push_back({device.name + " " + filtering.name, "filter only, " + filtering.name, engine.name(), true,
                         [&engine, &pictures, count] {
                             through(engine, pictures, count);
                             return count;
                         }});
    }
#ifdef VFILTER_WITH_CUDA
    if (device.cuda) {
        copies_ = std::make_unique<HostCopies>(device.pictures->list, device.pictures->source.pool());
        const int count = legs_.back().run();
        legs_.push_back({"copies", "copies only, to the GPU and back at once", "cuda", false, [this, count] {
                             copies_->run(count);
                             return count;
                         }});
        device.engines.push_back(choose_device(device_name(wishes_, true), 0, 1)
                                     ->make_engine(specs_of(filterings()[0]), device.pictures->format,
                                                   device.pictures->source.pool(), nullptr));
        legs_.push_back({"one stream", "filter only, " + filterings()[0].name + ", one stream", "cuda", false,
                         [count, &engine = *device.engines.back(), &pictures = *device.pictures] {
                             through(engine, pictures, count);
                             return count;
                         }});
    }
#endif
}

void Contest::add_whole(const Device& device) {
    const std::string program = (std::filesystem::path(wishes_.program).parent_path() / "vfilter").string();
    const Words begin{program, "-q", "-y", clip_};
    const Words end{"--device", device_name(wishes_, device.cuda), "--threads", std::to_string(wishes_.threads)};
    const auto add = [&](const std::string& key, const std::string& what, const Words& output,
                         const Filtering* filtering) {
        Words command = begin;
        command.insert(command.end(), output.begin(), output.end());
        command.insert(command.end(), end.begin(), end.end());
        if (filtering != nullptr) {
            command.insert(command.end(), filtering->arguments.begin(), filtering->arguments.end());
        }
        const std::string full_key = device.name + " whole " + key;
        legs_.push_back({full_key, what, "vfilter --device " + device.name, true, [this, command] {
                             bench::run(command);
                             return frames_;
                         }});
        limits_[full_key] = {"decode"};
        if (filtering != nullptr) {
            limits_[full_key].push_back(device.name + " " + filtering->name);
        }
        if (output[0] != "-") {
            limits_[full_key].emplace_back("encode");
        }
    };
    const Words nowhere{"-", "--format", "null"};
    const Words file{out(), "--codec", encoder(), "--preset", "ultrafast"};
    add("null", "whole, to nowhere, no filter", nowhere, nullptr);
    for (const Filtering& filtering : filterings()) {
        add("null " + filtering.name, "whole, to nowhere, " + filtering.name, nowhere, &filtering);
    }
    add("file", "whole, to x264 ultrafast, no filter", file, nullptr);
    add("file " + filterings()[1].name, "whole, to x264 ultrafast, " + filterings()[1].name, file, &filterings()[1]);
}

void Contest::add_others() {
    if (!is_there("ffmpeg")) {
        return;
    }
    // Its blur takes many times as long as all the rest: a part of the video tells as much.
    const auto add = [&](const std::string& key, const std::string& what, const Words& more, int frames) {
        Words command{"ffmpeg",
                      "-nostdin",
                      "-v",
                      "error",
                      "-y",
                      "-i",
                      clip_,
                      "-map",
                      "0:v:0",
                      "-frames:v",
                      std::to_string(frames)};
        command.insert(command.end(), more.begin(), more.end());
        legs_.push_back({"ffmpeg " + key, what, "ffmpeg", false, [command, frames] {
                             bench::run(command);
                             return frames;
                         }});
    };
    const Words nowhere{"-f", "null", "-"};
    const Words file{"-c:v", encoder(), "-preset", "ultrafast", "-crf", "23", out()};
    const auto with = [](const std::string& filter, Words words) {
        words.insert(words.begin(), {"-vf", filter});
        return words;
    };
    const Filtering& filtering = filterings()[1];
    const int fewer = std::max(std::min(frames_, 100), frames_ / 4);
    add("null", "whole, to nowhere, no filter", nowhere, frames_);
    add("null filtered", "whole, to nowhere, " + filtering.ffmpeg, with(filtering.ffmpeg, nowhere), fewer);
    add("file", "whole, to x264 ultrafast, no filter", file, frames_);
    add("file filtered", "whole, to x264 ultrafast, " + filtering.ffmpeg, with(filtering.ffmpeg, file), fewer);
}

double Contest::limit(const Leg& leg) const {
    double least = 0;
    const auto found = limits_.find(leg.key);
    if (found != limits_.end()) {
        for (const std::string& part : found->second) {
            const double value = fps(part);
            least = value > 0 && (least == 0 || value < least) ? value : least;
        }
    } else if (leg.key.starts_with("cuda ") || leg.key == "one stream") {
        least = fps("copies");
    }
    return least;
}

std::vector<std::string> Contest::sentences() const {
    std::vector<std::string> list;
    const Filtering& filtering = filterings()[1];
    const double decode = fps("decode");
    const double encode = fps("encode");
    // A GPU comes first: it is what one wants to know of.
    // NOLINTNEXTLINE(modernize-loop-convert): clang 14 has no reversed views
    for (auto at = devices_.rbegin(); at != devices_.rend(); ++at) {
        const Device& device = *at;
        const double filter = fps(device.name + " " + filtering.name);
        const double whole = fps(device.name + " whole file " + filtering.name);
        if (decode <= 0 || encode <= 0 || filter <= 0 || whole <= 0) {
            continue;
        }
        const double slowest = std::min({decode, encode, filter});
        const char* const bound = slowest == encode ? "encode" : slowest == decode ? "decode" : "filter";
        std::string text =
            fmt::format("{} on {}, {}: {}-bound, {:.0f} fps", name_, device.name, filtering.name, bound, whole);
        if (device.cuda && filter > slowest) {
            text += fmt::format(": the filter could be {:.0f} times heavier for free.", filter / slowest);
        } else if (filter > slowest) {
            // They share the processors, so that what the filter takes is missing elsewhere.
            text += fmt::format("; of the three the filter takes {:.0f} % of the time.",
                                100 / filter / (1 / decode + 1 / encode + 1 / filter));
        } else {
            text += fmt::format(": the codecs could do {:.0f} fps.", std::min(decode, encode));
        }
        list.push_back(text);
        // Without a filter the encoder has other pictures to work on, so that nothing is said of that ratio.
        if (const double theirs = fps("ffmpeg file filtered"); theirs > 0) {
            list.push_back(fmt::format("{} on {}: {:.1f} times as fast as ffmpeg with {} into the same encoder.", name_,
                                       device.name, whole / theirs, filtering.ffmpeg));
        }
    }
    return list;
}

void Contest::tell(Section& section) const {
    Table table;
    table.key = "pipeline_" + file_name_of(name_);
    table.title = fmt::format("{}, {} pictures", name_, frames_);
    table.text =
        "Limit: the slowest of the parts that a whole is made of, each alone on the whole machine; of a GPU's filter "
        "the "
        "copies of its pictures. Parts that share the processors cannot all reach theirs, and blurred pictures are "
        "quicker "
        "to encode than those that the encoder alone had. A whole is a process from its start to its end.";
    table.columns = {{"what", "What", "", 3},
                     {"with", "With", "", 3},
                     {"fps", "Pictures per second", "fps", 4},
                     {"ms", "For each picture", "ms", 3},
                     {"share", "Of its limit", "%", 3}};
    Plot plot;
    plot.key = table.key;
    plot.title = name_;
    plot.x = {"", false};
    plot.y = {"pictures per second", false};
    Series ours{"vfilter", {}, true};
    Series others{"ffmpeg", {}, false};
    for (const Leg& leg : legs_) {
        if (leg.fps.empty()) {
            section.left_out.push_back({name_ + ", " + leg.what + ", " + leg.with, leg.failure});
            continue;
        }
        const Spread spread = spread_of(leg.fps);
        const double most = limit(leg);
        table.rows.push_back(
            {{leg.what, leg.with, spread, 1000 / spread.median, most > 0 ? Cell(100 * spread.median / most) : Cell()},
             leg.ours});
        const bool whole = leg.what.starts_with("whole");
        if (whole || leg.key == "decode" || leg.key == "encode") {
            const double place = static_cast<double>(plot.categories.size());
            plot.categories.push_back(whole ? leg.what + " (" + leg.with + ")" : leg.what);
            (leg.with == "ffmpeg" ? others : ours).points.push_back({place, spread.median});
        }
    }
    plot.series = {ours, others};
    std::erase_if(plot.series, [](const Series& series) { return series.points.empty(); });
    section.plots.push_back(std::move(plot));
    section.tables.push_back(std::move(table));
    for (std::string& sentence : sentences()) {
        section.sentences.push_back(std::move(sentence));
    }
    // A small picture is over before the GPU's streams overlap, and a short run is mostly its start.
    if (wishes_.quick || devices_.front().pictures->format.height < 1080) {
        return;
    }
    const auto promise = [&](const std::string& what, double measured, double other, double least) {
        if (measured > 0 && other > 0) {
            section.promises.push_back({name_ + ": " + what, measured / other, least, true});
        }
    };
    const std::string g5 = filterings()[0].name;
    const std::string g31 = filterings()[1].name;
    promise("GPU engine, gaussian 5 / copies", fps("cuda " + g5), fps("copies"), 0.85);
    promise("GPU engine, gaussian 5 / one stream", fps("cuda " + g5), fps("one stream"), 1.7);
    for (const std::string& filtering : {g31, filterings()[2].name}) {
        promise("GPU, to nowhere, " + filtering + " / no filter", fps("cuda whole null " + filtering),
                fps("cuda whole null"), 0.97);
    }
    promise("GPU, to x264, no filter / ffmpeg without a filter", fps("cuda whole file"), fps("ffmpeg file"), 0.97);
    promise("CPU, to nowhere, gaussian 5 / ffmpeg without a filter", fps("cpu whole null " + g5), fps("ffmpeg null"),
            0.87);
    promise("CPU, to nowhere, gaussian 31 / ffmpeg without a filter", fps("cpu whole null " + g31), fps("ffmpeg null"),
            0.74);
}

// As many pictures as make a run of some seconds on this machine.
int frames_for(const Wishes& wishes, int height) {
    const double processors =
        wishes.threads > 0 ? wishes.threads : static_cast<double>(std::thread::hardware_concurrency());
    const double at_1080 = wishes.quick ? 120 : std::clamp(processors * 150, 480.0, 2400.0);
    return static_cast<int>(at_1080 * std::min(1.5, 1080.0 / height * 1080.0 / height));
}

int count_frames(const std::string& clip, int threads) {
    const auto device = choose_device("cpu", threads);
    Source source(clip, *device, threads);
    int count = 0;
    while (source.next()) {
        ++count;
    }
    return count;
}

}  // namespace

Section measure_pipeline(const Wishes& wishes, Progress& progress) {
    Section section;
    section.key = "pipeline";
    section.title = "Whole runs, and what binds them";
    section.text =
        "A video is decoded, filtered and encoded: each alone, from memory to memory, then all together as a user has "
        "it, beside ffmpeg with and without its Gaussian blur. Medians of several rounds in turn; the JSON has the "
        "lowest and the highest.";
    if (!is_there("ffmpeg")) {
        section.left_out.push_back({"ffmpeg", "it is not installed"});
    }
    const TemporaryFolder folder;
    const std::string vfilter = (std::filesystem::path(wishes.program).parent_path() / "vfilter").string();
    if (!is_there(vfilter)) {
        throw std::runtime_error("vfilter is not beside vfilter-bench: " + vfilter);
    }
    const auto contest = [&](const std::string& name, const std::string& clip, int frames) {
        Contest all(wishes, name, clip, frames);
        progress.plan(all.steps());
        all.run(progress);
        all.tell(section);
    };
    if (!wishes.clip.empty()) {
        contest(std::filesystem::path(wishes.clip).filename().string(), wishes.clip,
                count_frames(wishes.clip, wishes.threads));
        return section;
    }
    for (const int height : wishes.heights) {
        const int frames = frames_for(wishes, height);
        const std::string clip = folder / fmt::format("{}p.mp4", height);
        progress.plan(1);
        progress.step(fmt::format("making a clip, {}p, {} pictures", height, frames));
        make_clip(vfilter, clip, height, frames);
        contest(fmt::format("{}p", height), clip, frames);
        std::filesystem::remove(clip);
    }
    return section;
}

}  // namespace vfilter::bench
