// The legs of a contest: decoder, filter and encoder alone, whole runs, other programs.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "bench/clock.h"
#include "bench/pipeline.h"
#include "config/error.h"
#include "io/codec/encoder.h"
#include "io/output/container_choice.h"
#include "io/output/muxer.h"

namespace vfilter::bench {

namespace {

// More than any cache of a host holds at 1080p, and no more than a small machine's memory.
constexpr std::size_t kept_pictures = 24;
constexpr double seconds_of_filtering = 0.6;  // for each round of a filter alone

std::vector<FilterSpec> specs_of(const Filtering& filtering) {
    std::vector<FilterSpec> specs;
    for (std::size_t i = 0; i < filtering.arguments.size(); i += 2) {
        specs.push_back(parse_filter(*find_filter(filtering.arguments[i].substr(2)), filtering.arguments[i + 1]));
    }
    return specs;
}

void through(FilterEngine& engine, const VideoPictures& pictures, int count) {
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

std::string device_name(const Wishes& wishes, bool cuda) {
    return cuda ? fmt::format("cuda:{}", wishes.gpu) : "cpu";
}

}  // namespace

const std::vector<Filtering>& filterings() {
    static const std::vector<Filtering> list{
        {"gaussian 5", {"--gaussian", "5"}, "gblur=sigma=1.1"},
        {"gaussian 31", {"--gaussian", "31"}, "gblur=sigma=5"},
        {"sharpen + gaussian 5 + emboss", {"--sharpen", "0.8", "--gaussian", "5", "--emboss", "0.5"}, ""},
    };
    return list;
}

VideoPictures::VideoPictures(const std::string& clip, const FilterDevice& device, int threads)
    : source(clip, device, threads) {
    std::optional<Converter> converter;
    while (list.size() < kept_pictures) {
        FramePtr picture = source.next();
        if (!picture) {
            break;
        }
        if (!converter) {
            given = static_cast<AVPixelFormat>(picture->format);
            converter = Converter::to_native(picture->width, picture->height, given);
            format = {nearest_native(given), picture->width, picture->height, picture->color_range == AVCOL_RANGE_JPEG};
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

Contest::Contest(const Wishes& wishes, std::string name, std::string clip, int frames)
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
        device.pictures = std::make_unique<VideoPictures>(clip_, *device.device, wishes.threads);
    }
    add_codecs();
    for (Device& device : devices_) {
        add_filters(device);
        add_whole(device);
    }
    add_others();
    std::erase_if(legs_, [&](const Leg& leg) { return !wanted(wishes, name_ + ", " + leg.what + ", " + leg.with); });
}

void Contest::add_codecs() {
    legs_.push_back({"decode", "decode only", "processors", true, [this] {
                         VideoSource source(clip_, *host_, wishes_.threads);
                         int count = 0;
                         while (source.next()) {
                             ++count;
                         }
                         return count;
                     }});
    legs_.push_back({"encode", "encode only, x264 ultrafast", "processors", true, [this] { return encode(); }});
}

int Contest::encode() const {
    const VideoPictures& pictures = *devices_.front().pictures;
    OutputOptions options;
    options.format = "null";
    options.codec = encoder();
    options.preset = "ultrafast";
    options.threads = wishes_.threads;
    const AVOutputFormat& container = choose_container(options);
    FramePool pool(allocate_picture);
    const Demuxer& input = pictures.source.demuxer();
    Encoder encoder(options, {}, container, {input, input.video_index()}, *pictures.list[0],
                    kept_format(pictures.given), pool);
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
        const VideoPictures& pictures = *device.pictures;
        // As many pictures as a round is to take, which a first, uncounted try tells.
        const int first = device.cuda ? 200 : 10;
        through(engine, pictures, first);
        const double time = seconds_of([&] { through(engine, pictures, first); });
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

// All in turn, forwards and backwards, so that a drift of the machine's speed meets all.
void Contest::run(Progress& progress) {
    std::vector<Leg*> order(legs_.size());
    std::ranges::transform(legs_, order.begin(), [](Leg& leg) { return &leg; });
    for (int round = 0; round < rounds(); ++round) {
        for (Leg* const leg : order) {
            progress.step(fmt::format("{}: {}, {}", name_, leg->what, leg->with));
            if (!leg->failure.empty()) {
                continue;
            }
            try {
                int pictures = 0;
                const double time = seconds_of([&] { pictures = leg->run(); });
                leg->fps.push_back(pictures / time);
            } catch (const std::exception& error) {
                leg->failure = error.what();
                leg->fps.clear();
            }
        }
        std::ranges::reverse(order);
    }
}

}  // namespace vfilter::bench
