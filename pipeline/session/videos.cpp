#include "pipeline/session/videos.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <future>
#include <optional>
#include <string_view>
#include <utility>

#include "config/error.h"
#include "io/codec/encoder_choice.h"
#include "io/codec/picture_changes.h"
#include "io/containers.h"
#include "io/demuxers.h"
#include "io/formats/format_facts.h"
#include "io/formats/full_range.h"
#include "io/formats/orientation.h"
#include "io/formats/picture_density.h"
#include "io/graph/filter_library.h"
#include "io/input/picture_says.h"
#include "io/stills.h"
#include "pipeline/background_task.h"
#include "pipeline/session/chains.h"
#include "pipeline/session/colours.h"
#include "pipeline/session/decoding.h"
#include "pipeline/session/first_pictures.h"
#include "pipeline/session/noise.h"
#include "pipeline/session/orientation.h"
#include "pipeline/session/output_losses.h"

namespace vfilter {

namespace {

// What the container tells of the pictures, which is nearly always true; nothing where it tells too little.
std::optional<PictureFormat> told_format(const Demuxer& demuxer) {
    const AVStream& stream = demuxer.video();
    const AVCodecParameters& video = *stream.codecpar;
    const AVPixelFormat native = nearest_native(static_cast<AVPixelFormat>(video.format));
    if (native == AV_PIX_FMT_NONE || video.width <= 0 || video.height <= 0) {
        return std::nullopt;
    }
    return PictureFormat{native,
                         video.width,
                         video.height,
                         is_full_range(native, video.color_range),
                         colour_matrix(video.color_space, video.width, video.height),
                         orientation_of(stream),
                         clock_of(demuxer, stream),
                         unknown_matrix(video.color_space)};
}

bool makes_pictures(const OutputOptions& output, const AVOutputFormat& container) {
    return stills_of(output) || container_of(container).has(fact::animation);
}

// Readers of pictures that say nothing of it show them as they are stored, so that they are turned as theirs asks. Any
// graph of libavfilter turns them.
void turn_upright(const Options& options, const AVOutputFormat* container, const AVFrame& first, const AVStream& stream,
                  Options& own) {
    if (container == nullptr || options.preview || !options.foreign.empty() ||
        !makes_pictures(options.output, *container) || display_turn(first, stream) == DisplayTurn{}) {
        return;
    }
    try {
        filter_library();
    } catch (const Error& missing) {
        spdlog::warn("the pictures are not turned as their orientation asks: {}", missing.what());
        return;
    }
    own.foreign.push_back({own.filters.size(), "null"});
    spdlog::info("the pictures are turned upright, as their orientation asks");
}

// Of names that nobody has kept (further_texts_name).
std::int64_t further_texts(std::string_view value) {
    std::int64_t count = 0;
    std::from_chars(value.data(), value.data() + value.size(), count);
    return std::max<std::int64_t>(count, 0);
}

// What no encoder of pictures writes: the tags of EXIF and of PNG's texts, which the decoder gives with the picture.
void tell_lost_tags(const AVFrame& first, const AVFormatContext& input, bool keeps_dots) {
    constexpr int max_told = 4;
    // Orientation is told as the display matrix, which is kept, applied or told by others.
    constexpr std::string_view told_elsewhere[] = {"Orientation", density_name};
    constexpr std::string_view dots[] = {"XResolution", "YResolution", "ResolutionUnit"};
    const DemuxerFacts& facts = demuxer_facts(*input.iformat);
    const bool heif = facts.has(input_fact::movie) && (av_dict_get(first.metadata, "EXIF", nullptr, 0) != nullptr ||
                                                       av_dict_get(first.metadata, "XMP", nullptr, 0) != nullptr);
    if (!facts.has(input_fact::pictures) && !heif) {
        return;
    }
    std::int64_t count = 0;
    std::int64_t further = 0;
    std::string names;
    const AVDictionaryEntry* tag = nullptr;
    while ((tag = av_dict_get(first.metadata, "", tag, AV_DICT_IGNORE_SUFFIX)) != nullptr) {
        const std::string_view name = tag->key;
        if (name.starts_with("lavfi.")) {
            continue;  // what a filter of --vf has noted
        }
        if (name == further_texts_name) {
            further = further_texts(tag->value);
            continue;
        }
        if (std::ranges::find(told_elsewhere, name) == std::end(told_elsewhere) &&
            (!keeps_dots || std::ranges::find(dots, name) == std::end(dots)) && ++count <= max_told) {
            names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
        }
    }
    count += count > 0 ? further : 0;
    if (count > 0) {
        spdlog::warn("what the picture says of itself (EXIF, texts) is left out: {}{}", names,
                     count > max_told ? fmt::format(" and {} more", count - max_told) : "");
    }
}

// JPEG files have the colours of BT.601, and say of none.
void tell_other_colours(const AVFrame& first) {
    const AVColorSpace space = said(first.colorspace);
    if (has_range(static_cast<AVPixelFormat>(first.format)) && space != AVCOL_SPC_UNSPECIFIED && !is_bt601(space)) {
        spdlog::warn("the colours are those of {}, which readers of JPEG take for BT.601: other formats keep them",
                     av_color_space_name(space));
    }
}

// JPEG is of the full range (JFIF), in videos, too, unless somebody asks for another.
bool is_full_range_jpeg(const OutputOptions& output, const AVOutputFormat& container) {
    const bool asked = !output.pix_fmt.empty() || std::ranges::any_of(output.encoder_options, [](const auto& option) {
        return option.first == "color_range";
    });
    return is_full_range_still(output) || (!asked && choose_codec(output, container).id == AV_CODEC_ID_MJPEG);
}

}  // namespace

void make_videos(const Options& options, const AVOutputFormat* container, int stand_in, RunParts& parts) {
    parts.pool = std::make_unique<FramePool>(parts.device->allocator());
    const std::vector<FilterSpec> first_filters = segments_of(options.filters, options.foreign).front().filters;
    // Kernels are loaded, and the driver is asked for its decoders, while the first picture is decoded, where it is not
    // there yet.
    const std::optional<PictureFormat> told = told_format(*parts.demuxer);
    std::future<std::unique_ptr<FilterEngine>> engine_rising;
    const bool measures = want_noise(options);
    if (told && !measures && (options.foreign.empty() || !first_filters.empty())) {
        engine_rising = begin_task([&parts, &first_filters, told] {
            return parts.device->make_engine(first_filters, *told, *parts.pool, parts.trace.get());
        });
    }
    const bool encodes = container != nullptr && takes_work(choose_codec(options.output, *container));
    std::future<FoundDecoders> decoders = begin_to_find_decoders(options, encodes, parts);
    if (parts.first_pictures.empty()) {
        parts.first_pictures = probe_first_pictures(*parts.demuxer, measures ? noise_pictures : 0);
    }
    std::vector<FirstPictures> firsts = std::exchange(parts.first_pictures, {});
    for (std::size_t i = 0; i < firsts.size(); ++i) {
        const int stream = parts.demuxer->videos()[i];
        VideoRun video;
        video.stream = stream;
        video.first = std::move(firsts[i].first);
        Options own = options;
        if (measures) {
            own.filters =
                with_measured_noise(options.filters, firsts[i].whole,
                                    first_format(*video.first, *parts.demuxer, stream), options.threads, video.noise);
            firsts[i].whole.clear();
        }
        video.filters = own.filters;
        turn_upright(options, container, *video.first, *parts.demuxer->format().streams[stream], own);
        ChainParts chain{.options = own, .container = container, .run = parts, .first_engine = nullptr};
        if (i == 0 && engine_rising.valid()) {
            const bool as_told = told == first_format(*video.first, *parts.demuxer, stream);
            if (as_told) {
                chain.first_engine = engine_rising.get();
            } else {
                engine_rising.wait();
            }
        }
        const PictureKind decoded{static_cast<AVPixelFormat>(video.first->format), video.first->width,
                                  video.first->height};
        make_chain(std::move(chain), video);
        make_source(options, {encodes, stand_in, decoded, std::exchange(decoders, {})}, parts, video);
        parts.videos.push_back(std::move(video));
    }
    if (parts.preview && measures) {
        parts.preview->begin_with(parts.videos.front().filters);
    }
}

void make_encoders(const Options& options, const AVOutputFormat& container, RunParts& parts) {
    OutputOptions output = options.output;
    output.threads = options.threads;
    const bool full_range = is_full_range_jpeg(output, container);
    for (VideoRun& video : parts.videos) {
        EncodeTask task = parts.task;
        task.full_range = full_range;
        if (is_full_range_still(output) || choose_codec(output, container).id == AV_CODEC_ID_MJPEG) {
            tell_other_colours(*video.first);
        }
        const RangeChange change = needed_change(video, output, task, container, parts);
        task.limit_range = change == RangeChange::to_limited;
        task.full_range = full_range || change == RangeChange::to_full;
        video.encoder = std::make_unique<Encoder>(output, task, container, stream_of(video, *parts.demuxer),
                                                  *video.first, video.kept, *parts.pool);
        const bool keeps_dots = keeps_density(*video.first, video.encoder->context());
        tell_lost_tags(*video.first, parts.demuxer->format(), keeps_dots);
        if (const std::string dots = shown_density(*video.first);
            !keeps_dots && !dots.empty() && makes_pictures(output, container)) {
            spdlog::warn("the resolution for print ({}) is left out", dots);
        }
        if (task.pass != 1 && (container.flags & AVFMT_NOFILE) == 0 &&
            may_change_samples(output, task, container, stream_of(video, *parts.demuxer), *video.first, video.kept)) {
            video.encoder->watch_samples();
        }
    }
}

void set_output_clocks(RunParts& parts) {
    for (const VideoRun& video : parts.videos) {
        video.encoder->set_output_clock(parts.muxer->clock_of(video.stream));
    }
}

std::vector<std::string> kernels_of(const std::vector<VideoRun>& videos) {
    std::vector<std::string> kernels;
    for (const VideoRun& video : videos) {
        for (const SegmentRun& segment : video.segments) {
            for (const std::string& kernel : segment.engine->kernels()) {
                if (&video == &videos.front() || std::ranges::find(kernels, kernel) == kernels.end()) {
                    kernels.push_back(kernel);
                }
            }
        }
    }
    return kernels;
}

}  // namespace vfilter
