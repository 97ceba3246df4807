#include "pipeline/session/videos.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <future>
#include <optional>
#include <string_view>
#include <utility>

#include "config/error.h"
#include "io/codec/encoder_choice.h"
#include "io/codec/picture_changes.h"
#include "io/codec/picture_density.h"
#include "io/formats/full_range.h"
#include "io/formats/orientation.h"
#include "io/formats/samples.h"
#include "io/graph/filter_library.h"
#include "io/output/container_rules.h"
#include "io/output/output_trial.h"
#include "io/output/stills.h"
#include "pipeline/background_task.h"
#include "pipeline/session/chains.h"
#include "pipeline/session/colours.h"
#include "pipeline/session/decoding.h"
#include "pipeline/session/first_pictures.h"
#include "pipeline/session/noise.h"
#include "pipeline/session/orientation.h"

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
                         clock_of(demuxer, stream)};
}

bool halves_rows(AVPixelFormat format) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(format);
    return d != nullptr && d->log2_chroma_h > 0;
}

bool is_bt601(AVColorSpace matrix) {
    return matrix == AVCOL_SPC_BT470BG || matrix == AVCOL_SPC_SMPTE170M;
}

// "bt2020/smpte2084/bt2020nc": of primaries, curve and matrix those that the output does not tell; "" if it tells all.
std::string lost_colours(const ToldOfPictures& known, const ToldOfPictures& told, bool stills) {
    std::string lost;
    const auto add = [&](auto given, auto kept, auto unknown, const char* name) {
        if (given != unknown && kept == unknown && name != nullptr) {
            lost += (lost.empty() ? "" : "/") + std::string(name);
        }
    };
    // What readers take pictures for that say nothing.
    const bool usual = stills && known.primaries != AVCOL_PRI_BT2020 && known.primaries != AVCOL_PRI_SMPTE432;
    if (!usual) {
        add(known.primaries, told.primaries, AVCOL_PRI_UNSPECIFIED, av_color_primaries_name(known.primaries));
        add(known.curve, told.curve, AVCOL_TRC_UNSPECIFIED, av_color_transfer_name(known.curve));
    }
    if (is_yuv(told.format) && !stills) {
        // Some codecs have one matrix, and say it of all pictures: VP8.
        const bool another =
            is_yuv(known.format) && told.matrix != known.matrix && !(is_bt601(told.matrix) && is_bt601(known.matrix));
        add(known.matrix, another ? AVCOL_SPC_UNSPECIFIED : told.matrix, AVCOL_SPC_UNSPECIFIED,
            av_color_space_name(known.matrix));
    }
    return lost;
}

// Readers that are told nothing take 4:2:0 for MPEG-2's, left of the middle, or JPEG's, in the middle.
bool has_rare_siting(const ToldOfPictures& known) {
    return known.siting > AVCHROMA_LOC_CENTER && halves_rows(known.format);
}

// What the pictures say of themselves, and what comes of it.
bool has_time_code_tag(const AVFormatContext& input, const std::string& code) {
    const auto says = [&](const AVDictionary* tags) {
        const AVDictionaryEntry* const tag = av_dict_get(tags, "timecode", nullptr, 0);
        return tag != nullptr && code == tag->value;
    };
    return says(input.metadata) || std::ranges::any_of(std::span(input.streams, input.nb_streams),
                                                       [&](const AVStream* stream) { return says(stream->metadata); });
}

// Which hardly any RGB has.
bool is_limited_rgb(const ToldOfPictures& known) {
    return is_rgb(known.format) && known.range == AVCOL_RANGE_MPEG;
}

struct TriedOutput {
    ToldOfPictures known;
    std::optional<ToldOfPictures> tried;  // empty where nothing can be read back from one picture
    ToldOfPictures told;                  // of `tried`, or else what the bit stream tells in any case
    bool tells = false;                   // it tells everything
    bool stills = false;
    bool large_rgb = false;  // of a size of which players take YUV for BT.709
    bool tagged = false;     // the input says the time code of its pictures in a tag, too
    const AVOutputFormat& container;
    std::string encoder;
};

void tell_lost(std::string_view what, const TriedOutput& output) {
    spdlog::warn("{} is lost: it cannot be read again from {} as {} writes it", what, name_of_output(output.container),
                 output.encoder);
}

void tell_losses(const TriedOutput& output) {
    const auto& [known, tried, told, tells, stills, large_rgb, tagged, container, encoder] = output;
    std::string hdr = known.mastering_display && !told.mastering_display ? "mastering display" : "";
    if (known.light_level && !told.light_level) {
        hdr += hdr.empty() ? "light level" : " and light level";
    }
    if (!hdr.empty()) {
        tell_lost(fmt::format("HDR10 data ({})", hdr), output);
    }
    // Of which no bit stream tells everything.
    const unsigned lost_data = known.data & ~(tried ? tried->data : 0U);
    for (std::size_t i = 0; i < picture_data().size(); ++i) {
        if ((lost_data & 1U << i) != 0) {
            tell_lost(picture_data()[i].name, output);
        }
    }
    // What becomes of a tag that says the same is told with the tags.
    if (!known.time_code.empty() && !tagged && !keeps_time_code(encoder)) {
        spdlog::warn("the time code of the pictures, {} of the first, is lost: {} does not write it", known.time_code,
                     encoder);
    }
    if (tried && has_rare_siting(known) && tried->siting != known.siting && halves_rows(told.format)) {
        tell_lost(fmt::format("where the samples of the chroma lie ({})", av_chroma_location_name(known.siting)),
                  output);
    }
    // One of other colours is left out by the encoder, which tells.
    const bool same_colours = !tried || is_gray(known.format) == is_gray(told.format);
    if (known.icc_profile && !told.icc_profile && same_colours) {
        spdlog::warn("the ICC profile of the colours is lost: {} cannot hold it here", encoder);
    }
    if (const std::string tags = tried && !tells ? lost_colours(known, told, stills) : ""; !tags.empty()) {
        tell_lost(fmt::format("what the pictures say of their colours ({})", tags), output);
    }
    if (large_rgb && tried && is_yuv(told.format) && told.matrix == AVCOL_SPC_UNSPECIFIED) {
        spdlog::warn(
            "the colours are converted by BT.601, which {} cannot say with this encoder: players take pictures of this "
            "size for BT.709, which --vf scale=out_color_matrix=bt709,format=yuv444p makes",
            name_of_output(container));
    }
    if (is_limited_rgb(known) && !is_rgb(told.format)) {
        spdlog::warn(
            "the pictures are RGB in the limited range, and are converted as if they were in the full one: their black "
            "becomes a dark gray");
    } else if (is_limited_rgb(known) && told.range != AVCOL_RANGE_MPEG) {
        tell_lost("that the RGB has the limited range", output);
    }
    if (known.interlaced && tried && !tried->interlaced) {
        tell_lost("that the pictures are interlaced", output);
    }
}

enum class RangeChange { none, to_limited, to_full };

// What the input says of its pictures has to be said by the output as well: where it cannot, values are changed so that
// what is said is true, or what is lost is told. It is tried only for what few outputs can say.
RangeChange needed_change(const VideoRun& video, const OutputOptions& output, const AVOutputFormat& container,
                          const RunParts& parts) {
    if ((container.flags & AVFMT_NOFILE) != 0) {
        return RangeChange::none;
    }
    const PictureStream stream = stream_of(video, *parts.demuxer);
    TriedOutput tried{.known = told_by_input(*stream.stream, *video.first),
                      .tried = {},
                      .told = {},
                      .tells = tells_of_pictures(encoder_of(output, container)),
                      .stills = stills_of(output).has_value(),
                      .container = container,
                      .encoder = encoder_of(output, container)};
    ToldOfPictures& known = tried.known;
    tried.tagged = has_time_code_tag(parts.demuxer->format(), known.time_code);
    if (is_gray(video.kept)) {
        known.format = video.kept;  // with alpha it is filtered in the planes of RGB
    }
    tried.large_rgb = is_rgb(known.format) && !tried.stills &&
                      matrix_of(AVCOL_SPC_UNSPECIFIED, video.first->width, video.first->height) != AVCOL_SPC_SMPTE170M;
    const bool gray = is_gray(known.format) && known.range != AVCOL_RANGE_MPEG;  // full, unless it says that it is not
    const bool limited_gray = is_gray(known.format) && known.range == AVCOL_RANGE_MPEG;
    const bool full = gray || (known.range == AVCOL_RANGE_JPEG && has_range(known.format));
    const bool colours = !tried.tells && !lost_colours(known, {.format = known.format}, tried.stills).empty();
    if (!full && !limited_gray && !known.mastering_display && !known.light_level && !known.icc_profile &&
        !known.interlaced && known.data == 0 && known.time_code.empty() && !has_rare_siting(known) && !colours &&
        !tried.large_rgb && !is_limited_rgb(known)) {
        return RangeChange::none;
    }
    tried.tried = try_output(output, container, stream, *video.first, video.kept, *parts.pool);
    // What cannot be read back from one picture is taken for silent, but for the bit streams that tell everything.
    tried.told = tried.tried.value_or(tried.tells ? known : ToldOfPictures{});
    tell_losses(tried);
    const ToldOfPictures& told = tried.told;
    const bool limited = full && told.range != AVCOL_RANGE_JPEG && !is_rgb(told.format) &&
                         (!gray || is_yuv(told.format) || told.range == AVCOL_RANGE_MPEG);
    if (limited) {
        spdlog::warn(
            "the pictures use the full range, which {} cannot say with this encoder: their values are converted to "
            "the limited range",
            name_of_output(container));
    }
    // Readers take gray for full that does not say so.
    const bool filled = limited_gray && tried.tried && told.range != AVCOL_RANGE_MPEG && !is_yuv(told.format);
    if (filled) {
        spdlog::warn(
            "the gray has the limited range, which {} cannot say with this encoder: its values are converted to the "
            "full range",
            name_of_output(container));
    }
    return limited ? RangeChange::to_limited : filled ? RangeChange::to_full : RangeChange::none;
}

bool makes_pictures(const OutputOptions& output, const AVOutputFormat& container) {
    constexpr std::string_view formats[] = {"webp", "avif", "apng", "gif"};
    return stills_of(output) || std::ranges::find(formats, container.name) != std::end(formats);
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

// What no encoder of pictures writes: the tags of EXIF and of PNG's texts, which the decoder gives with the picture.
void tell_lost_tags(const AVFrame& first, const AVFormatContext& input, bool keeps_dots) {
    constexpr int max_told = 4;
    // Orientation is told as the display matrix, which is kept, applied or told by others.
    constexpr std::string_view told_elsewhere[] = {"Orientation", density_name};
    constexpr std::string_view dots[] = {"XResolution", "YResolution", "ResolutionUnit"};
    const std::string_view format = input.iformat->name;
    const bool heif = format.starts_with("mov,") && (av_dict_get(first.metadata, "EXIF", nullptr, 0) != nullptr ||
                                                     av_dict_get(first.metadata, "XMP", nullptr, 0) != nullptr);
    if (format != "image2" && !format.ends_with("_pipe") && !heif) {
        return;
    }
    int count = 0;
    std::string names;
    const AVDictionaryEntry* tag = nullptr;
    while ((tag = av_dict_get(first.metadata, "", tag, AV_DICT_IGNORE_SUFFIX)) != nullptr) {
        const std::string_view name = tag->key;
        if (name.starts_with("lavfi.")) {
            continue;  // what a filter of --vf has noted
        }
        if (std::ranges::find(told_elsewhere, name) == std::end(told_elsewhere) &&
            (!keeps_dots || std::ranges::find(dots, name) == std::end(dots)) && ++count <= max_told) {
            names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
        }
    }
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
        output.full_range = full_range;
        output.limit_range = false;
        if (is_full_range_still(output)) {
            tell_other_colours(*video.first);
        }
        const RangeChange change = needed_change(video, output, container, parts);
        output.limit_range = change == RangeChange::to_limited;
        output.full_range = full_range || change == RangeChange::to_full;
        video.encoder = std::make_unique<Encoder>(output, container, stream_of(video, *parts.demuxer), *video.first,
                                                  video.kept, *parts.pool);
        const bool keeps_dots = keeps_density(*video.first, video.encoder->context());
        tell_lost_tags(*video.first, parts.demuxer->format(), keeps_dots);
        if (const std::string dots = shown_density(*video.first);
            !keeps_dots && !dots.empty() && makes_pictures(output, container)) {
            spdlog::warn("the resolution for print ({}) is left out", dots);
        }
        if (output.pass != 1 && (container.flags & AVFMT_NOFILE) == 0 &&
            may_change_samples(output, container, stream_of(video, *parts.demuxer), *video.first, video.kept)) {
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
